"""What guides the attention in training: links between words as weights over sub-words."""

from collections.abc import Sequence

import numpy as np
import tensorflow as tf

from keras_attn.text.links import Links
from keras_attn.text.tokenizer import Tokenizer
from keras_attn.text.words import word_of_pieces


def words_of(lines: Sequence[str], ids: tf.RaggedTensor, tokenizer: Tokenizer) -> list[list[int]]:
    """The word, counted as in `str.split()`, that each sub-word of each line belongs to.

    None for a line that the tokenizer's normaliser cuts into other words: there nobody knows what the links' numbers mean.

    Args:
        lines: the text.
        ids: its sub-words, int32 `[lines, (ids)]`, without BOS and EOS, at least one each.
        tokenizer: what cut it.
    """
    words = [word_of_pieces(tokenizer.pieces(row)) for row in ids.to_list()]
    return [row if row[-1] + 1 == len(line.split()) else [] for row, line in zip(words, lines, strict=True)]


def subword_links(
    links: Sequence[Links], source_words: Sequence[Sequence[int]], target_words: Sequence[Sequence[int]]
) -> tf.RaggedTensor:
    """Every sub-word of a word is linked to every sub-word of the words that it is linked to.

    Args:
        links: of each pair, between words.
        source_words, target_words: of each pair, the word that each sub-word belongs to.

    Returns:
        int32 `[pairs, (links), 2]`: target sub-word, source sub-word.
    """
    rows = [
        [(t, s) for t, j in enumerate(target) for s, i in enumerate(source) if (i, j) in linked]
        for linked, source, target in zip(links, source_words, target_words, strict=True)
    ]
    flat = np.array([link for row in rows for link in row], np.int32).reshape(-1, 2)
    return tf.RaggedTensor.from_row_lengths(flat, [len(row) for row in rows])


def reference_weights(
    links: tf.RaggedTensor, target_length: tf.Tensor, source_length: tf.Tensor
) -> tuple[tf.Tensor, tf.Tensor]:
    """What the attention is to be like: each target sub-word looks at those it is linked to, at all of them alike.

    Args:
        links: int32 `[B, (links), 2]`: target sub-word, source sub-word.
        target_length, source_length: T and S.

    Returns:
        float32 `[B, T, S]`, whose rows sum to one or, without links, to zero; and float32 `[B, T]`, 1 where there are links.
    """
    places = tf.concat([tf.cast(links.value_rowids(), tf.int32)[:, None], links.values], axis=1)
    shape = tf.stack([tf.cast(links.nrows(), tf.int32), target_length, source_length])
    linked = tf.scatter_nd(places, tf.ones(tf.shape(places)[:1]), shape)  # [B, T, S]
    count = tf.reduce_sum(linked, axis=-1, keepdims=True)  # [B, T, 1]
    return tf.math.divide_no_nan(linked, count), tf.cast(count[..., 0] > 0, tf.float32)
