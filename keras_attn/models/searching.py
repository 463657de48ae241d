"""Methods of every model that encodes sources and predicts token by token: search, and translation of inputs other than text."""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from keras_attn.layers.checks import check_counts
from keras_attn.models.compiled_search import CompiledSearch
from keras_attn.search.hypotheses import Hypotheses
from keras_attn.search.methods import Beam, Sampling, run
from keras_attn.search.phrases import Phrases
from keras_attn.search.types import Limits, LogProbs, Scalar, State, Tensor, Tokens, Weights
from keras_attn.special_ids import check_source_ids

Keys: TypeAlias = (
    Any  # a nest of tensors (B, S, ...), the memory projected for the attention; None without attention
)
Mask: TypeAlias = Tensor  # bool (B, S), True at real positions


class Encoded(NamedTuple):
    """Encoded sources as the decoder reads them: B sources with S memory positions each."""

    memory: Tensor  # (B, S, D)
    keys: Keys
    mask: Mask
    state: State  # the decoder's state before the first step
    copied: tuple = ()  # for a pointer-generator: the source's ids (B, S) and the memory's contribution to its gate, (B, S)


class Embeddings(NamedTuple):
    """Embeddings that replace a model's own, such as int8 tables; `target` supports `reverse` if it is tied."""

    source: Callable[..., Tensor] | None
    target: Callable[..., Tensor]


class Searching:
    """`search` and `translate` for a class with `encode`, `step`, `inputs`, `reads_ids`, `source_embedding` and `variables`."""

    def search(
        self,
        source: Tensor,
        method: Beam | Sampling,
        *,
        max_length: int,
        limits: Limits = None,
        prefix: Tensor | None = None,
        phrases: Phrases | None = None,
        n_best: int | Scalar | None = None,
        return_weights: bool = False,
        embeddings: Embeddings | None = None,
        uniforms: Tensor | None = None,
    ) -> Hypotheses:
        """Searches for the targets of sources, inside or outside a graph; `translate` compiles it.

        Args:
            source: as the model's first input.
            method: the search method.
            max_length: L, the most tokens of a target, EOS included.
            limits: int32 `(B,)`, the most tokens of each target. `None`: `max_length`.
            prefix: int32 `(B, P)`, padded on the right with 0: the beginning of each target.
            phrases: phrases that each target must contain, as far as its limit allows; they need a beam of at least 2.
            n_best: how many hypotheses of a beam are wanted, see `search.beam`. `None`: all.
            return_weights: whether to keep the attention weights.
            embeddings: embeddings to use. `None`: the model's own.
            uniforms: float32 `(B, L)`, what a sampling method draws with: `search.random_numbers`. Its seed does not count here.

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
            n_best=n_best,
            return_weights=return_weights,
            uniforms=uniforms,
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
        """Translates sources that need not be text; a `Translator` does the same from text to text.

        Args:
            inputs: the sources: int32 ids `(n, S)`, padded on the right with 0, each ending in EOS (3) if the model was trained
                that way; or float32 `(n, *source_shape)`.
            beam_size: hypotheses kept at every position; 1 is greedy search.
            length_penalty, coverage_penalty: see `search.beam`.
            max_length: L, the most tokens of a target, EOS included.
            batch_size: sources per batch.
            return_weights: whether to keep the attention weights.

        Returns:
            `Hypotheses` of NumPy arrays, such as `tokens`: int32 `(n, beam_size, L)`, best first, ending in EOS (3) and padded with
            0.

        Raises:
            ValueError: inputs of the wrong shape, with ids that are not in the vocabulary or with padding before ids, symbolic
                inputs, or an invalid value.
        """
        check_counts(beam_size=beam_size, max_length=max_length, batch_size=batch_size)
        inputs = self.checked_inputs(inputs)
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
            ValueError: they do not fit, an id is not in the vocabulary, or padding comes before an id.
        """
        spec = self.inputs[0]
        try:
            inputs = np.asarray(inputs)
        except (TypeError, ValueError, NotImplementedError) as error:
            raise ValueError(
                "expected sources as one array, the shorter ones padded on the right with 0; in a graph, such as a tf.function, "
                f"call `search`. Received: {error}"
            ) from error
        fits = inputs.ndim == len(spec.shape) and all(
            wanted in (None, size) for wanted, size in zip(spec.shape, inputs.shape, strict=True)
        )
        numbers = np.issubdtype(inputs.dtype, np.integer if self.reads_ids else np.number)
        if not (fits and numbers and inputs.size):
            raise ValueError(
                f"expected sources of shape {tuple(spec.shape)} and dtype {spec.dtype}, at least one; got shape {inputs.shape} and "
                f"dtype {inputs.dtype}"
            )
        if self.reads_ids:
            check_source_ids(inputs, getattr(self.source_embedding, "input_dim", np.iinfo("int32").max))
        return inputs.astype(spec.dtype)

    @functools.cached_property
    def _compiled_search(self) -> CompiledSearch:
        return CompiledSearch(self)
