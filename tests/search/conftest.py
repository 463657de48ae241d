"""Fake models, small enough to check by hand or by trying every hypothesis. Ids: 0 PAD, 1 unknown, 2 BOS, 3 EOS, words."""

import itertools

import keras
import numpy as np
import pytest
from keras import ops

BOS, EOS, VOCABULARY = 2, 3, 6
WORDS = (1, 4, 5)


@pytest.fixture
def ids():
    return {"bos_id": BOS, "eos_id": EOS}


class Speller:
    """Spells a word a sentence, whatever it is given: the state counts the letters."""

    def __init__(self, *words, vocabulary=8, probability=0.9):
        letters = max(map(len, words))
        spelled = np.full(
            (len(words), letters + 20, vocabulary), np.log((1 - probability) / (vocabulary - 1))
        )
        for sentence, word in enumerate(words):
            for position in range(spelled.shape[1]):
                letter = word[position] if position < len(word) else EOS
                spelled[sentence, position, letter] = np.log(probability)
        self.table = ops.convert_to_tensor(spelled.astype("float32"))
        self.state = {
            "position": np.zeros(len(words), "int32"),
            "sentence": np.arange(len(words), dtype="int32"),
        }

    def __call__(self, tokens, state):
        n, letters, vocabulary = self.table.shape
        rows = ops.reshape(self.table, (n * letters, vocabulary))
        log_probs = ops.take(rows, state["sentence"] * letters + state["position"], axis=0)
        return log_probs, {**state, "position": state["position"] + 1}, None


@pytest.fixture
def speller():
    return Speller


class Markov:
    """Random probabilities of a token after the two before it, different for each sentence.

    The state is the token before the last, so it must follow its hypothesis. PAD and BOS are as probable as others.
    The attention weights of a step are its [token, token before, position]: not weights, but known.
    """

    def __init__(self, sentences, seed=0, sharpness=1.5):
        shape = (sentences, VOCABULARY, VOCABULARY, VOCABULARY)
        logits = sharpness * np.random.default_rng(seed).normal(size=shape)
        self.table = (logits - np.log(np.exp(logits).sum(-1, keepdims=True))).astype("float32")
        self.rows = ops.convert_to_tensor(self.table.reshape(-1, VOCABULARY))
        self.state = {
            "before": np.full((sentences, 1), BOS, "int32"),
            "others": [np.arange(sentences, dtype="int32"), np.zeros(sentences, "int32")],
        }

    def only(self, sentences):
        """The state of some of the sentences."""
        return keras.tree.map_structure(lambda leaf: leaf[sentences], self.state)

    def __call__(self, tokens, state):
        before, (sentence, position) = state["before"][:, 0], state["others"]
        log_probs = ops.take(self.rows, (sentence * VOCABULARY + before) * VOCABULARY + tokens, axis=0)
        weights = ops.cast(ops.stack([tokens, before, position], axis=1), "float32")
        return log_probs, {"before": tokens[:, None], "others": [sentence, position + 1]}, weights

    def log_prob(self, sentence, tokens):
        history = [BOS, BOS, *tokens]
        return sum(self.table[sentence, history[i], history[i + 1], t] for i, t in enumerate(tokens))

    def weights(self, tokens):
        history = [BOS, BOS, *tokens]
        return [[history[i + 1], history[i], i] for i in range(len(tokens))]

    def all_hypotheses(self, sentence, limit, alpha):
        """Every hypothesis as `(score, log_prob, tokens)`: the finished by score, then the cut by score."""

        def ranked(hypotheses):
            scored = [(self.log_prob(sentence, tokens), tokens) for tokens in hypotheses]
            return sorted([(p / ((5 + len(t)) / 6) ** alpha, p, t) for p, t in scored], reverse=True)

        finished = [(*words, EOS) for n in range(limit) for words in itertools.product(WORDS, repeat=n)]
        return ranked(finished) + ranked(itertools.product(WORDS, repeat=limit))


@pytest.fixture
def markov():
    return Markov


@pytest.fixture
def numpy():
    """`Hypotheses` of numpy arrays."""
    return lambda found: type(found)(*(x if x is None else ops.convert_to_numpy(x) for x in found))


@pytest.fixture
def token_lists():
    """`tokens [B, N, L]` and `lengths [B, N]` as lists of tuples."""

    def lists(found):
        tokens, lengths = (
            ops.convert_to_numpy(found.tokens).tolist(),
            ops.convert_to_numpy(found.lengths).tolist(),
        )
        return [[tuple(t[:n]) for t, n in zip(*s, strict=True)] for s in zip(tokens, lengths, strict=True)]

    return lists
