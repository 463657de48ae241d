"""What all attention layers have in common: scores -> weights -> context.

Bahdanau, Cho and Bengio, "Neural Machine Translation by Jointly Learning to Align and Translate", ICLR 2015, equations 5 and 6.
"""

import keras
from keras import ops, tree

from keras_attn.layers.checks import check_shapes
from keras_attn.layers.heads import join_heads, split_heads
from keras_attn.layers.masked_softmax import masked_softmax
from keras_attn.layers.time_loop import unroll


class Attention(keras.layers.Layer):
    """`context_t = sum_s softmax_s(score(query_t, value_s)) value_s`.

    It is a pure function of its arguments: the memory is never stored on the layer. Subclasses define how a query and a key are
    scored (`score`), how keys are computed (`project_keys`; by default, `key_layer` maps a value to its key) and, if it is not just
    a softmax, how scores become weights (`weigh`). An attention may depend on what earlier queries attended to. It then carries
    that from one query to the next (`first_carry`), and `call` processes its queries one after the other with `step`.

    With several heads, each head has its own weights and reads its own share of the value's features. The context contains all
    shares in their original places, and the returned weights are the mean over the heads.

    Shapes: B batch, T queries, S memory positions, Q query width, D value width, K key width, H heads.

    Args:
        num_heads: H.
        dropout: rate of dropout on the weights, in training.

    Call arguments:
        query: `(B, T, Q)`.
        value: `(B, S, D)`, the memory.
        key: `(B, S, K)`, the result of `project_keys(value)` if already available. `None`: computed here.
        query_mask: boolean `(B, T)`. Where it is `False`, weights and context are zero.
        value_mask: boolean `(B, S)`. Where it is `False`, the weights are zero.
        return_attention_scores: whether to return the weights too (Keras' name for them).
        training: whether dropout is on.

    Returns:
        The context `(B, T, D)`, or `(context, weights)` with float32 weights `(B, T, S)` before dropout.

    Raises:
        ValueError: shapes that do not fit together, or no query or position.

    Masking: Keras fills `query_mask` and `value_mask` from its implicit masks; the output carries the query's mask.
    """

    def __init__(self, *, num_heads=1, dropout=0.0, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking = True
        self.num_heads = num_heads
        self.dropout = keras.layers.Dropout(dropout, dtype=self.dtype_policy)

    def project_keys(self, value):
        """The keys of a memory, `(B, S, D) -> (B, S, K)`; computed once per sentence. The layer must be built."""
        if not self.built:
            raise ValueError(
                f"{type(self).__name__} has no weights yet: call it once, or `build(query_shape, value_shape)`, "
                "before it projects keys."
            )
        return self.key_layer(value)

    def score(self, query, key):
        """Unnormalised scores `(B, T, Q), (B, S, K) -> (B, T, S)`, or `(B, H, T, S)` with several heads."""
        raise NotImplementedError

    def context_width(self, value_width):
        """The width of the context for values of width D."""
        return value_width

    def key_width(self, value_width):
        """The width K of the keys of values of width D; `None`: a given key may have any width."""
        return None

    def first_carry(self, value):
        """The carry for the first query over `value` `(B, S, D)`: a nest of tensors `(B, ...)`; here it is empty."""
        return ()

    def weigh(self, query, key, mask, carry, training):
        """Weights of independent queries, each with its own carry.

        Args:
            query: `(B, T, Q)`.
            key: `(B, S, K)`.
            mask: boolean `(B, S)`, or `None`.
            carry: nest of tensors `(B, T, ...)`, the carry of each query.
            training: whether the model is in training.

        Returns:
            float32 weights `(B, T, S)`, or `(B, H, T, S)` with several heads, and the carry for the query that follows each of
            these.
        """
        mask = over_queries(mask)
        if mask is not None and self.num_heads > 1:
            mask = ops.expand_dims(mask, 1)  # [B, 1, 1, S]
        return masked_softmax(self.score(query, key), mask), carry

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
        self._check(query, value, key, query_mask, value_mask)
        key = self.project_keys(value) if key is None else key
        carry = self.first_carry(value)
        attend = self._attend_in_turn if tree.flatten(carry) else self.step
        context, weights, _ = attend(query, value, key, value_mask, carry, training)
        if query_mask is not None:
            real = ops.expand_dims(ops.cast(query_mask, "bool"), 2)
            context, weights = ops.where(real, context, 0.0), ops.where(real, weights, 0.0)
        return (context, weights) if return_attention_scores else context

    def step(self, query, value, key, mask, carry, training=None):
        """One target position of a decoder, with independent queries such as the hypotheses of a sentence.

        Args:
            query: `(B, T, Q)`.
            value: `(B, S, D)`.
            key: `project_keys(value)`.
            mask: boolean `(B, S)`, or `None`.
            carry: the carry from the query before each of these, a nest of `(B, T, ...)`; for the first position,
                `first_carry(value)` with the query axis added.
            training: whether dropout is on.

        Returns:
            `(context, weights, carry)`: `(B, T, D)`, float32 `(B, T, S)`, and the carry for the query that follows each.
        """
        # A decoder calls this directly, without `__call__`, which would cast.
        query, value, key = (ops.cast(x, self.compute_dtype) for x in (query, value, key))
        weights, carry = self.weigh(query, key, mask, carry, training)
        read = self.dropout(ops.cast(weights, self.compute_dtype), training=training)
        if self.num_heads == 1:
            return ops.matmul(read, value), weights, carry
        context = join_heads(ops.matmul(read, split_heads(value, self.num_heads)))
        return context, ops.mean(weights, axis=1), carry

    def _check(self, query, value, key, query_mask, value_mask):
        """Refuses shapes that do not fit together."""
        single = "A single {0} for each sentence is `{0}[:, None]`."
        masked = "A mask has one entry for each {}: there is no mask for pairs of them."
        check_shapes(
            {"key width": self.key_width(value.shape[-1])},
            query=(query, "batch, queries, query width", single.format("query")),
            value=(value, "batch, positions, width", single.format("value")),
            key=(key, "batch, positions, key width", "Leave it out, or pass `project_keys(value)`."),
            query_mask=(query_mask, "batch, queries", masked.format("query")),
            value_mask=(value_mask, "batch, positions", masked.format("position of the value")),
        )

    def _attend_in_turn(self, query, value, key, mask, carry, training):
        def step(query_t, carry):
            one = tree.map_structure(lambda x: ops.expand_dims(x, 1), (query_t, carry))
            context, weights, carry = self.step(one[0], value, key, mask, one[1], training)
            context, weights, carry = tree.map_structure(lambda x: x[:, 0], (context, weights, carry))
            return (context, weights), carry

        (context, weights), carry = unroll(step, query, carry, self)
        return context, weights, carry

    def compute_mask(self, query, query_mask=None):
        return query_mask

    def get_config(self):
        return {**super().get_config(), "num_heads": self.num_heads, "dropout": self.dropout.rate}


def additive_score(query, key, vector, bias=None):
    """`vector . tanh(query_t + key_s + bias)` for all t and s: `(B, T, K), (B, S, K) -> (B, T, S)`.

    The vector is `(K,)`, or `(K, H)` with one per head, for scores `(B, H, T, S)`. The bias is `(K,)`, or a different one for each
    t and s, `(B, T, S, K)`.
    """
    hidden = ops.expand_dims(query, 2) + ops.expand_dims(key, 1)  # [batch, queries, positions, units]
    hidden = ops.tanh(hidden if bias is None else hidden + ops.cast(bias, hidden.dtype))
    vectors = ops.reshape(ops.cast(vector, hidden.dtype), (vector.shape[0], -1))  # [units, heads]
    scores = map_rows(lambda rows: ops.matmul(rows, vectors), hidden)
    return ops.squeeze(scores, -1) if len(vector.shape) == 1 else ops.transpose(scores, (0, 3, 1, 2))


def map_rows(product, x):
    """Applies `product`, which takes `(rows, width)`, to the last axis of `x`, which may have any rank.

    When TensorFlow multiplies a tensor of higher rank with a matrix, it permutes axes by an order that is computed in the graph.
    The gradient of a loop keeps that order as data, which XLA refuses.
    """
    rows = product(ops.reshape(x, (-1, x.shape[-1])))
    return ops.reshape(rows, (*ops.shape(x)[:-1], rows.shape[-1]))


def scoring_vector_initializer(shape, dtype=None):
    """Glorot-uniform initialisation of vectors `(units,)` or `(units, H)`, each seen as a matrix from `units` inputs to one."""
    limit = (6 / (shape[0] + 1)) ** 0.5
    return keras.initializers.RandomUniform(-limit, limit)(shape, dtype=dtype)


def scoring_vector_shape(units, num_heads):
    """The shape of the vector of an additive score; a single head needs no axis."""
    return (units,) if num_heads == 1 else (units, num_heads)


def over_queries(mask):
    """Reshapes a mask `(B, S)` so that it broadcasts to `(B, T, S)`; `None` stays `None`."""
    return None if mask is None else ops.expand_dims(ops.cast(mask, "bool"), 1)
