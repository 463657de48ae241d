"""The coverage penalty (Wu et al., 2016)."""

from keras import ops

from keras_attn.search.types import Tensor

LEAST = 1e-4  # a word that received no attention costs beta * 9.2 instead of infinity


def coverage_penalty(coverage: Tensor, source_mask: Tensor, beta: float) -> Tensor:
    """`beta * sum_s log(min(coverage_s, 1))`, which is added to a score to penalise source words that were not read.

    Args:
        coverage: float32 `[..., S]`, the attention that each source word has received, summed over the target.
        source_mask: bool, broadcastable to `coverage`, True at real words.
        beta: 0 turns the penalty off.

    Returns:
        float32 `[...]`, 0 if every word has received a total attention of at least 1, negative otherwise.

    Reference: Wu et al. (2016), "Google's Neural Machine Translation System", equation 14.
    """
    missing = ops.log(ops.clip(coverage, LEAST, 1.0))
    return beta * ops.sum(ops.where(source_mask, missing, 0.0), axis=-1)
