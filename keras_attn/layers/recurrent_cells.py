"""Recurrent cells with an input projection that can be moved out of the loop.

Keras' own cells multiply their input inside the loop over time. Here that product is a separate method, `project`: one large
product for a whole sequence instead of a small one per step. It is also where a decoder adds what it feeds back.
"""

import keras
from keras import ops

from keras_attn.layers.checks import check_counts
from keras_attn.layers.time_loop import unroll


class RecurrentCell(keras.layers.Layer):
    """`call(projected_t, states) -> (output_t, states)`, where `projected = project(inputs)` is `W x + b` for every gate.

    Shapes: B batch, T time, E input width, G gates.

    Args:
        units: width of the state.

    Raises:
        ValueError: `units` is no integer of at least 1.
    """

    gates = None
    state_count = None

    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        check_counts(units=units)
        self.units = units
        self.input_projection = keras.layers.Dense(
            self.gates * units, bias_initializer=self.initial_bias, dtype=self.dtype_policy, name="input"
        )

    def build(self, inputs_shape):
        self.input_projection.build(inputs_shape)

    def initial_bias(self, shape, dtype=None):
        """Initial value of the gates' biases, `(G * units,)`."""
        return ops.zeros(shape, dtype=dtype)

    def project(self, inputs):
        """`W x + b` of every gate, `(..., E) -> (..., G * units)`."""
        return self.input_projection(inputs)

    def zero_states(self, batch):
        """A tuple of `state_count` zero tensors `(batch, units)`."""
        return tuple(
            ops.zeros((batch, self.units), dtype=self.compute_dtype) for _ in range(self.state_count)
        )

    def get_config(self):
        return {**super().get_config(), "units": self.units}


@keras.saving.register_keras_serializable(package="keras_attn")
class GRUCell(RecurrentCell):
    """`h_t = (1 - z) h_{t-1} + z tanh(W x + U (r h_{t-1}))` with the gates `r, z = sigmoid(W x + U h_{t-1})`.

    The reset gate acts before the recurrent product, as in the papers (Keras' `reset_after=False`).

    Reference: Cho et al. 2014; Bahdanau, Cho and Bengio 2015, appendix A.1.1 and A.2.2.
    """

    gates = 3
    state_count = 1

    def build(self, inputs_shape):
        super().build(inputs_shape)
        self.gate_kernel = self.add_weight((self.units, 2 * self.units), "orthogonal", name="gate_kernel")
        self.candidate_kernel = self.add_weight(
            (self.units, self.units), "orthogonal", name="candidate_kernel"
        )

    def call(self, projected, states):
        (h,) = states
        x_reset, x_update, x_candidate = ops.split(projected, 3, axis=-1)
        h_reset, h_update = ops.split(ops.matmul(h, self.gate_kernel), 2, axis=-1)
        reset, update = ops.sigmoid(x_reset + h_reset), ops.sigmoid(x_update + h_update)
        candidate = ops.tanh(x_candidate + ops.matmul(reset * h, self.candidate_kernel))
        h = h + update * (candidate - h)
        return h, (h,)


@keras.saving.register_keras_serializable(package="keras_attn")
class ResetAfterGRUCell(RecurrentCell):
    """`h_t = (1 - z) h_{t-1} + z tanh(W x + r (U h_{t-1} + d))` with the gates `r, z = sigmoid(W x + U h_{t-1} + d)`.

    The reset gate acts after the recurrent product, which has its own bias d. This is Keras' `reset_after=True`, the default of
    `keras.layers.GRU`. `docs/guides/from_tfa_seq2seq.md` shows how to copy weights from there.

    Reference: Keras' `GRUCell`; cuDNN's GRU.
    """

    gates = 3
    state_count = 1

    def build(self, inputs_shape):
        super().build(inputs_shape)
        self.kernel = self.add_weight((self.units, 3 * self.units), "orthogonal", name="kernel")
        self.recurrent_bias = self.add_weight((3 * self.units,), "zeros", name="recurrent_bias")

    def call(self, projected, states):
        (h,) = states
        recurrent = ops.matmul(h, self.kernel) + self.recurrent_bias
        x_reset, x_update, x_candidate = ops.split(projected, 3, axis=-1)
        h_reset, h_update, h_candidate = ops.split(recurrent, 3, axis=-1)
        reset, update = ops.sigmoid(x_reset + h_reset), ops.sigmoid(x_update + h_update)
        candidate = ops.tanh(x_candidate + reset * h_candidate)
        h = h + update * (candidate - h)
        return h, (h,)


@keras.saving.register_keras_serializable(package="keras_attn")
class LSTMCell(RecurrentCell):
    """`c_t = f c_{t-1} + i tanh(g)`, `h_t = o tanh(c_t)`, each gate `W x + U h_{t-1} + b`; the forget gate's bias starts at 1.

    Reference: Hochreiter and Schmidhuber 1997; Gers et al. 2000; Jozefowicz et al. 2015 (the bias).
    """

    gates = 4
    state_count = 2

    def build(self, inputs_shape):
        super().build(inputs_shape)
        self.kernel = self.add_weight((self.units, 4 * self.units), "orthogonal", name="kernel")

    def initial_bias(self, shape, dtype=None):
        zeros = ops.zeros((self.units,), dtype=dtype)
        return ops.concatenate([zeros, zeros + 1, zeros, zeros])  # input, forget, candidate, output

    def call(self, projected, states):
        h, c = states
        gates = projected + ops.matmul(h, self.kernel)
        i, f, g, o = ops.split(gates, 4, axis=-1)
        c = ops.sigmoid(f) * c + ops.sigmoid(i) * ops.tanh(g)
        h = ops.sigmoid(o) * ops.tanh(c)
        return h, (h, c)


@keras.saving.register_keras_serializable(package="keras_attn")
class LayerNormGRUCell(RecurrentCell):
    """A GRU with layer-normalised products: N normalises over a product's width, with a trained scale and shift.

    `r, z = sigmoid(N(W x) + N(U h_{t-1}))`, `h_t = (1 - z) h_{t-1} + z tanh(N(W x) + r N(U h_{t-1}))`. The products for both gates
    are normalised together, those for the candidate separately. The reset gate acts after the product, as in the paper.

    Reference: Ba, Kiros and Hinton 2016, supplementary material, equations 22 to 25.
    """

    gates = 3
    state_count = 1

    def __init__(self, units, **kwargs):
        super().__init__(units, **kwargs)
        names = ("input_gates", "input_candidate", "state_gates", "state_candidate")
        self.norms = [
            keras.layers.LayerNormalization(dtype=self.dtype_policy, name=f"{name}_norm") for name in names
        ]

    def build(self, inputs_shape):
        super().build(inputs_shape)
        self.kernel = self.add_weight((self.units, 3 * self.units), "orthogonal", name="kernel")
        for norm, width in zip(self.norms, (2, 1, 2, 1), strict=True):
            norm.build((None, width * self.units))

    def call(self, projected, states):
        (h,) = states
        recurrent = ops.matmul(h, self.kernel)
        halves = [x for whole in (projected, recurrent) for x in self._gates_and_candidate(whole)]
        input_gates, input_candidate, state_gates, state_candidate = (
            norm(half) for norm, half in zip(self.norms, halves, strict=True)
        )
        reset, update = ops.split(ops.sigmoid(input_gates + state_gates), 2, axis=-1)
        candidate = ops.tanh(input_candidate + reset * state_candidate)
        h = h + update * (candidate - h)
        return h, (h,)

    def _gates_and_candidate(self, product):
        return product[:, : 2 * self.units], product[:, 2 * self.units :]


CELLS = {
    "gru": GRUCell,
    "lstm": LSTMCell,
    "layer_norm_gru": LayerNormGRUCell,
    "gru_reset_after": ResetAfterGRUCell,
}


def make_cell(kind, units, **kwargs):
    """A cell by its config name, `"gru"`, `"lstm"`, `"layer_norm_gru"` or `"gru_reset_after"`."""
    if kind not in CELLS:
        raise ValueError(f"cell must be one of {', '.join(CELLS)}. Received: {kind!r}.")
    return CELLS[kind](units, **kwargs)


def run_cell(cell, inputs, states, *, mask=None, reverse=False):
    """Runs a cell over whole sequences.

    Args:
        cell: a built `RecurrentCell`.
        inputs: `(B, T, E)`.
        states: tuple of `(B, units)`, before the first step.
        mask: boolean `(B, T)` or `None`; where it is `False`, the states pass through unchanged.
        reverse: whether to run from the last time step to the first.

    Returns:
        `(outputs, states)`: `(B, T, units)` in the order of the inputs, and the states after the last step.
    """

    def step(inputs_t, states):
        if mask is None:
            return cell(*inputs_t, states)
        projected_t, real = inputs_t
        _, new = cell(projected_t, states)
        states = tuple(ops.where(real, n, s) for n, s in zip(new, states, strict=True))
        return states[0], states

    looped, length = (cell.project(inputs),), None
    if mask is not None:
        looped += (ops.expand_dims(mask, -1),)
        counts = ops.sum(ops.cast(mask, "int32"), axis=1)
        length = ops.max(ops.pad(counts, [[0, 1], *[[0, 0]] * (len(mask.shape) - 2)]))  # 0 for no rows
    return unroll(step, looped, states, cell, reverse=reverse, length=length)
