import numpy as np
import pytest
from keras import ops

from keras_attn.layers.recurrent_cells import run_cell
from keras_attn.layers.stacked_cells import StackedCells

B, T, E, UNITS = 2, 4, 3, 5

random = np.random.default_rng(1)
X = random.normal(size=(B, T, E)).astype("float32")


def built(*args, **kwargs):
    stack = StackedCells(*args, **kwargs)
    stack.build(X.shape)
    return stack


def random_states(stack):
    shape = (len(stack.cells), stack.cells[0].state_count, B, UNITS)
    return tuple(map(tuple, random.normal(size=shape).astype("float32")))


@pytest.mark.parametrize("cell", ["gru", "lstm"])
@pytest.mark.parametrize("residual", [False, True])
def test_each_layer_reads_the_one_below(cell, residual):
    stack = built(cell, UNITS, num_layers=3, residual=residual)
    states = random_states(stack)
    layers = X
    for i in range(3):
        above = ops.convert_to_numpy(run_cell(stack.cells[i], layers, states[i])[0])
        layers = above + layers if residual and i > 0 else above
    np.testing.assert_allclose(ops.convert_to_numpy(stack.run(X, states)[0]), layers, atol=1e-6)


@pytest.mark.parametrize("residual", [False, True])
def test_step_by_step_gives_what_a_whole_sequence_gives(residual):
    stack = built("lstm", UNITS, num_layers=2, residual=residual)
    states = random_states(stack)
    outputs, top = stack.run(X, states)
    for t in range(T):
        output, states = stack(stack.project(X[:, t]), states)
        np.testing.assert_allclose(
            ops.convert_to_numpy(output), ops.convert_to_numpy(outputs[:, t]), atol=1e-6
        )
        np.testing.assert_allclose(
            ops.convert_to_numpy(states[-1][0]), ops.convert_to_numpy(top[:, t]), atol=1e-6
        )


def test_dropout_lies_between_layers_and_is_for_training_alone():
    one, two = built("gru", UNITS, num_layers=1, dropout=0.5), built("gru", UNITS, num_layers=2, dropout=0.5)

    def difference(stack):
        states = stack.zero_states(B)
        plain = stack.run(X, states, training=False)[0]
        return np.abs(ops.convert_to_numpy(stack.run(X, states, training=True)[0] - plain)).max()

    assert difference(one) == 0 and difference(two) > 0.01


def test_states_given_as_lists_become_tuples():
    stack = built("lstm", UNITS, num_layers=2)
    states = random_states(stack)
    assert stack.checked_states([list(layer) for layer in states], B) == states


@pytest.mark.parametrize(
    ("layers", "count"), [(1, 2), (3, 2), (2, 1)], ids=["too few", "too many", "without c"]
)
def test_states_of_another_stack_are_refused(layers, count):
    states = tuple(tuple(np.zeros((B, UNITS)) for _ in range(count)) for _ in range(layers))
    message = (
        r"initial_state must be a tuple of 2 tuples, one per layer, of 2 tensors \(batch, 5\)\. Received: "
    )
    with pytest.raises(ValueError, match=message):
        built("lstm", UNITS, num_layers=2).checked_states(states, B)


@pytest.mark.parametrize("states", [np.zeros((B, UNITS)), (np.zeros((B, UNITS)),)])
def test_a_bare_tensor_is_no_state(states):
    with pytest.raises(ValueError, match=r"Received: .*\(2, 5\)"):
        built("gru", UNITS, num_layers=1).checked_states(states, B)


@pytest.mark.parametrize("shape", [(1, UNITS), (B, UNITS + 1), (B, 1, UNITS)])
def test_states_of_another_shape_are_refused(shape):
    state = np.zeros((B, UNITS)), np.zeros(shape)
    with pytest.raises(ValueError, match=r"initial_state\[0\]\[1\] must be \(batch, units\), here \(2, 5\)"):
        built("lstm", UNITS).checked_states([state], B)


def test_states_may_come_before_their_batch_is_known():
    state = np.zeros((3, UNITS))
    assert built("gru", UNITS).checked_states([[state]], None) == ((state,),)


def test_no_layers_are_refused():
    with pytest.raises(ValueError, match=r"at least 1\. Received: num_layers=0"):
        StackedCells("gru", UNITS, num_layers=0)


def test_a_config_makes_the_same_stack():
    stack = StackedCells("lstm", UNITS, num_layers=3, residual=True, dropout=0.25, name="anything")
    assert StackedCells.from_config(stack.get_config()).get_config() == stack.get_config()
