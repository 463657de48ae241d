"""Reference weights for guided alignment: links between words, as weights over sub-words."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from keras_attn.text.links import Links
from keras_attn.text.ragged import Ragged
from keras_attn.text.tokenizer import Tokenizer
from keras_attn.text.words import word_of_pieces


def words_of(lines: Sequence[str], ids: Ragged, tokenizer: Tokenizer) -> list[list[int]]:
    """The word to which each sub-word of each line belongs, counted as in `str.split()`.

    Empty for a line that the tokenizer's normaliser divides into other words: there the numbers of the links are meaningless.

    Args:
        lines: the text.
        ids: its sub-words, without BOS and EOS, at least one per line.
        tokenizer: the tokenizer of these ids.
    """
    rows = (ids.values[begin:end].tolist() for begin, end in pairwise(ids.offsets))
    words = [word_of_pieces(tokenizer.pieces(row)) for row in rows]
    return [row if row[-1] + 1 == len(line.split()) else [] for row, line in zip(words, lines, strict=True)]


def subword_links(
    links: Sequence[Links], source_words: Sequence[Sequence[int]], target_words: Sequence[Sequence[int]]
) -> Ragged:
    """Links every sub-word of a word to every sub-word of the words to which the word is linked.

    Args:
        links: the links between words, for each pair.
        source_words, target_words: for each pair, the word to which each sub-word belongs.

    Returns:
        The links of each pair, int32 `[links, 2]`: target sub-word, source sub-word.
    """
    rows = [
        [(t, s) for t, j in enumerate(target) for s, i in enumerate(source) if (i, j) in linked]
        for linked, source, target in zip(links, source_words, target_words, strict=True)
    ]
    return Ragged.of(rows, shape=(2,))


def reference_weights(links: Ragged, shape: tuple[int, int, int]) -> tuple[np.ndarray, np.ndarray]:
    """The reference for attention: each target sub-word attends equally to all source sub-words to which it is linked.

    Args:
        links: for each of at most B pairs, int32 `[links, 2]`: target sub-word, source sub-word.
        shape: B, T and S.

    Returns:
        float32 `[B, T, S]` with rows that sum to one or, without links, to zero; and float32 `[B, T]`, 1 where there are links.
    """
    linked = np.zeros(shape, np.float32)
    pair = np.repeat(np.arange(len(links)), links.lengths)
    linked[pair, links.values[:, 0], links.values[:, 1]] = 1
    count = linked.sum(axis=-1, keepdims=True)  # [B, T, 1]
    return linked / np.maximum(count, 1), (count[..., 0] > 0).astype(np.float32)
