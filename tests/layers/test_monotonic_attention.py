import numpy as np
import pytest
from keras import ops

from keras_attn.layers import LuongMonotonicAttention, MonotonicAttention

B, T, S, WIDTH = 3, 6, 7, 4

random = np.random.default_rng(1)
QUERY = random.normal(size=(B, T, WIDTH)).astype("float32")
VALUE = random.normal(size=(B, S, WIDTH)).astype("float32")
LENGTHS = np.array([7, 4, 1])
MASK = np.arange(S) < LENGTHS[:, None]


def built(bias=0.0, noise=0.0, **kwargs):
    """Energies wide enough to find both sides of one half."""
    layer = MonotonicAttention(8, noise=noise, initial_bias=bias, **kwargs)
    layer.build(QUERY.shape, VALUE.shape)
    layer.length.assign(4.0)
    return layer


def weights_of(layer, query=QUERY, training=False):
    _, weights = layer(query, VALUE, value_mask=MASK, return_attention_scores=True, training=training)
    return ops.convert_to_numpy(weights)


def stop_probabilities(layer):
    energies = ops.convert_to_numpy(layer.score(QUERY, layer.project_keys(VALUE)) + layer.energy_bias)
    return MASK[:, None] / (1 + np.exp(-energies))


def test_soft_attention_is_what_hard_attention_would_be_on_average():
    """a_ts = p_ts ((1 - p_{t,s-1}) a_{t,s-1} / p_{t,s-1} + a_{t-1,s}), equation 9, as the walk it describes."""
    layer = built()
    found, p = weights_of(layer, training=True), stop_probabilities(layer)
    for n in range(B):
        previous = np.eye(S)[0]
        for t in range(T):
            walking, expected = 0.0, np.zeros(S)  # the probability to arrive at s and not to have stopped
            for s in range(S):
                walking += previous[s]
                expected[s] = walking * p[n, t, s]
                walking -= expected[s]
            np.testing.assert_allclose(found[n, t], expected, atol=1e-5)
            previous = expected


def test_hard_attention_stops_at_the_first_probability_above_one_half_from_the_last_stop_on():
    layer = built(bias=0.3)
    found, p = weights_of(layer), stop_probabilities(layer)
    stops = 0
    for n in range(B):
        last = 0
        for t in range(T):
            last = next((s for s in range(last, S) if p[n, t, s] > 0.5), S)  # S: it has run out of words
            assert found[n, t].tolist() == [float(s == last) for s in range(S)]
            stops += last < S
    assert stops > T  # there is something to see


def test_hard_attention_walks_past_a_probability_of_exactly_one_half():
    """Energies of 0, 0 and 1: the first that is above one half is the third."""
    layer = LuongMonotonicAttention("dot", initial_bias=0.0)
    words = np.array([[[0.0], [0.0], [1.0]]], "float32")
    _, weights = layer(np.ones((1, 1, 1), "float32"), words, return_attention_scores=True)
    np.testing.assert_array_equal(ops.convert_to_numpy(weights), [[[0, 0, 1]]])


def test_hard_attention_never_moves_backwards():
    query = random.normal(size=(5 * B, 40, WIDTH)).astype("float32")
    value, mask = (np.concatenate([x] * 5) for x in (VALUE, MASK))
    _, found = built(bias=1.0)(query, value, value_mask=mask, return_attention_scores=True)
    for sentence in ops.convert_to_numpy(found):
        stops = [int(row.argmax()) for row in sentence if row.any()]
        assert stops == sorted(stops)
        assert set(sentence.sum(-1).tolist()) <= {0.0, 1.0}


def test_soft_attention_that_is_sure_is_hard_attention():
    layer = built(bias=0.3)
    layer.length.assign(1e4)
    layer.energy_bias.assign(1.0)
    np.testing.assert_allclose(weights_of(layer, training=True), weights_of(layer), atol=1e-4)


def test_soft_weights_never_sum_to_more_than_one():
    assert weights_of(built(noise=1.0), training=True).sum(-1).max() <= 1 + 1e-5


def test_soft_inference_is_what_training_without_noise_computes():
    layer = built(noise=1.0, inference="soft")
    found = weights_of(layer)
    layer.noise = 0.0
    np.testing.assert_allclose(found, weights_of(layer, training=True), atol=1e-5)


def test_soft_inference_keeps_attention_behind_words_that_are_sure_to_stop():
    """A query stops at the last word. For the next, all words before it would stop, but attention never goes back."""
    layer = LuongMonotonicAttention("dot", initial_bias=0.0, inference="soft")
    words = np.eye(4, dtype="float32")[None]
    queries = 20 * np.array([[[-1, -1, -1, 1], [1, 1, 1, 1]]], "float32")
    _, weights = layer(queries, words, return_attention_scores=True)
    np.testing.assert_allclose(ops.convert_to_numpy(weights)[0], [[0, 0, 0, 1], [0, 0, 0, 1]], atol=1e-5)


def test_without_normalising_the_energy_is_that_of_bahdanau_plus_a_bias():
    layer = MonotonicAttention(8, False, initial_bias=-0.5, inference="soft")
    found = weights_of(layer)
    assert {weight.path.split("/", 1)[1] for weight in layer.weights} == {
        "query/kernel",
        "key/kernel",
        "vector",
        "energy_bias",
    }
    query, key, vector = (
        ops.convert_to_numpy(w) for w in (layer.query_layer.kernel, layer.key_layer.kernel, layer.vector)
    )
    energy = np.tanh(QUERY[0, :1] @ query + VALUE[0] @ key) @ vector - 0.5
    p = 1 / (1 + np.exp(-energy))
    expected = [p[s] * np.prod(1 - p[:s]) for s in range(S)]  # the first query walks from the first word
    np.testing.assert_allclose(found[0, 0], expected, atol=1e-5)


def test_luongs_score_stops_where_the_scaled_product_and_the_bias_are_above_zero():
    layer = LuongMonotonicAttention("general", use_scale=True, initial_bias=0.2)
    layer.build(QUERY.shape, VALUE.shape)
    layer.scale.assign(2.0)
    found, kernel = weights_of(layer), ops.convert_to_numpy(layer.key_layer.kernel)
    stops = 0
    for n in range(B):
        last = 0
        for t in range(T):
            energies = [2.0 * QUERY[n, t] @ (h @ kernel) + 0.2 for h in VALUE[n, : LENGTHS[n]]]
            last = next((s for s in range(last, LENGTHS[n]) if energies[s] > 0), S)
            assert found[n, t].tolist() == [float(s == last) for s in range(S)]
            stops += last < S
    assert stops > 2  # there is something to see


@pytest.mark.parametrize("layer", [MonotonicAttention, LuongMonotonicAttention])
def test_another_inference_is_refused_with_the_known_ones(layer):
    with pytest.raises(ValueError, match=r"inference must be one of hard, soft\. Received: 'parallel'"):
        layer(8 if layer is MonotonicAttention else "general", inference="parallel")


def test_noise_is_for_training_alone_and_follows_the_seed():
    layers = [MonotonicAttention(8, seed=seed) for seed in (1, 1, 2)]
    for layer in layers:
        layer.build(QUERY.shape, VALUE.shape)
        for weight, first in zip(layer.weights, layers[0].weights, strict=True):
            weight.assign(first.value)
    noisy = [weights_of(layer, training=True) for layer in layers]
    np.testing.assert_array_equal(noisy[0], noisy[1])
    assert not np.allclose(noisy[0], noisy[2])
    np.testing.assert_array_equal(weights_of(layers[0]), weights_of(layers[2]))


@pytest.mark.parametrize("noise", [0.5, 3.0])
def test_noise_has_the_deviation_that_it_was_given_and_differs_between_sentences(noise):
    """Of queries that are zero, energies are noise alone, and the weight of a single word is their sigmoid."""
    layer = LuongMonotonicAttention("dot", noise=noise, initial_bias=0.0, seed=1)
    query, value = np.zeros((1000, 1, WIDTH), "float32"), np.ones((1000, 1, WIDTH), "float32")
    _, weights = layer(query, value, return_attention_scores=True, training=True)
    weights = ops.convert_to_numpy(weights).astype("float64")
    assert np.log(weights / (1 - weights)).std() == pytest.approx(noise, rel=0.1)


def test_attention_is_hard_normalised_and_slow_to_stop_unless_told_otherwise():
    additive, product = MonotonicAttention(8), LuongMonotonicAttention()
    assert additive.normalize and (product.score_name, product.use_scale) == ("general", False)
    for layer in (additive, product):
        layer.build(QUERY.shape, VALUE.shape)
        assert (layer.inference, layer.noise, float(layer.energy_bias)) == ("hard", 1.0, -1.0)
