"""Ensembles: several steps combined into one step."""

import math
from collections.abc import Sequence

from keras import ops

from keras_attn.search.types import LogProbs, State, Step, Tensor, Tokens, Weights


def ensemble(steps: Sequence[Step]) -> Step:
    """`p(y) = mean_m p_m(y)`, the mean of the probabilities from M steps with one vocabulary.

    Its state is the tuple of their states. Its attention weights are the mean of theirs, or None if any step returns None.
    """

    def step(tokens: Tokens, states: State) -> tuple[LogProbs, State, Weights]:
        log_probs, states, weights = zip(
            *(each(tokens, state) for each, state in zip(steps, states, strict=True)), strict=True
        )
        attended = all(each is not None for each in weights)
        return log_mean(log_probs), states, sum(weights) / len(steps) if attended else None

    return step


def log_mean(log_probs: Sequence[Tensor]) -> Tensor:
    """The logarithm of the mean probability, from log-probabilities of equal shapes."""
    return ops.logsumexp(ops.stack(log_probs), axis=0) - math.log(len(log_probs))
