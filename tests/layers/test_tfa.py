"""The numbers of tfa.seq2seq 0.23 with the same weights. Its formulas stand here in NumPy, one position at a time."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_attn.layers import (
    AttentionDecoder,
    BahdanauAttention,
    LuongAttention,
    LuongMonotonicAttention,
    MonotonicAttention,
    ParallelAttention,
)

B, T, S, E, D, UNITS, DEPTH, SIZE = (
    3,
    7,
    6,
    4,
    5,
    8,
    8,
    9,
)  # DEPTH of the mechanisms, SIZE of the attention layer

draws = np.random.default_rng(1)
INPUTS = draws.normal(size=(B, T, E)).astype("float32")
MEMORY = draws.normal(size=(B, S, D)).astype("float32")
MASK = np.arange(S) < np.array([[6], [4], [1]])


def numbers(x):
    return ops.convert_to_numpy(x)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def randomised(layer, scale=0.4):
    """The layer with other weights than it starts with; `conftest.py` seeds them for each test."""
    for weight in layer.trainable_variables:
        weight.assign(scale * np.random.normal(size=weight.shape))
    return layer


# -- tfa.seq2seq.attention_wrapper -----------------------------------------------------------------------------------


def bahdanau_score(layer, query, keys):
    """`_bahdanau_score`: query_layer, attention_v, attention_g, attention_b."""
    v, query = numbers(layer.vector), query @ numbers(layer.query_layer.kernel)
    if not layer.normalize:
        return (v * np.tanh(keys + query[:, None])).sum(2)
    g, b = numbers(layer.length), numbers(layer.bias)
    return (g * v / np.sqrt((v**2).sum()) * np.tanh(keys + query[:, None] + b)).sum(2)


def luong_score(layer, query, keys):
    """`_luong_score`: attention_g is the scale."""
    return np.einsum("bu,bsu->bs", query, keys) * (numbers(layer.scale) if layer.use_scale else 1.0)


def softmax(score, previous):
    weights = np.exp(score - score.max(1, keepdims=True))
    return weights / weights.sum(1, keepdims=True)


def monotonic(mode):
    """`_monotonic_probability_fn` without noise, and `monotonic_attention`."""

    def probability(score, previous):
        p = (score > 0).astype(float) if mode == "hard" else sigmoid(score)
        passed = np.concatenate([np.ones((B, 1)), np.cumprod(1 - p, axis=1)[:, :-1]], axis=1)
        if mode == "parallel":
            return p * passed * np.cumsum(previous / np.clip(passed, 1e-10, 1), axis=1)
        if mode == "hard":
            p = p * np.cumsum(previous, axis=1)
            return p * np.concatenate([np.ones((B, 1)), np.cumprod(1 - p, axis=1)[:, :-1]], axis=1)
        attention, q = np.zeros_like(p), np.zeros(B)
        for s in range(S):
            q = (1 - p[:, s - 1] if s else 1.0) * q + previous[:, s]
            attention[:, s] = p[:, s] * q
        return attention

    return probability


class Mechanism:
    """An `AttentionMechanism` with the weights of one of our layers."""

    def __init__(self, layer, score, probability=softmax):
        self.layer, self.score, self.probability = layer, score, probability
        self.values = MEMORY * MASK[..., None]
        self.keys = self.values @ numbers(layer.key_layer.kernel)  # memory_layer

    def initial_state(self):
        return np.zeros((B, S)) if self.probability is softmax else np.tile(np.eye(S)[0], (B, 1))

    def __call__(self, query, state):
        score = self.score(self.layer, query, self.keys)
        score = score + (numbers(self.layer.energy_bias) if hasattr(self.layer, "energy_bias") else 0.0)
        return self.probability(np.where(MASK, score, -np.inf), state)


def attention_wrapper(cell, mechanisms, cell_state, attention_layer=None):
    """`AttentionWrapper.call` over all inputs: attentions `(B, T, ...)`, cell outputs and the alignments of each mechanism."""
    states = [mechanism.initial_state() for mechanism in mechanisms]
    width = len(mechanisms) * D if attention_layer is None else attention_layer.shape[1]
    attention, found = np.zeros((B, width), "float32"), []
    for t in range(T):
        output, cell_state = cell(np.concatenate([INPUTS[:, t], attention], axis=1), cell_state)
        output = numbers(output)
        states = [mechanism(output, state) for mechanism, state in zip(mechanisms, states, strict=True)]
        contexts = [np.einsum("bs,bsd->bd", a, m.values) for a, m in zip(states, mechanisms, strict=True)]
        attention = np.concatenate(contexts, axis=1).astype("float32")
        if attention_layer is not None:
            attention = np.concatenate([output, attention], axis=1) @ attention_layer
        found.append((attention, output, np.stack(states)))
    attentions, outputs, alignments = zip(*found, strict=True)
    return np.stack(attentions, 1), np.stack(outputs, 1), np.stack(alignments, 2)


# -- the mechanisms --------------------------------------------------------------------------------------------------

MECHANISMS = {
    "Bahdanau": (lambda: BahdanauAttention(DEPTH), bahdanau_score),
    "normalised Bahdanau": (lambda: BahdanauAttention(DEPTH, normalize=True), bahdanau_score),
    "Luong": (lambda: LuongAttention("general"), luong_score),
    "scaled Luong": (lambda: LuongAttention("general", use_scale=True), luong_score),
}
MONOTONIC = {
    "Bahdanau": (lambda **kw: MonotonicAttention(DEPTH, False, **kw), bahdanau_score),
    "normalised Bahdanau": (lambda **kw: MonotonicAttention(DEPTH, **kw), bahdanau_score),
    "Luong": (lambda **kw: LuongMonotonicAttention("general", **kw), luong_score),
    "scaled Luong": (lambda **kw: LuongMonotonicAttention("general", True, **kw), luong_score),
}
INFERENCE = {"parallel": "soft", "recursive": "soft", "hard": "hard"}


def weights_of_seven_queries(layer, mechanism):
    """Ours and theirs, `(B, T, S)`."""
    query = np.random.normal(size=(B, T, UNITS)).astype("float32")
    _, found = layer(query, MEMORY, value_mask=MASK, return_attention_scores=True)
    expected, state = [], mechanism.initial_state()
    for t in range(T):
        state = mechanism(query[:, t], state)
        expected.append(state)
    return numbers(found), np.stack(expected, 1)


def built(make, *, scale=0.4, **kwargs):
    layer = make(**kwargs)
    layer.build((None, None, UNITS), MEMORY.shape)
    return randomised(layer, scale)


@pytest.mark.parametrize(("make", "score"), MECHANISMS.values(), ids=MECHANISMS.keys())
def test_a_mechanism_gives_tfas_alignments(make, score):
    layer = built(make)
    found, expected = weights_of_seven_queries(layer, Mechanism(layer, score))
    np.testing.assert_allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize("mode", INFERENCE)
@pytest.mark.parametrize(("make", "score"), MONOTONIC.values(), ids=MONOTONIC.keys())
def test_a_monotonic_mechanism_gives_tfas_alignments(make, score, mode):
    # With large energies tfa's "parallel" is not exact: there it differs from its own "recursive", and from ours.
    layer = built(make, scale=0.4 if mode == "parallel" else 1.0, inference=INFERENCE[mode])
    layer.energy_bias.assign(0.1)
    found, expected = weights_of_seven_queries(layer, Mechanism(layer, score, monotonic(mode)))
    np.testing.assert_allclose(found, expected, atol=1e-5)
    assert (expected[:, 2, 1:] > 1e-3).any()  # it has gone on, and not yet run out of words


# -- the wrapper -----------------------------------------------------------------------------------------------------

CELLS = {"gru_reset_after": keras.layers.GRUCell, "lstm": keras.layers.LSTMCell}


def reordered(matrix):
    """Keras' gates z, r, h as ours: r, z, h, with our z = 1 - theirs."""
    z, r, h = np.split(matrix, 3, axis=-1)
    return np.concatenate([r, -z, h], axis=-1)


def carry_cell(decoder, theirs):
    """A Keras cell over `[inputs; attention]` to the decoder's cell and feed projection."""
    kernel, recurrent, bias = theirs.get_weights()
    ours = decoder.cells.cells[0]
    if isinstance(theirs, keras.layers.GRUCell):
        kernel, recurrent, (bias, recurrent_bias) = reordered(kernel), reordered(recurrent), reordered(bias)
        ours.recurrent_bias.assign(recurrent_bias)
    ours.input_projection.set_weights([kernel[:E], bias])
    ours.kernel.assign(recurrent)
    decoder.feed_projection.kernel.assign(kernel[E:])


def both(kind, attention, **choices):
    """Our decoder and a Keras cell of the same weights, with a first state for each."""
    decoder = AttentionDecoder(UNITS, attention, cell=kind, query_state="current", **choices)
    decoder.build(INPUTS.shape, MEMORY.shape)
    randomised(decoder)
    theirs = CELLS[kind](UNITS)
    theirs.build((None, E + decoder.feed_projection.kernel.shape[0]))
    carry_cell(decoder, randomised(theirs))
    first = [np.random.normal(size=(B, UNITS)).astype("float32") for _ in range(1 + (kind == "lstm"))]
    return decoder, theirs, first


def run(decoder, first):
    found = decoder(
        INPUTS, MEMORY, initial_state=(tuple(first),), memory_mask=MASK, return_attention_scores=True
    )
    return [numbers(x) for x in found]


every_cell = pytest.mark.parametrize("kind", CELLS)
every_mechanism = pytest.mark.parametrize(("make", "score"), MECHANISMS.values(), ids=MECHANISMS.keys())


@every_cell
@every_mechanism
def test_the_linear_readout_fed_back_is_the_wrapper_with_an_attention_layer(kind, make, score):
    decoder, cell, first = both(kind, make(), feed="attentional", readout="linear", readout_units=SIZE)
    mechanism = Mechanism(decoder.attention, score)
    layer = numbers(decoder.readout.layer.kernel)
    expected, _, alignments = attention_wrapper(cell, [mechanism], first, layer)
    outputs, weights = run(decoder, first)
    np.testing.assert_allclose(outputs, expected, atol=1e-5)
    np.testing.assert_allclose(weights, alignments[0], atol=1e-5)


@every_cell
@every_mechanism
def test_the_plain_readout_is_attention_and_cell_output_of_the_wrapper_without_an_attention_layer(
    kind, make, score
):
    decoder, cell, first = both(kind, make(), feed="context", readout="plain")
    expected, cell_outputs, alignments = attention_wrapper(cell, [Mechanism(decoder.attention, score)], first)
    outputs, weights = run(decoder, first)
    np.testing.assert_allclose(outputs[..., :D], expected, atol=1e-5)  # output_attention=True
    np.testing.assert_allclose(outputs[..., D:], cell_outputs, atol=1e-5)  # output_attention=False
    np.testing.assert_allclose(weights, alignments[0], atol=1e-5)


@every_cell
def test_a_monotonic_mechanism_in_the_wrapper_gives_tfas_numbers(kind):
    attention = LuongMonotonicAttention("general", True, inference="soft")
    decoder, cell, first = both(kind, attention, feed="attentional", readout="linear", readout_units=SIZE)
    mechanism = Mechanism(attention, luong_score, monotonic("recursive"))
    layer = numbers(decoder.readout.layer.kernel)
    expected, _, alignments = attention_wrapper(cell, [mechanism], first, layer)
    outputs, weights = run(decoder, first)
    np.testing.assert_allclose(outputs, expected, atol=1e-5)
    np.testing.assert_allclose(weights, alignments[0], atol=1e-5)


@every_cell
def test_attentions_side_by_side_are_a_list_of_mechanisms(kind):
    attention = ParallelAttention([BahdanauAttention(DEPTH), LuongAttention("general", use_scale=True)])
    decoder, cell, first = both(kind, attention, feed="context", readout="plain")
    scores = (bahdanau_score, luong_score)
    mechanisms = [Mechanism(a, s) for a, s in zip(attention.attentions, scores, strict=True)]
    expected, cell_outputs, alignments = attention_wrapper(cell, mechanisms, first)
    outputs, weights = run(decoder, first)
    np.testing.assert_allclose(outputs, np.concatenate([expected, cell_outputs], axis=-1), atol=1e-5)
    np.testing.assert_allclose(weights, alignments.mean(axis=0), atol=1e-5)
