"""The end of each round: evaluation, best model, checkpoint, log, patience."""

import dataclasses
import sys
import time
from collections.abc import Callable
from pathlib import Path

import keras
from keras import ops
from tqdm import tqdm

from keras_attn.storage.model_folder import TrainedModel, save_model
from keras_attn.training.checkpoint import TrainingState, save_checkpoint, state_variables
from keras_attn.training.development import DevScores
from keras_attn.training.history import LOG, Round, write_csv
from keras_attn.training.optimizers import averaged_weights
from keras_attn.training.plan import Plan
from keras_attn.training.progress import describe_round, real_tokens


class EndOfRound(keras.callbacks.Callback):
    """Evaluates, saves the best model, writes the checkpoint and the log, and stops when training is finished.

    The order matters. After a kill, the lost work is repeated from the previous checkpoint, with the same result. So the checkpoint
    is written after the model that it counts as the best.

    Args:
        folder: the training folder, where all of this is saved.
        state: the current state of training.
        trained: the model in training.
        plan: the steps of the run.
        evaluate: evaluates the model, which then has the weights to evaluate: their moving average, if there is one.

    Attributes:
        state: the state of training at the end of the last round with a written checkpoint.
    """

    def __init__(
        self,
        folder: Path,
        state: TrainingState,
        trained: TrainedModel,
        *,
        plan: Plan,
        evaluate: Callable[[], DevScores],
    ) -> None:
        super().__init__()
        self.state = state
        self._folder = folder
        self._trained = trained
        self._plan = plan
        self._evaluate = evaluate
        self._began = 0.0
        self._batches = 0

    def on_epoch_begin(self, epoch: int, logs: dict[str, float] | None = None) -> None:
        self._began = time.monotonic()
        self._batches = 0

    def on_train_batch_end(self, batch: int, logs: dict[str, float] | None = None) -> None:
        self._batches = batch + 1

    def on_epoch_end(self, epoch: int, logs: dict[str, float]) -> None:
        if self._batches < self._plan.steps_per_round:
            return  # another callback has stopped training: the next call repeats this round
        trained = time.monotonic()
        with averaged_weights(self.model):
            dev = self._evaluate()
            # For the callbacks that come after this one, such as TensorBoard's.
            logs.update(dev.numbers())
            took = {"seconds": trained - self._began, "dev_seconds": time.monotonic() - trained}
            state = self._with(self._round(epoch, logs, dev, took))
            self._keep_if_best(state, dev)
        self._write_checkpoint(state)
        write_csv(self._folder / LOG, state.rounds)
        tqdm.write(describe_round(state.rounds, self._plan), file=sys.stderr)
        self.model.stop_training = self.model.stop_training or state.finished

    def _round(self, epoch: int, logs: dict[str, float], dev: DevScores, took: dict[str, float]) -> Round:
        step = (epoch + 1) * self._plan.steps_per_round
        return Round(
            step=step,
            epoch=step / self._plan.steps_per_epoch,
            loss=logs["loss"],
            learning_rate=float(ops.convert_to_numpy(self.model.optimizer.learning_rate)),
            tokens=int(real_tokens(logs)),
            **took,
            **dev.numbers(),
        )

    def _with(self, last: Round) -> TrainingState:
        rounds = (*self.state.rounds, last)
        return dataclasses.replace(self.state, rounds=rounds, finished=self._plan.is_over(rounds))

    def _keep_if_best(self, state: TrainingState, dev: DevScores) -> None:
        last = state.rounds[-1]
        if self._plan.best_by.best(state.rounds) is last:
            about = {**dev.as_dict(), "best_by": self._plan.best_by.column, "best_step": last.step}
            save_model(
                self._folder, self._trained, {**about, "parameters": self._trained.model.count_params()}
            )

    def _write_checkpoint(self, state: TrainingState) -> None:
        save_checkpoint(self._folder, state, state_variables(self.model))
        self.state = state
