"""A stack of recurrent cells, used as one cell."""

import keras

from keras_attn.layers.checks import check_counts, check_shapes
from keras_attn.layers.recurrent_cells import make_cell, run_cell


@keras.saving.register_keras_serializable(package="keras_attn")
class StackedCells(keras.layers.Layer):
    """Layer l reads the output of layer l - 1; with `residual`, its own input is added to its output.

    Shapes: B batch, T time, E input width.

    Args:
        cell: `"gru"`, `"lstm"`, `"layer_norm_gru"` or `"gru_reset_after"`.
        units: width of every layer.
        num_layers: number of layers.
        residual: whether every layer but the first has a residual connection (Wu et al. 2016, section 3.1).
        dropout: rate of dropout between layers, in training (Zaremba et al. 2014).

    Call arguments:
        projected: `(B, G * units)`, `project(inputs)` of one time step.
        states: for each layer, a tuple of states.
        training: whether dropout is on.

    Returns:
        `(output, states)`: `(B, units)` and the states of every layer.

    Raises:
        ValueError: `units` or `num_layers` is no integer of at least 1, or an unknown cell.
    """

    def __init__(self, cell, units, *, num_layers=1, residual=False, dropout=0.0, **kwargs):
        super().__init__(**kwargs)
        check_counts(num_layers=num_layers)
        self.cell_name = cell
        self.units = units
        self.residual = residual
        self.cells = [
            make_cell(cell, units, dtype=self.dtype_policy, name=f"layer_{i}") for i in range(num_layers)
        ]
        self.dropout = keras.layers.Dropout(dropout, dtype=self.dtype_policy)

    def build(self, inputs_shape):
        for i, cell in enumerate(self.cells):
            cell.build(inputs_shape if i == 0 else (*inputs_shape[:-1], self.units))

    def project(self, inputs):
        """The first layer's input projection, `(..., E) -> (..., G * units)`."""
        return self.cells[0].project(inputs)

    def zero_states(self, batch):
        """The states before the first step: for each layer, a tuple of states."""
        return tuple(cell.zero_states(batch) for cell in self.cells)

    def checked_states(self, states, batch):
        """Converts states from outside to tuples of tuples, which a loop can carry; a model read from a file gives lists.

        Args:
            states: for each layer, a tuple of states `(batch, units)`.
            batch: the size of the batch. `None`: unknown.

        Raises:
            ValueError: the states are not one tuple per layer, or have another shape.
        """
        layers, count = len(self.cells), self.cells[0].state_count
        nested = _is_sequence(states) and all(_is_sequence(layer) for layer in states)
        if not nested or [len(layer) for layer in states] != [count] * layers:
            raise ValueError(
                f"initial_state must be a tuple of {layers} tuples, one per layer, of {count} tensors (batch, {self.units}). "
                f"Received: {keras.tree.map_structure(lambda x: tuple(x.shape), states)}."
            )
        states = tuple(tuple(layer) for layer in states)
        shapes = {
            f"initial_state[{i}][{j}]": (
                state,
                "batch, units",
                "A Bridge makes such states of any encoder's.",
            )
            for i, layer in enumerate(states)
            for j, state in enumerate(layer)
        }
        check_shapes({"batch": batch, "units": self.units}, **shapes)
        return states

    def call(self, projected, states, training=None):
        output, first = self.cells[0](projected, states[0])
        new = [first]
        for cell, state in zip(self.cells[1:], states[1:], strict=True):
            below = output
            output, state = cell(cell.project(self.dropout(below, training=training)), state)
            output = output + below if self.residual else output
            new.append(state)
        return output, tuple(new)

    def run(self, inputs, states, training=None):
        """The stack over whole sequences, layer by layer: `(B, T, E) -> (B, T, units)`, the same numbers as step by step.

        Returns:
            `(outputs, top)`: the stack's output, and the top layer's state (which differ by the residual connection).
        """
        output, _ = run_cell(self.cells[0], inputs, states[0])
        top = output
        for cell, state in zip(self.cells[1:], states[1:], strict=True):
            below = output
            top, _ = run_cell(cell, self.dropout(below, training=training), state)
            output = top + below if self.residual else top
        return output, top

    def get_config(self):
        return {
            **super().get_config(),
            "cell": self.cell_name,
            "units": self.units,
            "num_layers": len(self.cells),
            "residual": self.residual,
            "dropout": self.dropout.rate,
        }


def _is_sequence(x):
    return isinstance(x, list | tuple)
