"""Detokenises ids as SentencePiece does, with built-in operators of LiteRT."""

from typing import NamedTuple

import numpy as np
import tensorflow as tf

from keras_attn.export.tokens.character_map import BIAS
from keras_attn.export.tokens.double_array import NO_BYTE, build_double_array, nodes_of
from keras_attn.export.tokens.graphs import longest_match, spread
from keras_attn.export.tokens.utf8_trie import characters, with_default
from keras_attn.export.tokens.vocabulary_tables import BYTE, DROPPED_SPACE, Surfaces
from keras_attn.text.framing import CONTROL_CHARACTERS

_MOST_BYTES = 4  # of a character
_CONTROLS = nodes_of({character.encode(): BIAS + 1 for character in CONTROL_CHARACTERS})
_CHARACTERS = build_double_array(with_default(_CONTROLS, characters(BIAS)))


class Joined(NamedTuple):
    """Texts, int32 all of it.

    Attributes:
        codes: `[B, N]`, bytes, then -1.
        ends: `[B, T]`, where in its text each sub-word ends; in the last column is the text's length. A character that is spelled
            in bytes belongs to the last of them.
    """

    codes: tf.Tensor
    ends: tf.Tensor


def joined(ids: tf.Tensor, tables: Surfaces) -> Joined:
    """The texts of int32 `[B, T]`, ids that the vocabulary has; N is as much as they can need."""
    parts, behind = _Parts.of(ids, tables), 0
    if tables.broken:
        parts, behind = _spelled(parts, tables)
    heads = tf.cast(parts.kinds == DROPPED_SPACE, tf.int32)
    last = tf.cast(parts.sizes > (0 if tables.drop_one else heads), tf.int32)  # no space is dropped behind it
    dropped = heads * tf.cast(tf.cumsum(last, axis=1) == last, tf.int32)
    begins, sizes = parts.begins + dropped, parts.sizes - dropped
    ends = tf.cumsum(sizes, axis=1)
    most = max(int(np.diff(tables.starts.astype(np.int64)).max()), 3 if tables.broken else 0)
    rows, size = ids.shape[0], ids.shape[1] * most
    # One run more in each row fills it, with any bytes.
    sizes = tf.concat([sizes, size - ends[:, -1:]], axis=1)
    begins = tf.pad(begins, [[0, 0], [0, 1]])
    runs = spread(tf.reshape(sizes, [-1]), rows * size)
    text = tf.constant(np.pad(tables.text, (0, max(size - len(tables.text), 0))))
    source = runs.places_from(tf.reshape(begins, [-1]))
    codes = tf.reshape(tf.cast(tf.gather(text, source), tf.int32), [rows, size])
    return Joined(tf.where(tf.range(size) < ends[:, -1:], codes, -1), ends - behind)


class _Parts(NamedTuple):
    """Of ids, int32 `[B, T]`: where in the table of texts each begins, how many bytes it has, and its kind."""

    begins: tf.Tensor
    sizes: tf.Tensor
    kinds: tf.Tensor

    @classmethod
    def of(cls, ids: tf.Tensor, tables: Surfaces) -> "_Parts":
        starts = tf.constant(tables.starts)
        begins, ends = (tf.cast(tf.gather(starts, places), tf.int32) for places in (ids, ids + 1))
        kinds = tf.cast(tf.gather(tf.constant(tables.kinds), ids), tf.int32)
        return cls(begins + tables.first_start, ends - begins, kinds)


def _spelled(parts: _Parts, tables: Surfaces) -> tuple[_Parts, tf.Tensor]:
    """Replaces each byte that is not valid UTF-8 by U+FFFD and, if `tables` say so, control characters by spaces.

    Also returns, for each byte that is not the last of its character, how far before the byte's end the character's text begins:
    int32 `[B, T]`.
    """
    rows, count = parts.kinds.shape
    is_byte = parts.kinds == BYTE
    codes = tf.where(is_byte, tf.cast(tf.gather(tf.constant(tables.text), parts.begins), tf.int32), NO_BYTE)
    codes = tf.pad(codes, [[0, 0], [_MOST_BYTES - 1, 1]], constant_values=NO_BYTE)
    lengths, controls = (
        tf.reshape(found, [rows, count + _MOST_BYTES])
        for found in longest_match([_CHARACTERS], tf.reshape(codes, [-1]), 0)
    )
    within, control, behind = tf.zeros_like(is_byte), tf.zeros_like(is_byte), tf.zeros_like(parts.sizes)
    for place in range(_MOST_BYTES):  # of a byte in its character
        began = slice(_MOST_BYTES - 1 - place, _MOST_BYTES - 1 - place + count)
        length = lengths[:, began]
        within |= length > place
        control |= (length > place) & (controls[:, began] > 0)
        behind += tf.where(length > place + 1, place + 1, 0)
    begins, sizes = parts.begins, parts.sizes
    begin, end = tables.broken
    broken = is_byte & ~within
    begins, sizes = tf.where(broken, begin, begins), tf.where(broken, end - begin, sizes)
    if tables.space:
        begins = tf.where(control, tables.space[0], begins)
        sizes = tf.where(control, tf.cast(behind == 0, tf.int32), sizes)
        behind = tf.where(control, 0, behind)
    return _Parts(begins, sizes, parts.kinds), behind
