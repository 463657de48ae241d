"""Runs any encoder: a layer or model that returns a memory, or a memory and final states."""

import inspect
from typing import Any, NamedTuple

import keras
from keras import ops

from keras_attn.search.types import Tensor

_PROBE = 24  # positions


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
    outputs = _masked(encoder, inputs, mask)
    memory, *states = outputs if isinstance(outputs, list | tuple) else [outputs]
    if len(memory.shape) != 3 or any(len(state.shape) != 2 for state in states):
        shapes = [tuple(tensor.shape) for tensor in (memory, *states)]
        raise ValueError(
            "An encoder must return a memory (batch, positions, width), or a list of it and states (batch, width). Received from "
            f"{encoder.name!r}: shapes {shapes}. A recurrent Keras layer needs return_sequences=True; for a picture, turn rows and "
            "columns into positions with keras.layers.Reshape."
        )
    mask = _mask_of_memory(encoder, memory, inputs=inputs, mask=mask)
    return Encoding(memory, states or [mean_over_real_positions(memory, mask)], mask)


def raw_input(encoder: keras.layers.Layer, shape: tuple[int | None, ...] | None) -> keras.KerasTensor:
    """The input of a model with an encoder of numbers. Its shape is the given one, or that of the encoder's own input.

    Raises:
        ValueError: neither shape is known.
    """
    if shape is None and isinstance(encoder, keras.Model) and getattr(encoder, "inputs", None):
        shape = encoder.inputs[0].shape[1:]
    if shape is None:
        raise ValueError(
            f"Without a source_embedding, the model must know what {encoder.name!r} takes: set source_shape, such as (32, 128, 1) "
            "for pictures or (None, 80) for frames, or pass a source_embedding."
        )
    return keras.Input(tuple(shape), dtype="float32", name="source")


def check_length(encoder: keras.layers.Layer, width: int, dtype: str) -> None:
    """Refuses an encoder that returns fewer or more positions than the source has without saying which are padding.

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
    """How many memory positions an encoder makes of 24. If the memory has the wrong rank: 24, because `encode` refuses that."""
    probe = keras.KerasTensor((1, _PROBE, width), dtype)
    memory = keras.tree.flatten(encoder.compute_output_spec(probe))[0]
    return memory.shape[1] if len(memory.shape) == 3 else _PROBE


def mean_over_real_positions(memory: Tensor, mask: Tensor | None) -> Tensor:
    """`(B, S, D) -> (B, D)`."""
    if mask is None:
        return ops.mean(memory, axis=1)
    real = ops.expand_dims(ops.cast(mask, memory.dtype), -1)
    return ops.sum(memory * real, axis=1) / ops.maximum(ops.sum(real, axis=1), 1)


def _mask_of_memory(
    encoder: keras.layers.Layer, memory: Tensor, *, inputs: Tensor, mask: Tensor | None
) -> Tensor:
    """All True if there is no padding; otherwise the source's mask, unless the encoder's `compute_mask` returns another."""
    if mask is None:
        return ops.ones_like(memory[..., 0], dtype="bool")
    masks = encoder.compute_mask(inputs, mask)
    return masks[0] if isinstance(masks, list | tuple) else masks


def _masked(layer: keras.layers.Layer, x: Tensor, mask: Tensor | None) -> Any:
    if mask is None:
        return layer(x)
    if isinstance(layer, keras.Sequential):
        for each in layer.layers:
            x = _masked(each, x, mask)
        return x
    if "mask" in inspect.signature(layer.call).parameters:
        return layer(x, mask=mask)
    return layer(x * ops.expand_dims(ops.cast(mask, x.dtype), -1))
