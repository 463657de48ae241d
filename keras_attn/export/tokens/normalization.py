"""Text as SentencePiece normalises it, in operators that LiteRT has built in.

At every place a rule of the vocabulary's own map replaces the longest text that it knows; else a character stays as it is, and a
byte that is no UTF-8 becomes U+FFFD. Then spaces are run together.
"""

from typing import NamedTuple

import tensorflow as tf

from keras_attn.export.tokens.double_array import NO_BYTE, build_double_array
from keras_attn.export.tokens.graphs import follow, longest_match, spread
from keras_attn.export.tokens.utf8_trie import characters
from keras_attn.export.tokens.vocabulary_tables import LASTING_SPACE, LENGTH_BITS, SPACE, Normalization

_CHARACTERS = build_double_array(characters(0))


class Normalized(NamedTuple):
    """Text after normalising, int32 all of it but the flag.

    Attributes:
        codes: `[N]`, bytes, then `NO_BYTE`. "▁", the beginning of a word, is `SPACE`.
        length: how many bytes there are.
        origin: `[N]`, the byte of the given text that each comes from.
        truncated: whether the end is missing, because there was no room for it before normalising or after.
    """

    codes: tf.Tensor
    length: tf.Tensor
    origin: tf.Tensor
    truncated: tf.Tensor


def normalized(text: tf.Tensor, tables: Normalization) -> Normalized:
    """int32 `[N]`, bytes until the first number that is none, as the vocabulary has it; N is a constant.

    There is room for N - 1 bytes, before normalising and after. A longer text fills all N places, and is cut after a whole
    character.
    """
    size = text.shape[0]
    given = tf.reduce_sum(tf.cast(tf.cumsum(tf.cast(~is_byte(text), tf.int32)) == 0, tf.int32))
    read = _whole_characters(text, given)
    codes = tf.where(tf.range(size) < read, text, NO_BYTE)
    replaced, origin, length = _replaced(codes, read, tables)
    kept = spread(_wanted(replaced, _whole_characters(replaced, length), given, tables), size)
    spaced = tf.gather(tf.concat([[SPACE], replaced], axis=0), kept.owner)
    spaced = tf.where(spaced == LASTING_SPACE, SPACE, spaced)
    return Normalized(
        tf.where(tf.range(size) < kept.total, spaced, NO_BYTE),
        kept.total,
        tf.gather(origin, tf.maximum(kept.owner - 1, 0)),
        (given >= size) | (length >= size),
    )


def is_byte(numbers: tf.Tensor) -> tf.Tensor:
    """Which are from 0 to 255."""
    return tf.bitwise.right_shift(numbers, 8) == 0


def _whole_characters(codes: tf.Tensor, length: tf.Tensor) -> tf.Tensor:
    """How many of `codes` `[N]` to read of a text of `length` bytes: where it takes N or more, up to its last character there."""
    size = codes.shape[0]
    begins = tf.cast((codes < 0x80) | (codes >= 0xC0), tf.int32)
    return tf.where(length >= size, tf.reduce_max(begins * tf.range(size)), length)


def _replaced(
    codes: tf.Tensor, length: tf.Tensor, tables: Normalization
) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
    """Text after its rules, int32 `[N]`; the place in `codes` that each byte comes from, `[N]`; how many bytes there are."""
    size = codes.shape[0]
    beyond = size << LENGTH_BITS  # behind the text itself
    jumps, places = tf.ones([size], tf.int32), tf.fill([size], tables.broken + beyond)
    whole, _ = longest_match(_CHARACTERS, codes)
    own = tf.range(size) * (1 << LENGTH_BITS)
    jumps, places = tf.where(whole > 0, whole, jumps), tf.where(whole > 0, own + whole, places)
    for trie in (tables.rules, tables.symbols):  # those that come later count more
        if trie is not None:
            matched, value = longest_match(trie, codes)
            jumps, places = (
                tf.where(matched > 0, matched, jumps),
                tf.where(matched > 0, value + beyond, places),
            )
    jumps = tf.concat([tf.minimum(tf.range(size) + jumps, size), [size]], axis=0)
    path = follow(jumps, tf.constant([0]))[:size]
    inside = tf.minimum(path, size - 1)
    place = tf.gather(places, inside)
    start = tf.bitwise.right_shift(place, LENGTH_BITS)
    runs = spread(tf.where(path < length, place - start * (1 << LENGTH_BITS), 0), size)
    strings = tf.concat([tf.cast(codes, tf.uint8), tables.strings], axis=0)
    source = tf.minimum(tf.gather(start, runs.owner) + runs.within, strings.shape[0] - 1)
    return tf.cast(tf.gather(strings, source), tf.int32), tf.gather(inside, runs.owner), runs.total


def _wanted(codes: tf.Tensor, length: tf.Tensor, given: tf.Tensor, tables: Normalization) -> tf.Tensor:
    """Of a space and then `codes` `[N]`, 1 for those that stay and 0 for others: int32 `[N + 1]`."""
    places = tf.range(codes.shape[0])
    if not tables.merge_spaces:
        stays = tf.cast(places < length, tf.int32)
        return tf.concat([tf.minimum(given, int(tables.add_space))[None], stays], axis=0)
    is_space = codes == SPACE
    is_blank = tf.cast(is_space | (codes == LASTING_SPACE) | (places >= length), tf.int32)
    end = tf.reduce_max((1 - is_blank) * (places + 1))
    follows_space = tf.concat([[True], is_space[:-1]], axis=0)
    stays = tf.cast((places < end) & ~(is_space & follows_space), tf.int32)
    return tf.concat([tf.minimum(end, int(tables.add_space))[None], stays], axis=0)
