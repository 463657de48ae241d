"""Trainings of given pairs, watched by callbacks, of seconds each."""

import dataclasses
import math
import shutil

import keras
import numpy as np
import pytest

from keras_attn.config import ConfigError, DataConfig
from keras_attn.data.splits import Splits
from keras_attn.storage.model_folder import load_metrics, load_model
from keras_attn.text.corpus import read_pairs
from keras_attn.training.checkpoint import CheckpointError, load_checkpoint
from keras_attn.training.fit import train

pytestmark = pytest.mark.slow

COSINE = {
    "epochs": 3,
    "evaluate_every": 6,
    "learning_rate": 0.02,
    "schedule": "cosine",
}  # 24 steps in 4 rounds


class Watch(keras.callbacks.Callback):
    """Notes what a callback finds in the folder and in the logs."""

    def __init__(self, folder):
        super().__init__()
        self._folder = folder
        self.first_log, self.rounds = None, []

    def on_train_begin(self, logs=None):
        self.first_log = self._log()

    def on_epoch_end(self, epoch, logs=None):
        state, variables = load_checkpoint(self._folder)
        self.rounds.append(
            {
                "checkpoint": len(state.rounds),
                "log": len(self._log()) - 1,
                "best_step": load_metrics(self._folder)["best_step"],
                "dev_bleu": logs["dev_bleu"],
                "weights as in the checkpoint": all(
                    np.array_equal(variable.numpy(), value)
                    for variable, (_, value) in zip(self.model.variables, variables, strict=False)
                ),
            }
        )

    def _log(self):
        return (self._folder / "log.csv").read_text().splitlines()


class StopAfter(keras.callbacks.Callback):
    """Ends a training with a round, counted from 0."""

    def __init__(self, number):
        super().__init__()
        self._number = number

    def on_epoch_end(self, epoch, logs=None):
        if epoch == self._number:
            self.model.stop_training = True


class StopAtStep(keras.callbacks.Callback):
    """Ends a training within a round: with a batch, counted over all rounds from 1."""

    def __init__(self, step):
        super().__init__()
        self._left = step

    def on_train_batch_end(self, batch, logs=None):
        self._left -= 1
        if not self._left:
            self.model.stop_training = True


@pytest.fixture(scope="module")
def pairs(pair_files):
    return Splits(*(read_pairs([pair_files / f"{name}.tsv"]) for name in ("train", "dev")))


@pytest.fixture(scope="module")
def without_files(recipe):
    """The recipe without the names of any files."""
    return dataclasses.replace(recipe(**COSINE), data=DataConfig())


@pytest.fixture(scope="module")
def watched(without_files, pairs, tmp_path_factory):
    """The folder of a training of given pairs, and what a callback saw."""
    folder = tmp_path_factory.mktemp("runs") / "watched"
    watch = Watch(folder)
    train(without_files, folder, corpus=pairs, callbacks=[watch])
    return folder, watch


@pytest.fixture(scope="module")
def stopped(without_files, pairs, tmp_path_factory):
    """The folder of the same training, which a callback stopped after two rounds."""
    folder = tmp_path_factory.mktemp("runs") / "stopped"
    train(without_files, folder, corpus=pairs, callbacks=[StopAfter(1)])
    return folder


def rounds_of(folder):
    return load_checkpoint(folder)[0].rounds


def test_a_callback_finds_the_checkpoint_and_the_log_of_the_round(watched):
    _, watch = watched
    assert [(seen["checkpoint"], seen["log"]) for seen in watch.rounds] == [(1, 1), (2, 2), (3, 3), (4, 4)]


def test_a_callback_finds_the_scores_and_the_best_model_so_far(watched):
    folder, watch = watched
    bleus = [seen["dev_bleu"] for seen in watch.rounds]
    assert bleus == [one.dev_bleu for one in rounds_of(folder)]
    order = [(one.dev_bleu, -one.dev_perplexity, one.step) for one in rounds_of(folder)]
    best = [max(order[:count])[-1] for count in (1, 2, 3, 4)]
    assert [seen["best_step"] for seen in watch.rounds] == best


def test_a_callback_finds_the_model_with_the_weights_that_training_goes_on_with(watched):
    assert all(seen["weights as in the checkpoint"] for seen in watched[1].rounds)


def test_the_learning_rate_follows_the_schedule_over_all_steps(watched):
    expected = [0.02 * (1 + math.cos(math.pi * step / 24)) / 2 for step in (6, 12, 18, 24)]
    found = [one.learning_rate for one in rounds_of(watched[0])]
    assert found == pytest.approx(expected, rel=1e-5, abs=1e-8)


def test_given_pairs_leave_no_file_names_in_the_model(watched, without_files):
    assert load_model(watched[0]).config.data == without_files.data


def test_a_callback_can_stop_a_training_at_the_end_of_a_round(stopped):
    assert len(rounds_of(stopped)) == 2 and not load_checkpoint(stopped)[0].finished


def test_a_training_that_is_stopped_within_a_round_repeats_that_round(
    without_files, pairs, watched, tmp_path
):
    folder = tmp_path / "run"
    assert train(without_files, folder, corpus=pairs, callbacks=[StopAtStep(3)]) == {}
    assert rounds_of(folder) == () and not (folder / "model.weights.h5").exists()
    train(without_files, folder, corpus=pairs, callbacks=[StopAtStep(6 + 4)])
    assert [one.step for one in rounds_of(folder)] == [6]
    train(without_files, folder, corpus=pairs)
    (_, variables), (_, expected) = (load_checkpoint(one) for one in (folder, watched[0]))
    for (_, value), (_, other) in zip(variables, expected, strict=True):
        np.testing.assert_array_equal(value, other)


@pytest.fixture(scope="module")
def resumed(stopped, recipe, tmp_path_factory):
    """The same training, gone on with the same pairs from files; its log was lost meanwhile."""
    folder = shutil.copytree(stopped, tmp_path_factory.mktemp("runs") / "resumed")
    (folder / "log.csv").unlink()
    watch = Watch(folder)
    train(recipe(**COSINE), folder, callbacks=[watch])
    return folder, watch


def test_a_stopped_training_ends_as_one_that_was_not_stopped(resumed, watched):
    assert [seen["checkpoint"] for seen in resumed[1].rounds] == [3, 4]
    (_, variables), (_, expected) = (load_checkpoint(folder) for folder, _ in (resumed, watched))
    for (_, value), (_, other) in zip(variables, expected, strict=True):
        np.testing.assert_array_equal(value, other)


def test_a_log_that_is_missing_is_written_again_before_the_first_step(resumed):
    assert [line.split(",")[0] for line in resumed[1].first_log] == ["step", "6", "12"]


def test_other_pairs_than_those_it_began_with_are_refused(stopped, without_files, pairs):
    with pytest.raises(CheckpointError, match="the sentence pairs are not those"):
        train(without_files, stopped, corpus=Splits(pairs.dev, pairs.train))


def test_a_finished_training_needs_no_pairs_and_runs_no_callbacks(watched, without_files):
    watch = Watch(watched[0])
    assert train(without_files, watched[0], callbacks=[watch])["steps"] == 24
    assert watch.first_log is None and watch.rounds == []


def test_pairs_that_are_given_and_named_are_refused_before_anything_is_written(recipe, pairs, tmp_path):
    with pytest.raises(ConfigError, match=r"leave out data.train, data.dev"):
        train(recipe(), tmp_path / "run", corpus=pairs)
    assert not (tmp_path / "run").exists()
