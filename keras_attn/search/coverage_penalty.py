"""The coverage penalty (Wu et al., 2016)."""

from keras import ops

from keras_attn.search.types import Tensor

LEAST = 1e-4  # a word that was never looked at costs beta * 9.2, not infinity


def coverage_penalty(coverage: Tensor, source_mask: Tensor, beta: float) -> Tensor:
    """`beta * sum_s log(min(coverage_s, 1))`: what is added to a score for source words that were not read.

    Args:
        coverage: float32 `[..., S]`, the attention that each source word has had, summed over the target.
        source_mask: bool, broadcastable to `coverage`, True at real words.
        beta: 0 asks for no coverage.

    Returns:
        float32 `[...]`, 0 where every word has had as much as one look, and below 0 otherwise.

    Reference: Wu et al. (2016), "Google's Neural Machine Translation System", equation 14.
    """
    missing = ops.log(ops.clip(coverage, LEAST, 1.0))
    return beta * ops.sum(ops.where(source_mask, missing, 0.0), axis=-1)
