"""Runs any encoder: a layer or model that returns a memory, or a memory and final states."""

import functools
import inspect
from collections.abc import Iterator
from typing import Any, NamedTuple

import keras
import numpy as np
from keras import ops

from keras_attn.search.types import Tensor

_PROBE = 24  # positions
PADDING_MATTERS = (
    "The encoder {!r} gives a sentence another memory or state when more padding follows it, so its translation would depend on "
    "what else is in the batch. Put convolutions into a keras.Sequential, which is masked between its layers. Others that mix "
    "positions, such as pooling, need a call that takes a `mask` and uses it."
)


class Encoding(NamedTuple):
    """The output of an encoder."""

    memory: Tensor  # (B, S, D)
    states: list[Tensor]  # each (B, width); the mean of the memory if the encoder returns none
    mask: Tensor  # bool (B, S), True at real positions of the memory


def encode(encoder: keras.layers.Layer, inputs: Tensor, mask: Tensor | None) -> Encoding:
    """Runs the encoder.

    If the encoder takes a mask, padding has no effect. Layers without a mask, such as convolutions, see zeros at padding, just as
    they do beyond the end of a sentence. For this, a `keras.Sequential` of such layers is also masked between its layers.

    Args:
        encoder: the encoder.
        inputs: the embedded source `(B, S, E)`, or whatever else the encoder takes.
        mask: bool `(B, S)`, `True` at real positions; `None`: there is no padding.

    Raises:
        ValueError: the encoder does not return a memory and states; the message says what it should return.
    """
    memory, *states = keras.tree.flatten(_masked(encoder, inputs, mask))  # stacked cells nest their states
    if len(memory.shape) != 3 or any(len(state.shape) != 2 for state in states):
        shapes = [tuple(tensor.shape) for tensor in (memory, *states)]
        raise ValueError(
            "An encoder must return a memory (batch, positions, width), or a list of it and states (batch, width). Received from "
            f"{encoder.name!r}: shapes {shapes}. A recurrent Keras layer needs return_sequences=True; for a picture, turn rows and "
            "columns into positions with keras.layers.Reshape."
        )
    if mask is None:
        mask = ops.ones_like(memory[..., 0], dtype="bool")
    else:
        masks = encoder.compute_mask(inputs, mask)
        mask = masks[0] if isinstance(masks, list | tuple) else masks
    return Encoding(memory, states or [mean_over_real_positions(memory, mask)], mask)


def raw_input(encoder: keras.layers.Layer, shape: tuple[int | None, ...] | None) -> keras.KerasTensor:
    """The input of a model with an encoder of numbers. Its shape is the given one, or that of the encoder's own input.

    Raises:
        ValueError: neither shape is known, or the encoder looks for padding.
    """
    if any(isinstance(each, keras.layers.Masking) for each in _layers(encoder)):
        raise ValueError(
            f"Without a source_embedding there is no padding, and the decoder would attend to what the Masking layer in "
            f"{encoder.name!r} leaves out: remove it, and give the sources of a batch one length."
        )
    if shape is None and isinstance(encoder, keras.Model) and getattr(encoder, "inputs", None):
        shape = encoder.inputs[0].shape[1:]
    if shape is None:
        raise ValueError(
            f"Without a source_embedding, the model must know what {encoder.name!r} takes: set source_shape, such as (32, 128, 1) "
            "for pictures or (None, 80) for frames, or pass a source_embedding."
        )
    return keras.Input(tuple(shape), dtype="float32", name="source")


def _layers(layer: keras.layers.Layer) -> Iterator[keras.layers.Layer]:
    yield layer
    for each in getattr(layer, "layers", ()):
        yield from _layers(each)


def check_length(encoder: keras.layers.Layer, width: int, dtype: str) -> None:
    """Refuses a built encoder that returns fewer or more positions than the source has without saying which are padding.

    Args:
        encoder: the encoder.
        width, dtype: of its input.

    Raises:
        ValueError: see above.
    """
    if type(encoder).compute_mask is not keras.layers.Layer.compute_mask:
        return
    positions = positions_of(encoder, width, dtype)
    if positions != _PROBE:
        raise ValueError(
            f"The encoder {encoder.name!r} turns {_PROBE} positions into {positions}, so it is unknown which of them are padding. "
            "Use strides of 1 and padding='same', or write a layer with a compute_mask(inputs, mask) that says so."
        )


def check_padding(encoder: keras.layers.Layer, width: int) -> None:
    """Refuses a built encoder that mixes padding into its outputs. It is tried out, except for a layer whose call takes the mask.

    A model takes one as well, but hands it only to those of its layers that use it.

    Raises:
        ValueError: the memory of a sentence, or a final state, changes with the padding after it.
    """
    if _takes_mask(encoder) and not isinstance(encoder, keras.Model):
        return
    inputs = np.random.default_rng(1).normal(size=(1, _PROBE, width)).astype("float32")
    real = np.arange(_PROBE)[None] < _PROBE // 2
    outputs = []
    for length in (_PROBE // 2, _PROBE):
        memory, states, mask = encode(
            encoder, ops.convert_to_tensor(inputs[:, :length]), ops.convert_to_tensor(real[:, :length])
        )
        arrays = [ops.convert_to_numpy(ops.cast(each, "float32")) for each in (memory, *states)]
        arrays[0] = arrays[0][ops.convert_to_numpy(mask)]
        outputs.append(arrays)
    rounding = 0.02 if "16" in keras.backend.standardize_dtype(memory.dtype) else 1e-5
    if not all(
        one.shape == other.shape and np.allclose(one, other, rtol=rounding, atol=1e-3)
        for one, other in zip(*outputs, strict=True)
    ):
        raise ValueError(PADDING_MATTERS.format(encoder.name))


def check_a_position_a_word(encoder: keras.layers.Layer, width: int, dtype: str) -> None:
    """Refuses a built encoder if its memory does not have one position per word, which copying needs.

    Raises:
        ValueError: it returns fewer or more positions than the source has.
    """
    positions = positions_of(encoder, width, dtype)
    if positions != _PROBE:
        raise ValueError(
            f"Copying needs one memory position per source word, but {encoder.name!r} makes {positions} of "
            f"{_PROBE}: leave out copy, or use strides of 1 and padding='same'."
        )


def positions_of(encoder: keras.layers.Layer, width: int, dtype: str) -> int:
    """How many memory positions a built encoder makes of 24; 24 if the memory has the wrong rank, which `encode` refuses."""
    memory = _memory_of(encoder, keras.KerasTensor((1, _PROBE, width), dtype))
    return memory.shape[1] if len(memory.shape) == 3 else _PROBE


def _memory_of(encoder: keras.layers.Layer, inputs: keras.KerasTensor) -> keras.KerasTensor:
    """What `encode` finds, which calls the layers of a `Sequential` one by one and so does not build the model itself."""
    if isinstance(encoder, keras.Sequential):
        return functools.reduce(lambda x, layer: _memory_of(layer, x), encoder.layers, inputs)
    return keras.tree.flatten(encoder.compute_output_spec(inputs))[0]


def mean_over_real_positions(memory: Tensor, mask: Tensor | None) -> Tensor:
    """`(B, S, D) -> (B, D)`."""
    if mask is None:
        return ops.mean(memory, axis=1)
    real = ops.expand_dims(ops.cast(mask, memory.dtype), -1)
    return ops.sum(memory * real, axis=1) / ops.maximum(ops.sum(real, axis=1), 1)


def _masked(layer: keras.layers.Layer, x: Tensor, mask: Tensor | None) -> Any:
    if mask is None:
        return layer(x)
    if isinstance(layer, keras.Sequential):
        for each in layer.layers:
            x = _masked(each, x, mask)
        return x
    if _takes_mask(layer):
        return layer(x, mask=mask)
    return layer(x * ops.expand_dims(ops.cast(mask, x.dtype), -1))


def _takes_mask(layer: keras.layers.Layer) -> bool:
    return "mask" in inspect.signature(layer.call).parameters
