"""A Transformer encoder for the recurrent decoder, as in Chen et al. 2018 and in production hybrid models."""

import keras
import numpy as np
from keras import ops

from keras_attn.layers.checks import check_counts
from keras_attn.models.encoding import mean_over_real_positions


@keras.saving.register_keras_serializable(package="keras_attn")
class TransformerEncoder(keras.layers.Layer):
    """`x + MHA(norm(x))`, then `x + W_2 relu(W_1 norm(x))`, in each layer: the pre-norm Transformer.

    The input is scaled by `sqrt(E)`, and sinusoidal positions are added. A final normalisation follows the last layer.

    Shapes: B batch, S source length, E input width, which is the width of all layers.

    Args:
        num_layers: depth.
        num_heads: heads per layer; E must be an even multiple of it.
        dropout: rate of dropout on the output of each sub-layer, in training.

    Call arguments:
        inputs: `(B, S, E)`, S at least 1.
        mask: boolean `(B, S)`, `True` at real positions. `None`: all are real.
        training: whether dropout is on.

    Returns:
        `(memory, final)`: `(B, S, E)`, and `(B, E)`, the mean of the memory over real positions, as a decoder's initial state.

    Raises:
        ValueError: `num_layers` or `num_heads` is no integer of at least 1, or E is not an even multiple of `num_heads`.

    Masking: no position attends to padding; the memory carries the mask.

    Reference: Vaswani et al. 2017, section 3; Xiong et al. 2020 (pre-norm).
    """

    def __init__(self, num_layers: int = 1, num_heads: int = 4, *, dropout: float = 0.0, **kwargs):
        super().__init__(**kwargs)
        check_counts(num_layers=num_layers, num_heads=num_heads)
        self.supports_masking = True
        self.num_layers = num_layers
        self.num_heads = num_heads
        self.dropout = keras.layers.Dropout(dropout, dtype=self.dtype_policy)

    def build(self, inputs_shape):
        width = inputs_shape[-1]
        if width % (2 * self.num_heads):
            raise ValueError(
                f"A Transformer encoder's width must be an even multiple of its heads. Received: width {width}, "
                f"num_heads={self.num_heads}."
            )
        policy = {"dtype": self.dtype_policy}
        layers = keras.layers
        self.norms = [
            layers.LayerNormalization(name=f"norm_{i}", **policy) for i in range(2 * self.num_layers + 1)
        ]
        self.attentions, self.inner, self.outer = [], [], []
        for i in range(self.num_layers):
            self.attentions.append(
                layers.MultiHeadAttention(
                    self.num_heads,
                    width // self.num_heads,
                    flash_attention=False,  # cuDNN's refuses a mask of padding, with a traceback for each layer
                    name=f"attention_{i}",
                    **policy,
                )
            )
            self.inner.append(layers.Dense(4 * width, activation="relu", name=f"inner_{i}", **policy))
            self.outer.append(layers.Dense(width, name=f"outer_{i}", **policy))
            self.attentions[i].build(inputs_shape, inputs_shape)
            self.inner[i].build(inputs_shape)
            self.outer[i].build((*inputs_shape[:-1], 4 * width))
        for norm in self.norms:
            norm.build(inputs_shape)

    def call(self, inputs, mask=None, training=None):
        width = inputs.shape[-1]
        x = inputs * width**0.5 + ops.cast(_positions(ops.shape(inputs)[1], width), inputs.dtype)
        seen = None if mask is None else ops.expand_dims(mask, 1)  # [B, 1, S]
        for i in range(self.num_layers):
            y = self.norms[2 * i](x)
            x = x + self.dropout(self.attentions[i](y, y, attention_mask=seen), training=training)
            y = self.outer[i](self.inner[i](self.norms[2 * i + 1](x)))
            x = x + self.dropout(y, training=training)
        memory = self.norms[-1](x)
        return memory, mean_over_real_positions(memory, mask)

    def compute_mask(self, inputs, mask=None):
        return [mask, None]

    def get_config(self):
        return {
            **super().get_config(),
            "num_layers": self.num_layers,
            "num_heads": self.num_heads,
            "dropout": self.dropout.rate,
        }


def _positions(length, width):
    """Vaswani et al. 2017, section 3.5, sines before cosines: `(S, E)`."""
    rates = ops.convert_to_tensor(10000 ** (-np.arange(width // 2) / (width // 2)), dtype="float32")
    angles = ops.expand_dims(ops.arange(length, dtype="float32"), 1) * rates
    return ops.concatenate([ops.sin(angles), ops.cos(angles)], axis=1)
