"""The ways to search, each with its options, and one function that runs any of them."""

import dataclasses

import keras

from keras_attn.search.beam import beam
from keras_attn.search.hypotheses import Hypotheses
from keras_attn.search.sampling import sample
from keras_attn.search.types import Limits, State, Step, Tensor
from keras_attn.special_ids import BOS_ID, EOS_ID


@dataclasses.dataclass(frozen=True)
class Beam:
    """Beam search; a beam of one is greedy search. See `search.beam`."""

    beam_size: int = 5
    length_penalty: float = 1.0
    coverage_penalty: float = 0.0

    def __post_init__(self) -> None:
        if self.beam_size < 1:
            raise ValueError(f"beam_size must be at least 1. Received: beam_size={self.beam_size}")


@dataclasses.dataclass(frozen=True)
class Sampling:
    """How to draw translations instead of searching for the most probable one; see `search.sample`.

    The same seed draws the same translations of the same lines in batches of the same size.
    """

    temperature: float = 1.0
    top_k: int = 0  # 0: all
    top_p: float = 1.0
    seed: int = 1

    def __post_init__(self) -> None:
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
    seeds: keras.random.SeedGenerator | None = None,
) -> Hypotheses:
    """Searches from `BOS_ID` to `EOS_ID`.

    Args:
        method: how.
        step, state, max_length, limits, return_weights: as for `greedy`.
        source_mask: bool `(B, S)`, the source's real positions, for the coverage penalty.
        seeds: draws in place of a sampling's own seed.
    """
    common = {
        "bos_id": BOS_ID,
        "eos_id": EOS_ID,
        "max_length": max_length,
        "limits": limits,
        "return_weights": return_weights,
    }
    options = dataclasses.asdict(method)
    if isinstance(method, Sampling):
        return sample(step, state, **common, **{**options, "seed": seeds or method.seed})
    return beam(step, state, **common, **options, source_mask=source_mask)
