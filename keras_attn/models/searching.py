"""What every model does that encodes sources and says one token after the other: search, and translate what is not text."""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import keras
import numpy as np

from keras_attn.models.compiled_search import CompiledSearch
from keras_attn.search.hypotheses import Hypotheses
from keras_attn.search.methods import Beam, Sampling, run
from keras_attn.search.phrases import Phrases
from keras_attn.search.types import Limits, LogProbs, State, Tensor, Tokens, Weights

Keys: TypeAlias = (
    Any  # a nest of tensors (B, S, ...): the memory projected for the attention; None without attention
)
Mask: TypeAlias = Tensor  # bool (B, S), True at real positions


class Encoded(NamedTuple):
    """What the decoder reads of B sources, S positions of memory each."""

    memory: Tensor  # (B, S, D)
    keys: Keys
    mask: Mask
    state: State  # the decoder's, before the first step
    copied: tuple = ()  # what a pointer-generator reads: the source's ids (B, S) and the memory as its gate sees it, (B, S)


class Embeddings(NamedTuple):
    """What looks words up in place of a model's own layers, such as int8 tables; `target` has `reverse` where it is tied."""

    source: Callable[..., Tensor] | None
    target: Callable[..., Tensor]


class Searching:
    """`search` and `translate`, of anything that has `encode` and `step`, `inputs`, `reads_ids` and `variables`."""

    def search(
        self,
        source: Tensor,
        method: Beam | Sampling,
        *,
        max_length: int,
        limits: Limits = None,
        prefix: Tensor | None = None,
        phrases: Phrases | None = None,
        return_weights: bool = False,
        embeddings: Embeddings | None = None,
        seeds: keras.random.SeedGenerator | None = None,
    ) -> Hypotheses:
        """Searches for the targets of sources, inside a graph or not; `translate` compiles it.

        Args:
            source: as the model's first input.
            method: how to search.
            max_length: L, the most tokens of a target, EOS included.
            limits: int32 `(B,)`, the most tokens of each target. `None`: `max_length`.
            prefix: int32 `(B, P)`, padded on the right with 0: what each target begins with.
            phrases: what each target holds, as far as its limit has room; it takes a beam of at least 2.
            return_weights: whether to keep the attention weights.
            embeddings: what looks words up. `None`: the model's own.
            seeds: draws in place of a sampling's own seed.

        Returns:
            `Hypotheses` of tensors.
        """
        encoded = self.encode(source, embeddings)

        def step(tokens: Tokens, state: State) -> tuple[LogProbs, State, Weights]:
            return self.step(tokens, encoded, state, embeddings=embeddings)

        return run(
            method,
            step,
            state=encoded.state,
            source_mask=encoded.mask,
            max_length=max_length,
            limits=limits,
            prefix=prefix,
            phrases=phrases,
            return_weights=return_weights,
            seeds=seeds,
        )

    def translate(
        self,
        inputs: np.ndarray,
        *,
        beam_size: int = 5,
        length_penalty: float = 1.0,
        coverage_penalty: float = 0.0,
        max_length: int = 64,
        batch_size: int = 64,
        return_weights: bool = False,
    ) -> Hypotheses:
        """The targets of sources that need not be text; a `Translator` does the same from text to text.

        Args:
            inputs: sources: int32 ids `(n, S)`, each with EOS (3) at its end if the model was trained so, padded on the right
                with 0; or float32 `(n, *source_shape)`.
            beam_size: hypotheses kept at every position; 1 is greedy search.
            length_penalty, coverage_penalty: see `search.beam`.
            max_length: L, the most tokens of a target, EOS included.
            batch_size: sources at once.
            return_weights: whether to keep the attention weights.

        Returns:
            `Hypotheses` of NumPy arrays: `tokens` int32 `(n, beam_size, L)`, best first, ending in EOS (3) and padded with 0, and
            so on.

        Raises:
            ValueError: inputs of another shape, or a value that cannot be used.
        """
        inputs = self.checked_inputs(inputs)
        if batch_size < 1:
            raise ValueError(f"batch_size must be at least 1. Received: batch_size={batch_size}")
        method = Beam(beam_size, length_penalty, coverage_penalty)
        batches = [
            self._compiled_search(
                inputs[i : i + batch_size], method, max_length, return_weights=return_weights
            )
            for i in range(0, len(inputs), batch_size)
        ]
        return Hypotheses(
            *(None if each[0] is None else np.concatenate(each) for each in zip(*batches, strict=True))
        )

    def checked_inputs(self, inputs: Any) -> np.ndarray:
        """Sources as an array of the model's shape and dtype.

        Raises:
            ValueError: they are something else.
        """
        spec = self.inputs[0]
        inputs = np.asarray(inputs)
        fits = inputs.ndim == len(spec.shape) and all(
            wanted in (None, size) for wanted, size in zip(spec.shape, inputs.shape, strict=True)
        )
        numbers = np.issubdtype(inputs.dtype, np.integer if self.reads_ids else np.number)
        if not (fits and numbers and inputs.size):
            raise ValueError(
                f"expected sources of shape {tuple(spec.shape)} and dtype {spec.dtype}, at least one; got shape {inputs.shape} and "
                f"dtype {inputs.dtype}"
            )
        return inputs.astype(spec.dtype)

    @functools.cached_property
    def _compiled_search(self) -> CompiledSearch:
        return CompiledSearch(self)
