import math

import numpy as np
from keras import ops

from keras_attn.layers import masked_softmax

SCORES = np.array([[1.0, 3.0, 2.0, 9.0], [0.5, -1.0, 4.0, 4.0]], "float32")
MASK = np.array([[True, True, True, False], [False, True, True, True]])


def test_each_row_is_the_softmax_of_its_real_positions():
    found = ops.convert_to_numpy(masked_softmax(SCORES, MASK))
    for row in range(2):
        total = sum(math.exp(score) for score, real in zip(SCORES[row], MASK[row], strict=True) if real)
        for s in range(4):
            expected = math.exp(SCORES[row, s]) / total if MASK[row, s] else 0.0
            np.testing.assert_allclose(found[row, s], expected, rtol=1e-5)


def test_padding_is_exactly_zero():
    assert (ops.convert_to_numpy(masked_softmax(SCORES, MASK))[~MASK] == 0).all()


def test_a_row_of_padding_alone_gives_zeros():
    found = ops.convert_to_numpy(masked_softmax(SCORES, np.zeros_like(MASK)))
    np.testing.assert_array_equal(found, np.zeros_like(SCORES))


def test_a_mask_of_true_alone_is_no_mask():
    with_mask = masked_softmax(SCORES, np.ones_like(MASK))
    np.testing.assert_array_equal(
        ops.convert_to_numpy(with_mask), ops.convert_to_numpy(masked_softmax(SCORES))
    )


def test_the_mask_broadcasts_over_the_queries():
    scores = np.stack([SCORES, SCORES + 1, SCORES * 2], axis=1)  # [2, 3 queries, 4]
    found = ops.convert_to_numpy(masked_softmax(scores, MASK[:, None, :]))
    for query in range(3):
        expected = ops.convert_to_numpy(masked_softmax(scores[:, query], MASK))
        np.testing.assert_allclose(found[:, query], expected, rtol=1e-6)


def test_half_precision_scores_are_normalised_in_float32():
    scores = np.linspace(0, 8, 3000, dtype="float16")[None]
    found = masked_softmax(scores, np.ones((1, 3000), bool))
    assert ops.convert_to_numpy(found).dtype == np.float32
    np.testing.assert_allclose(ops.convert_to_numpy(found).sum(), 1.0, rtol=1e-5)


def test_a_large_score_at_padding_is_harmless():
    scores = np.array([[1.0, 1e8]], "float32")
    np.testing.assert_array_equal(
        ops.convert_to_numpy(masked_softmax(scores, np.array([[True, False]]))), [[1.0, 0.0]]
    )


def test_very_low_scores_still_outweigh_padding():
    scores = np.array([[-1e6, 0.0]], "float32")
    np.testing.assert_array_equal(
        ops.convert_to_numpy(masked_softmax(scores, np.array([[True, False]]))), [[1.0, 0.0]]
    )


def test_the_gradient_is_zero_at_padding_and_finite_in_a_row_without_real_positions(gradients):
    mask = np.array([[True, True, True, False], [False] * 4])
    factors = ops.convert_to_tensor(np.arange(8, dtype="float32").reshape(2, 4))
    (gradient,) = gradients(lambda scores: ops.sum(masked_softmax(scores, mask) * factors), SCORES)
    assert np.isfinite(gradient).all()
    assert (gradient[~mask] == 0).all() and (gradient[0, :3] != 0).all()
