import itertools

import keras
import numpy as np
from keras import ops

from keras_attn.search import beam, ensemble, greedy

EOS, WORDS = 3, (1, 4, 5)


def mean_log_prob(models, sentence, tokens):
    """By the definition: the probability of each token is the mean of what the models give it."""
    history = [2, 2, *tokens]
    return sum(
        np.log(
            np.mean(
                [np.exp(m.table[sentence, history[i], history[i + 1], t].astype("float64")) for m in models]
            )
        )
        for i, t in enumerate(tokens)
    )


def test_the_best_by_the_mean_of_the_probabilities_are_found(markov, ids, token_lists):
    models = [markov(2, seed=seed) for seed in (1, 2, 3)]
    found = beam(
        ensemble(models),
        tuple(m.state for m in models),
        **ids,
        max_length=3,
        beam_size=40,
        length_penalty=0.0,
    )
    finished = [(*words, EOS) for n in range(3) for words in itertools.product(WORDS, repeat=n)]
    for sentence in range(2):
        expected = sorted(((mean_log_prob(models, sentence, t), t) for t in finished), reverse=True)
        assert token_lists(found)[sentence][: len(expected)] == [tokens for _, tokens in expected]
        np.testing.assert_allclose(
            found.log_probs[sentence][: len(expected)], [p for p, _ in expected], rtol=1e-5
        )


def test_an_ensemble_of_one_and_the_same_is_that_model(markov, ids, numpy):
    model = markov(3, seed=4)
    twice = numpy(
        greedy(ensemble([model, model]), (model.state,) * 2, **ids, max_length=6, return_weights=True)
    )
    once = numpy(greedy(model, model.state, **ids, max_length=6, return_weights=True))
    for ours, other in zip(twice, once, strict=True):
        np.testing.assert_allclose(ours, other, rtol=1e-5)


def test_attention_weights_are_the_mean_and_none_where_a_model_has_none(markov, speller):
    one, other = markov(1), speller([5], vocabulary=6)
    tokens = ops.convert_to_tensor(np.array([2], "int32"))
    one_state, other_state = (
        keras.tree.map_structure(ops.convert_to_tensor, each.state) for each in (one, other)
    )

    def half(tokens, state):
        log_probs, state, weights = one(tokens, state)
        return log_probs, state, 0.5 * weights

    _, _, weights = ensemble([one, half])(tokens, (one_state, one_state))
    np.testing.assert_allclose(ops.convert_to_numpy(weights), [[0.75 * 2, 0.75 * 2, 0]])
    assert ensemble([one, other])(tokens, (one_state, other_state))[2] is None
