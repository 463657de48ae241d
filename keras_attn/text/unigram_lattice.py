"""All segmentations of texts into the pieces of a unigram vocabulary, as one graph.

A node is a position in a text and is identified by how much text is left there. An edge is a piece that leads from one position to
a later one. Every path from the beginning of a text to its end is a segmentation. Nodes with equally many characters left are
adjacent, so that a pass over the graph takes one array operation per length, whatever the number of texts.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

import numpy as np


class Piece(NamedTuple):
    """A piece of a segmentation.

    Attributes:
        id: its id in the vocabulary.
        score: log-probability.
    """

    id: int
    score: float


@dataclass(frozen=True)
class UnigramPieces:
    """The pieces of a vocabulary.

    Attributes:
        known: pieces by their text.
        unknown: the piece for a character that is not in the vocabulary.
        spells: whether to distinguish such characters: the id is then -1 minus the code point.
    """

    known: Mapping[str, Piece]
    unknown: Piece
    spells: bool = False

    @cached_property
    def _lengths(self) -> list[int]:
        return sorted({1, *map(len, self.known)})

    def at(self, text: str, start: int) -> Iterator[tuple[int, Piece]]:
        """The length and piece of every possible continuation at `start`."""
        for length in self._lengths:
            if start + length > len(text):
                return
            piece = self.known.get(text[start : start + length])
            if piece or length == 1:
                yield length, piece or self._unknown(text[start])

    def _unknown(self, character: str) -> Piece:
        return self.unknown._replace(id=-1 - ord(character)) if self.spells else self.unknown


@dataclass(frozen=True)
class Lattice:
    """The segmentations of T texts: N nodes and E edges.

    Attributes:
        begin: int `[T]`, the node at which each text begins. The first T nodes are the ends of the texts.
        levels: int `[L + 2]`: nodes `levels[r]` to `levels[r + 1]` have r characters left.
        first_edge: int `[N + 1]`: edges `first_edge[n]` to `first_edge[n + 1]` leave node n.
        target: int `[E]`, the node to which an edge leads; it has fewer characters left.
        piece_id: int32 `[E]`.
        score: float64 `[E]`, the piece's log-probability.
    """

    begin: np.ndarray
    levels: list[int]
    first_edge: np.ndarray
    target: np.ndarray
    piece_id: np.ndarray
    score: np.ndarray


def build_lattice(texts: Sequence[str], pieces: UnigramPieces) -> Lattice:
    """The lattice of all segmentations of `texts`, at least one text."""
    # Longer texts come first in every level, so that a text has the same position in all levels that it reaches.
    by_length = sorted(range(len(texts)), key=lambda i: -len(texts[i]))
    longest_first = [texts[i] for i in by_length]
    sizes = _texts_reaching([len(text) for text in longest_first])
    levels = [0, *accumulate(sizes)]
    first_edge, targets, ids, scores = [0] * (len(texts) + 1), [], [], []
    for left, size in enumerate(sizes[1:], start=1):
        for place, text in enumerate(longest_first[:size]):
            for length, piece in pieces.at(text, len(text) - left):
                targets.append(levels[left - length] + place)
                ids.append(piece.id)
                scores.append(piece.score)
            first_edge.append(len(targets))
    begin = np.empty(len(texts), np.int64)
    begin[by_length] = [levels[len(text)] + place for place, text in enumerate(longest_first)]
    return Lattice(
        begin,
        levels,
        np.array(first_edge),
        np.array(targets, np.int64),
        np.array(ids, np.int32),
        np.array(scores),
    )


def _texts_reaching(lengths: Sequence[int]) -> list[int]:
    """For decreasing lengths: how many are at least 0, 1, ..., up to the first length."""
    sizes = []
    for count in range(len(lengths), 0, -1):
        sizes += [count] * (lengths[count - 1] + 1 - len(sizes))
    return sizes
