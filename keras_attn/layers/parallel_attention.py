"""Several attentions over one memory, side by side."""

import keras
from keras import ops


@keras.saving.register_keras_serializable(package="keras_attn")
class ParallelAttention(keras.layers.Layer):
    """`context_t = [context_t of the first; context_t of the second; ...]`: attentions of any kind with the same queries.

    Each has its own scores and reads the whole memory, whereas the heads of one attention each read a share of it. The returned
    weights are the mean over the attentions.

    Shapes: B batch, T queries, S memory positions, Q query width, D value width, N attentions.

    Args:
        attentions: list of N attention layers, at least one.

    Call arguments:
        query: `(B, T, Q)`.
        value: `(B, S, D)`, the memory.
        key: tuple of N keys, from `project_keys`, or `None`.
        query_mask, value_mask: boolean `(B, T)` and `(B, S)`, `True` at real positions.
        return_attention_scores: whether to return the weights `(B, T, S)` too.
        training: whether dropout is on.

    Returns:
        The context `(B, T, N D)`, or `(context, weights)`.

    Raises:
        ValueError: no attentions, or what one of them refuses.

    Masking: as in each of the attentions; the output carries the query's mask.

    Example:

    >>> attention = ParallelAttention([BahdanauAttention(128), LuongAttention("general")])
    >>> context, weights = attention(states, memory, return_attention_scores=True)

    Reference: `AttentionWrapper` of tfa.seq2seq, which takes a list of attention mechanisms.
    """

    def __init__(self, attentions, **kwargs):
        super().__init__(**kwargs)
        if not attentions:
            raise ValueError(f"ParallelAttention needs at least one attention. Received: {attentions!r}.")
        self.supports_masking = True
        self.attentions = list(attentions)

    def build(self, query_shape, value_shape):
        for attention in self.attentions:
            if not attention.built:  # already built if it was restored from a file
                attention.build(query_shape, value_shape)

    def project_keys(self, value):
        """The keys of each attention, a tuple of N."""
        return tuple(attention.project_keys(value) for attention in self.attentions)

    def context_width(self, value_width):
        """The width of the context for values of width D."""
        return sum(attention.context_width(value_width) for attention in self.attentions)

    def first_carry(self, value):
        """The carry for the first query over `value` `(B, S, D)`: a tuple of N nests, one for each attention."""
        return tuple(attention.first_carry(value) for attention in self.attentions)

    def step(self, query, value, key, mask, carry, training=None):
        """One target position, as in `Attention.step`, with N keys and N carries."""
        attended = [
            attention.step(query, value, one_key, mask, one_carry, training)
            for attention, one_key, one_carry in zip(self.attentions, key, carry, strict=True)
        ]
        contexts, weights, carries = zip(*attended, strict=True)
        return *self._side_by_side(contexts, weights), carries

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
        keys = self.project_keys(value) if key is None else key
        attended = [
            attention(
                query,
                value,
                key=one_key,
                query_mask=query_mask,
                value_mask=value_mask,
                return_attention_scores=True,
                training=training,
            )
            for attention, one_key in zip(self.attentions, keys, strict=True)
        ]
        context, weights = self._side_by_side(*zip(*attended, strict=True))
        return (context, weights) if return_attention_scores else context

    def compute_mask(self, query, query_mask=None):
        return query_mask

    def get_config(self):
        attentions = [keras.saving.serialize_keras_object(attention) for attention in self.attentions]
        return {**super().get_config(), "attentions": attentions}

    @classmethod
    def from_config(cls, config):
        attentions = [keras.saving.deserialize_keras_object(attention) for attention in config["attentions"]]
        return cls(**{**config, "attentions": attentions})

    def _side_by_side(self, contexts, weights):
        contexts = [ops.cast(context, self.compute_dtype) for context in contexts]
        return ops.concatenate(contexts, axis=-1), ops.mean(ops.stack(weights), axis=0)
