"""The learning rate as a function of the step: a linear warm-up to the peak, then one of three schedules."""

from typing import Any

import keras
from keras import ops
from keras.optimizers.schedules import CosineDecay, LearningRateSchedule, PolynomialDecay

from keras_attn.config import ConfigError, TrainingConfig
from keras_attn.search.types import Tensor


@keras.saving.register_keras_serializable(package="keras_attn")
class InverseSqrt(LearningRateSchedule):
    """`peak * min(step / warmup_steps, sqrt(warmup_steps / step))`.

    Equation 3 of Vaswani et al. 2017, "Attention Is All You Need", scaled so that its highest value, at `warmup_steps`, is `peak`.
    """

    def __init__(self, peak: float, warmup_steps: int) -> None:
        super().__init__()
        self.peak = peak
        self.warmup_steps = warmup_steps

    def __call__(self, step: Tensor) -> Tensor:
        step = ops.cast(step, "float32")
        decay = ops.sqrt(self.warmup_steps / ops.maximum(step, 1.0))
        return self.peak * ops.minimum(step / self.warmup_steps, decay)

    def get_config(self) -> dict[str, Any]:
        return {"peak": self.peak, "warmup_steps": self.warmup_steps}


@keras.saving.register_keras_serializable(package="keras_attn")
class OfUpdates(LearningRateSchedule):
    """`schedule(step // batches)`: a schedule of updates of so many batches each. Keras counts the batches."""

    def __init__(self, schedule: LearningRateSchedule, batches: int) -> None:
        super().__init__()
        self.schedule = schedule
        self.batches = batches

    def __call__(self, step: Tensor) -> Tensor:
        return self.schedule(ops.floor_divide(step, self.batches))

    def get_config(self) -> dict[str, Any]:
        return {
            "schedule": keras.saving.serialize_keras_object(self.schedule),
            "batches": self.batches,
        }

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> "OfUpdates":
        return cls(**{**config, "schedule": keras.saving.deserialize_keras_object(config["schedule"])})


def build_schedule(training: TrainingConfig, total_steps: int) -> float | LearningRateSchedule:
    """The schedule that a config names. With a warm-up, it is 0 at step 0 and `learning_rate` at the end of the warm-up.

    `constant` stays there, `inverse_sqrt` falls with the square root of the step, `cosine` falls to 0 at `total_steps` (Loshchilov
    and Hutter 2017, equation 5, without restarts).

    Raises:
        ConfigError: the learning rate is 0, or the warm-up does not fit the schedule.
    """
    peak, warmup = training.learning_rate, training.warmup_steps
    _check(training, total_steps)
    if training.schedule == "inverse_sqrt":
        return InverseSqrt(peak, warmup)
    if training.schedule == "cosine":
        if not warmup:
            return CosineDecay(peak, total_steps)
        return CosineDecay(0.0, total_steps - warmup, warmup_target=peak, warmup_steps=warmup)
    return PolynomialDecay(0.0, warmup, end_learning_rate=peak) if warmup else peak


def _check(training: TrainingConfig, total_steps: int) -> None:
    if not training.learning_rate:
        raise ConfigError("training.learning_rate must be above 0")
    if training.schedule == "inverse_sqrt" and not training.warmup_steps:
        raise ConfigError(
            "training.schedule = 'inverse_sqrt' needs a warm-up, after which it falls: set training.warmup_steps"
        )
    if training.schedule == "cosine" and training.warmup_steps >= total_steps:
        raise ConfigError(
            f"training.warmup_steps = {training.warmup_steps} leaves none of the {total_steps} steps of this run "
            "for training.schedule = 'cosine': lower it, or raise training.epochs"
        )
