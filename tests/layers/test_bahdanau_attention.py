import math

import numpy as np
import pytest
from keras import ops

from keras_attn.layers import BahdanauAttention
from keras_attn.layers.attention import scoring_vector_initializer

B, T, S, Q, D, UNITS = 2, 3, 4, 3, 5, 6

random = np.random.default_rng(1)
QUERY = random.normal(size=(B, T, Q)).astype("float32")
VALUE = random.normal(size=(B, S, D)).astype("float32")


def built(**kwargs):
    layer = BahdanauAttention(UNITS, **kwargs)
    layer.build(QUERY.shape, VALUE.shape)
    return layer


def scores_of(layer):
    return ops.convert_to_numpy(layer.score(QUERY, layer.project_keys(VALUE)))


def alignment_model(query, value, w, u, v, b):
    """e_ts = v . tanh(W s_t + U h_s + b), appendix A.1.2, one number at a time."""
    scores = np.zeros((B, T, S))
    for n in range(B):
        for t in range(T):
            for s in range(S):
                for k in range(UNITS):
                    inside = sum(query[n, t, i] * w[i, k] for i in range(Q))
                    inside += sum(value[n, s, i] * u[i, k] for i in range(D))
                    scores[n, t, s] += v[k] * math.tanh(inside + b[k])
    return scores


def weights_of(layer):
    return [
        ops.convert_to_numpy(weight)
        for weight in (layer.query_layer.kernel, layer.key_layer.kernel, layer.vector)
    ]


def test_the_score_is_the_papers_alignment_model():
    layer = built()
    w, u, v = weights_of(layer)
    expected = alignment_model(QUERY, VALUE, w, u, v, np.zeros(UNITS))
    np.testing.assert_allclose(scores_of(layer), expected, atol=1e-5)


def test_the_normalised_score_is_g_v_over_its_length_with_a_bias():
    layer = built(normalize=True)
    layer.length.assign(1.7)
    layer.bias.assign(random.normal(size=UNITS))
    w, u, v = weights_of(layer)
    v = 1.7 * v / math.sqrt(sum(x * x for x in v))
    expected = alignment_model(QUERY, VALUE, w, u, v, ops.convert_to_numpy(layer.bias))
    np.testing.assert_allclose(scores_of(layer), expected, atol=1e-5)


def test_a_normalised_vector_starts_with_a_length_of_one_over_the_root_of_the_units():
    """As in tfa.seq2seq: the scores begin small, whatever the width."""
    assert float(built(normalize=True).length) == pytest.approx(1 / math.sqrt(UNITS))


def test_the_length_of_a_normalised_vector_does_not_matter():
    layer = built(normalize=True)
    before = scores_of(layer)
    layer.vector.assign(50 * layer.vector.value)
    np.testing.assert_allclose(scores_of(layer), before, atol=1e-5)


@pytest.mark.parametrize(
    ("normalize", "expected"), [(False, Q * UNITS + D * UNITS + UNITS), (True, (Q + D + 2) * UNITS + 1)]
)
def test_the_weights_are_those_of_the_formula_and_no_more(normalize, expected):
    assert built(normalize=normalize).count_params() == expected


@pytest.mark.parametrize("shape", [(400,), (400, 3)])
def test_scoring_vectors_start_like_a_glorot_matrix_from_the_units_to_a_single_score(shape):
    limit = math.sqrt(6 / (400 + 1))
    sizes = np.abs(ops.convert_to_numpy(scoring_vector_initializer(shape)))
    assert 0.97 * limit < sizes.max() <= limit


@pytest.mark.parametrize("units", [0, None, "4", 2.5])
def test_units_that_are_no_count_are_refused(units):
    with pytest.raises(ValueError, match=rf"an integer of at least 1\. Received: units={units!r}"):
        BahdanauAttention(units)
