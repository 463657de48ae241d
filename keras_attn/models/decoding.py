"""From target words to logits: all positions of a given target at once, or one position of a search."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import keras

from keras_attn.layers import AttentionDecoder, PointerGenerator
from keras_attn.search.types import State, Tensor

if TYPE_CHECKING:
    from keras_attn.models.seq2seq import Encoded


@dataclass(frozen=True, kw_only=True)
class Decoding:
    """What stands between target words and logits.

    Attributes:
        decoder: from embedded words to readouts.
        target_embedding: looks words up, and with `reverse=True` gives logits where there is no output.
        output: from readouts to logits. `None`: the target embedding.
        copy: mixes in the words of the source. `None`: every word is generated.
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
        """All positions of a given target: logits `(B, T, V)`, and the attention weights `(B, T, S)` where somebody asks.

        Args:
            embedded: the target words that are read, `(B, T, E)`.
            memory, state, mask: what the encoder and the bridge gave.
            source: the model's first input.
            return_weights: whether somebody asks for the weights.
            drop_readout: what is done to the readouts before the output reads them.
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
        """One position: logits `(N, V)`, the next state and the attention weights; see `Seq2Seq.step`."""
        embedded = self.target_embedding(tokens)
        readout, state, weights = self.decoder.step(
            embedded, state, encoded.memory, encoded.keys, encoded.mask
        )
        logits = self._logits(readout)
        if self.copy is not None:
            source, read = encoded.copied
            top = state["cells"][-1][0]
            logits = self.copy.step(logits, weights, top, embedded, source, encoded.memory, read)
        return logits, state, weights

    def _logits(self, readouts: Tensor) -> Tensor:
        return self.target_embedding(readouts, reverse=True) if self.output is None else self.output(readouts)


def check_decoding(
    decoder: AttentionDecoder, target_embedding: keras.layers.Layer, output: keras.layers.Layer | None
) -> None:
    """Raises ValueError where these do not fit together."""
    if not isinstance(decoder, AttentionDecoder):
        raise ValueError(f"decoder must be an AttentionDecoder. Received: {decoder!r}.")
    if output is None and not isinstance(target_embedding, keras.layers.ReversibleEmbedding):
        raise ValueError(
            "output=None ties the output to the target embedding, which must be a keras.layers.ReversibleEmbedding. Received: "
            f"{target_embedding!r}. Use one, or give output=keras.layers.Dense(vocabulary size)."
        )


def check_copy(
    decoder: AttentionDecoder,
    source_embedding: keras.layers.Layer | None,
    target_embedding: keras.layers.Layer,
) -> None:
    """Raises ValueError where there is nothing to point with or to point at, or where a word has not one id on both sides."""
    if decoder.attention is None:
        raise ValueError(
            "Copying uses the attention weights, and this decoder has no attention: leave out copy."
        )
    if source_embedding is None:
        raise ValueError("Copying takes words of the source, and this source has no ids: leave out copy.")
    sizes = [getattr(each, "input_dim", None) for each in (source_embedding, target_embedding)]
    if None not in sizes and sizes[0] != sizes[1]:
        raise ValueError(
            "Copying needs one vocabulary for source and target (tokenizer.joint=true), in which an id is the same word on both "
            f"sides. Received: embeddings of {sizes[0]} source and {sizes[1]} target words."
        )
