import numpy as np
import pytest
from keras import ops

from keras_attn.search import greedy


def test_greedy_spells_each_word_then_eos_then_padding(speller, ids):
    step = speller([5, 6, 7], [4])
    found = greedy(step, step.state, **ids, max_length=6)
    np.testing.assert_array_equal(found.tokens, [[[5, 6, 7, 3, 0, 0]], [[4, 3, 0, 0, 0, 0]]])
    np.testing.assert_array_equal(found.lengths, [[4], [2]])


def test_log_probs_are_summed_over_the_tokens_eos_included(speller, ids):
    step = speller([5, 6, 7], [4], probability=0.5)
    found = greedy(step, step.state, **ids, max_length=6)
    np.testing.assert_allclose(found.log_probs, [[4 * np.log(0.5)], [2 * np.log(0.5)]], rtol=1e-6)
    np.testing.assert_array_equal(found.scores, found.log_probs)


def test_eos_at_once_is_a_hypothesis_of_one_token(speller, ids):
    step = speller([], [])
    found = greedy(step, step.state, **ids, max_length=3)
    np.testing.assert_array_equal(found.tokens, [[[3, 0, 0]], [[3, 0, 0]]])
    np.testing.assert_array_equal(found.lengths, [[1], [1]])


def test_a_hypothesis_is_cut_at_max_length(speller, ids):
    step = speller([5, 6, 7])
    found = greedy(step, step.state, **ids, max_length=2)
    np.testing.assert_array_equal(found.tokens, [[[5, 6]]])
    np.testing.assert_array_equal(found.lengths, [[2]])


def test_each_sentence_is_cut_at_its_own_limit(speller, ids):
    step = speller([5, 6, 7], [5, 6, 7], [5, 6, 7], [5, 6, 7])
    found = greedy(step, step.state, **ids, max_length=3, limits=[0, 1, 2, 100])
    np.testing.assert_array_equal(found.lengths, [[0], [1], [2], [3]])
    np.testing.assert_array_equal(found.tokens[2], [[5, 6, 0]])
    np.testing.assert_allclose(found.log_probs[:, 0], np.log(0.9) * np.array([0, 1, 2, 3]), rtol=1e-6)


@pytest.mark.parametrize("never", [0, 2])
def test_padding_and_bos_are_never_produced(speller, ids, never):
    step = speller([never, 5])
    found = greedy(step, step.state, **ids, max_length=4)
    assert never not in ops.convert_to_numpy(found.tokens)[0, 0, : int(found.lengths[0, 0])]


def test_attention_weights_are_those_of_the_steps_and_zero_behind_the_last(markov, ids, numpy):
    step = markov(4)
    found = numpy(greedy(step, step.state, **ids, max_length=7, return_weights=True))
    assert found.weights.shape == (4, 1, 7, 3)
    for tokens, length, weights in zip(found.tokens, found.lengths, found.weights, strict=True):
        expected = step.weights(tokens[0, : length[0]].tolist()) + [[0, 0, 0]] * (7 - length[0])
        np.testing.assert_array_equal(weights[0], expected)


def test_weights_that_nobody_asked_for_are_not_kept(markov, ids):
    step = markov(4)
    assert greedy(step, step.state, **ids, max_length=4).weights is None


def test_weights_of_a_step_that_gives_none_cannot_be_kept(speller, ids):
    step = speller([5])
    with pytest.raises(
        ValueError, match="return_weights=True needs attention weights, but the step returns None"
    ):
        greedy(step, step.state, **ids, max_length=4, return_weights=True)


def test_a_sentence_is_found_alike_alone_and_in_a_batch(markov, ids, numpy):
    step = markov(8)
    together = numpy(greedy(step, step.state, **ids, max_length=9, return_weights=True))
    for i in range(8):
        alone = numpy(greedy(step, step.only([i]), **ids, max_length=9, return_weights=True))
        for x, y in zip(alone, together, strict=True):
            np.testing.assert_array_equal(x[0], y[i])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"max_length": 0}, "max_length must be at least 1"),
        ({"limits": [[3]]}, "limits must have one number per sentence"),
        ({"eos_id": 0}, "eos_id must be neither"),
        ({"eos_id": 2}, "eos_id must be neither"),
        ({"state": []}, r"at least one tensor, .* B is the number of sentences\. Received: \[\]$"),
        ({"state": np.float32(0)}, r"each of shape \[B, ...\]"),
    ],
)
def test_unusable_values_are_refused(speller, ids, wrong, message):
    step = speller([5])
    arguments = {"state": step.state, "max_length": 4, **ids, **wrong}
    with pytest.raises(ValueError, match=message):
        greedy(step, **arguments)
