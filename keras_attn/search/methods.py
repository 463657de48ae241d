"""The ways to search, each with its options, and one function that runs any of them."""

import dataclasses

import keras

from keras_attn.config import SearchConfig
from keras_attn.search.beam import beam
from keras_attn.search.constraints import Constraint, MinLength, NoRepeat, Prefix, constrained
from keras_attn.search.hypotheses import Hypotheses
from keras_attn.search.phrases import Phrases
from keras_attn.search.sampling import sample
from keras_attn.search.types import Limits, State, Step, Tensor
from keras_attn.special_ids import BOS_ID, EOS_ID


@dataclasses.dataclass(frozen=True, kw_only=True)
class _Constraints:
    """What every way to search can keep to.

    Attributes:
        min_length: the fewest tokens, EOS included, as `max_length` counts them.
        no_repeat_ngram: no sequence of so many tokens comes twice; 0: any may.
    """

    min_length: int = 0
    no_repeat_ngram: int = 0

    def __post_init__(self) -> None:
        for name in ("min_length", "no_repeat_ngram"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} must be 0 or more. Received: {name}={getattr(self, name)}")

    def constraints(self, max_length: int) -> list[Constraint]:
        """As pieces around a step."""
        chosen: list[Constraint] = []
        if self.no_repeat_ngram:
            chosen.append(NoRepeat(self.no_repeat_ngram, max_length))
        if self.min_length > 1:
            chosen.append(MinLength(self.min_length, EOS_ID))
        return chosen


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
        """As a config has it."""
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

    The same seed draws the same translations of the same lines in batches of the same size.
    """

    temperature: float = 1.0
    top_k: int = 0  # 0: all
    top_p: float = 1.0
    seed: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.seed < 2**32:
            raise ValueError(f"seed must be from 0 up to 2 ** 32 - 1. Received: seed={self.seed}")


def run(
    method: Beam | Sampling,
    step: Step,
    *,
    state: State,
    source_mask: Tensor,
    max_length: int,
    limits: Limits,
    return_weights: bool,
    prefix: Tensor | None = None,
    phrases: Phrases | None = None,
    seeds: keras.random.SeedGenerator | None = None,
) -> Hypotheses:
    """Searches from `BOS_ID` to `EOS_ID`.

    Args:
        method: how.
        step, state, max_length, limits, return_weights: as for `greedy`.
        source_mask: bool `(B, S)`, the source's real positions, for the coverage penalty.
        prefix: int32 `(B, P)`, padded on the right with 0: what each target begins with, whatever else is asked.
        phrases: what each target holds; it takes a beam.
        seeds: draws in place of a sampling's own seed.

    Raises:
        ValueError: what the search refuses, or phrases for a sampling.
    """
    options = dataclasses.asdict(method)
    for name in ("min_length", "no_repeat_ngram"):
        del options[name]
    constraints = method.constraints(max_length) + ([] if prefix is None else [Prefix(prefix)])
    step, state = constrained(step, state, constraints)
    common = {
        "bos_id": BOS_ID,
        "eos_id": EOS_ID,
        "max_length": max_length,
        "limits": limits,
        "return_weights": return_weights,
    }
    if isinstance(method, Sampling):
        if phrases is not None:
            raise ValueError("phrases take a beam search, and this is a sampling")
        return sample(step, state, **common, **{**options, "seed": seeds or method.seed})
    return beam(step, state, **common, **options, source_mask=source_mask, phrases=phrases)
