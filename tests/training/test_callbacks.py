import pytest

from keras_attn.config import Config, TrainingConfig
from keras_attn.training.callbacks import Plan


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
    config = Config(training=TrainingConfig(epochs=epochs, evaluate_every=evaluate_every))
    plan = Plan.of(config, steps_per_epoch=8)
    assert (plan.steps_per_round, plan.rounds) == (steps_per_round, rounds)
    assert plan.total_steps == steps_per_round * rounds >= 24
