import numpy as np
import pytest
from keras import ops

from keras_attn.search import greedy, random_numbers, sample

PROBABILITIES = np.array([0.0, 0.1, 0.0, 0.2, 0.3, 0.4])  # ids 1, EOS, 4, 5


def unigram(probabilities=PROBABILITIES):
    """The same probabilities at every step."""
    log_probs = np.log(np.maximum(probabilities, 1e-30)).astype("float32")

    def step(tokens, state):
        return ops.take(ops.convert_to_tensor(log_probs[None]), tokens * 0, axis=0), state, None

    return step


def frequencies(ids, probabilities=PROBABILITIES, draws=20_000, **options):
    state = np.zeros((draws, 1), "float32")
    found = sample(
        unigram(probabilities),
        state,
        **ids,
        max_length=1,
        uniforms=random_numbers(7, range(draws), 1),
        **options,
    )
    return np.bincount(ops.convert_to_numpy(found.tokens).ravel(), minlength=6) / draws


# Of 20,000 draws, a frequency is off by more than 0.015 with a probability below 1e-4.
def test_tokens_are_drawn_as_often_as_they_are_probable(ids):
    np.testing.assert_allclose(frequencies(ids), PROBABILITIES, atol=0.015)


@pytest.mark.parametrize("temperature", [0.5, 2.0])
def test_temperature_is_a_power_of_the_probabilities(ids, temperature):
    expected = PROBABILITIES ** (1 / temperature)
    expected /= expected.sum()
    np.testing.assert_allclose(frequencies(ids, temperature=temperature), expected, atol=0.015)


@pytest.mark.parametrize(
    ("top_k", "expected"),
    [(1, [0, 0, 0, 0, 0, 1]), (2, [0, 0, 0, 0, 3 / 7, 4 / 7]), (3, [0, 0, 0, 2 / 9, 3 / 9, 4 / 9])],
)
def test_top_k_draws_from_the_k_most_probable(ids, top_k, expected):
    np.testing.assert_allclose(frequencies(ids, top_k=top_k), expected, atol=0.015)


@pytest.mark.parametrize(
    ("top_p", "expected"),
    [
        (0.01, [0, 0, 0, 0, 0, 1]),
        (0.39, [0, 0, 0, 0, 0, 1]),
        (0.41, [0, 0, 0, 0, 3 / 7, 4 / 7]),
        (0.85, [0, 0, 0, 2 / 9, 3 / 9, 4 / 9]),
    ],
)
def test_top_p_draws_from_the_smallest_set_that_holds_p(ids, top_p, expected):
    drawn = frequencies(ids, top_p=top_p)
    np.testing.assert_allclose(drawn, expected, atol=0.015)
    assert (drawn[np.array(expected) == 0] == 0).all()


@pytest.mark.parametrize(("top_p", "kept"), [(0.25, 1), (0.5, 2), (0.75, 3), (1.0, 4)])
def test_top_p_takes_no_word_more_when_the_first_hold_exactly_p(ids, top_p, kept):
    """Four words of probability 1/4, so that sums and p are exact in binary."""
    drawn = frequencies(ids, probabilities=np.array([0, 0.25, 0, 0.25, 0.25, 0.25]), top_p=top_p)
    assert (drawn > 0).sum() == kept
    np.testing.assert_allclose(drawn[drawn > 0], 1 / kept, atol=0.015)


def test_top_p_is_a_share_of_the_top_k(ids):
    """The first two of three hold 7/9, which is at least 3/4; of all words they hold only 0.7."""
    drawn = frequencies(ids, top_k=3, top_p=0.75)
    np.testing.assert_allclose(drawn, [0, 0, 0, 0, 3 / 7, 4 / 7], atol=0.015)


def test_top_p_is_a_share_of_the_tempered_probabilities(ids):
    """Squared, 0.4 and 0.3 are 16/30 and 9/30 of all, more than 0.8 together; as they are, only 0.7."""
    drawn = frequencies(ids, temperature=0.5, top_p=0.8)
    np.testing.assert_allclose(drawn, [0, 0, 0, 0, 9 / 25, 16 / 25], atol=0.015)


def test_padding_and_bos_are_never_drawn(ids):
    drawn = frequencies(ids, probabilities=np.array([0.4, 0.1, 0.4, 0.0, 0.05, 0.05]))
    np.testing.assert_allclose(drawn, [0, 0.5, 0, 0, 0.25, 0.25], atol=0.015)


def test_draws_of_different_positions_are_independent(ids):
    state = np.zeros((20_000, 1), "float32")
    found = sample(unigram(), state, **ids, max_length=2, uniforms=random_numbers(3, range(20_000), 2))
    pairs = ops.convert_to_numpy(found.tokens)[:, 0]
    going_on = pairs[pairs[:, 0] != 3]
    for word in (1, 4, 5):
        second = going_on[going_on[:, 0] == word, 1]
        np.testing.assert_allclose(np.bincount(second, minlength=6) / len(second), PROBABILITIES, atol=0.04)


def test_top_k_of_one_is_greedy(markov, ids, numpy):
    step = markov(8)
    drawn = numpy(
        sample(step, step.state, **ids, max_length=6, uniforms=random_numbers(1, range(8), 6), top_k=1)
    )
    for x, y in zip(drawn, numpy(greedy(step, step.state, **ids, max_length=6)), strict=True):
        np.testing.assert_array_equal(x, y)


def test_a_row_s_numbers_depend_on_its_seed_and_its_number_only():
    rows = random_numbers(1, range(4), 8)
    np.testing.assert_array_equal(random_numbers(1, [3, 1], 5), rows[[3, 1], :5])
    others = random_numbers(2, range(4), 8)
    assert len(np.unique([rows, others])) == 64
    assert rows.dtype == "float32" and rows.min() >= 0 and rows.max() < 1
    large = [random_numbers(seed, [0], 8) for seed in (2**63, 2**63 + 1, 2**64 - 1)]
    assert len(np.unique(large)) == 24


def test_log_probs_are_the_models_own(markov, ids, token_lists):
    step = markov(8)
    found = sample(
        step,
        step.state,
        **ids,
        max_length=6,
        uniforms=random_numbers(5, range(8), 6),
        temperature=3.0,
        top_k=3,
        top_p=0.9,
    )
    expected = [[step.log_prob(i, tokens)] for i, (tokens,) in enumerate(token_lists(found))]
    np.testing.assert_allclose(found.log_probs, expected, rtol=1e-5)
    np.testing.assert_array_equal(found.scores, found.log_probs)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"temperature": 0.0}, "temperature must be above 0"),
        ({"temperature": float("nan")}, "temperature must be above 0"),
        ({"temperature": float("inf")}, "temperature must be above 0, and finite"),
        (
            {"uniforms": np.zeros((1, 3), "float32")},
            "uniforms must have the shape .* of at least max_length, 4",
        ),
        ({"uniforms": np.zeros(4, "float32")}, "uniforms must have the shape"),
        ({"uniforms": np.zeros((2, 4), "float32")}, "uniforms must have a row for each of the 1 sentences"),
        ({"top_k": -1}, "top_k must be 0"),
        ({"top_p": 0.0}, "top_p must be above 0"),
        ({"top_p": 1.1}, "top_p must be above 0"),
        ({"max_length": 0}, "max_length must be at least 1"),
    ],
)
def test_unusable_values_are_refused(speller, ids, wrong, message):
    step = speller([5])
    arguments = {"state": step.state, "max_length": 4, "uniforms": random_numbers(1, [0], 4), **ids, **wrong}
    with pytest.raises(ValueError, match=message):
        sample(step, **arguments)


def test_a_number_that_is_rounded_to_1_draws_the_least_probable_word(markov, ids):
    model = markov(2)
    drawn = [
        np.array(sample(model, model.state, uniforms=np.full((2, 3), number), max_length=3, **ids).tokens)
        for number in (np.float64(1 - 1e-12), np.nextafter(np.float32(1), np.float32(0)))
    ]
    np.testing.assert_array_equal(*drawn)


def test_padding_and_bos_are_never_drawn_however_hot(markov, ids):
    model = markov(2)
    uniforms = np.random.default_rng(1).random((2, 6))  # float64, too
    drawn = sample(model, model.state, uniforms=uniforms, temperature=1e30, max_length=6, **ids)
    tokens = np.array(drawn.tokens)
    assert ids["bos_id"] not in tokens
    assert ((tokens != 0).sum(axis=-1) == np.array(drawn.lengths)).all()
