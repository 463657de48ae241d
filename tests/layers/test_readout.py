import math

import numpy as np
import pytest
from keras import ops

from keras_attn.layers.readout import Readout

STATE, CONTEXT, INPUTS, UNITS = 4, 3, 2, 5

random = np.random.default_rng(1)
S, C, Y = (random.normal(size=(2, 6, width)).astype("float32") for width in (STATE, CONTEXT, INPUTS))


def built(kind, units=None, context=True):
    layer = Readout(kind, units)
    layer.build(S.shape, Y.shape, C.shape if context else None)
    return layer


def numbers(x):
    return ops.convert_to_numpy(x)


def linear(vector, kernel, column):
    return sum(x * kernel[i, column] for i, x in enumerate(vector))


@pytest.mark.parametrize("with_context", [True, False])
def test_maxout_is_the_larger_of_each_pair_of_deep_outputs(with_context):
    layer = built("maxout", UNITS, with_context)
    layer.layer.bias.assign(random.normal(size=2 * UNITS))
    kernel, bias = numbers(layer.layer.kernel), numbers(layer.layer.bias)
    found = numbers(layer(S, Y, C if with_context else None))
    for place in np.ndindex(2, 6):
        joined = [*(C[place] if with_context else []), *S[place], *Y[place]]
        deep = [linear(joined, kernel, column) + bias[column] for column in range(2 * UNITS)]
        expected = [max(deep[j], deep[j + UNITS]) for j in range(UNITS)]
        np.testing.assert_allclose(found[place], expected, atol=1e-5)


def test_attentional_is_tanh_of_context_and_state_without_bias():
    layer = built("attentional", UNITS)
    kernel = numbers(layer.layer.kernel)
    found = numbers(layer(S, Y, C))
    for place in np.ndindex(2, 6):
        joined = [*C[place], *S[place]]
        expected = [math.tanh(linear(joined, kernel, column)) for column in range(UNITS)]
        np.testing.assert_allclose(found[place], expected, atol=1e-5)
    assert layer.count_params() == (CONTEXT + STATE) * UNITS


def test_linear_is_a_product_with_state_and_context_in_the_order_of_tfas_attention_layer():
    layer = built("linear", UNITS)
    kernel = numbers(layer.layer.kernel)
    found = numbers(layer(S, Y, C))
    for place in np.ndindex(2, 6):
        joined = [*S[place], *C[place]]
        np.testing.assert_allclose(found[place], [linear(joined, kernel, j) for j in range(UNITS)], atol=1e-5)
    assert layer.count_params() == (STATE + CONTEXT) * UNITS


def test_linear_without_context_is_a_product_with_the_state():
    layer = built("linear", UNITS, context=False)
    np.testing.assert_allclose(numbers(layer(S, Y)), S @ numbers(layer.layer.kernel), atol=1e-5)


def test_plain_is_context_and_state_side_by_side():
    np.testing.assert_array_equal(numbers(built("plain")(S, Y, C)), np.concatenate([C, S], axis=-1))


def test_plain_without_context_is_the_state():
    np.testing.assert_array_equal(numbers(built("plain", context=False)(S, Y)), S)


@pytest.mark.parametrize(
    ("kind", "units", "expected"),
    [("plain", None, STATE + CONTEXT), ("maxout", 5, 5), ("attentional", 5, 5), ("linear", 5, 5)],
)
def test_the_width_is_that_of_the_result(kind, units, expected):
    layer = built(kind, units)
    assert layer.width == layer(S, Y, C).shape[-1] == expected


def test_an_unknown_readout_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match=r"one of maxout, attentional, linear, plain\. Received: 'deep'"):
        Readout("deep", 4)


def test_units_that_are_no_count_are_refused():
    with pytest.raises(ValueError, match=r"an integer of at least 1\. Received: units='4'"):
        Readout("maxout", "4")


@pytest.mark.parametrize(("kind", "units"), [("plain", 4), ("maxout", None)])
def test_units_belong_to_all_but_the_plain_readout(kind, units):
    with pytest.raises(ValueError, match=f"plain readout takes no units.*Received: '{kind}', units={units}"):
        Readout(kind, units)
