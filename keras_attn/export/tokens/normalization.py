"""Normalises text as SentencePiece does, with built-in operators of LiteRT.

If the vocabulary says so, a line in capitals is read in small letters. At every position, the vocabulary's own map replaces the
longest text that it knows, and a byte that is not valid UTF-8 becomes U+FFFD. Then runs of spaces are merged.
"""

from typing import NamedTuple

import tensorflow as tf

from keras_attn.export.tokens.character_map import (
    FIRST_SYLLABLE,
    LASTING_SPACE,
    LENGTH_BITS,
    OWN,
    SYLLABLES,
    CharacterMap,
)
from keras_attn.export.tokens.double_array import NO_BYTE
from keras_attn.export.tokens.graphs import follow, longest_match, spread
from keras_attn.export.tokens.quiet import without_capitals
from keras_attn.export.tokens.vocabulary_tables import SPACE, Normalization


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
    if tables.lower_capitals:
        codes = without_capitals(codes)
    replaced, origin, length = _replaced(codes, read, tables.characters)
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
    """Which numbers are bytes, 0 to 255."""
    return tf.bitwise.right_shift(numbers, 8) == 0


def _whole_characters(codes: tf.Tensor, length: tf.Tensor) -> tf.Tensor:
    """How many of `codes` `[N]` to read of a text of `length` bytes: where it takes N or more, up to its last character there."""
    size = codes.shape[0]
    begins = tf.cast((codes < 0x80) | (codes >= 0xC0), tf.int32)
    return tf.where(length >= size, tf.reduce_max(begins * tf.range(size)), length)


def _replaced(
    codes: tf.Tensor, length: tf.Tensor, characters: CharacterMap
) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
    """Text after its rules, int32 `[N]`; the place in `codes` that each byte comes from, `[N]`; how many bytes there are."""
    size, places = codes.shape[0], tf.range(codes.shape[0])
    matched, found = (
        tf.reshape(each, [2, size])
        for each in longest_match((characters.rules, characters.single), codes, characters.broken)
    )
    value = tf.where(matched[0] > 0, found[0], found[1])
    matched = tf.reduce_max(matched, axis=0)  # a rule's key is a character or more
    # Behind the text itself lie the map's.
    value = tf.where(value == OWN, places * (1 << LENGTH_BITS) + matched, value + (size << LENGTH_BITS))
    jumps = tf.minimum(places + tf.maximum(matched, 1), size)
    path = follow(tf.concat([jumps, [size]], axis=0), tf.constant([0]))[:size]
    inside = tf.minimum(path, size - 1)
    value = tf.gather(value, inside)
    start = tf.bitwise.right_shift(value, LENGTH_BITS)
    runs = spread(tf.where(path < length, value - start * (1 << LENGTH_BITS), 0), size)
    strings = tf.concat([tf.cast(codes, tf.uint8), characters.strings], axis=0)
    source = runs.places_from(start)
    found = tf.cast(tf.gather(strings, tf.minimum(source, strings.shape[0] - 1)), tf.int32)
    if characters.has_syllables:
        of_syllables = source - (size + SYLLABLES)
        found = tf.where(of_syllables >= 0, _syllable_byte(of_syllables), found)
    return found, tf.gather(inside, runs.owner), runs.total


def _syllable_byte(place: tf.Tensor) -> tf.Tensor:
    """The byte in UTF-8 at each place of all syllables of Hangul, one behind the other."""
    number = place // 3
    within = place - 3 * number
    bits = tf.bitwise.right_shift(number + FIRST_SYLLABLE, 12 - 6 * within) % 64
    return bits + tf.where(within == 0, 0xE0, 0x80)


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
