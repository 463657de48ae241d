"""Compiles functions of id arrays on the backend that Keras runs on.

TensorFlow traces a function once for every batch shape. XLA compiles it anew for each, so on JAX there are to be few: full
batches, and lengths in steps of 16.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import keras
import numpy as np

from keras_attn.special_ids import PAD_ID


def padded(rows: list[list[int]], batch_size: int) -> np.ndarray:
    """int32 `[batch, length]`, padded on the right."""
    count, length = len(rows), max(map(len, rows))
    if keras.backend.backend() == "jax":
        count, length = batch_size, math.ceil(length / 16) * 16
    ids = np.full((count, length), PAD_ID, np.int32)
    for i, row in enumerate(rows):
        ids[i, : len(row)] = row
    return ids


def compiled(function: Callable, variables: list[Any], ranks: Sequence[int]) -> Callable:
    """Compiles a function of int32 arrays of the given ranks that reads `variables`.

    (A `partial`, because TensorFlow counts the traces of a plain function over all its closures, and warns.)
    """
    if keras.backend.backend() == "tensorflow":
        import tensorflow as tf

        return tf.function(function, [tf.TensorSpec([None] * rank, tf.int32) for rank in ranks])
    if keras.backend.backend() == "jax":
        import jax

        @jax.jit
        def stateless(values, *arrays):  # as arguments: XLA would fold weights it takes for constants
            with keras.StatelessScope(state_mapping=list(zip(variables, values, strict=True))):
                return function(*arrays)

        return lambda *arrays: stateless([variable.value for variable in variables], *arrays)
    return function
