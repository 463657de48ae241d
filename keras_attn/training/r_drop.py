"""R-Drop (Liang et al. 2021): two passes over a sentence pair, with different dropout, should predict the same."""

from typing import Any

import keras
from keras import ops

from keras_attn.search.types import Tensor
from keras_attn.training.losses import SmoothedCrossEntropy


@keras.saving.register_keras_serializable(package="keras_attn")
class RDropCrossEntropy(SmoothedCrossEntropy):
    """The cross-entropy of both passes, plus `weight` times the divergence between their predictions.

    A batch contains every sentence pair twice, one after the other, and dropout makes the two passes differ. If p and q are their
    predictions for a token, the loss of that token in each pass is its smoothed cross-entropy plus
    `weight / 4 * (KL(p, q) + KL(q, p))`, so both passes together give equation 4 of the paper. Everything else is as in
    `SmoothedCrossEntropy`.

    Shapes: B batch, both passes together, T target length, V vocabulary.

    Args:
        smoothing: probability mass spread evenly over the vocabulary, from 0 up to, not including, 1.
        weight: the paper's alpha, which was 5 for translation.

    Call arguments:
        y_true: target ids `(B, T)`.
        y_pred: logits `(B, T, V)`.
        sample_weight: `(B, T)`; `None`: every token counts.

    Raises:
        ValueError: `smoothing` is out of range, or `weight` is negative.

    Reference: Liang et al. 2021, "R-Drop: Regularized Dropout for Neural Networks", equations 2 to 4.
    """

    def __init__(
        self, smoothing: float = 0.0, weight: float = 5.0, name: str = "r_drop", **kwargs: Any
    ) -> None:
        if weight < 0:
            raise ValueError(f"the weight of the divergence cannot be negative. Received: {weight}")
        super().__init__(smoothing, name=name, **kwargs)
        self.weight = weight

    def call(self, y_true: Tensor, y_pred: Tensor) -> Tensor:
        logits = ops.cast(ops.convert_to_tensor(y_pred), "float32")
        apart = self.weight / 4 * _divergence(logits[::2], logits[1::2])
        return super().call(y_true, y_pred) + ops.repeat(apart, 2, axis=0)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "weight": self.weight}


def _divergence(first: Tensor, second: Tensor) -> Tensor:
    """`KL(p, q) + KL(q, p)` of the two softmaxes, `(B, T, V), (B, T, V) -> (B, T)`.

    Its gradient is explicit, as in `losses.py`: `p (log p - log q - KL(p, q)) + p - q` for the first logits, and the same with p
    and q swapped for the second.
    """

    @ops.custom_gradient
    def divergence(first, second):
        log_p, log_q = ops.log_softmax(first), ops.log_softmax(second)  # [batch, time, vocabulary]
        p, q = ops.exp(log_p), ops.exp(log_q)
        difference = log_p - log_q
        from_p = ops.sum(p * difference, axis=-1, keepdims=True)  # [batch, time, 1]
        from_q = -ops.sum(q * difference, axis=-1, keepdims=True)

        def gradient(*args, upstream=None):
            upstream = ops.expand_dims(args[0] if upstream is None else upstream, -1)
            apart = p - q
            return (
                upstream * (p * (difference - from_p) + apart),
                upstream * (q * (-difference - from_q) - apart),
            )

        return ops.squeeze(from_p + from_q, -1), gradient

    return divergence(first, second)
