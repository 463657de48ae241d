"""What every attention layer of the literature has in common: scores -> weights -> context.

Bahdanau, Cho and Bengio, "Neural Machine Translation by Jointly Learning to Align and Translate", ICLR 2015, equations 5 and 6.
"""

import keras
from keras import ops

from keras_attn.layers.masked_softmax import masked_softmax


class Attention(keras.layers.Layer):
    """`context_t = sum_s softmax_s(score(query_t, value_s)) value_s`.

    A pure function of its arguments: the memory is never stored on the layer. Sub-classes say how a query and a key are
    scored (`score`) and what a key is (`project_keys`; by default what their `key_layer` makes of a value).

    Shapes: B batch, T queries, S memory positions, Q query width, D value width, K key width.

    Args:
        dropout: rate of dropout on the weights, in training.

    Call arguments:
        query: `(B, T, Q)`.
        value: `(B, S, D)`, the memory.
        key: `(B, S, K)`, the result of `project_keys(value)` when it is already at hand. `None`: computed here.
        query_mask: boolean `(B, T)`. Where it is `False` weights and context are zero.
        value_mask: boolean `(B, S)`. Where it is `False` the weights are zero.
        return_attention_scores: whether to return the weights too (Keras' name for them).
        training: whether dropout is on.

    Returns:
        The context `(B, T, D)`, or `(context, weights)` with float32 weights `(B, T, S)` as they are before dropout.

    Masking: Keras fills `query_mask` and `value_mask` from its implicit masks; the output carries the query's mask.
    """

    def __init__(self, dropout=0.0, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking = True
        self.dropout = keras.layers.Dropout(dropout, dtype=self.dtype_policy)

    def project_keys(self, value):
        """The memory as the scores see it, `(B, S, D) -> (B, S, K)`: computed once a sentence, by a layer that is built."""
        if not self.built:
            raise ValueError(
                f"{type(self).__name__} has no weights yet: call it once, or `build(query_shape, value_shape)`, "
                "before it projects keys."
            )
        return self.key_layer(value)

    def score(self, query, key):
        """Unnormalised scores `(B, T, Q), (B, S, K) -> (B, T, S)`."""
        raise NotImplementedError

    def call(
        self,
        query,
        value,
        key=None,
        query_mask=None,
        value_mask=None,
        return_attention_scores=False,
        training=None,
    ):
        key = self.project_keys(value) if key is None else key
        weights = masked_softmax(self.score(query, key), _joint_mask(query_mask, value_mask))
        context = ops.matmul(self.dropout(ops.cast(weights, value.dtype), training=training), value)
        return (context, weights) if return_attention_scores else context

    def compute_mask(self, query, query_mask=None):
        return query_mask

    def get_config(self):
        return {**super().get_config(), "dropout": self.dropout.rate}


def additive_score(query, key, vector, bias=None):
    """`vector . tanh(query_t + key_s + bias)` for all t and s: `(B, T, K), (B, S, K) -> (B, T, S)`."""
    hidden = ops.expand_dims(query, 2) + ops.expand_dims(key, 1)  # [batch, queries, positions, units]
    hidden = ops.tanh(hidden if bias is None else hidden + bias)
    return ops.squeeze(map_rows(lambda rows: ops.matmul(rows, ops.expand_dims(vector, 1)), hidden), -1)


def map_rows(product, x):
    """`product`, which takes `(rows, width)`, over the last axis of `x` of any rank.

    TensorFlow's product of a tensor of higher rank and a matrix permutes its axes by an order that is computed in the graph.
    The gradient of a loop keeps that order as data, and XLA refuses it.
    """
    rows = product(ops.reshape(x, (-1, x.shape[-1])))
    return ops.reshape(rows, (*ops.shape(x)[:-1], rows.shape[-1]))


def scoring_vector_initializer(shape, dtype=None):
    """Glorot's uniform start for a vector `(units,)`, seen as the matrix that maps `units` inputs to one score."""
    return ops.reshape(keras.initializers.GlorotUniform()((*shape, 1), dtype=dtype), shape)


def _joint_mask(query_mask, value_mask):
    """The two masks as one that broadcasts to `(B, T, S)`, or `None`."""
    masks = []
    if query_mask is not None:
        masks.append(ops.expand_dims(ops.cast(query_mask, "bool"), 2))
    if value_mask is not None:
        masks.append(ops.expand_dims(ops.cast(value_mask, "bool"), 1))
    if len(masks) == 2:
        return ops.logical_and(*masks)
    return masks[0] if masks else None
