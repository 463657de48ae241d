import math

import keras
import numpy as np
import pytest
from keras import ops

from keras_attn.search import beam, greedy

ALPHAS = [0.0, 0.6, 1.0, 2.0]


def plain_beam(step, sentence, limit, beam_size, alpha, eos=3, gamma=0.0):
    """The rules of `beam` for one sentence in plain Python, running to the limit whatever happens."""
    live, finished = [(0.0, ())], []
    for length in range(1, limit + 1):
        ranked = []
        for _, t in live:
            children = sorted(
                ((step.log_prob(sentence, (*t, w)), (*t, w)) for w in (1, eos, 4, 5)), reverse=True
            )
            ranked += [(child[0] - gamma * rank, child) for rank, child in enumerate(children)]
        candidates = [child for _, child in sorted(ranked, reverse=True)[: 2 * beam_size]]
        finished += [(p / ((5 + length) / 6) ** alpha, p, t) for p, t in candidates if t[-1] == eos]
        live = [c for c in candidates if c[1][-1] != eos][:beam_size]
    cut = [(p / ((5 + limit) / 6) ** alpha, p, t) for p, t in live]
    return (sorted(finished, reverse=True)[:beam_size] + sorted(cut, reverse=True))[:beam_size]


def assert_found(found, lists, expected):
    """`expected`: for each sentence a list of `(score, log_prob, tokens)`, best first."""
    assert lists(found) == [[tokens for _, _, tokens in sentence] for sentence in expected]
    np.testing.assert_allclose(found.scores, [[s for s, _, _ in e] for e in expected], rtol=1e-5)
    np.testing.assert_allclose(found.log_probs, [[p for _, p, _ in e] for e in expected], rtol=1e-5)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_a_beam_as_wide_as_the_tree_finds_the_exact_n_best(markov, ids, token_lists, alpha):
    step = markov(3)
    found = beam(step, step.state, **ids, max_length=4, beam_size=81, length_penalty=alpha)
    expected = [
        step.all_hypotheses(i, 4, alpha)[:81] for i in range(3)
    ]  # 40 finished, and the best of 81 cut
    assert_found(found, token_lists, expected)


@pytest.mark.parametrize("beam_size", [2, 3, 5])
@pytest.mark.parametrize("alpha", ALPHAS)
def test_stopping_early_changes_nothing(markov, ids, token_lists, beam_size, alpha):
    step = markov(6, seed=1)
    found = beam(step, step.state, **ids, max_length=8, beam_size=beam_size, length_penalty=alpha)
    assert_found(found, token_lists, [plain_beam(step, i, 8, beam_size, alpha) for i in range(6)])


@pytest.mark.parametrize("n_best", [1, 2])
@pytest.mark.parametrize("beam_size", [2, 3, 5])
@pytest.mark.parametrize("alpha", ALPHAS)
def test_the_wanted_hypotheses_are_the_first_of_all(
    markov, ids, token_lists, numpy, n_best, beam_size, alpha
):
    step = markov(16, seed=1)
    options = {**ids, "max_length": 12, "beam_size": beam_size, "length_penalty": alpha}
    wanted = numpy(beam(step, step.state, **options, n_best=n_best))
    every = numpy(beam(step, step.state, **options))
    assert [line[:n_best] for line in token_lists(wanted)] == [line[:n_best] for line in token_lists(every)]
    np.testing.assert_array_equal(wanted.scores[:, :n_best], every.scores[:, :n_best])


@pytest.mark.skipif(keras.backend.backend() != "tensorflow", reason="JAX calls the step once, to trace it")
def test_a_search_for_the_best_ends_when_it_is_found(speller, ids):
    step = speller([4, 5, 4])
    positions = []

    def counted(tokens, state):
        positions.append(len(positions))
        return step(tokens, state)

    def steps(**options):
        positions.clear()
        beam(counted, step.state, **ids, max_length=20, beam_size=4, **options)
        return len(positions)

    assert steps(n_best=1) == 4  # three letters and EOS
    assert steps(n_best=1) < steps(n_best=3) <= steps()


@pytest.mark.parametrize(("probability", "length"), [(0.13, 12), (0.10, 1)])
def test_a_beam_hopes_for_eight_certain_tokens_and_not_for_more(ids, numpy, token_lists, probability, length):
    """EOS at once has the score log 0.4. Twelve tokens, certain but for the first, would always have a better one, but after the
    first only nine are counted on: log 0.13 / (14 / 6) is above log 0.4, log 0.10 / (14 / 6) below."""
    table = np.full((12, 6), np.log(1e-9), "float32")
    table[0, [3, 4]] = np.log([0.4, probability])
    table[1:11, 4] = table[11, 3] = 0.0

    def step(tokens, position):
        return ops.take(table, position, axis=0), position + 1, None

    found = numpy(
        beam(step, np.zeros(1, "int32"), **ids, max_length=12, beam_size=2, length_penalty=1.0, n_best=1)
    )
    assert len(token_lists(found)[0][0]) == length
    assert np.log(probability) / (17 / 6) > np.log(0.4)


@pytest.mark.parametrize("n_best", [0, 4])
def test_more_hypotheses_than_the_beam_keeps_or_none_are_refused(markov, ids, n_best):
    step = markov(2)
    with pytest.raises(
        ValueError, match=rf"n_best must be from 1 to beam_size, 3, .* Received: n_best={n_best}"
    ):
        beam(step, step.state, **ids, max_length=4, beam_size=3, n_best=n_best)


@pytest.mark.parametrize("beam_size", [2, 3, 5])
@pytest.mark.parametrize("gamma", [0.3, 2.0])
@pytest.mark.parametrize("limit", [2, 6])
def test_diversity_puts_siblings_back(markov, ids, token_lists, beam_size, gamma, limit):
    step = markov(6, seed=1)
    found = beam(step, step.state, **ids, max_length=limit, beam_size=beam_size, diversity=gamma)
    expected = [plain_beam(step, i, limit, beam_size, 1.0, gamma=gamma) for i in range(6)]
    assert_found(found, token_lists, expected)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_a_beam_of_one_is_greedy(markov, ids, numpy, alpha):
    step = markov(16)
    one = numpy(
        beam(step, step.state, **ids, max_length=8, beam_size=1, length_penalty=alpha, return_weights=True)
    )
    other = numpy(greedy(step, step.state, **ids, max_length=8, return_weights=True))
    for name in ("tokens", "lengths", "log_probs", "weights"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    np.testing.assert_allclose(one.scores, other.log_probs / ((5 + other.lengths) / 6) ** alpha, rtol=1e-6)


def test_a_wider_beam_finds_what_greedy_misses(ids):
    # Greedy: 4 (0.6), then EOS (0.3 of 0.3 0.3 0.4): at best 0.24. The other way: 5 (0.4), then EOS (0.9): 0.36.
    table = np.full((6, 6), 1e-6)
    table[2, 4], table[2, 5], table[4, [1, 3, 4]], table[5, 3], table[1, 3] = (
        0.6,
        0.4,
        (0.3, 0.3, 0.4),
        0.9,
        1.0,
    )
    table = np.log(table).astype("float32")

    def step(tokens, state):
        return ops.take(ops.convert_to_tensor(table), tokens, axis=0), state, None

    found = beam(step, np.zeros((1, 1), "float32"), **ids, max_length=5, beam_size=2, length_penalty=0.0)
    np.testing.assert_array_equal(found.tokens[0, 0], [5, 3, 0, 0, 0])
    assert math.exp(found.scores[0, 0]) == pytest.approx(0.36, rel=1e-5)


def test_beam_spells_each_word(speller, ids, token_lists):
    step = speller([5, 6, 7], [4], [])
    found = beam(step, step.state, **ids, max_length=9, beam_size=4)
    assert [best for best, *_ in token_lists(found)] == [(5, 6, 7, 3), (4, 3), (3,)]


def test_n_best_are_sorted_distinct_and_end_at_their_first_eos(markov, ids, numpy, token_lists):
    step = markov(8, seed=2)
    found = numpy(beam(step, step.state, **ids, max_length=10, beam_size=6))
    assert (np.diff(found.scores, axis=1) <= 0).all()
    for sentence in token_lists(found):
        assert len(set(sentence)) == 6
        assert all(3 not in tokens[:-1] for tokens in sentence)
    behind = np.arange(10) >= found.lengths[..., None]
    assert (found.tokens[behind] == 0).all()
    assert (found.tokens[~behind] != 0).all()


def test_a_cut_hypothesis_never_outranks_a_finished_one(speller, ids, token_lists):
    # Cut after [5 6], of 0.81; any finished one is far less probable.
    step = speller([5, 6, 7])
    found = beam(step, step.state, **ids, max_length=2, beam_size=4, length_penalty=0.0)
    ended = [tokens[-1] == 3 for tokens in token_lists(found)[0]]
    assert ended == sorted(ended, reverse=True)
    assert token_lists(found)[0][ended.index(False)] == (5, 6)
    assert 1 <= sum(ended) < 4


def test_each_sentence_is_searched_to_its_own_limit(markov, ids, token_lists):
    step, limits = markov(4, seed=3), [1, 2, 5, 3]
    found = beam(step, step.state, **ids, max_length=6, limits=limits, beam_size=3)
    expected = [plain_beam(step, i, limit, 3, 1.0) for i, limit in enumerate(limits)]
    assert_found(found, token_lists, expected)


def test_places_without_a_hypothesis_are_empty(markov, ids, numpy, token_lists):
    # In two steps, EOS and three words make 1 + 3 finished and 9 cut hypotheses.
    step = markov(1)
    found = numpy(beam(step, step.state, **ids, max_length=2, beam_size=16, return_weights=True))
    assert len(set(token_lists(found)[0][:13])) == 13
    np.testing.assert_array_equal(found.lengths[0, 13:], [0, 0, 0])
    np.testing.assert_array_equal(found.tokens[0, 13:], np.zeros((3, 2)))
    np.testing.assert_array_equal(found.weights[0, 13:], np.zeros((3, 2, 3)))
    assert (found.scores[0, 13:] == -1e9).all()
    assert (found.log_probs[0, 13:] == -1e9).all()


def test_a_limit_of_none_gives_the_empty_hypothesis(markov, ids, numpy):
    step = markov(2)
    found = numpy(beam(step, step.state, **ids, max_length=4, limits=[0, 4], beam_size=3))
    np.testing.assert_array_equal(found.lengths[0], [0, 0, 0])
    np.testing.assert_array_equal(found.tokens[0], np.zeros((3, 4)))


def test_attention_weights_follow_their_hypothesis(markov, ids, numpy):
    step = markov(4, seed=4)
    found = numpy(beam(step, step.state, **ids, max_length=7, beam_size=5, return_weights=True))
    for i in range(4):
        for tokens, length, weights in zip(found.tokens[i], found.lengths[i], found.weights[i], strict=True):
            expected = step.weights(tokens[:length].tolist()) + [[0, 0, 0]] * (7 - length)
            np.testing.assert_array_equal(weights, expected)


def test_a_sentence_is_found_alike_alone_in_a_batch_and_in_another_order(markov, ids, numpy):
    step, order = markov(8, seed=5), [3, 1, 7, 0, 2, 6, 5, 4]
    together = numpy(beam(step, step.state, **ids, max_length=9, beam_size=3, return_weights=True))
    shuffled = numpy(beam(step, step.only(order), **ids, max_length=9, beam_size=3, return_weights=True))
    for x, y in zip(shuffled, together, strict=True):
        np.testing.assert_array_equal(x, y[order])
    for i in range(8):
        alone = numpy(beam(step, step.only([i]), **ids, max_length=9, beam_size=3, return_weights=True))
        for x, y in zip(alone, together, strict=True):
            np.testing.assert_array_equal(x[0], y[i])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"beam_size": 0}, "beam_size must be at least 1"),
        ({"beam_size": 2.0}, "beam_size must be at least 1, and a whole number"),
        (
            {"n_best": np.int64(4)},
            "n_best must be from 1 to beam_size, 3, or None for all. Received: n_best=4",
        ),
        ({"length_penalty": -1.0}, "length_penalty must be 0 or more"),
        ({"length_penalty": float("nan")}, "length_penalty must be 0 or more"),
        ({"length_penalty": float("inf")}, "length_penalty must be 0 or more, and finite"),
        ({"diversity": -1.0}, "diversity must be 0 or more"),
        ({"max_length": 0}, "max_length must be at least 1"),
        ({"eos_id": 0}, "eos_id must be neither"),
        ({"state": ()}, "at least one tensor"),
    ],
)
def test_unusable_values_are_refused(speller, ids, wrong, message):
    step = speller([5])
    arguments = {"state": step.state, "max_length": 4, "beam_size": 3, **ids, **wrong}
    with pytest.raises(ValueError, match=message):
        beam(step, **arguments)


@pytest.mark.skipif(
    keras.backend.backend() == "torch", reason="torch's topk leaves open which of equals comes first"
)
def test_of_equally_good_hypotheses_the_one_that_finished_first_is_the_best(ids):
    """EOS at once has a probability of 1/4, as has 4 (1/2) and then EOS (1/2)."""
    table = np.full((6, 6), 1e-6)
    table[2, [4, 3, 5]] = 0.5, 0.25, 0.125
    table[4, 3] = 0.5
    table = np.log2(table).astype("float32")  # whole numbers: nothing is rounded

    def step(tokens, state):
        return ops.take(ops.convert_to_tensor(table), tokens, axis=0), state, None

    found = beam(step, np.zeros((1, 1), "float32"), **ids, max_length=3, beam_size=2, length_penalty=0.0)
    np.testing.assert_array_equal(found.scores, [[-2, -2]])
    np.testing.assert_array_equal(found.tokens, [[[3, 0, 0], [4, 3, 0]]])
