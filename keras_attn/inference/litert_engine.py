"""Searches with the engine of a model folder on LiteRT, without TensorFlow and Keras."""

import dataclasses
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from keras_attn.config import Beam, Sampling
from keras_attn.inference.engines import Found, Required
from keras_attn.inference.graphs import Arrays, load_graphs
from keras_attn.special_ids import EOS_ID, PAD_ID
from keras_attn.storage.engine_file import EngineFile, with_weights
from keras_attn.storage.folder_files import ENGINE, ModelFolderError

_MOST_AT_ONCE = 1024  # sources
_SHORTEST = 32  # source ids for which there is always room


class LiteRTEngine:
    """An engine with a single thread: several processes use several cores better than several threads do.

    Args:
        folder: the model folder with the weights.
        file: the engine.
        isolated: see `load_graphs`.

    Attributes:
        method: its beam search; it can also search greedily.
        max_length: the most ids of a target.

    Raises:
        ModelFolderError: the engine is not usable.
    """

    def __init__(self, folder: str | Path, file: EngineFile, *, isolated: bool) -> None:
        self._folder = folder
        try:
            self.method = Beam(**file.about["search"])
            self._sizes = sorted(map(int, file.about["sizes"]))
            self.max_length = int(file.about["max_length"])
            if not self._sizes or not 1 <= self._sizes[0] <= self._sizes[-1] <= _MOST_AT_ONCE:
                raise ValueError(f"it runs {self._sizes} sources at once")
        except (KeyError, TypeError, ValueError) as error:
            raise self._unusable(error) from None
        self._graphs = load_graphs(bytes(with_weights(folder, file)), isolated=isolated)
        self._room: dict[str, int] = {}  # by signature, the longest source that its interpreter has run
        self._lock = threading.Lock()  # another thread must not open a signature again before it runs

    def refusal(self, method: Beam | Sampling) -> str | None:
        """Why it does not support this search, or `None` if it does."""
        if not isinstance(method, Beam):
            return "it does not sample"
        sizes = sorted({1, self.method.beam_size})
        if method.beam_size not in sizes:
            return f"it has beams of {' and '.join(map(str, sizes))}, not of {method.beam_size}"
        ours = dataclasses.replace(self.method, beam_size=method.beam_size)
        for field in dataclasses.fields(Beam):
            wanted, fixed = getattr(method, field.name), getattr(ours, field.name)
            if wanted != fixed:
                return f"its {field.name} is {fixed}, not {wanted}"
        return None

    def search(
        self,
        source: Sequence[Sequence[int]],
        method: Beam | Sampling,
        *,
        limits: Sequence[int],
        n_best: int = 1,
        full: int = 0,
        rows: Sequence[int] = (),
        return_weights: bool = False,
        required: Required | None = None,
    ) -> Found:
        """See `Engine`. It chooses how many sources to run at once, whatever the size of a full batch.

        Raises:
            ValueError: see `refusal`; or attention weights or required words are requested.
            ModelFolderError: LiteRT cannot run it.
        """
        reason = self.refusal(method)
        if reason is None and (return_weights or required):
            reason = "it does not support attention weights, prefixes or glossaries"
        if reason:
            raise ValueError(f"the engine of {self._folder} cannot do that: {reason}. Use the engine keras")
        size = next((size for size in self._sizes if size >= len(source)), self._sizes[-1])
        parts = [
            self._run(source[i : i + size], limits[i : i + size], method.beam_size, n_best, size)
            for i in range(0, len(source), size)
        ]
        return Found(*map(np.concatenate, zip(*parts, strict=True)), None)

    def _run(
        self, source: Sequence[Sequence[int]], limits: Sequence[int], beam_size: int, n_best: int, size: int
    ) -> tuple[np.ndarray, ...]:
        length = max(map(len, source))
        ids = np.full((size, length), PAD_ID, np.int32)
        for row, each in enumerate(source):
            ids[row, : len(each)] = each
        ids[len(source) :, 0] = EOS_ID
        most = np.zeros(size, np.int32)  # rows without a source are finished before the first step
        most[: len(source)] = np.minimum(limits, self.max_length)
        wanted = np.array(n_best, np.int32)
        found = self._answer(f"beam_{beam_size}_of_{size}", source=ids, limits=most, n_best=wanted)
        return tuple(found[name][: len(source)] for name in ("tokens", "lengths", "log_probs", "scores"))

    def _answer(self, signature: str, *, source: np.ndarray, **others: np.ndarray) -> Arrays:
        """The outputs, from an interpreter that has run a source of at least this length.

        After a source that is longer than all before, XNNPACK's kernels in LiteRT 2.3 may compute wrong numbers. So each
        interpreter first runs a source of the greatest length, and a longer source gets a new interpreter.
        """
        size, length = source.shape
        try:
            with self._lock:
                if length > self._room.get(signature, 0):
                    room = max(_SHORTEST, 1 << (length - 1).bit_length())
                    longest = np.full((size, room), EOS_ID, np.int32)
                    once = {**others, "limits": np.ones(size, np.int32)}
                    self._graphs.open(signature, source=longest, **once)
                    self._room[signature] = room
                return self._graphs.run(signature, source=source, **others)
        except ValueError as error:
            raise self._unusable(error) from None

    def _unusable(self, error: Exception) -> ModelFolderError:
        return ModelFolderError(f"{Path(self._folder, ENGINE)} is not usable: {error}. Use the engine keras")
