"""Local attention, Luong, Pham and Manning 2015, section 3.2: a window of the source instead of all of it."""

import keras
from keras import ops

from keras_attn.layers.attention import map_rows, over_queries
from keras_attn.layers.luong_attention import LuongAttention
from keras_attn.layers.masked_softmax import masked_softmax


class _LocalAttention(LuongAttention):
    """`LuongAttention` with zero weights outside `[p_t - window, p_t + window]`."""

    def __init__(self, score="general", window=10, *, use_scale=False, units=None, dropout=0.0, **kwargs):
        super().__init__(score, use_scale, units=units, dropout=dropout, **kwargs)
        if window < 1:
            raise ValueError(
                f"{type(self).__name__} needs a window of at least one position. Received: window={window}."
            )
        self.window = window

    def _weights_around(self, centre, query, key, mask):
        """The softmax over the window, `(B, T, S)`, and the distance of each position from the centre `(B, T, 1)`."""
        distance = ops.arange(ops.shape(key)[1], dtype="float32") - ops.cast(centre, "float32")
        inside = ops.abs(distance) <= self.window  # [B, T, S]
        if mask is not None:
            inside = ops.logical_and(inside, over_queries(mask))
        return masked_softmax(self.score(query, key), inside), distance

    def get_config(self):
        config = super().get_config()
        del config["num_heads"]
        return {**config, "window": self.window}


@keras.saving.register_keras_serializable(package="keras_attn")
class LocalMonotonicAttention(_LocalAttention):
    """`local-m`: the softmax over `|s - p_t| <= window` with `p_t = t`, assuming that source and target run in parallel.

    The position t is carried from query to query. Beyond the last source word, `p_t` stays at that word; in the paper, the window
    would be empty.

    Shapes: B batch, T queries, S memory positions, Q query width, D value width.

    Args:
        score, use_scale, units, dropout: as in `LuongAttention`.
        window: D in the paper, words on either side.

    Call arguments, returns and masking are those of `LuongAttention`.

    Raises:
        ValueError: `window` below 1, or what `LuongAttention` refuses.

    Example:

    >>> attention = LocalMonotonicAttention("general", window=10)
    >>> context, weights = attention(states, memory, return_attention_scores=True)

    Reference: Luong, Pham and Manning, "Effective Approaches to Attention-based Neural Machine Translation", EMNLP 2015,
    section 3.2, "Monotonic alignment (local-m)".
    """

    def first_carry(self, value):
        return ops.zeros((ops.shape(value)[0],), dtype="int32")

    def weigh(self, query, key, mask, carry, training):
        last = ops.expand_dims(source_lengths(key, mask) - 1, 1)  # [B, 1]
        centre = ops.expand_dims(ops.minimum(carry, last), -1)  # [B, T, 1]
        return self._weights_around(centre, query, key, mask)[0], carry + 1


@keras.saving.register_keras_serializable(package="keras_attn")
class LocalPredictiveAttention(_LocalAttention):
    """`local-p`: the softmax over `|s - p_t| <= window` times `exp(-(s - p_t)^2 / (2 sigma^2))`.

    The centre is predicted: `p_t = S sigmoid(v_p . tanh(W_p s_t))`, where S is the number of source words, and `sigma = window /
    2`. The weights are not renormalised, so they sum to at most 1.

    Shapes: B batch, T queries, S memory positions, Q query width, D value width.

    Args:
        score, use_scale, units, dropout: as in `LuongAttention`.
        window: D in the paper, words on either side.

    Call arguments, returns and masking are those of `LuongAttention`.

    Raises:
        ValueError: `window` below 1, or what `LuongAttention` refuses.

    Example:

    >>> attention = LocalPredictiveAttention("general", window=10)
    >>> context, weights = attention(states, memory, return_attention_scores=True)

    Reference: Luong, Pham and Manning, "Effective Approaches to Attention-based Neural Machine Translation", EMNLP 2015,
    section 3.2, "Predictive alignment (local-p)", equations 9 and 10.
    """

    def build(self, query_shape, value_shape):
        super().build(query_shape, value_shape)
        self.position_layer = keras.layers.Dense(
            query_shape[-1], activation="tanh", use_bias=False, dtype=self.dtype_policy, name="position"
        )
        self.position_layer.build(query_shape)
        self.position_vector = keras.layers.Dense(
            1, use_bias=False, dtype=self.dtype_policy, name="position_vector"
        )
        self.position_vector.build(query_shape)

    def centre(self, query, lengths):
        """`p_t` of queries `(B, T, Q)` for sources with `(B,)` words, int32: float32 `(B, T, 1)`."""
        share = map_rows(lambda rows: self.position_vector(self.position_layer(rows)), query)
        lengths = ops.reshape(ops.cast(lengths, "float32"), (-1, 1, 1))
        return lengths * ops.sigmoid(ops.cast(share, "float32"))

    def weigh(self, query, key, mask, carry, training):
        centre = self.centre(query, source_lengths(key, mask))
        weights, distance = self._weights_around(centre, query, key, mask)
        sigma = self.window / 2
        return weights * ops.exp(-ops.square(distance) / (2 * sigma**2)), carry


def source_lengths(key, mask):
    """The number of words in each source, int32 `(B,)`, from the mask or the length of the keys `(B, S, K)`."""
    if mask is None:
        return ops.full((ops.shape(key)[0],), ops.shape(key)[1], dtype="int32")
    return ops.sum(ops.cast(mask, "int32"), axis=1)
