"""Ensembles: several steps combined into one step."""

import math
from collections.abc import Sequence

from keras import ops

from keras_attn.search.types import LogProbs, State, Step, Tensor, Tokens, Weights


def ensemble(steps: Sequence[Step]) -> Step:
    """`p(y) = mean_m p_m(y)`, the mean of the probabilities from M steps with one vocabulary.

    Its state is the tuple of their states. Its attention weights are those of `mean_weights`.
    """

    def step(tokens: Tokens, states: State) -> tuple[LogProbs, State, Weights]:
        log_probs, states, weights = zip(
            *(each(tokens, state) for each, state in zip(steps, states, strict=True)), strict=True
        )
        return log_mean(log_probs), states, mean_weights(weights)

    return step


def mean_weights(weights: Sequence[Weights]) -> Weights:
    """The mean of attention weights; None if any are None, or if they are over memories of different lengths."""
    if any(each is None for each in weights) or len({each.shape[-1] for each in weights}) > 1:
        return None
    return sum(weights) / len(weights)


def log_mean(log_probs: Sequence[Tensor]) -> Tensor:
    """The logarithm of the mean probability, from log-probabilities of equal shapes."""
    return ops.logsumexp(ops.stack(log_probs), axis=0) - math.log(len(log_probs))
