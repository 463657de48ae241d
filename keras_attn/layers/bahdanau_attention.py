"""Additive attention, Bahdanau, Cho and Bengio 2015."""

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
from keras_attn.layers.heads import check_heads


@keras.saving.register_keras_serializable(package="keras_attn")
class BahdanauAttention(Attention):
    """`score(s, h) = v . tanh(W s + U h)`, the alignment model of Bahdanau et al. 2015.

    With `normalize` it is `g v / |v| . tanh(W s + U h + b)`: the length of the scoring vector is trained separately from its
    direction (Salimans and Kingma 2016), which stabilises deep stacks. The length starts at `1 / sqrt(units)`, as in tfa.seq2seq.

    Shapes: B batch, T queries, S memory positions, Q query width, D value width.

    Args:
        units: width of the alignment model.
        normalize: whether to weight-normalise the scoring vector.
        num_heads: H scoring vectors over a single hidden layer; each head reads its own share of the value's features.
        dropout: rate of dropout on the weights, in training.

    Call arguments:
        query: `(B, T, Q)`, the decoder's states.
        value: `(B, S, D)`, the encoder's annotations.
        key: `(B, S, units)` from `project_keys`, or `None`.
        query_mask, value_mask: boolean `(B, T)` and `(B, S)`, `True` at real positions.
        return_attention_scores: whether to return the weights `(B, T, S)` too.
        training: whether dropout is on.

    Returns:
        The context `(B, T, D)`, or `(context, weights)`.

    Raises:
        ValueError: `units` or `num_heads` is no integer of at least 1, `num_heads` does not divide D, or shapes that do not fit
            together.

    Masking: the weights are exactly zero at padding; the output carries the query's mask.

    Example:

    >>> attention = BahdanauAttention(units=128)
    >>> context, weights = attention(states, memory, return_attention_scores=True)

    Reference: Bahdanau, Cho and Bengio, "Neural Machine Translation by Jointly Learning to Align and Translate", ICLR 2015,
    section 3.1 and appendix A.1.2 (`W` there is `W_a`, `U` is `U_a`, `v` is `v_a`).
    """

    def __init__(self, units, normalize=False, *, num_heads=1, dropout=0.0, **kwargs):
        super().__init__(num_heads=num_heads, dropout=dropout, **kwargs)
        check_counts(units=units)
        self.units = units
        self.normalize = normalize
        self.query_layer = keras.layers.Dense(units, use_bias=False, dtype=self.dtype_policy, name="query")
        self.key_layer = keras.layers.Dense(units, use_bias=False, dtype=self.dtype_policy, name="key")

    def build(self, query_shape, value_shape):
        check_heads(self.num_heads, value=value_shape[-1])
        self.query_layer.build(query_shape)
        self.key_layer.build(value_shape)
        shape = scoring_vector_shape(self.units, self.num_heads)
        self.vector = self.add_weight(shape, scoring_vector_initializer, name="vector")
        if self.normalize:
            start = keras.initializers.Constant(self.units**-0.5)
            self.length = self.add_weight(shape[1:], start, name="length")
            self.bias = self.add_weight(shape=(self.units,), initializer="zeros", name="bias")

    def key_width(self, value_width):
        return self.units

    def score(self, query, key):
        query = map_rows(self.query_layer, query)
        if not self.normalize:
            return additive_score(query, key, self.vector)
        vector = self.length * self.vector * ops.rsqrt(ops.sum(ops.square(self.vector), axis=0))
        return additive_score(query, key, vector, self.bias)

    def get_config(self):
        return {**super().get_config(), "units": self.units, "normalize": self.normalize}
