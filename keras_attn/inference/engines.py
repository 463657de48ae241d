"""Engines that search for ids: a model in Keras here, a file in LiteRT in `litert_engine`."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from keras_attn.config import Beam, Sampling

if TYPE_CHECKING:
    from keras_attn.models.searching import Searching

# The required beginnings and contents of a batch's targets, `prefix` and `phrases`, for a batch padded to these rows and columns.
Required = Callable[[int, int], dict[str, Any]]


class Found(NamedTuple):
    """`search.Hypotheses` of arrays."""

    tokens: np.ndarray
    lengths: np.ndarray
    log_probs: np.ndarray
    scores: np.ndarray
    weights: np.ndarray | None


class Engine(Protocol):
    """Searches batches of ids, one at a time."""

    def search(
        self,
        source: Sequence[Sequence[int]],
        method: Beam | Sampling,
        *,
        limits: Sequence[int],
        n_best: int,
        full: int,
        rows: Sequence[int],
        return_weights: bool,
        required: Required | None,
    ) -> Found:
        """Hypotheses for each source; there may be more rows than sources.

        Args:
            source: ids with EOS at the end; the sources of a batch have about equal length.
            method: the search method.
            limits: the most ids of each target.
            n_best: how many hypotheses of each source are wanted; more may come, which are not the best others.
            full: the number of sources in a full batch.
            rows: the numbers of the sources among all that are translated.
            return_weights: whether to return the attention weights.
            required: requirements of the targets; `None`: there are none.

        Raises:
            ValueError: the engine cannot do that.
        """


class KerasEngine:
    """A model, on any backend of Keras."""

    def __init__(self, model: "Searching") -> None:
        from keras_attn.models.compiled_search import CompiledSearch

        self._search = CompiledSearch(model)

    def search(
        self,
        source: Sequence[Sequence[int]],
        method: Beam | Sampling,
        *,
        limits: Sequence[int],
        n_best: int,
        full: int,
        rows: Sequence[int],
        return_weights: bool,
        required: Required | None,
    ) -> Found:
        """See `Engine`."""
        from keras_attn.compilation import padded

        ids = padded(source, full)
        hypotheses = self._search(
            ids,
            method,
            _rounded_up(max(limits)),
            limits=np.array([*limits, *[1] * (len(ids) - len(limits))], np.int32),
            n_best=n_best,
            return_weights=return_weights,
            rows=[*rows, *[0] * (len(ids) - len(rows))],
            **(required(*ids.shape) if required else {}),
        )
        return Found(*hypotheses)


def _rounded_up(limit: int) -> int:
    """Rounds up to one of a few sizes, because compiling a search takes seconds."""
    max_length = 64
    while max_length < limit:
        max_length *= 4
    return max_length
