"""Cross-entropy of target tokens with label smoothing, its token count, and the cross-entropy of attention."""

from typing import Any

import keras
from keras import ops

from keras_attn.search.types import Tensor

_LEAST = 1e-20  # smallest attention weight: keeps its logarithm, and the inverse in the gradient, finite


@keras.saving.register_keras_serializable(package="keras_attn")
class SmoothedCrossEntropy(keras.losses.Loss):
    """`L_t = -sum_v q_tv log softmax(logits_t)_v` with `q_t = (1 - smoothing) onehot(target_t) + smoothing / V`.

    The value is the sum over tokens of `weight * L` divided by the sum of the weights. With the batch contract's weights, 1 at real
    tokens and 0 at padding, that is the mean over real tokens: padding changes nothing.

    Shapes: B batch, T target length, V vocabulary.

    Args:
        smoothing: probability mass spread evenly over the vocabulary, from 0 up to, not including, 1.

    Call arguments:
        y_true: target ids `(B, T)`.
        y_pred: logits `(B, T, V)` of any dtype; the loss is computed in float32.
        sample_weight: `(B, T)`; `None`: every token counts.

    Raises:
        ValueError: `smoothing` is out of range.

    Reference: Szegedy et al. 2016, "Rethinking the Inception Architecture for Computer Vision", section 7.
    """

    def __init__(
        self,
        smoothing: float = 0.0,
        reduction: str | None = "mean_with_sample_weight",
        name: str = "smoothed_cross_entropy",
    ) -> None:
        if not 0 <= smoothing < 1:
            raise ValueError(f"label smoothing must be at least 0 and below 1. Received: {smoothing}")
        super().__init__(name=name, reduction=reduction, dtype="float32")
        self.smoothing = smoothing

    def call(self, y_true: Tensor, y_pred: Tensor) -> Tensor:
        targets = ops.cast(y_true, "int32")  # Keras passes them as float32, which is exact up to 2**24
        return _smoothed_cross_entropy(
            ops.cast(ops.convert_to_tensor(y_pred), "float32"), targets, self.smoothing
        )

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "smoothing": self.smoothing}


def _smoothed_cross_entropy(logits: Tensor, targets: Tensor, smoothing: float) -> Tensor:
    """`(B, T, V), (B, T) -> (B, T)`, with an explicit gradient, `softmax(logits) - q`.

    Logits are the largest tensor in a training step, and automatic differentiation passes over them a dozen times. The explicit
    gradient takes a sixth of the time (see `benchmarks/log/loss_over_8000_words.md`).
    """
    size = logits.shape[-1]
    others = smoothing / size
    targets = ops.expand_dims(targets, -1)  # [batch, time, 1]

    @ops.custom_gradient
    def loss(logits):
        top = ops.max(logits, axis=-1, keepdims=True)
        exponentials = ops.exp(logits - top)  # [batch, time, vocabulary]
        total = ops.sum(exponentials, axis=-1, keepdims=True)
        at_target = ops.take_along_axis(logits, targets, axis=-1)
        mean = ops.mean(logits, axis=-1, keepdims=True)
        losses = top + ops.log(total) - (1 - smoothing) * at_target - smoothing * mean

        def gradient(*args, upstream=None):
            upstream = ops.expand_dims(args[0] if upstream is None else upstream, -1)  # [batch, time, 1]
            hit = targets == ops.arange(size, dtype="int32")  # [batch, time, vocabulary]
            wanted = ops.where(hit, upstream * (1 - smoothing + others), upstream * others)
            return exponentials * (upstream / total) - wanted

        return ops.squeeze(losses, -1), gradient

    return loss(logits)


@keras.saving.register_keras_serializable(package="keras_attn")
class AttentionCrossEntropy(keras.losses.Loss):
    """`L_t = -sum_s reference_ts log(weights_ts)`: guides attention towards given links.

    The value is the sum over target tokens of `weight * L` divided by the sum of the weights. With weights of 1 at tokens with
    links and 0 elsewhere, that is the mean over the tokens with links in the batch: other tokens and padding change nothing. A
    batch without links has a loss of 0.

    Shapes: B batch, T target length, S source length.

    Call arguments:
        y_true: the reference distribution `(B, T, S)`, each row summing to one, or all zero.
        y_pred: attention weights `(B, T, S)` of any dtype; each row belongs to the target token that it produced. The loss is
            computed in float32, and a weight below 1e-20 counts as 1e-20.
        sample_weight: `(B, T)`; `None`: every token counts.

    Reference: Chen, Matusov, Khadivi and Peter 2016, "Guided Alignment Training for Topic-Aware Neural Machine Translation",
    the cross-entropy variant, added to the words' loss with a weight.
    """

    def __init__(
        self,
        reduction: str | None = "mean_with_sample_weight",
        name: str = "attention_cross_entropy",
    ) -> None:
        super().__init__(name=name, reduction=reduction, dtype="float32")

    def call(self, y_true: Tensor, y_pred: Tensor) -> Tensor:
        reference, weights = (ops.cast(ops.convert_to_tensor(x), "float32") for x in (y_true, y_pred))
        return -ops.sum(reference * ops.log(ops.maximum(weights, _LEAST)), axis=-1)


@keras.saving.register_keras_serializable(package="keras_attn")
class TokenCount(keras.metrics.Metric):
    """Counts real target tokens since the last reset: the sum of the sample weights.

    Args:
        passes: how often a batch contains each pair.
    """

    def __init__(self, passes: int = 1, name: str = "tokens") -> None:
        super().__init__(name=name, dtype="float32")
        self.passes = passes
        self.total = self.add_variable((), initializer="zeros", name="total")

    def update_state(self, y_true: Tensor, y_pred: Tensor, sample_weight: Tensor | None = None) -> None:
        weight = ops.ones_like(y_true) if sample_weight is None else sample_weight
        self.total.assign_add(ops.sum(ops.cast(weight, "float32")))

    def result(self) -> Tensor:
        return self.total / self.passes

    def get_config(self) -> dict[str, Any]:
        return {"passes": self.passes, "name": self.name}
