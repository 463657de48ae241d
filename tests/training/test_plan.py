import dataclasses

import pytest

from keras_attn.config import Config, ConfigError, TrainingConfig
from keras_attn.training.best_by import SCORES
from keras_attn.training.history import Round
from keras_attn.training.plan import Plan


def rounds_with(*bleus):
    return [Round(10 * (i + 1), 1.0, 2.0, 0.001, bleu, 5.0, 300, 2.0) for i, bleu in enumerate(bleus)]


@pytest.mark.parametrize(
    ("epochs", "evaluate_every", "steps_per_round", "rounds"),
    [
        (3, 0, 8, 3),  # an evaluation an epoch
        (3, 6, 6, 4),
        (3, 10, 10, 3),  # 24 steps are not three rounds of ten: the last one is a whole one all the same
        (3, 100, 24, 1),
    ],
)
def test_a_training_is_cut_into_rounds(epochs, evaluate_every, steps_per_round, rounds):
    training = TrainingConfig(epochs=epochs, evaluate_every=evaluate_every, patience=2)
    plan = Plan.of(Config(training=training), steps_per_epoch=8)
    assert plan == Plan(8, steps_per_round, rounds, patience=2)
    assert Plan.of(Config(training=training), 8, "cer") == dataclasses.replace(plan, best_by=SCORES["cer"])
    assert plan.total_steps == steps_per_round * rounds >= 24


def test_a_training_is_over_after_its_last_round():
    plan = Plan(steps_per_epoch=8, steps_per_round=6, rounds=3)
    assert [plan.is_over(rounds_with(*range(count))) for count in range(4)] == [False, False, False, True]


def test_patience_ends_a_training_early():
    plan = Plan(steps_per_epoch=8, steps_per_round=6, rounds=100, patience=2)
    assert not plan.is_over(rounds_with(10, 30, 20))
    assert plan.is_over(rounds_with(10, 30, 20, 20))
    assert not plan.is_over(rounds_with(10, 30, 20, 40))


def test_without_patience_a_training_goes_on():
    plan = Plan(steps_per_epoch=8, steps_per_round=6, rounds=100)
    assert not plan.is_over(rounds_with(30, *[10] * 50))


def test_a_training_goes_on_with_rounds_as_long_as_before():
    plan = Plan(steps_per_epoch=8, steps_per_round=10, rounds=9)
    plan.check_rounds(rounds_with(30, 20))
    with pytest.raises(
        ConfigError,
        match=r"evaluates every 10 steps, .* it would evaluate every 12\. Set them back",
    ):
        dataclasses.replace(plan, steps_per_round=12).check_rounds(rounds_with(30, 20))


def test_a_round_has_whole_executions():
    training = TrainingConfig(epochs=3, steps_per_execution=5)
    assert Plan.of(Config(training=training), steps_per_epoch=8) == Plan(8, 10, rounds=3)
