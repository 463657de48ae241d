"""Two cells that read the same sequences, one from left to right, the other from right to left."""

import keras
from keras import ops, tree

from keras_attn.layers import time_loop
from keras_attn.layers.recurrent_cells import run_cell


def run_both_ways(forward, backward, inputs, *, mask=None):
    """Runs one cell over whole sequences, and another over the same sequences from their end.

    Where launches count, both run in one loop, in which a product is a batch of two: see `benchmarks/log/xla_counts.md`.

    Args:
        forward, backward: built `RecurrentCell`s of the same kind and width.
        inputs: `(B, T, E)`.
        mask: boolean `(B, T)` or `None`; where it is `False`, the states pass through unchanged.

    Returns:
        `(outputs, final)`: `(B, T, 2 * units)`, forward before backward; and `(B, 2 * units)`, the last output of the forward cell
        and the backward cell's output at the first position.
    """
    run = _in_one_loop if time_loop.is_bound_by_launches() else _in_two_loops
    outputs, final = zip(*run(forward, backward, inputs, mask), strict=True)
    return ops.concatenate(outputs, axis=-1), ops.concatenate(final, axis=-1)


def _in_two_loops(forward, backward, inputs, mask):
    batch = ops.shape(inputs)[0]
    for cell in (forward, backward):
        outputs, states = run_cell(cell, inputs, cell.zero_states(batch), mask=mask, reverse=cell is backward)
        yield outputs, states[0]


def _in_one_loop(forward, backward, inputs, mask):
    both = _Both(forward, backward)
    if mask is not None:
        mask = ops.stack([mask, ops.flip(mask, axis=1)], axis=2)
    outputs, states = run_cell(both, inputs, both.zero_states(ops.shape(inputs)[0]), mask=mask)
    yield outputs[:, :, 0], states[0][:, 0]
    yield ops.flip(outputs[:, :, 1], axis=1), states[0][:, 1]


class _Both:
    """Two cells as one. Its tensors have an axis of two after those of batch and time; the time of the second runs back."""

    weights = variables = ()  # the loop finds them as values in `_values`

    def __init__(self, forward, backward):
        self._cells = forward, backward
        pairs = zip(forward.weights, backward.weights, strict=True)
        self._values = [ops.stack([one.value, other.value]) for one, other in pairs]

    def project(self, inputs):
        ahead, back = (cell.project(inputs) for cell in self._cells)
        return ops.stack([ahead, ops.flip(back, axis=1)], axis=2)

    def zero_states(self, batch):
        states = self._cells[0].zero_states(batch)
        return tree.map_structure(lambda state: ops.stack([state, state], axis=1), states)

    def __call__(self, projected, states):
        cell = self._cells[0]

        def one(direction):
            values, projected, states = direction
            with keras.StatelessScope(state_mapping=list(zip(cell.weights, values, strict=True))):
                return cell(projected, states)

        projected, states = tree.map_structure(_swap_batch_and_direction, (projected, states))
        said = ops.vectorized_map(one, (self._values, projected, states))
        return tree.map_structure(_swap_batch_and_direction, said)


def _swap_batch_and_direction(x):
    return ops.swapaxes(x, 0, 1)
