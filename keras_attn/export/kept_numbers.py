"""`search.keep_numbers` in graphs."""

import numpy as np
import tensorflow as tf

from keras_attn.export.subject import Digits
from keras_attn.search import Hypotheses
from keras_attn.search.hypotheses import gather


def with_kept_numbers(hypotheses: Hypotheses, source: tf.Tensor, digits: Digits) -> Hypotheses:
    """Puts the best hypothesis with the digits of its source first, if both the source and the best of all have digits, and others.

    Args:
        hypotheses: of B sources, N each.
        source: int32 `(B, S)`.
        digits: of its ids and those of the hypotheses.
    """
    wanted = tf.reduce_sum(_digits_of(source, digits.source), axis=1)  # [B, 10]
    said = tf.reduce_sum(_digits_of(hypotheses.tokens, digits.target), axis=2)  # [B, N, 10]
    right = tf.reduce_all(said == wanted[:, None], axis=-1)  # [B, N]
    both = tf.reduce_any(wanted > 0, axis=-1) & tf.reduce_any(said[:, 0] > 0, axis=-1)  # [B]
    first = tf.argmax(tf.cast(right, tf.int32), axis=-1, output_type=tf.int32)  # 0 if none is right
    first = tf.where(both, first, 0)[:, None]
    places = tf.range(right.shape[1])[None]
    places = tf.where(places == 0, first, tf.where(places <= first, places - 1, places))
    fields = {name: field for name, field in hypotheses._asdict().items() if field is not None}
    return hypotheses._replace(**gather(fields, places))


def _digits_of(ids: tf.Tensor, counts: np.ndarray) -> tf.Tensor:
    """`counts[ids]`, int32 `[..., 10]`. Few ids have digits, so the graph contains each row once and a byte per id."""
    rows, row_of = np.unique(counts, axis=0, return_inverse=True)
    row_of = row_of.reshape(-1).astype(np.uint8 if len(rows) <= 256 else np.int32)
    return tf.gather(tf.constant(rows), tf.cast(tf.gather(tf.constant(row_of), ids), tf.int32))
