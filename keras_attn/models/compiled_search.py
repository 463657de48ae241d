"""A model's search as compiled functions of NumPy arrays, one for each search method."""

import dataclasses
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import keras
import numpy as np

from keras_attn.compilation import Spec, compiled
from keras_attn.search.hypotheses import Hypotheses
from keras_attn.search.methods import Beam, Sampling
from keras_attn.search.phrases import Phrases
from keras_attn.search.sampling import random_numbers
from keras_attn.search.types import Tensor

if TYPE_CHECKING:
    from keras_attn.models.searching import Searching


class CompiledSearch:
    """Calls the `search` of a model; a compiled function is reused by later calls.

    Args:
        model: its current weights are read at every call.
    """

    def __init__(self, model: "Searching") -> None:
        self._model = model
        self._functions: dict[tuple, Callable] = {}

    def __call__(
        self,
        source: np.ndarray,
        method: Beam | Sampling,
        max_length: int,
        *,
        limits: np.ndarray | None = None,
        prefix: np.ndarray | None = None,
        phrases: Phrases | None = None,
        n_best: int | None = None,
        return_weights: bool = False,
        rows: Sequence[int] | None = None,
    ) -> Hypotheses:
        """Searches one batch.

        Args:
            source, method, max_length, limits, prefix, phrases, n_best, return_weights: as for `Searching.search`.
            rows: the numbers of the sources, which each draw differently from one seed. `None`: from 0.
        """
        uniforms = None
        if isinstance(method, Sampling):
            rows = [method.first_row + row for row in (range(len(source)) if rows is None else rows)]
            uniforms = random_numbers(method.seed, rows, max_length)
            method = dataclasses.replace(method, seed=0, first_row=0)  # not a part of the graph
        limits = np.full(len(source), max_length, np.int32) if limits is None else limits
        wanted = None if n_best is None else np.array(n_best, np.int32)
        given = {"source": source, "limits": limits, "prefix": prefix, "n_best": wanted, "uniforms": uniforms}
        given |= phrases._asdict() if phrases else {}
        given = {name: array for name, array in given.items() if array is not None}
        specs = {name: self._spec(name, array) for name, array in given.items()}
        key = (method, max_length, return_weights, *specs.items())
        if key not in self._functions:
            search = partial(self._search, tuple(given), method, max_length, return_weights)
            self._functions[key] = compiled(search, self._model.variables, list(specs.values()))
        return as_numpy(self._functions[key](*given.values()))

    def _search(
        self,
        names: tuple[str, ...],
        method: Beam | Sampling,
        max_length: int,
        return_weights: bool,
        *arrays: Tensor,
    ) -> Hypotheses:
        given = dict(zip(names, arrays, strict=True))
        wanted = [given.get(name) for name in Phrases._fields]
        return self._model.search(
            given["source"],
            method,
            max_length=max_length,
            limits=given["limits"],
            prefix=given.get("prefix"),
            phrases=Phrases(*wanted) if "ids" in given else None,
            n_best=given.get("n_best"),
            return_weights=return_weights,
            uniforms=given.get("uniforms"),
        )

    def _spec(self, name: str, array: np.ndarray) -> Spec:
        """Any size, except for the sizes of the model's input and the number of phrases."""
        if name == "source":
            return self._model.inputs[0].shape, self._model.inputs[0].dtype
        free = [None] * array.ndim
        if name in ("ids", "terms"):
            free[1] = array.shape[1]
        return tuple(free), array.dtype.name


def as_numpy(tensors: Any) -> Any:
    """A nest of tensors as NumPy arrays; None stays None."""
    return keras.tree.map_structure(lambda x: None if x is None else keras.ops.convert_to_numpy(x), tensors)
