"""Compiles functions of arrays on Keras' backend.

TensorFlow traces a function once for every batch shape. XLA recompiles it for each shape, so on JAX we keep the number of shapes
small: full batches, and lengths in steps of 16.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import keras
import numpy as np

from keras_attn.special_ids import PAD_ID

Spec = tuple[Sequence[int | None], str]  # shape and dtype


def padded(rows: Sequence[Sequence[int]], batch_size: int) -> np.ndarray:
    """int32 `[batch, length]`, padded on the right."""
    count, length = len(rows), max(map(len, rows))
    if keras.backend.backend() == "jax":
        count, length = batch_size, math.ceil(length / 16) * 16
    ids = np.full((count, length), PAD_ID, np.int32)
    for i, row in enumerate(rows):
        ids[i, : len(row)] = row
    return ids


def _of_one_device(value: Any) -> Any:
    """A JAX array; a training run may keep a copy on each of its devices."""
    return value if len(value.sharding.device_set) == 1 else value.addressable_data(0)


def compiled(function: Callable, variables: list[Any], specs: Sequence[Spec]) -> Callable:
    """Compiles a function of arrays of the given shapes and dtypes that reads `variables`.

    (A `partial`, because TensorFlow counts the traces of a plain function over all its closures, and warns.)
    """
    if keras.backend.backend() == "tensorflow":
        import tensorflow as tf

        signature = [tf.TensorSpec(shape, dtype) for shape, dtype in specs]
        # AutoGraph has nothing to rewrite here, and looking for it takes most of a first call.
        return tf.function(function, signature, autograph=False)
    if keras.backend.backend() == "jax":
        import jax

        @jax.jit
        def stateless(values, *arrays):  # as arguments: XLA would fold weights if they were constants
            with keras.StatelessScope(state_mapping=list(zip(variables, values, strict=True))):
                return function(*arrays)

        return lambda *arrays: stateless([_of_one_device(each.value) for each in variables], *arrays)

    def as_tensors(*arrays):
        return function(*map(keras.ops.convert_to_tensor, arrays))

    return as_tensors
