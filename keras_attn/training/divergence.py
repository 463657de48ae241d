"""Stops training if the loss is no longer a finite number, and says where that happened."""

import math
from collections.abc import Callable

import keras

from keras_attn.config import TrainingConfig
from keras_attn.data.pipeline import TrainingBatches
from keras_attn.storage.model_folder import TrainedModel
from keras_attn.training.precision import dtype_policy


class TrainingDiverged(ValueError):
    """The loss became NaN or infinite; the message describes the batch and says what to try."""


class StopOnDivergence(keras.callbacks.Callback):
    """Raises `TrainingDiverged` after the first step with a NaN or infinite loss, or after the steps of one execution with it.

    Args:
        training: the settings that the message suggests changing.
        describe: describes the batch of a given step, counted from 0.
        steps_per_round: steps in each of Keras' epochs.
    """

    def __init__(
        self, training: TrainingConfig, describe: Callable[[int], str], *, steps_per_round: int
    ) -> None:
        super().__init__()
        self._training = training
        self._describe = describe
        self._steps_per_round = steps_per_round
        self._first = self._done = 0  # steps before this round, and steps of it that are known to be good

    def on_epoch_begin(self, epoch: int, logs: dict[str, float] | None = None) -> None:
        self._first, self._done = epoch * self._steps_per_round, 0

    def on_train_batch_end(self, batch: int, logs: dict[str, float]) -> None:
        # Keras reports the mean over the round so far. Once NaN or infinite, it stays so; at first, it is due to what has just run.
        if not math.isfinite(logs["loss"]):
            first, last = self._first + self._done, self._first + batch
            where = f"step {last + 1}, a batch of {self._describe(last)}"
            if first < last:
                where = f"one of the steps {first + 1} to {last + 1}, which ran at once (training.steps_per_execution)"
            raise TrainingDiverged(
                f"the loss became {logs['loss']} in {where}. Try {self._advice()}, in another folder"
            )
        self._done = batch + 1

    def _advice(self) -> str:
        training = self._training
        advice = [f"a lower training.learning_rate (now {training.learning_rate})"]
        if not 0 < training.clip_norm <= 1:
            advice.append(f"training.clip_norm = 1.0 (now {training.clip_norm})")
        if dtype_policy(training.mixed_precision) != "float32":
            advice.append(f"training.mixed_precision = 'float32' (now '{training.mixed_precision}')")
        return " or ".join(advice)


def describe_batch(batches: TrainingBatches, trained: TrainedModel, step: int) -> str:
    """The shapes, range of ids and first pair of a step's batch, which is made again for this."""
    (source, target), *_ = next(batches.arrays(step))
    first = trained.source_tokenizer.decode(source[:1])[0], trained.target_tokenizer.decode(target[:1])[0]
    return (
        f"{len(source)} pairs, {source.shape[1]} source and {target.shape[1]} target tokens long, ids up to {source.max()} "
        f"and {target.max()}, the first pair {first[0]!r} and {first[1]!r}"
    )
