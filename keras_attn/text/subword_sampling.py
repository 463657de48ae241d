"""Subword regularisation: random segmentations of text (Kudo 2018, section 3, https://aclanthology.org/P18-1007).

SentencePiece can sample too, but version 0.2.3 draws differently in every process, whatever its seed. A training run that is
resumed must draw what it would have drawn without the interruption. So the generator is NumPy's, and only the normalisation is
SentencePiece's.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import sentencepiece
from sentencepiece.sentencepiece_model_pb2 import ModelProto

from keras_attn.special_ids import UNK_ID
from keras_attn.text.unigram_lattice import Lattice, Piece, UnigramPieces, build_lattice
from keras_attn.text.vocabulary_checks import byte_ids, piece_scores
from keras_attn.text.words import WORD_START

_WORD = re.compile(f"{WORD_START}[^{WORD_START}]*|[^{WORD_START}]+")


class SubwordSampler:
    """Samples segmentations of text with a unigram vocabulary.

    Args:
        model_proto: the bytes of a `.spm` file that `Tokenizer` accepts.
    """

    def __init__(self, model_proto: bytes) -> None:
        model = ModelProto.FromString(model_proto)
        self._processor = sentencepiece.SentencePieceProcessor(model_proto=model_proto)
        self._byte_ids = byte_ids(model.pieces)
        self._pieces = _pieces_of(model, spells=bool(self._byte_ids))
        self._words_are_apart = not any(WORD_START in piece[1:] for piece in self._pieces.known)

    def sample(self, lines: Sequence[str], alpha: float, seed: int) -> list[list[int]]:
        """Ids of each line: one of all its segmentations x, with probability proportional to P(x) ** alpha."""
        if not lines:
            return []
        texts = [self._independent_texts(line) for line in self._processor.normalize(list(lines))]
        numbers: dict[str, int] = {}
        occurrences = np.array(
            [numbers.setdefault(text, len(numbers)) for row in texts for text in row], np.int64
        )
        lattice = build_lattice(list(numbers) or [""], self._pieces)
        ids, text_of_id = draw_cuts(lattice, occurrences, alpha, np.random.default_rng(seed))
        line_of_id = np.repeat(np.arange(len(texts)), [len(row) for row in texts])[text_of_id]
        if (ids < 0).any():
            spelled = [self._spelled(piece_id) for piece_id in ids.tolist()]
            ids, line_of_id = np.concatenate(spelled), np.repeat(line_of_id, [len(each) for each in spelled])
        return _rows(ids, line_of_id, len(texts))

    def _spelled(self, piece_id: int) -> list[int]:
        """A piece, or the bytes of a character that is not a piece."""
        return [piece_id] if piece_id >= 0 else [self._byte_ids[byte] for byte in chr(-1 - piece_id).encode()]

    def _independent_texts(self, line: str) -> list[str]:
        """Splits text into parts to segment separately: words, unless the vocabulary has pieces that span several words."""
        return _WORD.findall(line) if self._words_are_apart else [line]


def draw_cuts(
    lattice: Lattice, texts: np.ndarray, alpha: float, generator: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Draws a segmentation for each of `texts`, int `[D]`, the indices of texts in the lattice, which may repeat.

    Returns:
        The ids of all segmentations, one after the other, and for each id its index in `texts`.
    """
    bounds = _bounds(lattice, alpha)
    node = lattice.begin[texts]
    going_on = np.arange(len(texts))
    ids, owners = [], []
    while True:
        going_on = going_on[node[going_on] >= lattice.levels[1]]
        if not len(going_on):
            break
        here = node[going_on]
        edge = np.searchsorted(bounds, here + generator.random(len(here)), side="right")
        edge = np.clip(
            edge, lattice.first_edge[here], lattice.first_edge[here + 1] - 1
        )  # in case of rounding errors
        node[going_on] = lattice.target[edge]
        ids.append(lattice.piece_id[edge])
        owners.append(going_on)
    ids, owners = (np.concatenate([np.empty(0, np.int64), *steps]) for steps in (ids, owners))
    order = np.argsort(owners, kind="stable")
    return ids[order], owners[order]


def _bounds(lattice: Lattice, alpha: float) -> np.ndarray:
    """float64 `[E]`, rising: of the edges that leave node n, the one that follows the draw n + u, u uniform in [0, 1), is the first
    whose bound is greater.

    An edge is followed with a probability equal to its share of the weight of all paths from its node to the end of the text. The
    weights are summed backwards. (Kudo filters forwards and samples backwards, which is equivalent.)
    """
    edges = np.diff(lattice.first_edge)
    leaves = np.repeat(np.arange(len(edges)), edges)  # [E], the node that an edge leaves
    weight = alpha * lattice.score
    total = np.zeros(len(edges))  # [N], the log of the summed weights of all paths to the end
    for begin, end in pairwise(lattice.levels[1:]):
        first = lattice.first_edge[begin : end + 1]
        ways = weight[first[0] : first[-1]] + total[lattice.target[first[0] : first[-1]]]
        total[begin:end] = np.logaddexp.reduceat(ways, first[:-1] - first[0])
    summed = np.cumsum(np.exp(weight + total[lattice.target] - total[leaves]))
    before = np.concatenate([[0.0], summed])[lattice.first_edge[:-1]]  # [N]
    return leaves + summed - before[leaves]


def _rows(ids: np.ndarray, lines: np.ndarray, count: int) -> list[list[int]]:
    """The ids of each of `count` lines; adjacent unknown characters become one unknown, as in SentencePiece."""
    again = (ids[1:] == UNK_ID) & (ids[:-1] == UNK_ID) & (lines[1:] == lines[:-1])
    kept = np.concatenate([np.ones(min(len(ids), 1), bool), ~again])
    ends = np.cumsum(np.bincount(lines[kept], minlength=count))
    flat = ids[kept].tolist()
    return [flat[begin:end] for begin, end in pairwise([0, *ends.tolist()])]


def _pieces_of(model: ModelProto, *, spells: bool) -> UnigramPieces:
    scored = {i: Piece(i, score) for i, score in piece_scores(model.pieces).items()}
    unknown = scored.pop(UNK_ID)
    return UnigramPieces({model.pieces[i].piece: piece for i, piece in scored.items()}, unknown, spells)
