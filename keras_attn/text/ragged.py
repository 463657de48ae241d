"""Rows of different lengths in two flat arrays, which may lie in memory-mapped files."""

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from keras_attn.special_ids import PAD_ID


@dataclasses.dataclass(frozen=True)
class Ragged:
    """Row i is `values[offsets[i] : offsets[i + 1]]`.

    Attributes:
        values: integers `[n, ...]`, the rows one after the other.
        offsets: int64 `[rows + 1]`.
    """

    values: np.ndarray
    offsets: np.ndarray

    @classmethod
    def of(cls, rows: Sequence[Sequence[Any]], shape: tuple[int, ...] = ()) -> "Ragged":
        """From lists of int32 values of the same shape."""
        values = np.array([value for row in rows for value in row], np.int32).reshape(-1, *shape)
        return cls(values, offsets_of([len(row) for row in rows]))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> np.ndarray:
        """int64 `[rows]`."""
        return np.diff(self.offsets)

    def take(self, rows: np.ndarray) -> "Ragged":
        """The rows with these indices, in that order, in memory."""
        lengths = self.offsets[rows + 1] - self.offsets[rows]
        offsets = offsets_of(lengths)
        places = np.arange(offsets[-1]) + np.repeat(self.offsets[rows] - offsets[:-1], lengths)
        return Ragged(self.values[places], offsets)

    def padded(
        self,
        *,
        begin: int | None = None,
        end: int | None = None,
        rows: int | None = None,
        length: int | None = None,
    ) -> np.ndarray:
        """Pads every row, after adding `begin` and `end` if they are given.

        Args:
            begin, end: values before and after each row.
            rows: how many rows to return; extra rows contain only padding. `None`: the number of rows.
            length: their length, `begin` and `end` included. `None`: that of the longest.

        Returns:
            int32 `[rows, length]`.
        """
        lengths = self.lengths[:, None]
        first, extra = int(begin is not None), (begin is not None) + (end is not None)
        shape = rows or len(self), length or extra + lengths.max(initial=0)
        padded = np.full(shape, PAD_ID, np.int32)
        ids, places = padded[: len(self)], np.arange(shape[1])
        ids[(places >= first) & (places < first + lengths)] = self.values
        if begin is not None:
            ids[:, 0] = begin
        if end is not None:
            ids[places == first + lengths] = end
        return padded


def offsets_of(lengths: Sequence[int] | np.ndarray) -> np.ndarray:
    """Where rows of these lengths begin and end: int64 `[rows + 1]`."""
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
