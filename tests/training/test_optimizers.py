import keras
import numpy as np
import pytest
from keras import ops

from keras_attn.config import ConfigError, TrainingConfig
from keras_attn.training.losses import SmoothedCrossEntropy
from keras_attn.training.optimizers import averaged_weights, build_optimizer


def weights_of(model):
    return [ops.convert_to_numpy(variable.value) for variable in model.trainable_variables]


def train(model, batch, steps, **training):
    """The weights before the first step and after each."""
    model.compile(build_optimizer(TrainingConfig(**training), steps), SmoothedCrossEntropy())
    weights = [weights_of(model)]
    for _ in range(steps):
        model.train_on_batch(*batch)
        weights.append(weights_of(model))
    return weights


def test_average_is_the_exponential_one_of_the_weights_after_each_step(tiny_model, batch):
    _, first, second, third = train(tiny_model, batch, 3, ema_decay=0.75, learning_rate=0.1)
    with averaged_weights(tiny_model):
        averages = weights_of(tiny_model)
    for average, a, b, c in zip(averages, first, second, third, strict=True):
        np.testing.assert_allclose(average, 0.75 * (0.75 * a + 0.25 * b) + 0.25 * c, rtol=1e-5, atol=1e-6)


def test_a_training_without_an_update_is_refused():
    settings = TrainingConfig(gradient_accumulation=50, schedule="cosine")
    build_optimizer(settings, total_steps=50)
    with pytest.raises(ConfigError, match="= 50 steps before each update, and the whole training has 49"):
        build_optimizer(settings, total_steps=49)


@pytest.mark.parametrize("batches", [1, 4])
def test_the_average_counts_updates_however_many_batches_make_one(batches):
    """The average of a weight that falls by 1 per update is 0.9 / (1 - 0.9) = 9 updates behind; 10 if updates are stairs."""
    variable = keras.Variable([0.0])
    settings = TrainingConfig(ema_decay=0.9, gradient_accumulation=batches, learning_rate=1.0)
    optimizer = build_optimizer(settings, total_steps=100 * batches)
    for _ in range(100 * batches):
        optimizer.apply([ops.ones([1])], [variable])
    weight = float(variable.value[0])
    optimizer.finalize_variable_values([variable])
    assert weight == pytest.approx(-100, rel=0.01)
    assert 8.99 < float(variable.value[0]) - weight < 10


@pytest.mark.parametrize("ema_decay", [0.0, 0.75])
def test_weights_are_back_bit_for_bit_after_the_average_was_lent(tiny_model, batch, ema_decay):
    *_, last = train(tiny_model, batch, 2, ema_decay=ema_decay)
    with averaged_weights(tiny_model):
        pass
    for before, after in zip(last, weights_of(tiny_model), strict=True):
        np.testing.assert_array_equal(before, after)


def test_weights_are_back_when_the_evaluation_fails(tiny_model, batch):
    *_, last = train(tiny_model, batch, 2, ema_decay=0.75)
    with pytest.raises(ZeroDivisionError), averaged_weights(tiny_model):
        raise ZeroDivisionError
    np.testing.assert_array_equal(last[0], weights_of(tiny_model)[0])


def test_without_an_average_the_weights_stay(tiny_model, batch):
    *_, last = train(tiny_model, batch, 2)
    with averaged_weights(tiny_model):
        np.testing.assert_array_equal(last[0], weights_of(tiny_model)[0])


def norm_after_one_step(model, **training):
    """Of a gradient of 3 at each of n weights. Adam's first momentum is a tenth of the gradient."""
    variables = model.trainable_variables
    optimizer = build_optimizer(TrainingConfig(**training), total_steps=1)
    optimizer.apply([3 * ops.ones_like(variable.value) for variable in variables], variables)
    momenta = [variable.value for variable in optimizer.variables if "momentum" in variable.path]
    return 10 * sum(float(ops.sum(momentum**2)) for momentum in momenta) ** 0.5


@pytest.mark.parametrize("optimizer", ["adam", "adamw"])
def test_clipping_limits_the_norm_of_all_gradients_together(tiny_model, optimizer):
    assert norm_after_one_step(tiny_model, optimizer=optimizer, clip_norm=0.5) == pytest.approx(0.5, rel=1e-5)


def test_without_a_norm_nothing_is_clipped(tiny_model):
    expected = 3 * tiny_model.count_params() ** 0.5
    assert norm_after_one_step(tiny_model, clip_norm=0.0) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("optimizer", ["adam", "adamw"])
def test_either_optimizer_gets_all_that_is_asked_for(optimizer):
    training = TrainingConfig(
        optimizer=optimizer, learning_rate=0.25, ema_decay=0.75, gradient_accumulation=3, clip_norm=2.0
    )
    config = build_optimizer(training, total_steps=9).get_config()
    assert (config["learning_rate"], config["use_ema"]) == (0.25, True)
    assert config["ema_momentum"] ** 3 == pytest.approx(0.75)
    assert (config["gradient_accumulation_steps"], config["global_clipnorm"]) == (3, 2.0)


def test_two_batches_make_one_update_with_the_mean_of_their_gradients(tiny_model, batch):
    """Of the same batch twice, that is its own gradient, as an update without accumulation has it."""
    first = [weight.copy() for weight in tiny_model.get_weights()]
    before, between, after = train(tiny_model, batch, 2, gradient_accumulation=2, learning_rate=0.1)
    tiny_model.set_weights(first)
    _, alone = train(tiny_model, batch, 1, learning_rate=0.1)
    for start, same, moved, expected in zip(before, between, after, alone, strict=True):
        np.testing.assert_array_equal(same, start)
        np.testing.assert_allclose(moved, expected, rtol=1e-5, atol=1e-6)


def rates_of(model, batch, steps, **training):
    """The learning rate after each step."""
    training = TrainingConfig(learning_rate=0.1, **training)
    model.compile(build_optimizer(training, steps), SmoothedCrossEntropy())
    rates = []
    for _ in range(steps):
        model.train_on_batch(*batch)
        rates.append(float(model.optimizer.learning_rate))
    return rates


@pytest.mark.parametrize("gradient_accumulation", [1, 2])
def test_the_cosine_falls_to_half_in_half_of_the_batches_and_to_zero_in_all(
    tiny_model, batch, gradient_accumulation
):
    rates = rates_of(tiny_model, batch, 8, schedule="cosine", gradient_accumulation=gradient_accumulation)
    assert rates[3] == pytest.approx(0.05)
    assert rates[7] == pytest.approx(0.0, abs=1e-7)


def test_a_warm_up_counts_updates_of_several_batches(tiny_model, batch):
    rates = rates_of(tiny_model, batch, 6, warmup_steps=2, gradient_accumulation=3)
    assert rates == pytest.approx([0.0, 0.0, 0.05, 0.05, 0.05, 0.1])


def test_adamw_shrinks_weights_without_gradients(tiny_model):
    optimizer = build_optimizer(
        TrainingConfig(optimizer="adamw", weight_decay=0.5, learning_rate=0.1), total_steps=1
    )
    before = weights_of(tiny_model)[0]
    optimizer.apply(
        [ops.zeros_like(variable.value) for variable in tiny_model.trainable_variables],
        tiny_model.trainable_variables,
    )
    np.testing.assert_allclose(weights_of(tiny_model)[0], before * (1 - 0.5 * 0.1), rtol=1e-6)


@pytest.mark.parametrize(
    ("training", "message"),
    [
        ({"weight_decay": 0.1}, "needs training.optimizer = 'adamw'"),
        ({"ema_decay": 1.0}, "must be below 1, such as 0.999; got 1.0"),
    ],
)
def test_a_value_without_use_is_refused(training, message):
    with pytest.raises(ConfigError, match=message):
        build_optimizer(TrainingConfig(**training), total_steps=1)
