import math

import numpy as np
import pytest
from keras import ops

from keras_attn.layers import BahdanauAttention, LuongAttention

B, T, S, Q, D = 2, 3, 4, 5, 6

random = np.random.default_rng(1)
QUERY = random.normal(size=(B, T, Q)).astype("float32")
VALUE = random.normal(size=(B, S, D)).astype("float32")  # D is not Q: Jurafsky and Martin's case
NARROW = VALUE[..., :Q]


def built(*args, value=VALUE, **kwargs):
    layer = LuongAttention(*args, **kwargs)
    layer.build(QUERY.shape, value.shape)
    return layer


def scores_of(layer, value=VALUE):
    return ops.convert_to_numpy(layer.score(QUERY, layer.project_keys(value)))


def for_each_pair(score, value=VALUE):
    """score(s_t, h_s) of every pair of vectors."""
    return np.array([[[score(s, h) for h in value[n]] for s in QUERY[n]] for n in range(B)])


def test_dot_is_the_sum_of_products():
    expected = for_each_pair(lambda s, h: sum(s[i] * h[i] for i in range(Q)), NARROW)
    np.testing.assert_allclose(scores_of(built("dot", value=NARROW), NARROW), expected, atol=1e-5)


def test_general_is_bilinear_and_takes_different_widths():
    layer = built("general")
    w = ops.convert_to_numpy(layer.key_layer.kernel)  # [D, Q]
    expected = for_each_pair(lambda s, h: sum(s[i] * w[j, i] * h[j] for i in range(Q) for j in range(D)))
    np.testing.assert_allclose(scores_of(layer), expected, atol=1e-5)


def test_concat_is_one_matrix_over_state_and_memory_joined():
    layer = built("concat", units=7)
    kernels = [layer.query_layer.kernel, layer.key_layer.kernel]
    w = np.concatenate([ops.convert_to_numpy(kernel) for kernel in kernels])  # [Q + D, 7]
    v = ops.convert_to_numpy(layer.vector)

    def score(s, h):
        joined = [*s, *h]
        return sum(v[k] * math.tanh(sum(x * w[i, k] for i, x in enumerate(joined))) for k in range(7))

    np.testing.assert_allclose(scores_of(layer), for_each_pair(score), atol=1e-5)


def test_concat_is_additive_attention_under_another_name():
    concat, additive = built("concat", units=7), BahdanauAttention(7)
    additive.build(QUERY.shape, VALUE.shape)
    additive.vector.assign(concat.vector.value)
    additive.query_layer.kernel.assign(concat.query_layer.kernel.value)
    additive.key_layer.kernel.assign(concat.key_layer.kernel.value)
    np.testing.assert_array_equal(scores_of(concat), scores_of(additive))


def test_concat_without_units_is_as_wide_as_the_query():
    assert built("concat").vector.shape == (Q,)


@pytest.mark.parametrize("score", ["dot", "general", "concat"])
def test_the_scale_multiplies_the_scores_and_starts_at_one(score):
    layer = built(score, use_scale=True, value=NARROW)
    before = scores_of(layer, NARROW)
    layer.scale.assign(2.5)
    np.testing.assert_allclose(scores_of(layer, NARROW), 2.5 * before, rtol=1e-5)
    layer.use_scale = False
    np.testing.assert_array_equal(scores_of(layer, NARROW), before)


@pytest.mark.parametrize(
    ("layer", "count"),
    [
        (LuongAttention("dot"), 0),
        (LuongAttention("general"), Q * Q),
        (LuongAttention("concat"), 2 * Q * Q + Q),
        (LuongAttention("dot", use_scale=True), 1),
    ],
)
def test_the_weights_are_those_of_the_formula_and_no_more(layer, count):
    layer.build(QUERY.shape, NARROW.shape)
    assert layer.count_params() == count


def test_dot_with_unequal_widths_says_what_to_use_instead():
    message = (
        r"score='dot' needs queries and values of equal width\. Received: query \(2, 3, 5\), "
        r"value \(2, 4, 6\)\. Use score='general'"
    )
    with pytest.raises(ValueError, match=message):
        LuongAttention("dot")(QUERY, VALUE)


def test_an_unknown_score_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match=r"one of dot, general, concat\. Received: score='additive'"):
        LuongAttention("additive")


def test_units_are_for_concat_alone():
    with pytest.raises(ValueError, match=r"Only score='concat' has units\. Received: score='dot', units=8"):
        LuongAttention("dot", units=8)


def test_no_units_are_refused():
    with pytest.raises(ValueError, match=r"an integer of at least 1\. Received: units=0"):
        LuongAttention("concat", units=0)
