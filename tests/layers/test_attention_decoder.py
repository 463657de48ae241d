import itertools
import json

import keras
import numpy as np
import pytest
from keras import ops

from keras_attn.layers import (
    AttentionDecoder,
    BahdanauAttention,
    CoverageAttention,
    LocalMonotonicAttention,
    LocalPredictiveAttention,
    LuongAttention,
    LuongMonotonicAttention,
    MonotonicAttention,
    ParallelAttention,
)

B, T, S, E, D, UNITS, READOUT = 2, 4, 5, 3, 4, 6, 8

random = np.random.default_rng(1)
X = random.normal(size=(B, T, E)).astype("float32")
MEMORY = random.normal(size=(B, S, D)).astype("float32")
MASK = np.arange(S) < np.array([[5], [2]])


def numbers(nest):
    return keras.tree.map_structure(ops.convert_to_numpy, nest)


def built(attention=None, **kwargs):
    if kwargs.get("readout") != "plain":
        kwargs.setdefault("readout_units", READOUT)
    decoder = AttentionDecoder(UNITS, attention, **kwargs)
    decoder.build(X.shape, MEMORY.shape)
    for weight in decoder.trainable_variables:  # biases, too, are not zero
        weight.assign(random.normal(size=weight.shape) * 0.5)
    return decoder


def random_state(decoder):
    shape = (len(decoder.cells.cells), decoder.cells.cells[0].state_count, B, UNITS)
    return tuple(map(tuple, random.normal(size=shape).astype("float32")))


def by_steps(decoder, x, memory, initial_state=None, mask=None):
    """Outputs `(B, T, R)`, weights `(B, T, S)` and the top layer's states `(B, T, U)` of a Python loop over `step`."""
    keys, state = decoder.precompute(memory), decoder.first_state(memory, initial_state)
    outputs, weights, states = [], [], []
    for t in range(x.shape[1]):
        output, state, weights_t = decoder.step(x[:, t], state, memory, keys, mask)
        outputs.append(output)
        weights.append(weights_t)
        states.append(state["cells"][-1][0])
    return ops.stack(outputs, 1), None if weights_t is None else ops.stack(weights, 1), ops.stack(states, 1)


def all_combinations():
    """Every query state, feed and readout, each with some attention and some stack."""
    attentions = itertools.cycle(
        [
            lambda: BahdanauAttention(5),
            lambda: LuongAttention("general", use_scale=True),
            lambda: CoverageAttention(5),
            lambda: BahdanauAttention(5, num_heads=2),
            lambda: BahdanauAttention(5, normalize=True),
            lambda: LocalPredictiveAttention("general", window=2),
            lambda: LuongAttention("concat", units=5),
            lambda: MonotonicAttention(5, initial_bias=1.0),
            lambda: LocalMonotonicAttention("general", window=1),
            lambda: LuongAttention("general"),
            lambda: LuongMonotonicAttention("general", inference="soft"),
            lambda: ParallelAttention([BahdanauAttention(5), LocalMonotonicAttention("general", window=1)]),
            lambda: ParallelAttention([LuongAttention("general"), LuongAttention("general")]),
        ]
    )
    stacks = itertools.cycle(
        [
            {"cell": "gru"},
            {"cell": "lstm", "num_layers": 2},
            {"cell": "gru", "num_layers": 3, "residual": True},
            {"cell": "lstm"},
            {"cell": "gru", "num_layers": 2},
            {"cell": "lstm", "num_layers": 2, "residual": True},
            {"cell": "gru_reset_after"},
            {"cell": "gru", "num_layers": 2, "residual": True},
        ]
    )
    choices = itertools.product(
        ("previous", "current"),
        ("context", "attentional", "none"),
        ("maxout", "attentional", "linear", "plain"),
    )
    for query_state, feed, readout in choices:
        kwargs = {"query_state": query_state, "feed": feed, "readout": readout, **next(stacks)}
        yield pytest.param(next(attentions), kwargs, id="-".join(map(str, kwargs.values())))
    for readout in ("maxout", "attentional", "linear", "plain"):
        kwargs = {"query_state": "intermediate", "readout": readout, **next(stacks), "residual": False}
        yield pytest.param(next(attentions), kwargs, id="-".join(map(str, kwargs.values())))
    for readout, stack in itertools.product(("maxout", "plain"), itertools.islice(stacks, 2)):
        kwargs = {"feed": "none", "readout": readout, **stack}
        yield pytest.param(lambda: None, kwargs, id="no attention-" + "-".join(map(str, kwargs.values())))


@pytest.mark.parametrize(("attention", "kwargs"), list(all_combinations()))
def test_steps_and_the_unrolled_call_give_the_same_numbers(attention, kwargs):
    decoder = built(attention(), **kwargs)
    state = random_state(decoder)
    options = {"initial_state": state, "memory_mask": MASK, "return_states": True}
    outputs, *weights, states = decoder(
        X, MEMORY, return_attention_scores=decoder.attention is not None, **options
    )
    expected, expected_weights, expected_states = by_steps(decoder, X, MEMORY, state, MASK)
    np.testing.assert_allclose(numbers(outputs), numbers(expected), atol=1e-5)
    np.testing.assert_allclose(numbers(states), numbers(expected_states), atol=1e-5)
    if decoder.attention is not None:
        np.testing.assert_allclose(numbers(weights[0]), numbers(expected_weights), atol=1e-5)
        assert (numbers(weights[0])[1, :, 2:] == 0).all()


# -- the papers, one vector at a time --------------------------------------------------------------------------------


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softmax(x):
    return np.exp(x) / np.exp(x).sum()


def test_bahdanaus_decoder_is_that_of_the_papers_appendix():
    """Appendix A.1.2 and A.2.2, with s_i in the deep output, as in equation 4."""
    decoder = built(BahdanauAttention(5))
    cell = decoder.cells.cells[0]
    w_r, w_z, w = np.split(numbers(cell.input_projection.kernel).T, 3)
    b_r, b_z, b = np.split(numbers(cell.input_projection.bias), 3)
    u_r, u_z = np.split(numbers(cell.gate_kernel).T, 2)
    u = numbers(cell.candidate_kernel).T
    c_r, c_z, c = np.split(numbers(decoder.feed_projection.kernel).T, 3)
    w_a = numbers(decoder.attention.query_layer.kernel).T
    u_a = numbers(decoder.attention.key_layer.kernel).T
    v_a = numbers(decoder.attention.vector)
    deep, deep_bias = numbers(decoder.readout.layer.kernel).T, numbers(decoder.readout.layer.bias)
    c_o, u_o, v_o = np.split(deep, [D, D + UNITS], axis=1)
    first = random_state(decoder)
    outputs, weights = numbers(
        decoder(X, MEMORY, initial_state=first, memory_mask=MASK, return_attention_scores=True)
    )

    for n, length in enumerate(MASK.sum(1)):
        s = first[0][0][n]
        for i, y in enumerate(X[n]):
            h = MEMORY[n, :length]
            alpha = softmax(np.array([v_a @ np.tanh(w_a @ s + u_a @ h_j) for h_j in h]))
            context = sum(alpha[j] * h[j] for j in range(length))
            r = sigmoid(w_r @ y + u_r @ s + c_r @ context + b_r)
            z = sigmoid(w_z @ y + u_z @ s + c_z @ context + b_z)
            proposal = np.tanh(w @ y + u @ (r * s) + c @ context + b)
            s = (1 - z) * s + z * proposal
            t = u_o @ s + v_o @ y + c_o @ context + deep_bias
            np.testing.assert_allclose(outputs[n, i], np.maximum(t[:READOUT], t[READOUT:]), atol=1e-5)
            np.testing.assert_allclose(weights[n, i, :length], alpha, atol=1e-5)


@pytest.mark.parametrize("num_layers", [1, 2])
def test_the_intermediate_state_asks_and_the_context_takes_it_to_the_next(num_layers):
    """Sennrich et al. 2017, section 2: REC1 reads y_{j-1}, the attention is asked by s'_j, REC2 reads c_j.

    Of two layers, the lower one goes through REC1 alone, and the upper one reads it.
    """
    decoder = built(BahdanauAttention(5), num_layers=num_layers, query_state="intermediate", readout="plain")

    def gru(cell, x, s):
        w_r, w_z, w = np.split(numbers(cell.input_projection.kernel).T, 3)
        b_r, b_z, b = np.split(numbers(cell.input_projection.bias), 3)
        u_r, u_z = np.split(numbers(cell.gate_kernel).T, 2)
        r, z = sigmoid(w_r @ x + u_r @ s + b_r), sigmoid(w_z @ x + u_z @ s + b_z)
        return (1 - z) * s + z * np.tanh(w @ x + numbers(cell.candidate_kernel).T @ (r * s) + b)

    w_a = numbers(decoder.attention.query_layer.kernel).T
    u_a = numbers(decoder.attention.key_layer.kernel).T
    v_a = numbers(decoder.attention.vector)
    first = random_state(decoder)
    outputs = numbers(decoder(X, MEMORY, initial_state=first, memory_mask=MASK))

    for n, length in enumerate(MASK.sum(1)):
        *lower, s = (state[n] for (state,) in first)
        for i, y in enumerate(X[n]):
            h, x = MEMORY[n, :length], y
            for layer, below in enumerate(lower):
                x = lower[layer] = gru(decoder.cells.cells[layer], x, below)
            between = gru(decoder.cells.cells[-1], x, s)
            context = softmax(np.array([v_a @ np.tanh(w_a @ between + u_a @ h_j) for h_j in h])) @ h
            s = gru(decoder.transition, context, between)
            np.testing.assert_allclose(outputs[n, i], np.concatenate([context, s]), atol=1e-5)


def test_luongs_decoder_feeds_the_attentional_vector_into_the_next_step():
    """Section 3.1, equations 5 and 6, and section 3.3, over an LSTM."""
    decoder = built(
        LuongAttention("general"),
        cell="lstm",
        query_state="current",
        feed="attentional",
        readout="attentional",
    )
    cell = decoder.cells.cells[0]
    kernel, fed = numbers(cell.input_projection.kernel), numbers(decoder.feed_projection.kernel)
    w = np.concatenate([kernel, fed, numbers(cell.kernel)]).T  # reads [y; h~; h]
    b = numbers(cell.input_projection.bias)
    w_a, w_c = (numbers(k).T for k in (decoder.attention.key_layer.kernel, decoder.readout.layer.kernel))
    first = random_state(decoder)
    outputs = numbers(decoder(X, MEMORY, initial_state=first, memory_mask=MASK))

    for n, length in enumerate(MASK.sum(1)):
        h, c = (state[n] for state in first[0])
        attentional = np.zeros(READOUT)
        for i, y in enumerate(X[n]):
            i_gate, f_gate, g, o_gate = np.split(w @ np.concatenate([y, attentional, h]) + b, 4)
            c = sigmoid(f_gate) * c + sigmoid(i_gate) * np.tanh(g)
            h = sigmoid(o_gate) * np.tanh(c)
            a = softmax(np.array([h @ (w_a @ h_s) for h_s in MEMORY[n, :length]]))
            context = sum(a[s] * MEMORY[n, s] for s in range(length))
            attentional = np.tanh(w_c @ np.concatenate([context, h]))
            np.testing.assert_allclose(outputs[n, i], attentional, atol=1e-5)


def test_cs224n_puts_context_and_state_side_by_side():
    """Dot product of s_t with every encoder state; [a_t; s_t] goes on to the output; nothing is fed back."""
    decoder = AttentionDecoder(
        UNITS, LuongAttention("dot"), query_state="current", feed="none", readout="plain"
    )
    memory = random.normal(size=(B, S, UNITS)).astype("float32")
    outputs = numbers(decoder(X, memory))
    states = numbers(decoder.cells.run(X, decoder.cells.zero_states(B))[0])
    for n, t in np.ndindex(B, T):
        s = states[n, t]
        alpha = softmax(np.array([s @ h for h in memory[n]]))
        a = sum(alpha[i] * memory[n, i] for i in range(S))
        np.testing.assert_allclose(outputs[n, t], np.concatenate([a, s]), atol=1e-5)


@pytest.mark.parametrize("stack", [{}, {"num_layers": 2}, {"num_layers": 2, "residual": True}], ids=str)
def test_jurafsky_and_martins_previous_state_asks_and_its_context_conditions_the_next(stack):
    """h_t = g(y_{t-1}, h_{t-1}, c_t), with c_t from the bilinear h_{t-1} W_s h_j^e of two widths; of a stack the top state asks."""
    decoder = built(LuongAttention("general"), readout="plain", **stack)
    w_s = numbers(decoder.attention.key_layer.kernel).T  # [UNITS, D]
    states = random_state(decoder)
    outputs = numbers(decoder(X, MEMORY, initial_state=states))
    for t in range(T):
        context = np.zeros((B, D), "float32")
        (h,) = states[-1]
        for n in range(B):
            alpha = softmax(np.array([h[n] @ w_s @ h_e for h_e in MEMORY[n]]))
            context[n] = sum(alpha[j] * MEMORY[n, j] for j in range(S))
        projected = decoder.cells.project(X[:, t]) + decoder.feed_projection(context)
        output, states = numbers(decoder.cells(projected, states))
        np.testing.assert_allclose(outputs[:, t], np.concatenate([context, output], axis=-1), atol=1e-5)


def test_without_attention_the_memory_does_not_matter():
    decoder = built(feed="none")
    state = random_state(decoder)
    np.testing.assert_array_equal(
        numbers(decoder(X, MEMORY, initial_state=state)), numbers(decoder(X, -MEMORY, initial_state=state))
    )


# -- invariances -----------------------------------------------------------------------------------------------------

DECODERS = {
    "bahdanau": lambda **kw: built(BahdanauAttention(5, dropout=kw.get("dropout", 0)), **kw),
    "luong": lambda **kw: built(
        LuongAttention("general"),
        cell="lstm",
        num_layers=2,
        residual=True,
        query_state="current",
        feed="attentional",
        readout="attentional",
        **kw,
    ),
    "cs224n": lambda **kw: built(
        LuongAttention("general"), query_state="current", feed="none", readout="plain", num_layers=2, **kw
    ),
    "parallel": lambda **kw: built(
        ParallelAttention([CoverageAttention(5, dropout=kw.get("dropout", 0)), LuongAttention("general")]),
        cell="gru_reset_after",
        query_state="current",
        readout="linear",
        **kw,
    ),
}
every_decoder = pytest.mark.parametrize("make", DECODERS.values(), ids=DECODERS.keys())


@every_decoder
def test_padding_of_the_memory_cannot_change_the_output(make):
    decoder = make()
    longer = np.concatenate([np.where(MASK[..., None], MEMORY, 50), 9 * MEMORY], axis=1, dtype="float32")
    longer_mask = np.concatenate([MASK, np.zeros_like(MASK)], axis=1)
    np.testing.assert_allclose(
        numbers(decoder(X, longer, memory_mask=longer_mask)),
        numbers(decoder(X, MEMORY, memory_mask=MASK)),
        atol=1e-5,
    )


@every_decoder
def test_a_memory_of_padding_alone_gives_finite_outputs(make):
    outputs, weights = numbers(
        make()(X, MEMORY, memory_mask=np.zeros_like(MASK), return_attention_scores=True)
    )
    assert np.isfinite(outputs).all() and (weights == 0).all()


@every_decoder
def test_later_inputs_cannot_change_earlier_outputs(make):
    decoder, changed = make(), X.copy()
    changed[:, 2:] += 1
    before, after = numbers(decoder(X, MEMORY)), numbers(decoder(changed, MEMORY))
    np.testing.assert_allclose(after[:, :2], before[:, :2], atol=1e-6)
    assert (np.abs(after[:, 2:] - before[:, 2:]).max(-1) > 1e-3).all()


@every_decoder
def test_one_step_is_enough(make):
    decoder = make()
    np.testing.assert_allclose(
        numbers(decoder(X[:, :1], MEMORY)), numbers(decoder(X, MEMORY))[:, :1], atol=1e-6
    )


@every_decoder
def test_states_may_be_asked_for_without_weights(make):
    decoder = make()
    outputs, states = numbers(decoder(X, MEMORY, return_states=True))
    expected, _, expected_states = numbers(
        decoder(X, MEMORY, return_attention_scores=True, return_states=True)
    )
    np.testing.assert_array_equal(outputs, expected)
    np.testing.assert_array_equal(states, expected_states)


@every_decoder
def test_the_initial_state_matters_and_zeros_are_the_default(make):
    decoder = make()
    zeros = decoder.cells.zero_states(B)
    outputs = numbers(decoder(X, MEMORY))
    np.testing.assert_array_equal(numbers(decoder(X, MEMORY, initial_state=zeros)), outputs)
    other = numbers(decoder(X, MEMORY, initial_state=random_state(decoder)))
    assert (np.abs(other - outputs).max(-1) > 1e-3).all()


@every_decoder
def test_the_hypotheses_of_a_sentence_share_its_memory(make):
    """N = 3 B rows, sentence by sentence, over B memories, is the same as over each memory repeated."""
    decoder = make()
    inputs = random.normal(size=(3 * B, T, E)).astype("float32")
    memory = np.repeat(MEMORY, 3, axis=0)
    expected, expected_weights, _ = by_steps(decoder, inputs, memory, mask=np.repeat(MASK, 3, axis=0))

    state = keras.tree.map_structure(lambda x: ops.repeat(x, 3, axis=0), decoder.first_state(MEMORY))
    keys = decoder.precompute(MEMORY)
    for t in range(T):
        output, state, weights = decoder.step(inputs[:, t], state, MEMORY, keys, MASK)
        np.testing.assert_allclose(numbers(output), numbers(expected)[:, t], atol=1e-5)
        np.testing.assert_allclose(numbers(weights), numbers(expected_weights)[:, t], atol=1e-5)


@every_decoder
def test_a_step_gives_a_state_of_the_structure_it_was_given(make):
    """What a loop over steps, such as search, needs."""
    decoder = make()
    before = decoder.first_state(MEMORY)
    _, after, _ = decoder.step(X[:, 0], before, MEMORY, decoder.precompute(MEMORY))
    keras.tree.assert_same_structure(before, after)
    for a, b in zip(keras.tree.flatten(before), keras.tree.flatten(after), strict=True):
        assert a.shape == b.shape and a.dtype == b.dtype


@every_decoder
def test_the_gradient_of_the_unrolled_call_is_that_of_a_loop_of_steps(make, weight_gradients):
    decoder = make()
    x, memory = ops.convert_to_tensor(X[:, :3]), ops.convert_to_tensor(MEMORY)
    found = weight_gradients(lambda: ops.sum(ops.sin(decoder(x, memory, memory_mask=MASK))), decoder)
    wanted = weight_gradients(lambda: ops.sum(ops.sin(by_steps(decoder, x, memory, mask=MASK)[0])), decoder)
    for a, b in zip(found, wanted, strict=True):
        assert np.isfinite(a).all() and (a != 0).any()
        np.testing.assert_allclose(a, b, atol=1e-4)


# -- in Keras --------------------------------------------------------------------------------------------------------


def test_keras_fills_the_memory_mask_and_carries_the_mask_of_the_inputs():
    source, target = np.array([[3, 5, 0], [4, 0, 0]]), np.array([[1, 2], [1, 0]])
    embed = keras.layers.Embedding(9, D, mask_zero=True)
    decoder = AttentionDecoder(UNITS, BahdanauAttention(5), readout_units=READOUT)
    outputs, weights = decoder(embed(target), embed(source), return_attention_scores=True)
    assert (numbers(weights).transpose(1, 0, 2)[:, source == 0] == 0).all()
    np.testing.assert_array_equal(numbers(outputs._keras_mask), target != 0)


@pytest.mark.parametrize("name", [*DECODERS, "without attention"])
def test_a_saved_decoder_gives_the_same_numbers(name, tmp_path):
    decoder = DECODERS[name](dropout=0.25) if name in DECODERS else built(feed="none", cell="lstm")
    state = random_state(decoder)
    inputs = keras.Input((None, E)), keras.Input((None, D)), keras.tree.map_structure(_input_like, state)
    model = keras.Model(inputs, decoder(inputs[0], inputs[1], initial_state=inputs[2]))
    model.save(tmp_path / "model.keras")
    loaded = keras.models.load_model(tmp_path / "model.keras")
    arguments = X, MEMORY, state
    np.testing.assert_array_equal(numbers(loaded(arguments)), numbers(model(arguments)))
    again = loaded.get_layer(decoder.name)
    if decoder.attention is not None:
        configs = [json.dumps(d.attention.get_config()) for d in (again, decoder)]
        assert configs[0] == configs[1]
    without_attention = [{**d.get_config(), "attention": None} for d in (again, decoder)]
    assert without_attention[0] == without_attention[1]


def _input_like(state):
    return keras.Input(state.shape[1:])


@every_decoder
def test_a_functional_model_can_return_the_weights(make):
    decoder = make()
    x, memory = keras.Input((None, E)), keras.Input((None, D))
    model = keras.Model([x, memory], decoder(x, memory, return_attention_scores=True))
    expected = decoder(X, MEMORY, return_attention_scores=True)
    for a, b in zip(model([X, MEMORY]), expected, strict=True):
        np.testing.assert_allclose(numbers(a), numbers(b), atol=1e-6)


def shapes_and_dtypes(nest):
    return [(tuple(x.shape), keras.backend.standardize_dtype(x.dtype)) for x in keras.tree.flatten(nest)]


@every_decoder
@pytest.mark.parametrize("policy", ["float32", "mixed_float16"])
def test_a_functional_model_knows_the_shapes_and_dtypes_before_anything_is_computed(make, policy):
    decoder = make(dtype=policy)
    asked = {"return_attention_scores": True, "return_states": True}
    said = decoder(keras.KerasTensor(X.shape), keras.KerasTensor(MEMORY.shape), **asked)
    assert shapes_and_dtypes(said) == shapes_and_dtypes(decoder(X, MEMORY, **asked))
    alone = decoder(keras.Input((None, E)), keras.Input((None, D)))
    assert shapes_and_dtypes(alone) == [((None, None, said[0].shape[-1]), said[0].dtype)]


class ForgotTheKeys(BahdanauAttention):
    """Multiplies the query with the memory, which is not as wide."""

    def step(self, query, memory, keys, mask, carry, training=None):
        return super().step(
            ops.matmul(query, ops.swapaxes(memory, 1, 2)), memory, keys, mask, carry, training
        )


@pytest.mark.parametrize(
    "attention",
    [lambda: ForgotTheKeys(5), lambda: ParallelAttention([LuongAttention("general"), ForgotTheKeys(5)])],
    ids=["alone", "beside another"],
)
def test_a_mistake_in_somebodys_own_attention_shows_when_the_model_is_built(attention):
    decoder = AttentionDecoder(UNITS, attention())
    with pytest.raises((ValueError, TypeError, RuntimeError), match=r"4.*6|6.*4"):
        decoder(keras.Input((None, E)), keras.Input((None, D)))


@every_decoder
def test_mixed_precision_gives_half_outputs_and_float32_weights(make, mixed_float16):
    decoder = make(dropout=0.1)
    outputs, weights = numbers(decoder(X, MEMORY, return_attention_scores=True))
    assert outputs.dtype == np.float16 and weights.dtype == np.float32
    expected, *_ = numbers(by_steps(decoder, X.astype("float16"), MEMORY.astype("float16")))
    np.testing.assert_allclose(outputs, expected, atol=2e-2)


@pytest.mark.parametrize("feed", ["context", "attentional", "none"])
def test_the_attention_may_have_a_dtype_policy_of_its_own(feed):
    for query_state in ("previous", "current", *(["intermediate"] if feed == "context" else [])):
        decoder = AttentionDecoder(
            UNITS,
            BahdanauAttention(5),
            query_state=query_state,
            feed=feed,
            readout="plain",
            dtype="mixed_float16",
        )
        assert numbers(decoder(X, MEMORY)).dtype == np.float16


@every_decoder
def test_dropout_is_for_training_alone_and_differs_from_call_to_call(make):
    decoder = make(dropout=0.5)
    plain = numbers(decoder(X, MEMORY))
    np.testing.assert_array_equal(numbers(decoder(X, MEMORY, training=False)), plain)
    first, second = (numbers(decoder(X, MEMORY, training=True)) for _ in range(2))
    assert (first != plain).any() and (first != second).any()


@pytest.mark.parametrize("name", ["bahdanau", "luong"])
def test_dropout_inside_the_loop_works_in_compiled_training(name):
    """Two training steps of learning rate 0 on one batch differ by dropout alone."""
    decoder = DECODERS[name](dropout=0.5)
    inputs = keras.Input((None, E)), keras.Input((None, D))
    model = keras.Model(inputs, decoder(*inputs))
    model.compile(keras.optimizers.SGD(0.0), "mse")
    seeds = [v for v in decoder.variables if all(v is not w for w in decoder.weights)]
    before = numbers(seeds)
    first, second = (model.train_on_batch([X, MEMORY], np.zeros((B, T, READOUT))) for _ in range(2))
    assert abs(first - second) > 1e-4
    if keras.backend.backend() != "torch":  # whose dropout has a generator of its own
        assert any((a != b).any() for a, b in zip(before, numbers(seeds), strict=True))


# -- errors ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        (
            {"query_state": "next"},
            r"query_state must be one of previous, current, intermediate\. Received: 'next'",
        ),
        (
            {"query_state": "intermediate", "feed": "none"},
            r"the context enters the state: set feed='context'\. Received: 'none'",
        ),
        (
            {"query_state": "intermediate", "residual": True, "num_layers": 2},
            r"the second transition ends a step.*: set residual=False",
        ),
        ({"feed": "state"}, r"feed must be one of context, attentional, none\. Received: 'state'"),
        ({"attention": None}, r"Without attention .* set feed='none'\. Received: 'context'"),
        (
            {"cell": "rnn"},
            r"cell must be one of gru, lstm, layer_norm_gru, gru_reset_after\. Received: 'rnn'",
        ),
        ({"num_layers": 0}, r"an integer of at least 1\. Received: num_layers=0"),
        (
            {"readout": "deep"},
            r"readout must be one of maxout, attentional, linear, plain\. Received: 'deep'",
        ),
        ({"readout": "plain"}, r"The plain readout takes no units"),
        ({"attention": "bahdanau"}, r"attention must be an attention layer, such as BahdanauAttention\("),
        (
            {"attention": BahdanauAttention},
            r"attention must be an attention layer, such as BahdanauAttention\(",
        ),
    ],
)
def test_a_choice_that_cannot_be_is_refused(kwargs, message):
    arguments = {"attention": BahdanauAttention(5), "readout_units": READOUT, **kwargs}
    with pytest.raises(ValueError, match=message):
        AttentionDecoder(UNITS, **arguments)


def test_dot_with_unequal_widths_says_what_to_use_instead():
    decoder = AttentionDecoder(UNITS, LuongAttention("dot"), readout="plain")
    with pytest.raises(ValueError, match=r"equal width.*Use score='general'"):
        decoder(X, MEMORY)


def test_an_initial_state_of_another_form_is_refused():
    with pytest.raises(ValueError, match=r"tuple of 1 tuples, one per layer, of 1 tensors \(batch, 6\)"):
        built(BahdanauAttention(5))(X, MEMORY, initial_state=[np.zeros((B, UNITS))])


def test_a_decoder_without_weights_cannot_step():
    decoder = AttentionDecoder(UNITS, BahdanauAttention(5), readout="plain")
    for use in (decoder.precompute, lambda memory: decoder.step(X[:, 0], {}, memory, None)):
        with pytest.raises(ValueError, match=r"no weights yet: call it once, or `build\(inputs_shape"):
            use(MEMORY)


@every_decoder
@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"inputs": np.zeros((B, T))}, r"inputs must be .*Received: \(2, 4\)\. Embed ids first"),
        ({"inputs": X[:, :0]}, r"inputs must be .* at least one of each.*Received: \(2, 0, 3\)"),
        ({"memory": MEMORY[:, 0]}, r"memory must be \(batch, positions, width\).*Received: \(2, 4\)"),
        ({"memory": MEMORY[:1]}, r"memory must be .*, here \(2, None, None\).*Received: \(1, 5, 4\)"),
        ({"memory_mask": MASK[:, :4]}, r"memory_mask must be .*, here \(2, 5\).*Received: \(2, 4\)"),
    ],
    ids=["ids", "no words", "states", "batch", "mask"],
)
def test_shapes_that_do_not_fit_together_are_refused(make, changed, message):
    with pytest.raises(ValueError, match=message):
        make()(**{"inputs": X, "memory": MEMORY, **changed})


def test_an_initial_state_of_another_batch_is_refused():
    decoder = built(BahdanauAttention(5))
    with pytest.raises(
        ValueError, match=r"initial_state\[0\]\[0\] must be .* here \(2, 6\).*Received: \(1, 6\)"
    ):
        decoder(X, MEMORY, initial_state=decoder.cells.zero_states(1))


def test_inputs_of_unknown_width_are_refused():
    with pytest.raises(ValueError, match="inputs must have a last axis of known size"):
        AttentionDecoder(UNITS, feed="none")(keras.Input((None, None)), keras.Input((None, D)))


def test_weights_of_a_decoder_without_attention_are_refused():
    with pytest.raises(ValueError, match="without attention has no attention scores"):
        built(feed="none")(X, MEMORY, return_attention_scores=True)


def test_a_readout_without_a_width_has_that_of_the_state():
    assert AttentionDecoder(6, BahdanauAttention(5)).readout.units == 6
    assert AttentionDecoder(6, BahdanauAttention(5), readout="plain").readout.units is None
