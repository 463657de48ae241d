"""One function that runs any search method."""

import dataclasses

from keras_attn.config import Beam, Sampling
from keras_attn.search.beam import beam
from keras_attn.search.constraints import Constraint, NoRepeat, Prefix, constrained
from keras_attn.search.hypotheses import Hypotheses
from keras_attn.search.phrases import Phrases
from keras_attn.search.sampling import sample
from keras_attn.search.types import Limits, Scalar, State, Step, Tensor
from keras_attn.special_ids import BOS_ID, EOS_ID


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
    n_best: int | Scalar | None = None,
    uniforms: Tensor | None = None,
) -> Hypotheses:
    """Searches from `BOS_ID` to `EOS_ID`.

    Args:
        method: the search method.
        step, state, max_length, limits, return_weights: as for `greedy`.
        source_mask: bool `(B, S)`, the source's real positions, for the coverage penalty.
        prefix: int32 `(B, P)`, padded on the right with 0: the beginning of each target, which overrides other constraints.
        phrases: phrases that each target must contain; they need a beam.
        n_best: how many hypotheses of a beam are wanted. `None`: all.
        uniforms: float32 `(B, max_length)`, what a sampling method draws with; see `random_numbers`.

    Raises:
        ValueError: whatever the search refuses, phrases with sampling, or sampling without `uniforms`.
    """
    options = dataclasses.asdict(method)
    for name in ("no_repeat_ngram", "seed", "first_row"):
        options.pop(name, None)
    constraints: list[Constraint] = []
    if method.no_repeat_ngram:
        constraints.append(NoRepeat(method.no_repeat_ngram, max_length))
    if prefix is not None:
        constraints.append(Prefix(prefix))
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
            raise ValueError("phrases need a beam search, and this call samples")
        if uniforms is None:
            raise ValueError("sampling needs uniforms, such as random_numbers(seed, range(rows), max_length)")
        return sample(step, state, **common, **options, uniforms=uniforms)
    return beam(step, state, **common, **options, source_mask=source_mask, phrases=phrases, n_best=n_best)
