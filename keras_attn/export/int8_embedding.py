"""An embedding table of int8 rows, each with its own scale: smaller, and stored once even when it is the output matrix too.

LiteRT's converter quantises a looked-up table with one scale for all of it, and the matrix of a product with one scale a row, so
tied embeddings come out as two tables. Here the graph looks up int8 rows itself; the product gets the same numbers as floats,
the converter finds the same int8 rows in them, and stores one buffer.
"""

from typing import Any

import keras
import numpy as np
import tensorflow as tf

from keras_attn.models.seq2seq import Embeddings, Seq2Seq
from keras_attn.storage.engine_file import int8_rows


class Int8Embedding:
    """Stands in for an `Embedding` or a tied `ReversibleEmbedding` of a model while its graph is traced.

    Args:
        layer: the embedding layer, table `[vocabulary, width]`.
    """

    def __init__(self, layer: keras.layers.Layer) -> None:
        table = np.asarray(keras.ops.convert_to_numpy(layer.embeddings), "float32")
        self._rows, scales = int8_rows(table)  # [vocabulary, width]
        self._scales = scales[:, None]  # [vocabulary, 1]

    def __call__(self, inputs: Any, reverse: bool = False) -> Any:
        """Ids `(...)` to vectors `(..., width)`; with `reverse` vectors `(N, width)` to logits `(N, vocabulary)`."""
        if reverse:
            return tf.matmul(inputs, self._rows * self._scales, transpose_b=True)
        # As integers: a table of floats would be quantised in its turn.
        scales = tf.bitcast(tf.gather(self._scales.view("int32"), inputs), tf.float32)
        return tf.cast(tf.gather(self._rows, inputs), tf.float32) * scales


def int8_embeddings(model: Seq2Seq) -> Embeddings:
    """What looks words up in tables of int8 rows, one table where the model has one."""
    source, target = model.embeddings
    target_table = Int8Embedding(target)
    if source is None or source is target:
        return Embeddings(source and target_table, target_table)
    return Embeddings(Int8Embedding(source), target_table)
