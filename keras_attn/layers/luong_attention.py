"""Multiplicative and concat attention, Luong, Pham and Manning 2015."""

import keras
from keras import ops

from keras_attn.layers.attention import (
    Attention,
    additive_score,
    map_rows,
    scoring_vector_initializer,
    scoring_vector_shape,
)
from keras_attn.layers.checks import check_counts
from keras_attn.layers.heads import check_heads, split_heads

SCORES = ("dot", "general", "concat")


@keras.saving.register_keras_serializable(package="keras_attn")
class LuongAttention(Attention):
    """`score(s, h) = s . h` (dot), `s . W h` (general) or `v . tanh(W [s; h])` (concat).

    `general` is the bilinear score of Jurafsky and Martin, for which the widths may differ; `dot` is also the score of CS224n.

    Shapes: B batch, T queries, S memory positions, Q query width, D value width.

    Args:
        score: `"dot"`, `"general"` or `"concat"`.
        use_scale: whether a trained factor, 1 at the start, multiplies the scores.
        units: width of the concat score's hidden layer; `None`: the query's width. The other scores have none.
        num_heads: H. For dot and general, each head multiplies its own share of the query's features; concat has H scoring vectors.
            Each head reads its own share of the value's features.
        dropout: rate of dropout on the weights, in training.

    Call arguments:
        query: `(B, T, Q)`, the decoder's states.
        value: `(B, S, D)`, the encoder's states. `score="dot"` needs `Q == D`.
        key: `project_keys(value)`, or `None`.
        query_mask, value_mask: boolean `(B, T)` and `(B, S)`, `True` at real positions.
        return_attention_scores: whether to return the weights `(B, T, S)` too.
        training: whether dropout is on.

    Returns:
        The context `(B, T, D)`, or `(context, weights)`.

    Raises:
        ValueError: an unknown score, `units` with a score other than concat, `units` or `num_heads` that is no integer of at least
            1, `"dot"` with unequal widths, `num_heads` that does not divide the widths, or shapes that do not fit together.

    Masking: the weights are exactly zero at padding; the output carries the query's mask.

    Example:

    >>> attention = LuongAttention(score="general")
    >>> context, weights = attention(states, memory, return_attention_scores=True)

    Reference: Luong, Pham and Manning, "Effective Approaches to Attention-based Neural Machine Translation", EMNLP 2015,
    section 3.1 (`W` there is `W_a`, `v` is `v_a`); Jurafsky and Martin, "Speech and Language Processing", the chapter on
    encoder-decoders with attention.
    """

    def __init__(self, score="general", use_scale=False, *, units=None, num_heads=1, dropout=0.0, **kwargs):
        super().__init__(num_heads=num_heads, dropout=dropout, **kwargs)
        if score not in SCORES:
            raise ValueError(
                f"LuongAttention's score must be one of {', '.join(SCORES)}. Received: score={score!r}."
            )
        if units is not None and score != "concat":
            raise ValueError(f"Only score='concat' has units. Received: score={score!r}, units={units}.")
        if units is not None:
            check_counts(units=units)
        self.score_name = score
        self.use_scale = use_scale
        self.units = units

    def build(self, query_shape, value_shape):
        width = query_shape[-1]
        check_heads(self.num_heads, query=width, value=value_shape[-1])
        if self.score_name == "dot" and width != value_shape[-1]:
            raise ValueError(
                "score='dot' needs queries and values of equal width. Received: "
                f"query {tuple(query_shape)}, value {tuple(value_shape)}. Use score='general' to project the values."
            )
        if self.score_name == "general":
            self._build_key_layer(width, value_shape)
        if self.score_name == "concat":
            width = self.units or width
            self._build_key_layer(width, value_shape)
            self.query_layer = keras.layers.Dense(
                width, use_bias=False, dtype=self.dtype_policy, name="query"
            )
            self.query_layer.build(query_shape)
            shape = scoring_vector_shape(width, self.num_heads)
            self.vector = self.add_weight(shape, scoring_vector_initializer, name="vector")
        if self.use_scale:
            self.scale = self.add_weight(shape=(), initializer="ones", name="scale")

    def project_keys(self, value):
        return value if self.score_name == "dot" else super().project_keys(value)

    def key_width(self, value_width):
        return value_width if self.score_name == "dot" else self.key_layer.units

    def score(self, query, key):
        if self.score_name == "concat":
            scores = additive_score(map_rows(self.query_layer, query), key, self.vector)
        else:
            if self.num_heads > 1:
                query, key = split_heads(query, self.num_heads), split_heads(key, self.num_heads)
            scores = ops.matmul(query, ops.swapaxes(key, -2, -1))
        return scores * ops.cast(self.scale, scores.dtype) if self.use_scale else scores

    def get_config(self):
        return {
            **super().get_config(),
            "score": self.score_name,
            "use_scale": self.use_scale,
            "units": self.units,
        }

    def _build_key_layer(self, width, value_shape):
        self.key_layer = keras.layers.Dense(width, use_bias=False, dtype=self.dtype_policy, name="key")
        self.key_layer.build(value_shape)
