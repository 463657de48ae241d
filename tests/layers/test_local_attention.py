import math

import numpy as np
import pytest
from keras import ops

from keras_attn.layers import LocalMonotonicAttention, LocalPredictiveAttention, LuongAttention

B, T, S, WIDTH = 2, 5, 9, 4

random = np.random.default_rng(1)
QUERY = random.normal(size=(B, T, WIDTH)).astype("float32")
VALUE = random.normal(size=(B, S, WIDTH)).astype("float32")
LENGTHS = np.array([9, 3])
MASK = np.arange(S) < LENGTHS[:, None]


def weights_of(layer, mask=MASK):
    _, weights = layer(QUERY, VALUE, value_mask=mask, return_attention_scores=True)
    return ops.convert_to_numpy(weights)


def softmax_inside(scores, inside):
    exponentials = [math.exp(score) if here else 0.0 for score, here in zip(scores, inside, strict=True)]
    return [x / sum(exponentials) for x in exponentials]


def test_local_m_is_the_softmax_over_the_words_around_the_query_s_own_number():
    weights = weights_of(LocalMonotonicAttention("dot", window=1))
    for t in range(T):
        scores = [float(QUERY[0, t] @ VALUE[0, s]) for s in range(S)]
        expected = softmax_inside(scores, [abs(s - t) <= 1 for s in range(S)])
        np.testing.assert_allclose(weights[0, t], expected, atol=1e-6)


def test_local_m_stays_at_the_last_word_of_a_source_that_is_over():
    weights = weights_of(LocalMonotonicAttention("dot", window=1))
    assert (weights[1, 4] > 0).tolist() == [False, True, True] + [False] * 6  # three words, the fifth query
    np.testing.assert_allclose(weights.sum(-1), 1, atol=1e-6)


def test_local_m_without_a_mask_takes_all_positions_for_words():
    weights = weights_of(LocalMonotonicAttention("dot", window=2), mask=None)
    assert (weights[1, 4] > 0).tolist() == [False, False, True, True, True, True, True, False, False]


@pytest.mark.parametrize("window", [2, 3])
def test_local_p_predicts_its_centre_and_lets_weights_fall_off_from_it(window):
    """p_t = S sigmoid(v_p . tanh(W_p s_t)) and a_t(s) exp(-(s - p_t)^2 / (2 sigma^2)), equations 9 and 10."""
    layer, sigma = LocalPredictiveAttention("dot", window=window), window / 2
    weights = weights_of(layer)
    w, v = (ops.convert_to_numpy(x.kernel) for x in (layer.position_layer, layer.position_vector))
    for n in range(B):
        for t in range(T):
            hidden = [math.tanh(sum(QUERY[n, t, i] * w[i, k] for i in range(WIDTH))) for k in range(WIDTH)]
            share = 1 / (1 + math.exp(-sum(v[k, 0] * hidden[k] for k in range(WIDTH))))
            centre = LENGTHS[n] * share
            scores = [float(QUERY[n, t] @ VALUE[n, s]) for s in range(S)]
            inside = [abs(s - centre) <= window and s < LENGTHS[n] for s in range(S)]
            gauss = [math.exp(-((s - centre) ** 2) / (2 * sigma**2)) for s in range(S)]
            expected = np.multiply(softmax_inside(scores, inside), gauss)
            np.testing.assert_allclose(weights[n, t], expected, atol=1e-5)


def test_a_window_over_everything_is_global_attention():
    layer = LocalMonotonicAttention("dot", window=S)
    np.testing.assert_allclose(weights_of(layer), weights_of(LuongAttention("dot")), atol=1e-6)


@pytest.mark.parametrize("cls", [LocalMonotonicAttention, LocalPredictiveAttention])
def test_a_window_without_positions_is_refused(cls):
    with pytest.raises(
        ValueError, match=rf"{cls.__name__} needs a window of at least one position.*window=0"
    ):
        cls(window=0)
