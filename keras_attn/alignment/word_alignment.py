"""Turns attention weights over sub-words into word alignments, and computes their error rate (Och & Ney 2003)."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from keras_attn.text.links import Links, parse_links
from keras_attn.text.words import EOS_PIECE, word_of_pieces, words_of_pieces


class WordWeights(NamedTuple):
    """Attention weights between words, in the order that `heatmap.draw_heatmap` takes."""

    weights: np.ndarray  # float [target words, source words]
    source_words: list[str]
    target_words: list[str]


def word_weights(
    weights: np.ndarray, source_pieces: Sequence[str], target_pieces: Sequence[str], keep_eos: bool = True
) -> WordWeights:
    """Merges sub-words into words: the sum over a source word's pieces, the mean over a target word's pieces.

    A source word gets all the attention on its pieces. The attention of a target word is the mean over its pieces. So rows that sum
    to one still do.

    Args:
        weights: float [T, S], one row per target piece and one column per source piece.
        source_pieces: S pieces, `"</s>"` for the end of the sentence included.
        target_pieces: T pieces, `"</s>"` included if it was produced.
        keep_eos: whether `"</s>"` stays, as the last word of its side. If not, its row and column are removed. Rows are not
            rescaled: what they lack to one was attention on the end of the source.

    Returns:
        The weights between words, and the words. These are separated by whitespace and come from the normalised text: the tokenizer
        may have changed characters, and unknown characters read `<unk>`.

    Raises:
        ValueError: the shape of `weights` does not fit the pieces.
    """
    weights = np.asarray(weights, dtype=float)
    if weights.shape != (len(target_pieces), len(source_pieces)):
        raise ValueError(
            f"expected weights of shape ({len(target_pieces)}, {len(source_pieces)}), one row per target piece and "
            f"one column per source piece, {EOS_PIECE!r} included; got {weights.shape}"
        )
    if not keep_eos:
        rows = [i for i, piece in enumerate(target_pieces) if piece != EOS_PIECE]
        columns = [i for i, piece in enumerate(source_pieces) if piece != EOS_PIECE]
        weights = weights[np.ix_(rows, columns)]
        target_pieces, source_pieces = [target_pieces[i] for i in rows], [source_pieces[i] for i in columns]
    source_words, source_members = _words(source_pieces)  # members: [words, pieces]
    target_words, target_members = _words(target_pieces)
    means = target_members / target_members.sum(axis=1, keepdims=True)
    return WordWeights(means @ weights @ source_members.T, source_words, target_words)


def links(weights: np.ndarray, threshold: float | None = None) -> Links:
    """Turns soft attention into links.

    Pass weights without the end of the sentence (`keep_eos=False`); otherwise it counts as a word.

    Args:
        weights: float [target words, source words].
        threshold: every pair with at least this weight is a link. None: each target word (row) is linked to the source word
            (column) with the largest weight, on a tie the first; a row of zeros gives no link.
    """
    weights = np.asarray(weights)
    if threshold is not None:
        return {(int(i), int(j)) for j, i in np.argwhere(weights >= threshold)}
    return {(int(row.argmax()), j) for j, row in enumerate(weights) if row.any()}


def parse_gold(lines: Iterable[str], first: int = 0) -> tuple[list[Links], list[Links]]:
    """Reads gold alignments, sure links `i-j` and possible ones `ipj` (the talp format; Pharaoh's has only sure links).

    Args:
        lines: one line per sentence; an empty line is a sentence without links.
        first: the number of a sentence's first word in the file, 0 or 1.

    Returns:
        The sure and the possible links of each sentence, counted from 0.

    Raises:
        ValueError: a line contains something else, or a number below `first`; the message gives the line's number.
    """
    parsed = []
    for number, line in enumerate(lines, start=1):
        try:
            parsed.append(parse_links(line, first))
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from None
    return [sure for sure, _ in parsed], [possible for _, possible in parsed]


def alignment_error_rate(
    predicted: Sequence[Links], sure: Sequence[Links], possible: Sequence[Links] | None = None
) -> float:
    """AER = 1 - (|A ∩ S| + |A ∩ P|) / (|A| + |S|) over a corpus, 0 is best (Och & Ney 2003, section 5.1).

    Args:
        predicted: A, the links of each sentence.
        sure: S, the links that a good alignment must have.
        possible: P, the links that it may have; the sure ones always count among them. None: only the sure ones.

    Raises:
        ValueError: the lists differ in length, or contain no link at all.
    """
    predicted_count, sure_count, in_sure, in_possible = _counts(predicted, sure, possible)
    if not predicted_count + sure_count:
        raise ValueError("no links to compare: there are neither predicted nor sure ones")
    return 1 - (in_sure + in_possible) / (predicted_count + sure_count)


def precision_and_recall(
    predicted: Sequence[Links], sure: Sequence[Links], possible: Sequence[Links] | None = None
) -> tuple[float, float]:
    """|A ∩ P| / |A| and |A ∩ S| / |S|, arguments as in `alignment_error_rate`; 0 if the divisor is 0."""
    predicted_count, sure_count, in_sure, in_possible = _counts(predicted, sure, possible)
    return in_possible / max(predicted_count, 1), in_sure / max(sure_count, 1)


def _words(pieces: Sequence[str]) -> tuple[list[str], np.ndarray]:
    """The words that the pieces spell, and which pieces each consists of: 0 or 1 [words, pieces]."""
    word_of_piece, words = word_of_pieces(pieces), words_of_pieces(pieces)
    return words, (np.array(word_of_piece) == np.arange(len(words))[:, None]).astype(float)


def _counts(
    predicted: Sequence[Links], sure: Sequence[Links], possible: Sequence[Links] | None
) -> tuple[int, int, int, int]:
    """|A|, |S|, |A ∩ S| and |A ∩ P| over all sentences."""
    possible = sure if possible is None else possible
    if not len(predicted) == len(sure) == len(possible):
        raise ValueError(
            "expected as many predicted as sure and possible alignments; "
            f"got {len(predicted)}, {len(sure)} and {len(possible)}"
        )
    triples = list(zip(predicted, sure, possible, strict=True))
    return (
        sum(len(a) for a, _, _ in triples),
        sum(len(s) for _, s, _ in triples),
        sum(len(a & s) for a, s, _ in triples),
        sum(len(a & (s | p)) for a, s, p in triples),
    )
