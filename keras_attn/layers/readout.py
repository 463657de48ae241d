"""Combines a decoder state and its context into the vector that the output projection reads."""

import keras
from keras import ops

from keras_attn.layers.checks import check_counts

READOUTS = ("maxout", "attentional", "linear", "plain")


@keras.saving.register_keras_serializable(package="keras_attn")
class Readout(keras.layers.Layer):
    """`t = g(s_t, c_t, y_{t-1})`, in the forms used in the literature.

    - `"maxout"`: `t~ = U s_t + V y_{t-1} + C c_t + b`, `t_j = max(t~_j, t~_{j + units})`: the deep output of Bahdanau et al. 2015,
      appendix A.2.2. (The paper pairs neighbours, 2j - 1 and 2j: the same up to the order of rows. The appendix prints s_{i-1},
      but the paper's equation 4 has s_i; this follows equation 4.)
    - `"attentional"`: `tanh(W [c_t; s_t])`: the attentional vector of Luong et al. 2015, equation 5.
    - `"linear"`: `W [s_t; c_t]`: the attention layer of `AttentionWrapper` in tfa.seq2seq. (The state comes first, as there,
      so its kernel can be copied unchanged.)
    - `"plain"`: `[c_t; s_t]` unchanged, the `[a_t; s_t]` of CS224n.

    Shapes: `...` any leading dimensions, U state width, D context width, E input width.

    Args:
        kind: one of the four names.
        units: width of the result; leave it out for the plain readout.

    Call arguments:
        state: `(..., U)`.
        context: `(..., D)`, or `None` for a decoder without attention.
        inputs: `(..., E)`, the embedded previous target word.

    Returns:
        `(..., units)`, or `(..., D + U)` for the plain readout.

    Raises:
        ValueError: an unknown kind, units for the plain readout, or none or no integer of at least 1 for another.
    """

    def __init__(self, kind, units=None, **kwargs):
        super().__init__(**kwargs)
        if kind not in READOUTS:
            raise ValueError(f"readout must be one of {', '.join(READOUTS)}. Received: {kind!r}.")
        if (kind == "plain") != (units is None):
            raise ValueError(
                f"The plain readout takes no units; the others need them. Received: {kind!r}, units={units}."
            )
        self.kind = kind
        self.units = units
        if kind != "plain":
            check_counts(units=units)
            width = 2 * units if kind == "maxout" else units
            self.layer = keras.layers.Dense(
                width, use_bias=kind == "maxout", dtype=self.dtype_policy, name="layer"
            )

    def build(self, state_shape, inputs_shape, context_shape=None):
        width = state_shape[-1] + (context_shape[-1] if context_shape is not None else 0)
        if self.kind == "maxout":
            width += inputs_shape[-1]
        if self.kind != "plain":
            self.layer.build((None, width))
        self.width = self.units or width

    def call(self, state, inputs, context=None):
        contexts = [] if context is None else [context]
        parts = [state, *contexts] if self.kind == "linear" else [*contexts, state]
        if self.kind == "maxout":
            parts.append(inputs)
        joined = ops.concatenate(parts, axis=-1)
        if self.kind == "plain":
            return joined
        hidden = self.layer(joined)
        if self.kind == "linear":
            return hidden
        if self.kind == "attentional":
            return ops.tanh(hidden)
        return ops.maximum(*ops.split(hidden, 2, axis=-1))

    def get_config(self):
        return {**super().get_config(), "kind": self.kind, "units": self.units}
