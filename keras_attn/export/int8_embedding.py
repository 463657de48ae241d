"""An embedding table of int8 rows, each with its own scale: smaller, and stored once even when it is the output matrix too.

LiteRT's converter quantises a looked-up table with one scale for all of it, and the matrix of a product with one scale a row, so
tied embeddings come out as two tables. Here the graph looks up int8 rows itself; the product gets the same numbers as floats,
the converter finds the same int8 rows in them, and stores one buffer.
"""

from typing import Any

import keras
import numpy as np
import tensorflow as tf


class Int8Embedding:
    """Stands in for an `Embedding` or a tied `ReversibleEmbedding` of a model while its graph is traced.

    Args:
        layer: the embedding layer, table `[vocabulary, width]`.
    """

    def __init__(self, layer: keras.layers.Layer) -> None:
        table = np.asarray(keras.ops.convert_to_numpy(layer.embeddings), "float32")
        scales = np.max(np.abs(table), axis=1, keepdims=True) / np.float32(127)
        self._scales = np.where(scales > 0, scales, np.float32(1))  # [vocabulary, 1]
        self._rows = np.round(table / self._scales).astype("int8")  # [vocabulary, width]

    def __call__(self, inputs: Any, reverse: bool = False) -> Any:
        """Ids `(...)` to vectors `(..., width)`; with `reverse` vectors `(N, width)` to logits `(N, vocabulary)`."""
        if reverse:
            return tf.matmul(inputs, self._rows * self._scales, transpose_b=True)
        # As integers: a table of floats would be quantised in its turn.
        scales = tf.bitcast(tf.gather(self._scales.view("int32"), inputs), tf.float32)
        return tf.cast(tf.gather(self._rows, inputs), tf.float32) * scales
