"""Ids as text, as SentencePiece puts it together, in operators that LiteRT has built in."""

from typing import NamedTuple

import numpy as np
import tensorflow as tf

from keras_attn.export.tokens.graphs import spread
from keras_attn.export.tokens.vocabulary_tables import Surfaces


class Joined(NamedTuple):
    """Texts, int32 all of it.

    Attributes:
        codes: `[B, N]`, bytes, then -1.
        ends: `[B, T]`, where in its text each sub-word ends; in the last column is the text's length.
    """

    codes: tf.Tensor
    ends: tf.Tensor


def joined(ids: tf.Tensor, tables: Surfaces) -> Joined:
    """The texts of int32 `[B, T]`, ids that the vocabulary has; N is as much as they can need."""
    starts, heads = tf.constant(tables.starts), tf.cast(tf.gather(tf.constant(tables.heads), ids), tf.int32)
    begins = tf.gather(starts, ids)
    sizes = tf.gather(starts, ids + 1) - begins
    last = tf.cast(sizes > (0 if tables.drop_one else heads), tf.int32)  # no space is dropped behind it
    dropped = heads * tf.cast(tf.cumsum(last, axis=1) == last, tf.int32)
    begins, sizes = begins + dropped, sizes - dropped
    ends = tf.cumsum(sizes, axis=1)
    rows, size = ids.shape[0], ids.shape[1] * int(np.diff(tables.starts).max())
    # One run more in each row fills it.
    sizes = tf.concat([sizes, size - ends[:, -1:]], axis=1)
    begins = tf.pad(begins, [[0, 0], [0, 1]])
    runs = spread(tf.reshape(sizes, [-1]), rows * size)
    text = tf.constant(tables.text)
    source = tf.minimum(tf.gather(tf.reshape(begins, [-1]), runs.owner) + runs.within, text.shape[0] - 1)
    codes = tf.reshape(tf.cast(tf.gather(text, source), tf.int32), [rows, size])
    return Joined(tf.where(tf.range(size) < ends[:, -1:], codes, -1), ends)
