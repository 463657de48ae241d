"""From attention weights over sub-words to alignments between words, and their error rate (Och & Ney 2003)."""

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
    """Joins sub-words to words: the sum over a source word's pieces, the mean over a target word's pieces.

    A source word gets all that falls on its pieces; the pieces of a target word are as many looks at the source,
    of which the mean is again one look. So rows that sum to one still do.

    Args:
        weights: float [T, S], one row a target piece and one column a source piece.
        source_pieces: S pieces, `"</s>"` for the end of the sentence included.
        target_pieces: T pieces, `"</s>"` included if it was produced.
        keep_eos: whether `"</s>"` stays, as the last word of its side. Without it the target's row goes, and the
            source's column: rows are not rescaled, so what they lack to one fell on the end of the source.

    Returns:
        The weights between words, and the words: those of the whitespace-split text as the tokenizer saw it. Its
        normaliser may have changed characters, and characters it does not know read `<unk>`.

    Raises:
        ValueError: the shape of `weights` does not fit the pieces.
    """
    weights = np.asarray(weights, dtype=float)
    if weights.shape != (len(target_pieces), len(source_pieces)):
        raise ValueError(
            f"expected weights of shape ({len(target_pieces)}, {len(source_pieces)}), one row a target piece and "
            f"one column a source piece, {EOS_PIECE!r} included; got {weights.shape}"
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
    """The links that soft attention amounts to.

    Take weights without the end of the sentence (`keep_eos=False`), or it counts as a word.

    Args:
        weights: float [target words, source words].
        threshold: every pair of at least this weight is a link. None: each target word (row) is linked to the source word
            (column) with the largest weight, the first of equals; a row of zeros gives no link.
    """
    weights = np.asarray(weights)
    if threshold is not None:
        return {(int(i), int(j)) for j, i in np.argwhere(weights >= threshold)}
    return {(int(row.argmax()), j) for j, row in enumerate(weights) if row.any()}


def parse_gold(lines: Iterable[str], first: int = 0) -> tuple[list[Links], list[Links]]:
    """Reads gold alignments, sure links `i-j` and possible ones `ipj` (the talp format; Pharaoh's has sure links alone).

    Args:
        lines: one sentence each; an empty line is a sentence without links.
        first: the number of a sentence's first word in the file, 0 or 1.

    Returns:
        The sure and the possible links of each sentence, counted from 0.

    Raises:
        ValueError: something else stands in a line, or a number below `first`; the message has the line's number.
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
        possible: P, the links it may have; the sure ones always count among them. None: the sure ones only.

    Raises:
        ValueError: the lists differ in length, or hold no link at all.
    """
    predicted_count, sure_count, in_sure, in_possible = _counts(predicted, sure, possible)
    if not predicted_count + sure_count:
        raise ValueError("no links to compare: neither a predicted nor a sure one")
    return 1 - (in_sure + in_possible) / (predicted_count + sure_count)


def precision_and_recall(
    predicted: Sequence[Links], sure: Sequence[Links], possible: Sequence[Links] | None = None
) -> tuple[float, float]:
    """|A ∩ P| / |A| and |A ∩ S| / |S|, arguments as in `alignment_error_rate`; 0 where the divisor is."""
    predicted_count, sure_count, in_sure, in_possible = _counts(predicted, sure, possible)
    return in_possible / max(predicted_count, 1), in_sure / max(sure_count, 1)


def _words(pieces: Sequence[str]) -> tuple[list[str], np.ndarray]:
    """The words that the pieces spell, and which pieces each is made of: 0 or 1 [words, pieces]."""
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
