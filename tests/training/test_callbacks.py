import csv
import dataclasses
import types

import keras
import numpy as np
import pytest

from keras_attn.evaluation.error_rates import ErrorRates
from keras_attn.evaluation.scores import Scores
from keras_attn.models.build import build_seq2seq
from keras_attn.storage.model_folder import load_metrics, load_model
from keras_attn.training.best_by import SCORES
from keras_attn.training.callbacks import EndOfRound
from keras_attn.training.checkpoint import TrainingState, load_checkpoint
from keras_attn.training.development import DevScores
from keras_attn.training.plan import Plan

FIRST_WEIGHT = 0.5


@pytest.fixture
def trained(tiny_trained):
    """A model of one's own."""
    model = build_seq2seq(tiny_trained.config.model)
    set_all(model, FIRST_WEIGHT)
    return dataclasses.replace(tiny_trained, model=model)


@pytest.fixture
def start(trained, tmp_path):
    """Makes the callback of a training of rounds of ten steps, whose evaluations give these scores, one a round.

    Where BLEU is x, exact match is 50 - x.
    """
    state = TrainingState(trained.config, "digest", trained.source_tokenizer, trained.target_tokenizer)

    def start(*bleus, patience=0, seen=None, best_by="bleu", **optimizer):
        model = trained.model
        model.compile(keras.optimizers.SGD(0.25, **optimizer))
        model.optimizer.apply(
            [np.zeros(x.shape) for x in model.trainable_variables], model.trainable_variables
        )
        scores = iter(bleus)

        def evaluate():
            if seen is not None:
                seen.append(weight_of(model))
            bleu = next(scores)
            errors = ErrorRates(50.0 - bleu, 20.0, 30.0, "signature")
            return DevScores(Scores(bleu, "signature", 50.0, "signature"), errors, 8.0)

        plan = Plan(20, 10, rounds=100, patience=patience, best_by=SCORES[best_by])
        callback = EndOfRound(tmp_path, state, trained, plan=plan, evaluate=evaluate)
        callback.set_model(model)
        return callback

    return start


@pytest.fixture
def play(start):
    """The same, after as many rounds as there are scores."""

    def play(*bleus, **options):
        callback = start(*bleus, **options)
        for number in range(len(bleus)):
            play_round(callback, number)
        return callback

    return play


def play_round(callback, number):
    """A round, counted from 0, in which all weights become 1 more than its number; what later callbacks find in the logs."""
    callback.on_epoch_begin(number)
    set_all(callback.model, number + 1)
    logs = {"loss": 2.0, "tokens": 300.0}
    callback.on_train_batch_end(9)  # of 10
    callback.on_epoch_end(number, logs)
    return logs


def set_all(model, value):
    for variable in model.trainable_variables:
        variable.assign(np.full(variable.shape, value))


def weight_of(model):
    """The one value that all weights have."""
    (value,) = {float(value) for weights in model.get_weights() for value in weights.flat}
    return value


def saved_weight(folder):
    return weight_of(load_model(folder).model)


def checkpoint_weight(folder):
    """Of the first trainable variable in the checkpoint."""
    return load_checkpoint(folder)[1][0][1].flat[0]


def test_a_round_that_was_cut_leaves_nothing(start, tmp_path):
    callback = start(10.0)
    callback.on_epoch_begin(0)
    callback.on_train_batch_end(8)
    callback.on_epoch_end(0, {"loss": 2.0, "tokens": 270.0})
    assert callback.state.rounds == () and list(tmp_path.iterdir()) == []


def test_the_seconds_of_a_round_are_those_of_its_steps_without_its_evaluation(start, monkeypatch):
    clock = {"now": 100.0}
    monkeypatch.setattr(
        "keras_attn.training.callbacks.time", types.SimpleNamespace(monotonic=lambda: clock["now"])
    )
    evaluation = types.SimpleNamespace(append=lambda weight: clock.update(now=clock["now"] + 50))
    callback = start(10.0, seen=evaluation)
    callback.on_epoch_begin(0)
    clock["now"] += 7
    callback.on_train_batch_end(9)
    callback.on_epoch_end(0, {"loss": 2.0, "tokens": 300.0})
    assert clock["now"] == 157.0
    assert callback.state.rounds[0].seconds == 7.0


def test_with_patience_the_best_round_is_kept_and_not_the_last(play, tmp_path):
    callback = play(10.0, 30.0, 20.0, 20.0, patience=2)
    assert callback.model.stop_training and callback.state.finished
    assert load_metrics(tmp_path)["best_step"] == 20
    assert load_metrics(tmp_path)["dev_bleu"] == 30.0
    assert saved_weight(tmp_path) == 2.0


def test_the_best_model_is_chosen_by_the_score_that_was_asked_for(play, tmp_path):
    callback = play(30.0, 10.0, 20.0, 20.0, patience=2, best_by="exact")
    assert callback.state.finished
    metrics = load_metrics(tmp_path)
    assert (metrics["best_step"], metrics["dev_exact"], metrics["best_by"]) == (20, 40.0, "dev_exact")
    assert saved_weight(tmp_path) == 2.0


def test_a_round_is_told_with_the_score_that_was_asked_for(play, capsys):
    play(30.0, 10.0, best_by="exact")
    first, second = capsys.readouterr().err.splitlines()
    assert "dev exact match 20.00 % (best), perplexity 8.00" in first
    assert "dev exact match 40.00 % (best), perplexity 8.00" in second


def test_the_training_goes_on_while_there_is_patience(play):
    callback = play(10.0, 30.0, 20.0, patience=2)
    assert not callback.model.stop_training and not callback.state.finished


def test_training_goes_on_from_the_last_round_and_not_from_the_best(play, tmp_path):
    play(10.0, 30.0, 20.0)
    assert checkpoint_weight(tmp_path) == 3.0
    assert [one.dev_bleu for one in load_checkpoint(tmp_path)[0].rounds] == [10.0, 30.0, 20.0]


def test_a_model_that_cannot_be_saved_leaves_a_checkpoint_without_its_round(start, tmp_path):
    callback = start(10.0, 20.0)
    play_round(callback, 0)
    (tmp_path / "model.weights.h5").unlink()
    (tmp_path / "model.weights.h5").mkdir()  # no file can take its place
    with pytest.raises(OSError, match="Is a directory"):
        play_round(callback, 1)
    assert len(load_checkpoint(tmp_path)[0].rounds) == len(callback.state.rounds) == 1


def test_the_moving_average_is_judged_and_kept_and_training_goes_on_from_the_weights(play, tmp_path):
    seen = []
    callback = play(10.0, seen=seen, use_ema=True)
    assert seen == [FIRST_WEIGHT]
    assert saved_weight(tmp_path) == FIRST_WEIGHT
    assert checkpoint_weight(tmp_path) == 1.0
    assert weight_of(callback.model) == 1.0


def test_the_log_has_a_line_a_round(play, tmp_path):
    play(10.0, 30.0)
    with (tmp_path / "log.csv").open(newline="") as stream:
        lines = list(csv.DictReader(stream))
    names = ("step", "epoch", "dev_bleu", "dev_exact", "tokens")
    assert [tuple(line[name] for name in names) for line in lines] == [
        ("10", "0.5", "10", "40", "300"),
        ("20", "1", "30", "20", "300"),
    ]
    others = ("loss", "learning_rate", "dev_perplexity", "dev_chrf", "dev_cer", "dev_wer")
    assert [[line[name] for name in others] for line in lines] == [["2", "0.25", "8", "50", "20", "30"]] * 2


def test_callbacks_that_come_later_find_the_scores_in_the_logs(start):
    logs = play_round(start(30.0), 0)
    assert (logs["dev_bleu"], logs["dev_exact"], logs["dev_perplexity"]) == (30.0, 20.0, 8.0)


def test_each_round_is_told_in_a_line(play, capsys):
    play(10.0, 30.0, 20.0)
    lines = capsys.readouterr().err.splitlines()
    starts = ["epoch 0.5, step 10 of 1000", "epoch 1.0, step 20 of 1000", "epoch 1.5, step 30 of 1000"]
    assert [line.partition(":")[0] for line in lines] == starts
    assert ["(best)" in line for line in lines] == [True, True, False]


def test_the_seconds_of_a_round_are_its_own(play, monkeypatch):
    """Two rounds of five and of seven seconds, evaluations of a minute and of a second."""
    clock = types.SimpleNamespace(monotonic=iter([100.0, 105.0, 165.0, 165.0, 172.0, 173.0]).__next__)
    monkeypatch.setattr("keras_attn.training.callbacks.time", clock)
    rounds = play(10.0, 20.0).state.rounds
    assert [(one.seconds, one.dev_seconds) for one in rounds] == [(5.0, 60.0), (7.0, 1.0)]
