"""The optimizer that a config describes, and its moving average of the weights."""

from collections.abc import Iterator
from contextlib import contextmanager

import keras
from keras import ops
from keras.optimizers.schedules import LearningRateSchedule

from keras_attn.config import ConfigError, TrainingConfig
from keras_attn.training.schedules import OfUpdates, build_schedule


def build_optimizer(training: TrainingConfig, total_steps: int) -> keras.optimizers.Optimizer:
    """Adam (Kingma and Ba 2015) or AdamW (Loshchilov and Hutter 2019).

    Gradients are clipped by their global norm (Pascanu et al. 2013). For float16, `compile` wraps the optimizer in Keras' own
    `LossScaleOptimizer`.

    Raises:
        ConfigError: a value that does not apply to the optimizer, or that `build_schedule` refuses.
    """
    if training.ema_decay >= 1:
        raise ConfigError(f"training.ema_decay must be below 1, such as 0.999; got {training.ema_decay}")
    if training.weight_decay and training.optimizer == "adam":
        raise ConfigError("training.weight_decay needs training.optimizer = 'adamw'")
    if total_steps < training.gradient_accumulation:
        raise ConfigError(
            f"training.gradient_accumulation = {training.gradient_accumulation} steps before each update, and the whole training "
            f"has {total_steps}: lower it, or train for more epochs"
        )
    schedule = build_schedule(training, total_steps // training.gradient_accumulation)
    if isinstance(schedule, LearningRateSchedule) and training.gradient_accumulation > 1:
        schedule = OfUpdates(schedule, training.gradient_accumulation)
    common = {
        "learning_rate": schedule,
        "gradient_accumulation_steps": training.gradient_accumulation
        if training.gradient_accumulation > 1
        else None,
        "global_clipnorm": training.clip_norm or None,
        "use_ema": training.ema_decay > 0,
        "ema_momentum": training.ema_decay
        ** (1 / training.gradient_accumulation),  # Keras averages after each batch
    }
    if training.optimizer == "adamw":
        return keras.optimizers.AdamW(weight_decay=training.weight_decay, **common)
    return keras.optimizers.Adam(**common)


@contextmanager
def averaged_weights(model: keras.Model) -> Iterator[None]:
    """Temporarily replaces the model's weights by the optimizer's moving average, if there is one.

    Afterwards the weights are restored, bit for bit. (`keras.callbacks.SwapEMAWeights` swaps by adding and subtracting, which
    rounds.)
    """
    weights = [ops.convert_to_numpy(variable) for variable in model.trainable_variables]
    model.optimizer.finalize_variable_values(model.trainable_variables)
    try:
        yield
    finally:
        for variable, value in zip(model.trainable_variables, weights, strict=True):
            variable.assign(value)
