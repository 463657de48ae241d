"""From target words to logits or log-probabilities: all positions of a given target at once, or one position of a search."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import keras
from keras import ops

from keras_attn.layers import AttentionDecoder, PointerGenerator
from keras_attn.search.types import State, Tensor

if TYPE_CHECKING:
    from keras_attn.models.seq2seq import Encoded


@dataclass(frozen=True, kw_only=True)
class Decoding:
    """Turns target words into logits.

    Attributes:
        decoder: maps embedded words to readouts.
        target_embedding: looks words up; if there is no output, `reverse=True` gives logits.
        output: maps readouts to logits. `None`: use the target embedding.
        copy: mixes in words from the source. `None`: every word is generated.
    """

    decoder: AttentionDecoder
    target_embedding: Callable[..., Tensor]
    output: keras.layers.Layer | None
    copy: PointerGenerator | None

    def forced(
        self,
        embedded: Tensor,
        memory: Tensor,
        *,
        state: State,
        mask: Tensor,
        source: Tensor,
        return_weights: bool,
        drop_readout: Callable[[Tensor], Tensor] = lambda readouts: readouts,
    ) -> tuple[Tensor, Tensor | None]:
        """All positions of a given target: logits `(B, T, V)`, and the attention weights `(B, T, S)` if requested.

        With a pointer-generator they are log-probabilities, which are logits, too.

        Args:
            embedded: the target words to read, `(B, T, E)`.
            memory, state, mask: from the encoder and the bridge.
            source: the model's first input.
            return_weights: whether to return the weights.
            drop_readout: applied to the readouts before the output reads them.
        """
        copies = self.copy is not None
        outputs = self.decoder(
            embedded,
            memory,
            initial_state=state,
            memory_mask=mask,
            return_attention_scores=return_weights or copies,
            return_states=copies,
        )
        readouts, *more = outputs if isinstance(outputs, tuple) else [outputs]
        logits = self._logits(drop_readout(readouts))
        if copies:
            weights, states = more
            logits = self.copy(logits, weights, states, embedded, source, memory)
        return logits, more[0] if more else None

    def step(self, tokens: Tensor, encoded: "Encoded", state: State) -> tuple[Tensor, State, Tensor | None]:
        """One position: log-probabilities `(N, V)`, the next state and the attention weights; see `Seq2Seq.step`."""
        embedded = self.target_embedding(tokens)
        readout, state, weights = self.decoder.step(
            embedded, state, encoded.memory, encoded.keys, encoded.mask
        )
        logits = self._logits(readout)
        if self.copy is not None:
            source, read = encoded.copied
            top = state["cells"][-1][0]
            logits = self.copy.step(logits, weights, top, embedded, source, encoded.memory, read)
        return self.log_probs(logits), state, weights

    def log_probs(self, logits: Tensor) -> Tensor:
        """Float32 log-probabilities `(..., V)` of such logits."""
        return log_softmax(logits) if self.copy is None else logits

    def _logits(self, readouts: Tensor) -> Tensor:
        return self.target_embedding(readouts, reverse=True) if self.output is None else self.output(readouts)


def log_softmax(logits: Tensor) -> Tensor:
    """In float32, written so that LiteRT's converter does not recognise it: LiteRT's own operator is slow."""
    logits = ops.cast(logits, "float32")
    peak = ops.max(logits, axis=-1, keepdims=True)
    return logits - (peak + ops.log(ops.sum(ops.exp(logits - peak), axis=-1, keepdims=True)))
