import math

import numpy as np
from keras import ops

from keras_attn.layers import BahdanauAttention, CoverageAttention

B, T, S, WIDTH, UNITS = 2, 4, 5, 3, 6

random = np.random.default_rng(1)
QUERY = random.normal(size=(B, T, WIDTH)).astype("float32")
VALUE = random.normal(size=(B, S, WIDTH)).astype("float32")
MASK = np.arange(S) < np.array([[5], [3]])


def weights_of(layer):
    _, weights = layer(QUERY, VALUE, value_mask=MASK, return_attention_scores=True)
    return ops.convert_to_numpy(weights)


def built():
    layer = CoverageAttention(UNITS)
    layer.build(QUERY.shape, VALUE.shape)
    layer.coverage_vector.assign(random.normal(size=UNITS) * 3)
    return layer


def test_the_score_sees_the_sum_of_the_weights_so_far():
    """e_ts = v . tanh(W s_t + U h_s + V C_{t-1,s}), C the sum of the weights of all steps before."""
    layer = built()
    found = weights_of(layer)
    w, u, v, c = (
        ops.convert_to_numpy(x)
        for x in (layer.query_layer.kernel, layer.key_layer.kernel, layer.vector, layer.coverage_vector)
    )
    for n in range(B):
        coverage = [0.0] * S
        for t in range(T):
            exponentials = []
            for s in range(S):
                hidden = QUERY[n, t] @ w + VALUE[n, s] @ u + coverage[s] * c
                score = sum(v[k] * math.tanh(hidden[k]) for k in range(UNITS))
                exponentials.append(math.exp(score) * MASK[n, s])
            weights = [x / sum(exponentials) for x in exponentials]
            np.testing.assert_allclose(found[n, t], weights, atol=1e-5)
            coverage = [a + b for a, b in zip(coverage, weights, strict=True)]


def test_the_first_query_has_nothing_covered():
    layer = built()
    plain = BahdanauAttention(UNITS)
    plain.build(QUERY.shape, VALUE.shape)
    plain.query_layer.kernel.assign(layer.query_layer.kernel.value)
    plain.key_layer.kernel.assign(layer.key_layer.kernel.value)
    plain.vector.assign(layer.vector.value)
    np.testing.assert_allclose(weights_of(layer)[:, 0], weights_of(plain)[:, 0], atol=1e-6)
    assert not np.allclose(weights_of(layer)[:, 1], weights_of(plain)[:, 1])


def test_at_the_start_of_training_it_is_additive_attention():
    layer = CoverageAttention(UNITS)
    layer.build(QUERY.shape, VALUE.shape)
    assert not ops.convert_to_numpy(layer.coverage_vector).any()
