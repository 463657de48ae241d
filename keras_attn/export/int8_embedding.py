"""An embedding table of int8 rows with a scale per row: smaller, and stored only once even if it is also the output matrix.

LiteRT's converter quantises a lookup table with a single scale, and the matrix of a product with one scale per row, so tied
embeddings become two tables. Here the graph looks up int8 rows itself. The product gets the same numbers as floats; the converter
quantises them to the same int8 rows and stores one buffer.
"""

from typing import Any

import keras
import numpy as np
import tensorflow as tf

from keras_attn.models.seq2seq import Embeddings, Seq2Seq
from keras_attn.storage.engine_file import int8_rows


class Int8Embedding:
    """Replaces an `Embedding` or a tied `ReversibleEmbedding` of a model while its graph is traced.

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
        # As integers: a table of floats would be quantised again.
        scales = tf.bitcast(tf.gather(self._scales.view("int32"), inputs), tf.float32)
        return tf.cast(tf.gather(self._rows, inputs), tf.float32) * scales


def int8_embeddings(model: Seq2Seq) -> Embeddings:
    """Embeddings with tables of int8 rows; a single table if the model has one."""
    source, target = model.embeddings
    target_table = _replaced(target)
    if source is None or source is target:
        return Embeddings(source and target_table, target_table)
    return Embeddings(_replaced(source), target_table)


def _replaced(layer: keras.layers.Layer) -> Any:
    """A subclass may do more than look up a row, so it stays; the converter quantises its table."""
    plain = type(layer) in (keras.layers.Embedding, keras.layers.ReversibleEmbedding)
    return Int8Embedding(layer) if plain else layer
