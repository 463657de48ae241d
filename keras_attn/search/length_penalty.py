"""The length penalty (Wu et al., 2016)."""

from keras import ops

from keras_attn.search.types import Tensor


def length_penalty(lengths: Tensor, alpha: float) -> Tensor:
    """`((5 + n) / 6) ** alpha`, by which the log-probability of n tokens is divided.

    Args:
        lengths: int tensor of any shape, tokens of each hypothesis, EOS included.
        alpha: 0 compares plain log-probabilities; larger values favour longer hypotheses.

    Returns:
        float32 tensor of the same shape.

    Reference: Wu et al. (2016), "Google's Neural Machine Translation System", equation 14.
    """
    return ops.power((5.0 + ops.cast(lengths, "float32")) / 6.0, alpha)
