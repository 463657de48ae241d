import math

import keras
import numpy as np
import pytest
from keras import ops

from keras_attn.layers import PointerGenerator

B, T, S, V, U, E, D = 2, 3, 4, 7, 5, 3, 6
random = np.random.default_rng(1)
LOGITS, STATE, INPUTS, MEMORY = (
    random.normal(size=shape).astype("float32") for shape in ((B, T, V), (B, T, U), (B, T, E), (B, S, D))
)
WEIGHTS = random.dirichlet([1] * S, size=(B, T)).astype("float32")
WEIGHTS[1, :, 3] = 0  # the second source is shorter
WEIGHTS /= WEIGHTS.sum(-1, keepdims=True)
SOURCE = np.array([[4, 5, 4, 6], [6, 6, 5, 0]], "int32")  # words that occur twice, and padding


@pytest.fixture
def layer():
    layer = PointerGenerator()
    layer.build(*(x.shape for x in (LOGITS, WEIGHTS, STATE, INPUTS, SOURCE, MEMORY)))
    for weight in layer.trainable_variables:
        weight.assign(random.normal(size=weight.shape))
    return layer


def numbers(x):
    return ops.convert_to_numpy(x)


def dot(kernel, vector):
    return sum(float(w) * float(x) for w, x in zip(numbers(kernel)[:, 0], vector, strict=True))


def generation_probability(layer, b, t):
    """Equation 8: `p_gen = sigmoid(w_h . h*_t + w_s . s_t + w_x . x_t + b_ptr)`, with `h*_t = sum_i a_i h_i` of equation 3."""
    context = sum(WEIGHTS[b, t, i] * MEMORY[b, i] for i in range(S))
    score = dot(layer.memory_layer.kernel, context)
    score += dot(layer.state_layer.kernel, STATE[b, t]) + float(numbers(layer.state_layer.bias)[0])
    score += dot(layer.input_layer.kernel, INPUTS[b, t])
    return 1 / (1 + math.exp(-score))


def mixed(layer, b, t):
    """Equation 9: `P(w) = p_gen P_vocab(w) + (1 - p_gen) sum_{i: w_i = w} a_i`."""
    p_gen = generation_probability(layer, b, t)
    total = sum(math.exp(x) for x in LOGITS[b, t])
    return [
        p_gen * math.exp(LOGITS[b, t, w]) / total
        + (1 - p_gen) * sum(WEIGHTS[b, t, i] for i in range(S) if SOURCE[b, i] == w)
        for w in range(V)
    ]


def test_probabilities_are_those_of_equations_8_and_9(layer):
    found = np.exp(numbers(layer(LOGITS, WEIGHTS, STATE, INPUTS, SOURCE, MEMORY)))
    for b, t in np.ndindex(B, T):
        np.testing.assert_allclose(found[b, t], mixed(layer, b, t), rtol=1e-5)


def test_probabilities_sum_to_one(layer):
    found = np.exp(numbers(layer(LOGITS, WEIGHTS, STATE, INPUTS, SOURCE, MEMORY)))
    np.testing.assert_allclose(found.sum(-1), 1, rtol=1e-5)


def test_with_weights_that_sum_to_less_probabilities_are_in_proportion_and_sum_to_one(layer):
    half, none = (
        np.exp(numbers(layer(LOGITS, share * WEIGHTS, STATE, INPUTS, SOURCE, 2 * MEMORY)))
        for share in (0.5, 0.0)
    )
    generated = np.exp(LOGITS) / np.exp(LOGITS).sum(-1, keepdims=True)
    for b, t in np.ndindex(B, T):
        p_gen = generation_probability(layer, b, t)  # half the weights of twice the memory
        copied = [sum(WEIGHTS[b, t, i] / 2 for i in range(S) if SOURCE[b, i] == w) for w in range(V)]
        expected = p_gen * generated[b, t] + (1 - p_gen) * np.array(copied)
        np.testing.assert_allclose(half[b, t], expected / expected.sum(), rtol=1e-5)
    np.testing.assert_allclose(none, generated, rtol=1e-5)


def test_ids_may_be_integers_of_any_size(layer):
    found = [
        numbers(layer(LOGITS, WEIGHTS, STATE, INPUTS, SOURCE.astype(t), MEMORY)) for t in ("int32", "int64")
    ]
    np.testing.assert_array_equal(*found)


def test_a_word_that_the_output_excludes_can_be_copied_and_padding_cannot(layer):
    logits = LOGITS.copy()
    logits[..., [0, 6]] = -1e4
    found = np.exp(numbers(layer(logits, WEIGHTS, STATE, INPUTS, SOURCE, MEMORY)))
    assert (found[1, :, 6] > 1e-3).all()
    assert (found[1, :, 0] < 1e-20).all()


def test_words_alone_are_copied_and_no_special_id(layer):
    """What attention gives to padding, unknown, begin and end is left out of equation 9, and the rest is divided by its sum."""
    for special in range(4):
        source = SOURCE.copy()
        source[:, 1] = special
        found = np.exp(numbers(layer(LOGITS, WEIGHTS, STATE, INPUTS, source, MEMORY)))
        for b, t in np.ndindex(B, T):
            p_gen = generation_probability(layer, b, t)
            generated = np.exp(LOGITS[b, t]) / np.exp(LOGITS[b, t]).sum()
            copied = [sum(WEIGHTS[b, t, i] for i in (0, 2, 3) if source[b, i] == w) for w in range(V)]
            expected = p_gen * generated + (1 - p_gen) * np.array(copied)
            np.testing.assert_allclose(found[b, t], expected / expected.sum(), rtol=1e-5)


def test_a_step_of_several_hypotheses_is_as_many_positions_of_their_source(layer):
    whole = numbers(layer(LOGITS, WEIGHTS, STATE, INPUTS, SOURCE, MEMORY))
    rows = [ops.convert_to_tensor(x.reshape(B * T, -1)) for x in (LOGITS, WEIGHTS, STATE, INPUTS)]
    memory = ops.convert_to_tensor(MEMORY)
    by_step = layer.step(*rows, ops.convert_to_tensor(SOURCE), memory, layer.read(memory))
    np.testing.assert_allclose(numbers(by_step), whole.reshape(B * T, V), atol=1e-6)


@pytest.mark.parametrize("argument", [0, 1, 2, 3, 5], ids=["logits", "weights", "state", "inputs", "memory"])
def test_gradients_are_those_of_finite_differences(layer, gradients, argument):
    arguments = [LOGITS, WEIGHTS, STATE, INPUTS, SOURCE, MEMORY]
    wanted = ops.convert_to_tensor(random.normal(size=(B, T, V)).astype("float32"))

    def value(x):
        return ops.sum(wanted * layer(*arguments[:argument], x, *arguments[argument + 1 :]))

    (found,) = gradients(value, arguments[argument])
    for at in ((0, 0, 1), (0, 2, 2), (1, 1, 0)):
        step = np.zeros_like(arguments[argument])
        step[at] = 1e-2
        above, below = (numbers(value(arguments[argument] + sign * step)) for sign in (1, -1))
        assert found[at] == pytest.approx((above - below) / 2e-2, rel=2e-2, abs=2e-3)


def test_gradients_stay_numbers_where_a_probability_is_nothing(layer, gradients):
    logits = LOGITS.copy()
    logits[..., 1] = -1e4  # and no source has it

    def value(logits, weights):
        return ops.sum(layer(logits, weights, STATE, INPUTS, SOURCE, MEMORY))

    assert all(np.isfinite(found).all() for found in gradients(value, logits, WEIGHTS))


def test_it_mixes_in_float32_whatever_the_policy(mixed_float16):
    layer = PointerGenerator()
    arguments = [LOGITS.astype("float16"), WEIGHTS, STATE.astype("float16"), INPUTS.astype("float16")]
    found = layer(*arguments, SOURCE, MEMORY.astype("float16"))
    assert keras.backend.standardize_dtype(found.dtype) == "float32"
    np.testing.assert_allclose(np.exp(numbers(found)).sum(-1), 1, rtol=1e-5)


def test_a_layer_from_its_config_does_the_same(layer):
    other = PointerGenerator.from_config(layer.get_config())
    other.build(*(x.shape for x in (LOGITS, WEIGHTS, STATE, INPUTS, SOURCE, MEMORY)))
    other.set_weights(layer.get_weights())
    arguments = LOGITS, WEIGHTS, STATE, INPUTS, SOURCE, MEMORY
    np.testing.assert_array_equal(numbers(other(*arguments)), numbers(layer(*arguments)))
