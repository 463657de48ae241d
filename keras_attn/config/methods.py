"""The search methods, each with its options; `keras_attn.search` explains them."""

import dataclasses
import math
from numbers import Integral, Real
from typing import Any

from keras_attn.config.schema import LARGEST_MIN_LENGTH, SearchConfig


def check_number(name: str, value: Any, kind: type) -> None:
    """Raises a ValueError for what is not a number of that kind, int or float; NumPy's numbers count too."""
    numbers, expected = (Integral, "a whole number") if kind is int else (Real, "a finite number")
    # A whole number may be too large for `isfinite`.
    if isinstance(value, bool) or not isinstance(value, numbers) or not (kind is int or math.isfinite(value)):
        raise ValueError(f"{name} must be {expected}. Received: {name}={value!r}")


@dataclasses.dataclass(frozen=True, kw_only=True)
class _Constraints:
    """Options of every search method.

    Attributes:
        min_length: the fewest tokens, EOS included, as `max_length` counts them.
        no_repeat_ngram: no sequence of this many tokens is repeated; 0: no limit.
    """

    min_length: int = 0
    no_repeat_ngram: int = 0

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            check_number(field.name, getattr(self, field.name), field.type)
        for name in ("min_length", "no_repeat_ngram"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} must be 0 or more. Received: {name}={getattr(self, name)}")
        if self.min_length > LARGEST_MIN_LENGTH:
            raise ValueError(
                f"min_length must be at most {LARGEST_MIN_LENGTH:,}. Received: min_length={self.min_length}"
            )


@dataclasses.dataclass(frozen=True)
class Beam(_Constraints):
    """Beam search; a beam of one is greedy search. See `search.beam`."""

    beam_size: int = 5
    length_penalty: float = 1.0
    coverage_penalty: float = 0.0
    diversity: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.beam_size < 1:
            raise ValueError(f"beam_size must be at least 1. Received: beam_size={self.beam_size}")

    @classmethod
    def of(cls, settings: SearchConfig) -> "Beam":
        """The search method that a config describes."""
        names = (
            "beam_size",
            "length_penalty",
            "coverage_penalty",
            "min_length",
            "no_repeat_ngram",
        )
        return cls(**{name: getattr(settings, name) for name in names})


@dataclasses.dataclass(frozen=True)
class Sampling(_Constraints):
    """How to draw translations instead of searching for the most probable one; see `search.sample`.

    What is drawn for a line depends on the seed and on the number of the line, not on the other lines.
    """

    temperature: float = 1.0
    top_k: int = 0  # 0: all
    top_p: float = 1.0
    seed: int = 1
    first_row: int = 0  # the number of the first line

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.seed < 2**32:
            raise ValueError(f"seed must be from 0 up to 2 ** 32 - 1. Received: seed={self.seed}")
        if not 0 <= self.first_row < 2**63:
            raise ValueError(
                f"first_row must be from 0 up to 2 ** 63 - 1. Received: first_row={self.first_row}"
            )
