import math

import numpy as np
import pytest
from keras import ops

from keras_attn.search import beam
from keras_attn.search.coverage_penalty import coverage_penalty

READS = np.random.default_rng(5).dirichlet(np.ones(3), size=6).astype("float32")  # [input token, source word]
EVERY_WORD = np.ones((2, 3), bool)


def reading(markov):
    """`markov`, whose attention reads what READS says of its input token."""

    def step(tokens, state):
        log_probs, state, _ = markov(tokens, state)
        return log_probs, state, ops.take(ops.convert_to_tensor(READS), tokens, axis=0)

    return step


def score(markov, sentence, tokens, alpha, beta, words=3):
    """log P / ((5 + n) / 6)^alpha + beta sum_s log(min(sum_t weight_ts, 1)), equation 14 of Wu et al."""
    inputs = [2, *tokens[:-1]]
    covered = [min(sum(float(READS[token][s]) for token in inputs), 1.0) for s in range(words)]
    log_prob = float(markov.log_prob(sentence, tokens)) / ((5 + len(tokens)) / 6) ** alpha
    return log_prob + beta * sum(math.log(max(c, 1e-4)) for c in covered)


@pytest.mark.parametrize("beta", [0.2, 1.0, 5.0])
def test_a_beam_as_wide_as_the_tree_ranks_all_finished_hypotheses_by_the_papers_score(
    markov, ids, token_lists, beta
):
    model = markov(2)
    options = {"length_penalty": 0.6, "coverage_penalty": beta, "source_mask": EVERY_WORD}
    found = beam(reading(model), model.state, **ids, max_length=4, beam_size=81, **options)
    for sentence in range(2):
        finished = [t for _, _, t in model.all_hypotheses(sentence, 4, 0.6) if t[-1] == 3]
        expected = sorted(finished, key=lambda t: -score(model, sentence, t, 0.6, beta))
        assert token_lists(found)[sentence][: len(finished)] == expected
        scores = [score(model, sentence, t, 0.6, beta) for t in expected]
        np.testing.assert_allclose(found.scores[sentence][: len(finished)], scores, rtol=1e-4)


def test_stopping_early_changes_nothing(markov, ids, token_lists):
    """A bound that forgot the penalty's sign would stop before the best is found."""
    model = markov(2, seed=3)
    options = {"length_penalty": 1.0, "coverage_penalty": 2.0, "source_mask": EVERY_WORD}
    wide = beam(reading(model), model.state, **ids, max_length=4, beam_size=81, **options)
    narrow = beam(reading(model), model.state, **ids, max_length=4, beam_size=12, **options)
    assert [best[0] for best in token_lists(narrow)] == [best[0] for best in token_lists(wide)]


def test_hypotheses_that_were_cut_are_ordered_by_the_papers_score_as_well(markov, ids, numpy, token_lists):
    """In two steps, EOS and three words make 1 + 3 finished and 9 cut hypotheses."""
    model = markov(6)
    options = {"length_penalty": 0.6, "coverage_penalty": 9.0, "source_mask": np.ones((6, 3), bool)}
    found = beam(reading(model), model.state, **ids, max_length=2, beam_size=12, **options)
    for sentence, scores in zip(token_lists(found), numpy(found).scores, strict=True):
        cut = np.array([tokens[-1:] not in ((3,), ()) for tokens in sentence])
        assert cut.sum() >= 8 and (np.diff(scores[cut]) <= 0).all()


def test_padding_need_not_be_read(markov, ids, token_lists):
    model = markov(2)
    mask = np.array([[True, True, False], [True, True, True]])
    options = {"length_penalty": 0.6, "coverage_penalty": 1.0, "source_mask": mask}
    found = beam(reading(model), model.state, **ids, max_length=4, beam_size=81, **options)
    best = token_lists(found)[0][0]
    np.testing.assert_allclose(found.scores[0][0], score(model, 0, best, 0.6, 1.0, words=2), rtol=1e-4)


def test_a_source_read_in_full_costs_nothing():
    found = coverage_penalty(np.array([[1.0, 3.0], [0.5, 1.0]], "float32"), np.ones((2, 2), bool), 2.0)
    np.testing.assert_allclose(ops.convert_to_numpy(found), [0.0, 2 * math.log(0.5)], rtol=1e-6)


def test_a_word_never_read_costs_much_and_not_infinitely_much():
    found = coverage_penalty(np.zeros((1, 1), "float32"), np.ones((1, 1), bool), 1.0)
    np.testing.assert_allclose(ops.convert_to_numpy(found), [math.log(1e-4)], rtol=1e-6)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"coverage_penalty": -1.0}, "coverage_penalty must be 0 or more"),
        ({"coverage_penalty": 1.0}, "coverage_penalty needs a source_mask"),
        ({"coverage_penalty": 1.0, "source_mask": EVERY_WORD}, "needs a step that returns attention weights"),
    ],
)
def test_unusable_values_are_refused(speller, ids, options, message):
    step = speller((4, 5), (5,))
    with pytest.raises(ValueError, match=message):
        beam(step, step.state, **ids, max_length=4, beam_size=2, **options)
