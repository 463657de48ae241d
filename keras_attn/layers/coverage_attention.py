"""Additive attention that knows what it has already read, Tu, Lu, Liu, Liu and Li 2016."""

import keras
from keras import ops

from keras_attn.layers.attention import additive_score, map_rows, over_queries
from keras_attn.layers.bahdanau_attention import BahdanauAttention
from keras_attn.layers.masked_softmax import masked_softmax


@keras.saving.register_keras_serializable(package="keras_attn")
class CoverageAttention(BahdanauAttention):
    """`score(s_t, h_s) = v . tanh(W s_t + U h_s + V C_{t-1,s})` with the coverage `C_{t,s} = C_{t-1,s} + a_ts`.

    The coverage is the total attention that a source word has received so far. It is carried from query to query. (This is the
    paper's linguistic coverage with a fertility of 1.)

    Shapes: B batch, T queries, S memory positions, Q query width, D value width.

    Args:
        units: width of the alignment model.
        dropout: rate of dropout on the weights, in training.

    Call arguments, returns, errors and masking are those of `BahdanauAttention`.

    Example:

    >>> attention = CoverageAttention(units=128)
    >>> context, weights = attention(states, memory, return_attention_scores=True)

    Reference: Tu, Lu, Liu, Liu and Li, "Modeling Coverage for Neural Machine Translation", ACL 2016, equations 5 and 6.
    """

    def __init__(self, units, *, dropout=0.0, **kwargs):
        super().__init__(units, dropout=dropout, **kwargs)

    def build(self, query_shape, value_shape):
        super().build(query_shape, value_shape)
        self.coverage_vector = self.add_weight(
            shape=(self.units,), initializer="zeros", name="coverage_vector"
        )

    def first_carry(self, value):
        return ops.zeros(ops.shape(value)[:2], dtype="float32")

    def weigh(self, query, key, mask, carry, training):
        query = map_rows(self.query_layer, query)
        vector = ops.cast(self.coverage_vector, query.dtype)
        covered = ops.expand_dims(ops.cast(carry, query.dtype), -1) * vector  # [B, T, S, units]
        scores = additive_score(query, key, self.vector, covered)
        weights = masked_softmax(scores, over_queries(mask))
        return weights, ops.cast(carry, "float32") + weights

    def get_config(self):
        config = super().get_config()
        del config["normalize"], config["num_heads"]
        return config
