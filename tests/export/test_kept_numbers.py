"""The order of hypotheses in graphs with `search.keep_numbers`, against one written down in Python."""

import numpy as np
import pytest

from keras_attn.export.kept_numbers import with_kept_numbers
from keras_attn.export.subject import Digits
from keras_attn.search import Hypotheses

VOCABULARY = 300
COUNTS = Digits(np.zeros((VOCABULARY, 10), np.int32), np.zeros((VOCABULARY, 10), np.int32))
COUNTS.source[5, 1], COUNTS.source[6, [1, 2]], COUNTS.source[7, 7] = 1, 1, 2  # 1, 12 and 77
COUNTS.target[8, 1], COUNTS.target[9, 2], COUNTS.target[10, 7] = 1, 1, 1  # 1, 2 and 7


def in_order(source, tokens):
    """The places of the hypotheses of one source."""
    wanted = COUNTS.source[source].sum(axis=0)
    said = COUNTS.target[tokens].sum(axis=1)
    right = [place for place in range(len(tokens)) if (said[place] == wanted).all()]
    if not wanted.any() or not said[0].any() or not right:
        return list(range(len(tokens)))
    return [right[0], *(place for place in range(len(tokens)) if place != right[0])]


@pytest.mark.parametrize("with_weights", [False, True])
def test_the_best_hypothesis_with_the_digits_of_its_source_comes_first(with_weights):
    draw = np.random.default_rng(1)
    source = draw.choice([0, 4, 5, 6, 7], (400, 2)).astype("int32")
    tokens = draw.choice([0, 4, 8, 9, 10], (400, 5, 3)).astype("int32")
    numbered = np.tile(np.arange(5, dtype="float32"), (400, 1))
    weights = np.broadcast_to(numbered[:, :, None, None], (400, 5, 3, 2)) if with_weights else None
    found = with_kept_numbers(
        Hypotheses(tokens, numbered.astype("int32"), numbered, -numbered, weights), source, COUNTS
    )
    expected = np.array([in_order(*each) for each in zip(source, tokens, strict=True)])
    assert (expected[:, 0] > 0).sum() > 40
    np.testing.assert_array_equal(found.lengths, expected)
    np.testing.assert_array_equal(found.log_probs, expected)
    np.testing.assert_array_equal(found.scores, -expected)
    np.testing.assert_array_equal(found.tokens, np.take_along_axis(tokens, expected[:, :, None], axis=1))
    if with_weights:
        np.testing.assert_array_equal(found.weights[:, :, 2, 1], expected)
    else:
        assert found.weights is None


def test_more_kinds_of_digits_than_a_byte_can_count_are_told_apart():
    kinds = np.arange(300, dtype=np.int32)
    counts = np.stack([kinds, *[0 * kinds] * 9], axis=1)
    source, tokens = np.array([[299]], "int32"), np.array([[[43], [299]]], "int32")  # 299 is 43 in a byte
    scores = np.zeros((1, 2), "float32")
    found = with_kept_numbers(
        Hypotheses(tokens, tokens[:, :, 0], scores, scores, None), source, Digits(counts, counts)
    )
    assert found.tokens[0, 0, 0] == 299
