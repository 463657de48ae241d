import math

import keras
import pytest

from keras_attn.config import ConfigError, TrainingConfig
from keras_attn.training.schedules import InverseSqrt, OfUpdates, build_schedule


def rates(steps, total_steps=100, **training):
    schedule = build_schedule(TrainingConfig(learning_rate=0.8, **training), total_steps)
    return [float(schedule(step)) if callable(schedule) else schedule for step in steps]


def test_constant_is_the_learning_rate():
    assert rates([0, 99]) == [0.8, 0.8]


@pytest.mark.parametrize("schedule", ["constant", "inverse_sqrt", "cosine"])
def test_warm_up_is_linear_from_zero_to_the_learning_rate(schedule):
    expected = [0.0, 0.2, 0.4, 0.6, 0.8]
    assert rates([0, 5, 10, 15, 20], schedule=schedule, warmup_steps=20) == pytest.approx(expected)


def test_constant_stays_at_the_learning_rate_after_the_warm_up():
    assert rates([20, 21, 1000], warmup_steps=20) == pytest.approx([0.8, 0.8, 0.8])


def test_inverse_sqrt_halves_when_the_steps_quadruple():
    steps = [20, 80, 320]
    assert rates(steps, schedule="inverse_sqrt", warmup_steps=20) == pytest.approx([0.8, 0.4, 0.2])


def test_cosine_goes_from_the_learning_rate_over_its_half_to_zero():
    steps = [0, 25, 50, 100]
    expected = [0.8, 0.4 * (1 + math.sqrt(0.5)), 0.4, 0.0]
    assert rates(steps, schedule="cosine") == pytest.approx(expected, abs=1e-7)


def test_cosine_after_a_warm_up_reaches_zero_at_the_last_step():
    steps = [20, 60, 100]
    assert rates(steps, schedule="cosine", warmup_steps=20) == pytest.approx([0.8, 0.4, 0.0], abs=1e-7)


@pytest.mark.parametrize(
    ("training", "message"),
    [
        ({"learning_rate": 0.0}, "learning_rate must be above 0"),
        ({"schedule": "inverse_sqrt"}, "set training.warmup_steps"),
        ({"schedule": "cosine", "warmup_steps": 100}, "leaves none of the 100 steps"),
    ],
)
def test_a_schedule_that_cannot_be_is_refused(training, message):
    with pytest.raises(ConfigError, match=message):
        build_schedule(TrainingConfig(**training), total_steps=100)


@pytest.mark.parametrize("schedule", [InverseSqrt(0.5, 10), OfUpdates(InverseSqrt(0.5, 5), 2)])
def test_schedule_survives_serialisation(schedule):
    again = keras.saving.deserialize_keras_object(keras.saving.serialize_keras_object(schedule))
    assert float(again(40)) == pytest.approx(0.25)
