"""Constraints by brute force: a beam as wide as the tree finds the best of the hypotheses that keep to them."""

from functools import partial

import numpy as np
import pytest

from keras_attn.search import (
    Beam,
    NoRepeat,
    Prefix,
    Sampling,
    beam,
    constrained,
    greedy,
    random_numbers,
    sample,
)
from keras_attn.search.methods import run

LIMIT, WIDE = 4, 81  # 3 words and EOS: 40 finished hypotheses, 81 that are cut
EOS = 3


def repeats(tokens, n):
    grams = [tokens[i : i + n] for i in range(len(tokens) - n + 1)]
    return len(set(grams)) < len(grams)


CASES = {
    "no word twice": (lambda: [NoRepeat(1, LIMIT)], lambda t: not repeats(t, 1)),
    "no pair twice": (lambda: [NoRepeat(2, LIMIT)], lambda t: not repeats(t, 2)),
    "no triple twice": (lambda: [NoRepeat(3, LIMIT)], lambda t: not repeats(t, 3)),
    "a beginning": (lambda: [Prefix([[5, 1], [5, 1]])], lambda t: t[:2] == (5, 1)),
    "a beginning that repeats itself": (
        lambda: [NoRepeat(1, LIMIT), Prefix([[4, 4], [4, 4]])],
        lambda t: t[:2] == (4, 4) and 4 not in t[2:] and not repeats(t[2:], 1),
    ),
}
every_case = pytest.mark.parametrize(("constraints", "keeps"), CASES.values(), ids=CASES)


@every_case
def test_the_best_hypotheses_that_keep_to_constraints_are_found(markov, ids, token_lists, constraints, keeps):
    model = markov(2)
    step, state = constrained(model, model.state, constraints())
    found = beam(step, state, **ids, max_length=LIMIT, beam_size=WIDE, length_penalty=0.6)
    for sentence, hypotheses in enumerate(token_lists(found)):
        expected = [h for h in model.all_hypotheses(sentence, LIMIT, 0.6) if keeps(h[2])][:WIDE]
        real = [tokens for tokens in hypotheses if tokens]
        assert real == [tokens for _, _, tokens in expected]
        # The log-probabilities are the model's own: what is forbidden takes nothing from the rest.
        np.testing.assert_allclose(
            found.log_probs[sentence][: len(real)], [p for _, p, _ in expected], rtol=1e-5
        )


@pytest.mark.parametrize("min_length", [2, 3, 9])
def test_no_hypothesis_ends_before_the_fewest_tokens(markov, ids, token_lists, min_length):
    model = markov(2)
    found = beam(
        model,
        model.state,
        **ids,
        max_length=LIMIT,
        beam_size=WIDE,
        length_penalty=0.6,
        min_length=min_length,
    )
    for sentence, hypotheses in enumerate(token_lists(found)):
        expected = [
            tokens
            for _, _, tokens in model.all_hypotheses(sentence, LIMIT, 0.6)
            if EOS not in tokens[: min_length - 1]
        ]
        assert [tokens for tokens in hypotheses if tokens] == expected[:WIDE]


@pytest.mark.parametrize("search", ["greedy", "sample", "beam"])
def test_every_search_may_be_asked_for_a_token_before_the_end(speller, ids, token_lists, search):
    empty = speller([EOS])
    searches = {
        "greedy": greedy,
        "sample": partial(sample, uniforms=random_numbers(3, range(1), LIMIT), temperature=0.1),
        "beam": partial(beam, beam_size=2),
    }
    for min_length in (0, 1, 2, 3):
        found = searches[search](empty, empty.state, **ids, max_length=LIMIT, min_length=min_length)
        tokens = token_lists(found)[0][0]
        assert EOS not in tokens[: min_length - 1] and (min_length > 1 or tokens == (EOS,))
        assert not {0, 2} & set(tokens)  # never PAD or BOS instead


@every_case
@pytest.mark.parametrize("search", ["greedy", "sample"])
def test_every_search_keeps_to_constraints(markov, ids, token_lists, constraints, keeps, search):
    model = markov(2)
    step, state = constrained(model, model.state, constraints())
    searches = {"greedy": greedy, "sample": partial(sample, uniforms=random_numbers(3, range(2), LIMIT))}
    found = searches[search](step, state, **ids, max_length=LIMIT)
    assert all(keeps(tokens) for (tokens,) in token_lists(found))


def test_every_sentence_has_a_beginning_of_its_own_or_none(markov, ids, token_lists):
    model = markov(3)
    step, state = constrained(model, model.state, [Prefix([[4, 4, 1], [5, 0, 0], [0, 0, 0]])])
    first, second, third = (
        best for best, *_ in token_lists(beam(step, state, **ids, max_length=6, beam_size=3))
    )
    assert first[:3] == (4, 4, 1)
    assert second[0] == 5
    free = beam(model, model.state, **ids, max_length=6, beam_size=3)
    assert third == token_lists(free)[2][0]


def test_long_repetitions_are_seen_too(speller, ids, token_lists):
    """It would spell 5 6 5 6 5 6 5 6: the first token that would make a pair anew is another."""
    word = speller([5, 6] * 4)
    step, state = constrained(word, word.state, [NoRepeat(2, 12)])
    (tokens,) = token_lists(greedy(step, state, **ids, max_length=12))[0]
    assert tokens[:3] == (5, 6, 5)
    assert tokens[3] not in (6, 0, 2)
    assert not repeats(tokens, 2)


def test_nothing_longer_than_the_limit_can_repeat_itself(speller, ids, token_lists):
    word = speller([5, 5, 5, 5, 5])
    for n in (4, 5, 6):
        step, state = constrained(word, word.state, [NoRepeat(n, 4)])
        assert token_lists(greedy(step, state, **ids, max_length=4)) == [[(5, 5, 5, 5)]]


def test_a_method_says_its_constraints(markov, token_lists):
    model = markov(2)
    common = {
        "state": model.state,
        "source_mask": None,
        "max_length": 6,
        "limits": None,
        "return_weights": False,
    }
    for method, others in (
        (Beam(3, min_length=4, no_repeat_ngram=1), {}),
        (Sampling(min_length=4, no_repeat_ngram=1), {"uniforms": random_numbers(1, range(2), 6)}),
    ):
        for tokens in (
            best for best, *_ in token_lists(run(method, model, **common, **others, prefix=[[5], [4]]))
        ):
            assert len(tokens) >= 4 and not repeats(tokens, 1)


def test_a_prefix_has_the_last_word_over_a_method_s_constraints(markov, token_lists):
    model = markov(2)
    common = {"source_mask": None, "max_length": 6, "limits": None, "return_weights": False}
    prefix = [[4, 4], [5, 5]]
    found = run(Beam(3, no_repeat_ngram=1), model, state=model.state, **common, prefix=prefix)
    assert [list(best[:2]) for best, *_ in token_lists(found)] == prefix


@pytest.mark.parametrize("method", [Beam, Sampling])
@pytest.mark.parametrize("name", ["min_length", "no_repeat_ngram"])
def test_a_negative_number_is_refused(method, name):
    with pytest.raises(ValueError, match=f"{name} must be 0 or more"):
        method(**{name: -1})


@pytest.mark.parametrize("wrong", [[5, 1], np.zeros((2, 0), "int32"), [[[5]], [[1]]]])
def test_a_prefix_without_rows_or_columns_is_refused(wrong):
    with pytest.raises(ValueError, match=r"a prefix must have the shape \[B, P\]"):
        Prefix(wrong)


def test_a_prefix_has_a_row_for_each_sentence(markov):
    model = markov(2)
    with pytest.raises(ValueError, match="the prefix must have a row for each of the 2 sentences"):
        constrained(model, model.state, [Prefix([[5, 1]])])


def test_a_prefix_may_be_of_wide_integers(markov, ids, token_lists):
    model = markov(2)
    step, state = constrained(model, model.state, [Prefix(np.array([[5, 1], [1, 0]], "int64"))])
    found = token_lists(greedy(step, state, **ids, max_length=LIMIT))
    assert found[0][0][:2] == (5, 1) and found[1][0][0] == 1


@pytest.mark.parametrize(("n", "max_length"), [(0, 6), (-1, 6), (2, 0)])
def test_counts_of_what_must_not_be_repeated_are_at_least_one(n, max_length):
    with pytest.raises(ValueError, match="must be at least 1"):
        NoRepeat(n, max_length)
