"""A model's search as compiled functions of NumPy arrays, one for each way to search."""

import dataclasses
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import keras
import numpy as np

from keras_attn.compilation import compiled
from keras_attn.search.hypotheses import Hypotheses
from keras_attn.search.methods import Beam, Sampling
from keras_attn.search.types import Limits, Tensor

if TYPE_CHECKING:
    from keras_attn.models.seq2seq import Seq2Seq


class CompiledSearch:
    """Calls `Seq2Seq.search`; what was compiled once serves every later call.

    Args:
        model: whose weights are read at every call, as they are then.
    """

    def __init__(self, model: "Seq2Seq") -> None:
        self._model = model
        self._seeds = keras.random.SeedGenerator(0)
        self._functions: dict[tuple, Callable] = {}

    def __call__(
        self,
        source: np.ndarray,
        method: Beam | Sampling,
        max_length: int,
        *,
        limits: np.ndarray | None = None,
        return_weights: bool = False,
        batch: int = 0,
    ) -> Hypotheses:
        """Searches one batch.

        Args:
            source, method, max_length, limits, return_weights: as for `Seq2Seq.search`.
            batch: the number of the batch: no two draw alike from one seed.
        """
        if isinstance(method, Sampling):
            self._seeds.state.assign([method.seed, batch])
            method = dataclasses.replace(method, seed=0)  # a variable, no part of the graph
        key = (method, max_length, return_weights)
        if key not in self._functions:
            spec = self._model.inputs[0]
            search = partial(self._search, *key)
            variables = [*self._model.variables, self._seeds.state]
            specs = [(spec.shape, spec.dtype), ((None,), "int32")]
            self._functions[key] = compiled(search, variables, specs)
        limits = np.full(len(source), max_length, np.int32) if limits is None else limits
        return as_numpy(self._functions[key](source, limits))

    def _search(
        self, method: Beam | Sampling, max_length: int, return_weights: bool, source: Tensor, limits: Limits
    ) -> Hypotheses:
        return self._model.search(
            source,
            method,
            max_length=max_length,
            limits=limits,
            return_weights=return_weights,
            seeds=self._seeds,
        )


def as_numpy(tensors: Any) -> Any:
    """A nest of tensors as NumPy arrays; None stays."""
    return keras.tree.map_structure(lambda x: None if x is None else keras.ops.convert_to_numpy(x), tensors)
