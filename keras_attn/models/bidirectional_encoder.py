"""The bidirectional recurrent encoder."""

import keras

from keras_attn.layers.checks import check_counts
from keras_attn.layers.recurrent_cells import make_cell
from keras_attn.layers.two_directions import run_both_ways


@keras.saving.register_keras_serializable(package="keras_attn")
class BidirectionalEncoder(keras.layers.Layer):
    """`h_s = [h_s forward; h_s backward]`, the annotations of Bahdanau et al. 2015 (section 3.2), with any number of layers.

    Shapes: B batch, S source length, E input width.

    Args:
        units: width of each direction.
        cell: `"gru"`, `"lstm"`, `"layer_norm_gru"` or `"gru_reset_after"`.
        num_layers: depth; each layer reads both directions of the one below.
        residual: whether every layer but the first adds its input to its output.
        dropout: rate of dropout between layers, in training.

    Call arguments:
        inputs: `(B, S, E)`, S at least 1.
        mask: boolean `(B, S)`, `True` at real positions, which are on the left. `None`: all are real.
        training: whether dropout is on.

    Returns:
        `(memory, final)`: `(B, S, 2 * units)`, and `(B, 2 * units)`: the forward state after the last word and the backward state
        after the first, concatenated.

    Raises:
        ValueError: `units` or `num_layers` is no integer of at least 1, or an unknown cell.

    Masking: padding changes no state; the memory carries the mask.
    """

    def __init__(
        self,
        units: int,
        cell: str = "gru",
        *,
        num_layers: int = 1,
        residual: bool = False,
        dropout: float = 0.0,
        **kwargs,
    ):
        super().__init__(**kwargs)
        check_counts(num_layers=num_layers)
        self.supports_masking = True
        self.units = units
        self.cell = cell
        self.residual = residual
        names = [f"layer_{i}" for i in range(num_layers)]
        self.forward_cells = [
            make_cell(cell, units, dtype=self.dtype_policy, name=f"forward_{n}") for n in names
        ]
        self.backward_cells = [
            make_cell(cell, units, dtype=self.dtype_policy, name=f"backward_{n}") for n in names
        ]
        self.dropout = keras.layers.Dropout(dropout, dtype=self.dtype_policy)

    def build(self, inputs_shape):
        for cells in (self.forward_cells, self.backward_cells):
            for i, cell in enumerate(cells):
                cell.build(inputs_shape if i == 0 else (*inputs_shape[:-1], 2 * self.units))

    def call(self, inputs, mask=None, training=None):
        first, *others = zip(self.forward_cells, self.backward_cells, strict=True)
        outputs, final = run_both_ways(*first, inputs, mask=mask)
        for cells in others:
            below = outputs
            outputs, final = run_both_ways(*cells, self.dropout(below, training=training), mask=mask)
            outputs = outputs + below if self.residual else outputs
        return outputs, final

    def compute_output_spec(self, inputs, mask=None, training=None):
        """Computes the output shapes without tracing `call`, whose loops take most of the time that building a model needs."""
        width = 2 * self.units
        shapes = (*inputs.shape[:2], width), (inputs.shape[0], width)
        return tuple(keras.KerasTensor(shape, self.compute_dtype) for shape in shapes)

    def compute_mask(self, inputs, mask=None):
        return [mask, None]

    def get_config(self):
        return {
            **super().get_config(),
            "units": self.units,
            "cell": self.cell,
            "num_layers": len(self.forward_cells),
            "residual": self.residual,
            "dropout": self.dropout.rate,
        }
