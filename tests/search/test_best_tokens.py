"""The best tokens of a row, which large vocabularies look for in blocks."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_attn.search.hypotheses import best_tokens

ROWS = 3
SIZES = [7, 100, 640, 4099, 6000]  # in blocks: of 50, 64, none because 4099 is prime, and 60


@pytest.mark.parametrize("k", [1, 4, 10])
@pytest.mark.parametrize("size", SIZES)
def test_they_are_those_of_sorting_and_on_a_tie_the_smaller_ids(size, k):
    # Few different numbers, so that most are tied
    log_probs = -np.random.default_rng(size + k).integers(0, 20, (ROWS, size)).astype("float32")
    best, tokens = (ops.convert_to_numpy(x) for x in best_tokens(ops.convert_to_tensor(log_probs), k))
    order = np.argsort(-log_probs, axis=1, kind="stable")[:, : min(k, size)]
    np.testing.assert_array_equal(best, np.take_along_axis(log_probs, order, axis=1))
    if keras.backend.backend() == "torch":  # which leaves the order of ties open
        np.testing.assert_array_equal(np.take_along_axis(log_probs, tokens, axis=1), best)
        assert all(len(set(row)) == len(row) for row in tokens.tolist())
    else:
        np.testing.assert_array_equal(tokens, order)


@pytest.mark.parametrize("at", [1, 59, 60, 61, 5999])
def test_the_best_token_is_found_wherever_it_stands(at):
    log_probs = np.full((1, 6000), -9.0, "float32")
    log_probs[0, at] = -1.0
    best, tokens = best_tokens(ops.convert_to_tensor(log_probs), 4)
    assert int(tokens[0, 0]) == at and float(best[0, 0]) == -1.0
