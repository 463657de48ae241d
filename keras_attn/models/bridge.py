"""Computes the decoder's initial state from the encoder's final states."""

import keras
from keras import ops

from keras_attn.layers.checks import check_counts


@keras.saving.register_keras_serializable(package="keras_attn")
class Bridge(keras.layers.Layer):
    """`s_0 = tanh(W final + b)` for every state of every decoder layer (Bahdanau et al. 2015, appendix A.2.2).

    The paper reads only the backward half of `final`, which W can learn to do. Several final states, such as those of Keras' own
    recurrent layers, are concatenated.

    Args:
        units: width of the decoder's states.
        num_layers: depth of the decoder.
        state_count: states per layer, 1 for GRU and 2 for LSTM.

    Call arguments:
        final: `(B, F)`, or a list of such tensors.

    Returns:
        A tuple of `num_layers` tuples of `state_count` tensors `(B, units)`.

    Raises:
        ValueError: `units`, `num_layers` or `state_count` is no integer of at least 1.
    """

    def __init__(self, units: int, num_layers: int, *, state_count: int, **kwargs):
        super().__init__(**kwargs)
        check_counts(units=units, num_layers=num_layers, state_count=state_count)
        self.units = units
        self.num_layers = num_layers
        self.state_count = state_count
        self.layer = keras.layers.Dense(
            units * num_layers * state_count, activation="tanh", dtype=self.dtype_policy, name="dense"
        )

    def build(self, final_shape):
        shapes = final_shape if isinstance(final_shape[0], list | tuple) else [final_shape]
        self.layer.build((None, sum(shape[-1] for shape in shapes)))

    def call(self, final):
        final = ops.concatenate(final, axis=-1) if isinstance(final, list | tuple) else final
        states = ops.split(self.layer(final), self.num_layers * self.state_count, axis=-1)
        return tuple(tuple(states[i : i + self.state_count]) for i in range(0, len(states), self.state_count))

    def get_config(self):
        return {
            **super().get_config(),
            "units": self.units,
            "num_layers": self.num_layers,
            "state_count": self.state_count,
        }


@keras.saving.register_keras_serializable(package="keras_attn")
class CopyBridge(keras.layers.Layer):
    """`s_0 = final`: every decoder layer starts from the unchanged final states of the encoder (Luong et al. 2015).

    The encoder must return the states that a decoder layer has, in number and width: a `keras.layers.LSTM(units)` returns h and c.

    Args:
        num_layers: depth of the decoder.

    Call arguments:
        final: `(B, units)`, or a list of such tensors.

    Returns:
        A tuple of `num_layers` tuples of these tensors.

    Raises:
        ValueError: `num_layers` is no integer of at least 1. `Seq2Seq` refuses states that its decoder does not have.
    """

    def __init__(self, num_layers: int = 1, **kwargs):
        super().__init__(**kwargs)
        check_counts(num_layers=num_layers)
        self.num_layers = num_layers

    def call(self, final):
        layer = tuple(final) if isinstance(final, list | tuple) else (final,)
        return (layer,) * self.num_layers

    def get_config(self):
        return {**super().get_config(), "num_layers": self.num_layers}
