"""Tokenises text with built-in operators of LiteRT: normalises it, then cuts it."""

from typing import NamedTuple

import tensorflow as tf

from keras_attn.export.tokens.cutting import cut
from keras_attn.export.tokens.normalization import normalized
from keras_attn.export.tokens.vocabulary_tables import VocabularyTables

# A graph for this few bytes is two to three times as fast as one for 512. All texts go through it, outside any branch: LiteRT plans
# the memory of a branch again whenever it is taken, which takes as long as the graph itself.
SHORT = 128


class Tokens(NamedTuple):
    """Sub-words of a text, as SentencePiece has them.

    Attributes:
        ids: int32 `[M]`; what follows the last sub-word is arbitrary.
        starts: int32 `[M]`, the byte of the text at which each begins.
        length: the number of sub-words, which may exceed M.
        truncated: whether the end of the text is missing.
    """

    ids: tf.Tensor
    starts: tf.Tensor
    length: tf.Tensor
    truncated: tf.Tensor


def tokenized(text: tf.Tensor, tables: VocabularyTables, most: int) -> Tokens:
    """The sub-words of a text.

    Args:
        text: int32 `[N]`, its bytes in UTF-8 until the first number that is no byte, N - 1 at most; see `normalized`.
        tables: of the vocabulary.
        most: M, how many are wanted.
    """
    short = _tokenized(text[:SHORT], tables, most)
    if text.shape[0] <= SHORT:
        return short
    return tf.cond(short.truncated, lambda: _tokenized(text, tables, most), lambda: short)


def _tokenized(text: tf.Tensor, tables: VocabularyTables, most: int) -> Tokens:
    codes, length, origin, truncated = normalized(text, tables.normalization)
    ids, starts, count = cut(codes, length, tables.pieces, most)
    return Tokens(ids, tf.gather(origin, starts), count, truncated)
