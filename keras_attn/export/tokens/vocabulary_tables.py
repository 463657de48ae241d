"""What a graph has to know of a SentencePiece unigram vocabulary to cut text and to put it together, as arrays of numbers.

In all of them a space is one byte, as in text, where SentencePiece writes "▁", three bytes.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from sentencepiece.sentencepiece_model_pb2 import ModelProto

from keras_attn.export.tokens.double_array import DoubleArray, build_double_array, from_darts, nodes_of
from keras_attn.export.tokens.utf8_trie import characters, with_default
from keras_attn.special_ids import UNK_ID
from keras_attn.text.words import WORD_START

SPACE, LASTING_SPACE = (
    0x20,
    0xFF,
)  # the second stands for a "▁" that was typed: such ones are not run together
LENGTH_BITS = 6
LENGTHS = 1 << LENGTH_BITS  # of replacements; the longest that nmt_nfkc has is 33 bytes
NEVER = np.float32(-1e30)  # the score of a piece that does not fit
_MARK = WORD_START.encode()
_LONGEST = 255  # bytes of a piece; trainers make none of more than 64 unless they are told
_REPLACEMENT = "\ufffd".encode()  # of a byte that is no UTF-8
_UNKNOWN_PENALTY = np.float32(10)  # SentencePiece: so much less than the least probable piece


@dataclass(frozen=True)
class Normalization:
    """What becomes of text before it is cut. Values of the tries
    are places in `strings`: `start * LENGTHS + length`.

    Attributes:
        symbols: trie of what stays as it is before any rule is looked at; `None`: nothing.
        rules: trie of what is replaced; `None`: nothing.
        strings: uint8, the replacements.
        broken: the place of what stands for a byte that is no UTF-8.
        add_space: whether a space is put in front.
        merge_spaces: whether runs of spaces become one, and none is left at the ends.
    """

    symbols: DoubleArray | None
    rules: DoubleArray | None
    strings: np.ndarray
    broken: int
    add_space: bool
    merge_spaces: bool


@dataclass(frozen=True)
class Pieces:
    """What text is cut into.

    Attributes:
        trie: its values are ids, of a character that is no piece the unknown one.
        scores: float32 `[1 + V]`, by id + 1; the first is `NEVER`, that of the unknown id is for a character that is no piece.
    """

    trie: DoubleArray
    scores: np.ndarray


@dataclass(frozen=True)
class Surfaces:
    """What ids are in text.

    Attributes:
        text: uint8, all of them one after the other.
        starts: int32 `[V + 1]`, where in `text` each begins, and the last one ends.
        heads: uint8 `[V]`, 1 where the first byte is a space that is left out at the beginning of a text.
        drop_one: whether only one such space is, else all of them are.
    """

    text: np.ndarray
    starts: np.ndarray
    heads: np.ndarray
    drop_one: bool


@dataclass(frozen=True)
class VocabularyTables:
    """All that is needed of a vocabulary."""

    normalization: Normalization
    pieces: Pieces
    surfaces: Surfaces


def vocabulary_tables(model_proto: bytes) -> VocabularyTables:
    """The tables of a `.spm` file that `Tokenizer` accepts.

    Raises:
        ValueError: the vocabulary does what no trained one does and a graph cannot.
    """
    model = ModelProto.FromString(model_proto)
    return VocabularyTables(_normalization(model), _pieces(model), _surfaces(model))


def _normalization(model: ModelProto) -> Normalization:
    spec = model.normalizer_spec
    if not spec.escape_whitespaces:
        raise _unfit("keeps spaces as they are")
    size = int.from_bytes(spec.precompiled_charsmap[:4], "little")
    units = np.frombuffer(spec.precompiled_charsmap, "<u4", size // 4, 4) if size else None
    places = _Places()
    try:
        rules = None if units is None else from_darts(units)
        if rules:
            rules.change_values(_placed(spec.precompiled_charsmap[4 + size :], places))
        kept = {piece.piece.encode() for piece in model.pieces if piece.type == piece.USER_DEFINED}
        if rules is None or rules.get(_MARK) is None:
            kept.add(_MARK)
        symbols = build_double_array(nodes_of({text: places.of(text) for text in kept})) if kept else None
        broken = places.of(_REPLACEMENT)
    except ValueError as error:
        raise _unfit(str(error)) from None
    return Normalization(
        symbols=symbols,
        rules=rules,
        strings=np.frombuffer(bytes(places.strings), np.uint8),
        broken=broken,
        add_space=spec.add_dummy_prefix,
        merge_spaces=spec.remove_extra_whitespaces,
    )


class _Places:
    """Where in `strings` a text stands, as `start * LENGTHS + length`."""

    def __init__(self) -> None:
        self.strings = bytearray()
        self._known: dict[bytes, int] = {}

    def of(self, text: bytes) -> int:
        text = text.replace(_MARK, bytes([LASTING_SPACE]))
        if b"  " in text:
            raise ValueError("its normaliser puts two spaces in a row")
        if len(text) >= LENGTHS:
            raise ValueError(f"its normaliser makes {len(text)} bytes of a character or a symbol")
        if text not in self._known:
            self._known[text] = len(self.strings) * LENGTHS + len(text)
            self.strings += text
        return self._known[text]


def _placed(strings: bytes, places: _Places) -> Callable[[int], int]:
    """From where a text begins that ends before a NUL, to its place."""

    def place(start: int) -> int:
        end = strings.find(b"\0", start)
        if end < 0:
            raise ValueError("its normaliser's texts have no end")
        return places.of(strings[start:end])

    return place


def _pieces(model: ModelProto) -> Pieces:
    ids, scores = {}, np.full(1 + len(model.pieces), NEVER)
    for piece_id, piece in enumerate(model.pieces):
        text = piece.piece.replace(WORD_START, " ").encode()
        if piece.type == piece.USER_DEFINED:  # more than any other piece, and the more the longer
            scores[1 + piece_id] = 0.1 * (len(piece.piece.encode()) - 1)
        elif piece.type == piece.NORMAL:
            scores[1 + piece_id] = piece.score
        else:
            continue
        if len(text) > _LONGEST:
            raise _unfit(f"has a piece of {len(text)} bytes")
        ids[text] = piece_id
    least = scores[[1 + i for i, piece in enumerate(model.pieces) if piece.type == piece.NORMAL]].min(
        initial=0
    )
    scores[1 + UNK_ID] = least - _UNKNOWN_PENALTY
    return Pieces(build_double_array(with_default(nodes_of(ids), characters(UNK_ID))), scores)


def _surfaces(model: ModelProto) -> Surfaces:
    texts, heads = [], []
    for piece in model.pieces:
        shown = piece.type in (piece.NORMAL, piece.USER_DEFINED)
        text = piece.piece.replace(WORD_START, " ") if shown else ""
        texts.append((model.trainer_spec.unk_surface if piece.type == piece.UNKNOWN else text).encode())
        heads.append(shown and text.startswith(" "))
    spec = model.normalizer_spec
    starts = np.cumsum([0, *map(len, texts)], dtype=np.int32)
    heads = np.array(heads, np.uint8) * np.uint8(spec.add_dummy_prefix or spec.remove_extra_whitespaces)
    return Surfaces(
        np.frombuffer(b"".join(texts), np.uint8), starts, heads, not spec.remove_extra_whitespaces
    )


def _unfit(reason: str) -> ValueError:
    return ValueError(f"the SentencePiece model cannot be put into a graph ({reason}): train another")
