import keras
import numpy as np
import pytest
from keras import ops

from keras_attn.layers.recurrent_cells import GRUCell, LSTMCell, make_cell, run_cell

B, T, E, UNITS = 3, 5, 4, 6

random = np.random.default_rng(1)
X = random.normal(size=(B, T, E)).astype("float32")
LENGTHS = [5, 3, 1]
MASK = np.arange(T) < np.array(LENGTHS)[:, None]

every_cell = pytest.mark.parametrize("kind", ["gru", "lstm", "layer_norm_gru", "gru_reset_after"])
both_directions = pytest.mark.parametrize("reverse", [False, True])


def built(kind):
    """A cell of random weights, biases among them."""
    cell = make_cell(kind, UNITS)
    cell.build(X.shape)
    for weight in cell.weights:
        weight.assign(0.5 * random.normal(size=weight.shape))
    return cell


def random_states(cell):
    return tuple(random.normal(size=(B, UNITS)).astype("float32") for _ in range(cell.state_count))


def run(*args, **kwargs):
    outputs, states = run_cell(*args, **kwargs)
    return ops.convert_to_numpy(outputs), [ops.convert_to_numpy(state) for state in states]


def weights(*variables):
    return [ops.convert_to_numpy(variable) for variable in variables]


def test_gru_is_keras_gru_with_the_reset_before_the_product():
    """Keras orders the gates z, r, h and keeps z of the old state where the papers keep 1 - z: -W gives 1 - z for z."""
    cell = built("gru")
    kernel, bias, recurrent, candidate = weights(
        cell.input_projection.kernel, cell.input_projection.bias, cell.gate_kernel, cell.candidate_kernel
    )
    r, z, h = np.split(np.vstack([kernel, bias]), 3, axis=1)
    inputs = np.hstack([-z, r, h])
    recurrent_r, recurrent_z = np.split(recurrent, 2, axis=1)
    theirs = keras.layers.GRU(UNITS, reset_after=False, return_sequences=True, return_state=True)
    theirs.build(X.shape)
    theirs.set_weights([inputs[:-1], np.hstack([-recurrent_z, recurrent_r, candidate]), inputs[-1]])
    states = random_states(cell)
    expected, state = theirs(X, initial_state=list(states))
    found, (found_state,) = run(cell, X, states)
    np.testing.assert_allclose(found, ops.convert_to_numpy(expected), atol=1e-5)
    np.testing.assert_allclose(found_state, ops.convert_to_numpy(state), atol=1e-5)


@both_directions
def test_gru_reset_after_takes_over_the_weights_of_a_keras_gru(reverse):
    """Keras orders the gates z, r, h and keeps z of the old state where ours keeps 1 - z: -W gives 1 - z for z."""
    theirs = keras.layers.GRU(UNITS, return_sequences=True, return_state=True)  # reset_after=True
    theirs.build(X.shape)
    theirs.set_weights([random.normal(size=weight.shape) for weight in theirs.weights])

    def reordered(matrix):
        z, r, h = np.split(matrix, 3, axis=-1)
        return np.concatenate([r, -z, h], axis=-1)

    kernel, recurrent, biases = (reordered(weight) for weight in theirs.get_weights())
    cell = built("gru_reset_after")
    cell.input_projection.set_weights([kernel, biases[0]])
    cell.kernel.assign(recurrent)
    cell.recurrent_bias.assign(biases[1])

    states = random_states(cell)
    steps = X[:, ::-1] if reverse else X
    expected, state = theirs(steps, initial_state=list(states))
    found, (found_state,) = run(cell, X, states, reverse=reverse)
    found = found[:, ::-1] if reverse else found
    np.testing.assert_allclose(found, ops.convert_to_numpy(expected), atol=1e-5)
    np.testing.assert_allclose(found_state, ops.convert_to_numpy(state), atol=1e-5)


def test_lstm_is_keras_lstm():
    cell = built("lstm")
    theirs = keras.layers.LSTM(UNITS, return_sequences=True, return_state=True)
    theirs.build(X.shape)
    projection = cell.input_projection
    theirs.set_weights(weights(projection.kernel, cell.kernel, projection.bias))
    states = random_states(cell)
    expected, *expected_states = theirs(X, initial_state=list(states))
    found, found_states = run(cell, X, states)
    np.testing.assert_allclose(found, ops.convert_to_numpy(expected), atol=1e-5)
    for a, b in zip(found_states, expected_states, strict=True):
        np.testing.assert_allclose(a, ops.convert_to_numpy(b), atol=1e-5)


def test_layer_norm_gru_follows_the_papers_equations():
    cell = built("layer_norm_gru")

    def norm(layer, x):
        scale, shift = weights(layer.gamma, layer.beta)
        centred = x - x.mean(axis=1, keepdims=True)
        return scale * centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + layer.epsilon) + shift

    def sigmoid(x):
        return 1 / (1 + np.exp(-x))

    kernel, bias, recurrent = weights(cell.input_projection.kernel, cell.input_projection.bias, cell.kernel)
    x, (h,) = X[:, 0], random_states(cell)
    wx, uh = x @ kernel + bias, h @ recurrent
    of_input_gates, of_input_candidate, of_state_gates, of_state_candidate = cell.norms
    gates = sigmoid(norm(of_input_gates, wx[:, : 2 * UNITS]) + norm(of_state_gates, uh[:, : 2 * UNITS]))
    r, z = np.split(gates, 2, axis=1)
    candidate = np.tanh(
        norm(of_input_candidate, wx[:, 2 * UNITS :]) + r * norm(of_state_candidate, uh[:, 2 * UNITS :])
    )
    output, _ = cell(cell.project(x), (h,))
    np.testing.assert_allclose(ops.convert_to_numpy(output), (1 - z) * h + z * candidate, atol=1e-5)


def test_the_forget_gate_alone_starts_open():
    cell = LSTMCell(UNITS)
    cell.build(X.shape)
    bias = ops.convert_to_numpy(cell.input_projection.bias).reshape(
        4, UNITS
    )  # input, forget, candidate, output
    np.testing.assert_array_equal(bias, np.repeat([[0], [1], [0], [0]], UNITS, axis=1))
    gru = GRUCell(UNITS)
    gru.build(X.shape)
    assert (ops.convert_to_numpy(gru.input_projection.bias) == 0).all()


@every_cell
def test_the_output_is_the_first_state(kind):
    cell = built(kind)
    output, states = cell(cell.project(X[:, 0]), random_states(cell))
    np.testing.assert_array_equal(ops.convert_to_numpy(output), ops.convert_to_numpy(states[0]))
    assert len(states) == cell.state_count


@every_cell
@both_directions
def test_padding_changes_nothing(kind, reverse):
    cell = built(kind)
    states = random_states(cell)
    outputs, final = run(cell, X, states, mask=MASK, reverse=reverse)
    for b, length in enumerate(LENGTHS):
        alone = [state[b : b + 1] for state in states]
        expected, expected_final = run(cell, X[b : b + 1, :length], tuple(alone), reverse=reverse)
        np.testing.assert_allclose(outputs[b, :length], expected[0], atol=1e-6)
        for found, wanted in zip(final, expected_final, strict=True):
            np.testing.assert_allclose(found[b], wanted[0], atol=1e-6)


@both_directions
def test_a_batch_may_end_before_its_last_column_and_its_longest_row_may_be_any(reverse):
    cell, lengths = built("gru"), [1, 4, 2]
    (states,) = random_states(cell)
    mask = np.arange(T) < np.array(lengths)[:, None]
    outputs, (final,) = run(cell, X, (states,), mask=mask, reverse=reverse)
    for b, length in enumerate(lengths):
        expected, (expected_final,) = run(cell, X[b : b + 1, :length], (states[b : b + 1],), reverse=reverse)
        np.testing.assert_allclose(outputs[b, :length], expected[0], atol=1e-6)
        np.testing.assert_allclose(final[b], expected_final[0], atol=1e-6)


@every_cell
def test_states_pass_through_padding(kind):
    cell = built(kind)
    outputs, final = run(cell, X, random_states(cell), mask=MASK)
    np.testing.assert_array_equal(outputs[2], np.repeat(outputs[2:, 0], T, axis=0))
    np.testing.assert_array_equal(outputs[:, -1], final[0])


@every_cell
def test_reverse_reads_the_sequence_backwards(kind):
    cell = built(kind)
    states = random_states(cell)
    outputs, final = run(cell, X, states, reverse=True)
    flipped_outputs, flipped_final = run(cell, X[:, ::-1], states)
    np.testing.assert_allclose(outputs, flipped_outputs[:, ::-1], atol=1e-6)
    for a, b in zip(final, flipped_final, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-6)


@every_cell
def test_a_config_makes_the_same_cell(kind):
    cell = make_cell(kind, UNITS, name="anything")
    assert type(cell).from_config(cell.get_config()).get_config() == cell.get_config()


def test_an_unknown_cell_is_refused_with_the_known_ones():
    with pytest.raises(
        ValueError, match=r"one of gru, lstm, layer_norm_gru, gru_reset_after\. Received: 'rnn'"
    ):
        make_cell("rnn", UNITS)


@every_cell
def test_no_units_are_refused(kind):
    with pytest.raises(ValueError, match=r"an integer of at least 1\. Received: units=0"):
        make_cell(kind, 0)
