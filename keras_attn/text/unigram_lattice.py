"""All the ways to cut texts into the pieces of a unigram vocabulary, as one graph.

A node is a place in a text and is named by how much text is left there; an edge is a piece that leads from one place to a later
one. Every path from the beginning of a text to its end is a cut of it. Nodes with equally many characters left are neighbours, so
that a pass over the graph is one array operation for each length, whatever the number of texts.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

import numpy as np


class Piece(NamedTuple):
    """What a cut is made of.

    Attributes:
        id: place in the vocabulary.
        score: log-probability.
    """

    id: int
    score: float


@dataclass(frozen=True)
class UnigramPieces:
    """The pieces that text can be cut into.

    Attributes:
        known: pieces by their text.
        unknown: what stands for a character that is no piece.
        spells: whether such characters are told apart: the id is then -1 less the code point.
    """

    known: Mapping[str, Piece]
    unknown: Piece
    spells: bool = False

    @cached_property
    def _lengths(self) -> list[int]:
        return sorted({1, *map(len, self.known)})

    def at(self, text: str, start: int) -> Iterator[tuple[int, Piece]]:
        """Length and piece of all that a cut can go on with at `start`."""
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
    """The cuts of T texts: N nodes and E edges.

    Attributes:
        begin: int `[T]`, the node at which each text begins. The first T nodes are the ends of the texts.
        levels: int `[L + 2]`: the nodes with r characters left are those from `levels[r]` to `levels[r + 1]`.
        first_edge: int `[N + 1]`: the edges that leave node n are those from `first_edge[n]` to `first_edge[n + 1]`.
        target: int `[E]`, the node that an edge leads to; it has fewer characters left.
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
    """The lattice of all cuts of `texts`, at least one."""
    # Longer texts come first in every level, so that a text has the same place in all levels that it reaches.
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
    """Of lengths that fall: how many are at least 0, 1, ... the first."""
    sizes = []
    for count in range(len(lengths), 0, -1):
        sizes += [count] * (lengths[count - 1] + 1 - len(sizes))
    return sizes
