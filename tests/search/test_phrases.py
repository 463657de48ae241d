"""Phrases that have to be said, by brute force."""

import itertools

import keras
import numpy as np
import pytest
from keras import ops

from keras_attn.search import Beam, Phrases, Sampling, beam
from keras_attn.search.hypotheses import NEVER
from keras_attn.search.methods import run
from keras_attn.search.phrases import ANY_BOUNDARY, attention_to_terms, in_turns

EOS, LIMIT, WIDE = 3, 5, 300
ANY = np.ones(6, bool)


def occurrences(tokens, phrase):
    def begins(at):
        return all(
            wanted in (token, ANY_BOUNDARY) for token, wanted in zip(tokens[at:], phrase, strict=False)
        )

    return sum(begins(at) for at in range(len(tokens) - len(phrase) + 1))


def phrases(*sentences, boundaries=ANY):
    """Of each sentence, its phrases, padded."""
    shape = (len(sentences), max(map(len, sentences)), max(len(p) for s in sentences for p in s))
    ids = np.zeros(shape, "int32")
    for i, sentence in enumerate(sentences):
        for j, phrase in enumerate(sentence):
            ids[i, j, : len(phrase)] = phrase
    return Phrases(ops.convert_to_tensor(ids), ops.convert_to_tensor(boundaries))


def finished(model, sentence, alpha):
    return [h for h in model.all_hypotheses(sentence, LIMIT, alpha) if h[2][-1] == EOS]


CASES = {
    "one word": [(5,)],
    "two words, in any order": [(5,), (1,)],
    "a phrase": [(4, 5)],
    "a phrase that begins anew within itself": [(4, 4, 5)],
    "two that begin alike": [(4, 5), (4, 1)],
    "one that goes on where the other ends": [(4, 5), (5, 1)],
    "the same twice": [(5,), (5,)],
    "a phrase twice": [(4, 1), (4, 1)],
    "the same twice, each to the end of a word": [(5, ANY_BOUNDARY), (5, ANY_BOUNDARY)],
    "a phrase twice, each to the end of a word": [(4, 1, ANY_BOUNDARY), (4, 1, ANY_BOUNDARY)],
}


@pytest.mark.parametrize("wanted", CASES.values(), ids=CASES)
@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_a_beam_as_wide_as_the_tree_finds_the_best_that_say_all(markov, ids, token_lists, wanted, alpha):
    model = markov(2, seed=6)
    found = beam(
        model,
        model.state,
        **ids,
        max_length=LIMIT,
        beam_size=WIDE,
        length_penalty=alpha,
        phrases=phrases(wanted, wanted),
    )
    for sentence, hypotheses in enumerate(token_lists(found)):
        expected = [
            h
            for h in finished(model, sentence, alpha)
            if all(occurrences(h[2], phrase) >= wanted.count(phrase) for phrase in wanted)
        ]
        assert hypotheses[: len(expected)] == [tokens for _, _, tokens in expected]
        np.testing.assert_allclose(
            found.log_probs[sentence][: len(expected)], [p for _, p, _ in expected], rtol=1e-5
        )
        assert all(tokens[-1:] != (EOS,) for tokens in hypotheses[len(expected) :])


@pytest.mark.parametrize("beam_size", [2, 5])
@pytest.mark.parametrize("wanted", CASES.values(), ids=CASES)
def test_the_narrowest_beam_says_all_however_improbable(markov, ids, token_lists, wanted, beam_size):
    model = markov(8, seed=7, sharpness=6.0)  # log-probabilities down to -30
    found = beam(
        model,
        model.state,
        **ids,
        max_length=12,
        beam_size=beam_size,
        phrases=phrases(*[wanted] * 8),
    )
    for best, *_ in token_lists(found):
        assert all(occurrences(best, phrase) >= wanted.count(phrase) for phrase in wanted)


@pytest.mark.parametrize("beam_size", [2, 5])
def test_phrases_that_all_begin_alike_are_all_said(markov, ids, token_lists, beam_size):
    wanted = [(4, 5, 1), (4, 1, 5), (4, 5, 5), (4, 1, ANY_BOUNDARY)]
    model = markov(8, seed=9, sharpness=6.0)
    found = beam(
        model, model.state, **ids, max_length=20, beam_size=beam_size, phrases=phrases(*[wanted] * 8)
    )
    for best, *_ in token_lists(found):
        assert all(occurrences(best, phrase) for phrase in wanted)


def attending(model, attention):
    """The model, with the attention of the i-th token in row i."""
    rows = ops.convert_to_tensor(np.array(attention, "float32"))

    def step(tokens, state):
        log_probs, following, _ = model(tokens, state)
        position = state["position"] if "position" in state else state["others"][1]
        return log_probs, following, ops.take(rows, position, axis=0)

    return step


BELONGING = {
    "one word": ([(5,)], [[0, 1, 0]]),
    "two words": ([(5,), (1,)], [[1, 0, 0], [0, 0, 1]]),
    "a phrase of a term of two sub-words": ([(4, 5)], [[1, 1, 0]]),
    "a phrase that begins anew within itself": ([(4, 4, 5)], [[0, 0, 1]]),
    "two that begin alike": ([(4, 5), (4, 1)], [[1, 0, 0], [0, 1, 0]]),
    "the same for two terms": ([(5, ANY_BOUNDARY), (5, ANY_BOUNDARY)], [[1, 1, 1], [1, 1, 1]]),
}


@pytest.mark.parametrize(("wanted", "terms"), BELONGING.values(), ids=BELONGING)
@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_twice_the_logarithm_of_the_attention_to_its_term_is_a_part_of_the_score(
    markov, ids, token_lists, wanted, terms, alpha
):
    """Of the attention where a phrase begins; if it occurs more often, the best counts."""
    model = markov(2, seed=6)
    attention = np.random.default_rng(1).dirichlet([0.3, 0.3, 0.3], LIMIT)
    found = beam(
        attending(model, attention),
        model.state,
        **ids,
        max_length=LIMIT,
        beam_size=WIDE,
        length_penalty=alpha,
        phrases=phrases(wanted, wanted)._replace(terms=np.array([terms, terms], "float32")),
    )

    def cost(tokens, phrase, term):
        begins = [i for i in range(len(tokens)) if occurrences(tokens[i : i + len(phrase)], phrase)]
        return 2 * np.log(np.clip(max(attention[i] @ term for i in begins), 1e-4, 1))

    for sentence, hypotheses in enumerate(token_lists(found)):
        expected = [
            (score + sum(cost(tokens, *each) for each in zip(wanted, terms, strict=True)), tokens)
            for score, _, tokens in finished(model, sentence, alpha)
            if all(occurrences(tokens, phrase) >= wanted.count(phrase) for phrase in wanted)
        ]
        assert hypotheses[: len(expected)] == [tokens for _, tokens in sorted(expected, reverse=True)]
        np.testing.assert_allclose(
            found.scores[sentence][: len(expected)], sorted([s for s, _ in expected])[::-1], rtol=1e-4
        )


@pytest.mark.parametrize("beam_size", [2, 5])
@pytest.mark.parametrize("place", [0, 2, 4])
def test_a_phrase_stands_where_the_model_reads_its_term(speller, ids, token_lists, beam_size, place):
    word = (1, 4, 5, 4, 1)
    model, term = speller(word), np.zeros((1, 1, 30), "float32")
    term[0, 0, place] = 1
    found = beam(
        attending(model, np.eye(30)),  # each position reads its own
        model.state,
        **ids,
        max_length=12,
        beam_size=beam_size,
        phrases=phrases([(6,)])._replace(boundaries=np.ones(8, bool), terms=term),
    )
    assert token_lists(found)[0][0] == (*word[:place], 6, *word[place + 1 :], EOS)


@pytest.mark.parametrize("beam_size", [2, 5])
@pytest.mark.parametrize("wanted", CASES.values(), ids=CASES)
def test_a_phrase_whose_term_is_never_read_is_said_all_the_same(markov, ids, token_lists, wanted, beam_size):
    model = markov(8, seed=7, sharpness=6.0)
    unread = np.tile(np.array([0, 1], "float32"), (8, len(wanted), 1))
    found = beam(
        attending(model, [[1, 0]] * 12),
        model.state,
        **ids,
        max_length=12,
        beam_size=beam_size,
        phrases=phrases(*[wanted] * 8)._replace(terms=unread),
    )
    for best, *_ in token_lists(found):
        assert all(occurrences(best, phrase) >= wanted.count(phrase) for phrase in wanted)


def test_positions_of_a_shorter_memory_stand_for_several_of_the_source():
    wanted = phrases([(4,), (5,), (1,)])._replace(
        terms=np.array([[[0, 1, 0, 0], [0, 0, 0, 1], [0, 1, 1, 0]]], "float32")
    )
    log_attention = attention_to_terms(wanted, np.array([[0.25, 0.75]], "float32"), 1)
    np.testing.assert_allclose(np.exp(log_attention), [[[0.25, 0.75, 1.0]]], rtol=1e-4)


def test_candidates_take_turns_as_comparing_all_pairs_says():
    draw = np.random.default_rng(3)
    log_probs = draw.integers(-20, -10, (4, 60)).astype("float32")  # many are equal
    log_probs[:, ::7] = NEVER
    done = draw.integers(0, 6, (4, 60)).astype("int32")
    mine, other = log_probs[:, :, None], log_probs[:, None]
    number = np.arange(60)
    sooner = (other > mine) | (other == mine) & (number < number[:, None])
    turn = np.sum(sooner & (done[:, :, None] == done[:, None]), axis=-1)
    expected = np.where(log_probs > NEVER, -(turn * 6 + 5 - done), NEVER)
    np.testing.assert_array_equal(in_turns(ops.convert_to_tensor(log_probs), done, 5), expected)


def test_many_candidates_take_turns_in_little_memory():
    number = np.arange(200_000, dtype="int32")[None]  # comparing all pairs would take 40 GB
    ranks = in_turns(ops.convert_to_tensor(-number.astype("float32")), number % 2, 1)
    np.testing.assert_array_equal(ranks, -(number ^ 1))  # those of odd numbers, which have more, come first


def test_a_sentence_without_phrases_is_searched_as_if_there_were_none(markov, ids, numpy):
    model = markov(4, seed=8)
    options = {**ids, "max_length": 7, "beam_size": 3, "return_weights": True}
    plain = numpy(beam(model, model.state, **options))
    mixed = numpy(beam(model, model.state, **options, phrases=phrases([(5,)], [], [(1,), (4,)], [])))
    for ours, other in zip(mixed, plain, strict=True):
        np.testing.assert_array_equal(ours[[1, 3]], other[[1, 3]])


def test_attention_weights_follow_the_hypothesis_that_says_its_phrases(markov, ids, numpy):
    model = markov(3, seed=9)
    wanted = phrases(*[[(5, 1)]] * 3)
    found = numpy(
        beam(model, model.state, **ids, max_length=7, beam_size=4, return_weights=True, phrases=wanted)
    )
    for i in range(3):
        for tokens, length, weights in zip(found.tokens[i], found.lengths[i], found.weights[i], strict=True):
            expected = model.weights(tokens[:length].tolist()) + [[0, 0, 0]] * (7 - length)
            np.testing.assert_array_equal(weights, expected)


def test_a_phrase_may_not_go_on_in_the_middle_of_a_word(markov, ids, token_lists):
    """4 goes on with a word; 1 and 5, and the end, begin anew."""
    begins = np.array([False, True, False, True, False, True])
    model = markov(2, seed=6)
    wanted = phrases(*[[(5, ANY_BOUNDARY)]] * 2, boundaries=begins)
    found = beam(
        model, model.state, **ids, max_length=LIMIT, beam_size=WIDE, length_penalty=0.0, phrases=wanted
    )
    for sentence, hypotheses in enumerate(token_lists(found)):
        expected = [
            tokens
            for _, _, tokens in finished(model, sentence, 0.0)
            if any(a == 5 and b in (1, 3, 5) for a, b in itertools.pairwise(tokens))
        ]
        assert hypotheses[: len(expected)] == expected


def test_a_phrase_s_last_word_ends_however_improbable_that_is(ids, token_lists):
    """Neither 11, with which a word begins, nor the end is among the best that a narrow beam looks at."""
    log_probs = np.full((1, 12), -2.0, "float32")
    log_probs[:, [1, EOS, 11]] = -15.0
    table = ops.convert_to_tensor(log_probs)

    def step(tokens, state):
        return ops.take(table, ops.zeros_like(tokens), axis=0), state, None

    wanted = phrases([(5, ANY_BOUNDARY)], boundaries=np.isin(np.arange(12), (EOS, 11)))
    found = beam(step, np.zeros(1, "int32"), **ids, max_length=6, beam_size=2, phrases=wanted)
    assert (5, 11) in itertools.pairwise(token_lists(found)[0][0])


def test_phrases_in_a_prefix_count(markov, token_lists):
    model = markov(1)
    common = {"source_mask": None, "max_length": 3, "limits": None, "return_weights": False}
    found = run(Beam(4), model, state=model.state, **common, prefix=[[5, 4]], phrases=phrases([(5, 4)]))
    assert token_lists(found)[0][0] == (5, 4, EOS)


@pytest.mark.parametrize("beam_size", [2, 5])
def test_once_all_is_said_the_search_goes_on_as_if_nothing_were_asked(markov, numpy, beam_size):
    model = markov(8, seed=11)
    common = {"state": model.state, "source_mask": None, "max_length": 9, "limits": None}
    common |= {"return_weights": False, "prefix": [[5, 4]] * 8}
    plain = numpy(run(Beam(beam_size), model, **common))
    asked = numpy(run(Beam(beam_size), model, **common, phrases=phrases(*[[(5,), (4,)]] * 8)))
    np.testing.assert_array_equal(asked.tokens, plain.tokens)
    np.testing.assert_allclose(asked.scores, plain.scores, rtol=1e-6)


def test_a_limit_without_room_gives_what_says_most(markov, ids, token_lists):
    model = markov(1)
    found = beam(model, model.state, **ids, max_length=2, beam_size=3, phrases=phrases([(5,), (4,), (1,)]))
    assert len(set(token_lists(found)[0][0])) == 2


@pytest.mark.skipif(keras.backend.backend() != "tensorflow", reason="TensorFlow only")
def test_a_graph_of_unknown_sizes_says_what_python_says(markov, ids, token_lists):
    import tensorflow as tf

    model = markov(2)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32), tf.TensorSpec([None, 2, None], tf.int32)])
    def in_graph(sentences, wanted):
        state = keras.tree.map_structure(lambda leaf: tf.gather(leaf, sentences), model.state)
        return beam(model, state, **ids, max_length=6, beam_size=3, phrases=Phrases(wanted, ANY))

    wanted = phrases([(5, 1)], [(4,), (1,)])
    expected = beam(model, model.state, **ids, max_length=6, beam_size=3, phrases=wanted)
    assert token_lists(in_graph([0, 1], wanted.ids)) == token_lists(expected)


@pytest.mark.skipif(keras.backend.backend() != "jax", reason="JAX only")
def test_a_jitted_function_says_what_python_says(markov, ids, token_lists):
    import jax

    model, wanted = markov(2), phrases([(5, 1)], [(4,), (1,)])

    def search(wanted):
        return beam(model, model.state, **ids, max_length=6, beam_size=3, phrases=wanted)

    assert token_lists(jax.jit(search)(wanted)) == token_lists(search(wanted))


@pytest.mark.parametrize("method", [Beam(1), Beam(3, diversity=1.0), Sampling()])
def test_phrases_take_a_beam(markov, method):
    model = markov(1)
    common = {"source_mask": None, "max_length": 3, "limits": None, "return_weights": False}
    with pytest.raises(ValueError, match=r"phrases (need|take) a beam"):
        run(method, model, state=model.state, **common, phrases=phrases([(5,)]))
