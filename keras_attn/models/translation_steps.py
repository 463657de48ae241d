"""A trained model taken apart for search: encode a source once, then step through the target.

The layers are those of the functional model, so the weights are the same objects: nothing is copied.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import keras
from keras import ops

from keras_attn.special_ids import PAD_ID

Step = Callable[[Any, Any], tuple[Any, Any, Any]]


class Source(NamedTuple):
    """What the decoder reads of B source sentences, S positions each."""

    memory: Any  # (B, S, D), the encoder's states
    keys: Any  # memory projected for the attention, None without attention
    mask: Any  # bool (B, S), True at real positions


class TranslationSteps:
    """`encode` and `step` over the weights of a model from `build_seq2seq`.

    Shapes: B sentences, N hypotheses (B, or B times some number), S source length, T target length, V vocabulary.
    """

    def __init__(self, model: keras.Model):
        layers = {layer.name: layer for layer in model.layers}
        self.target_embedding = layers["target_embedding"]
        self.source_embedding = layers.get(
            "source_embedding", self.target_embedding
        )  # one layer when all are tied
        self.encoder = layers["encoder"]
        self.bridge = layers["bridge"]
        self.decoder = layers["decoder"]
        self.has_attention = self.decoder.attention is not None
        self.output = layers.get("output")  # none when the target embedding is tied to it

    def encode(self, source) -> tuple[Step, Any]:
        """Reads int32 ids `(B, S)`, padded on the right with 0, S at least 1.

        Returns:
            `(step, state)` as `keras_attn.search` wants them: `step(tokens (N,), state)` gives float32 log-probabilities `(N, V)`,
            the next state, and the attention weights `(N, S)` of the token it predicts (`None` without attention).
        """
        source, state = self.read(source)
        return partial(self.step, source), state

    def read(self, source) -> tuple[Source, Any]:
        """What `step` needs of int32 ids `(B, S)`, padded on the right with 0, and the state before the first step."""
        memory, mask, state = self._encode(source)
        return Source(memory, self.decoder.precompute(memory), mask), self.decoder.first_state(memory, state)

    def step(self, source: Source, tokens, state) -> tuple[Any, Any, Any]:
        """One target position: `(log_probs, state, weights)`, see `encode`."""
        inputs = self.target_embedding(tokens)
        output, state, weights = self.decoder.step(inputs, state, *source)
        return self._log_probs(output), state, weights

    def score(self, source, target_in, target_out) -> tuple[Any, Any]:
        """The log-probability of each word of given translations: `(B, T)`, zero at padding, and the weights `(B, T, S)`."""
        memory, mask, state = self._encode(source)
        outputs, weights = self.decoder(
            self.target_embedding(target_in),
            memory,
            initial_state=state,
            memory_mask=mask,
            return_attention_scores=True,
        )
        chosen = ops.take_along_axis(self._log_probs(outputs), ops.expand_dims(target_out, -1), axis=-1)
        return ops.where(ops.not_equal(target_out, PAD_ID), ops.squeeze(chosen, -1), 0.0), weights

    def _encode(self, source):
        mask = ops.not_equal(source, PAD_ID)
        memory, final = self.encoder(self.source_embedding(source), mask=mask)
        return memory, mask, self.bridge(final)

    def _log_probs(self, outputs):
        logits = self.output(outputs) if self.output else self.target_embedding(outputs, reverse=True)
        logits = ops.cast(logits, "float32")
        peak = ops.max(logits, axis=-1, keepdims=True)
        # `log_softmax` in this order, in which LiteRT's converter does not see it: its operator of that name is slow.
        return logits - (peak + ops.log(ops.sum(ops.exp(logits - peak), axis=-1, keepdims=True)))
