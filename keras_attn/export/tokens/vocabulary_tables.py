"""Arrays with everything that a graph must know of a SentencePiece unigram vocabulary to tokenise and detokenise.

In all of them a space is one byte, as in text; SentencePiece writes "▁", which takes three bytes.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from sentencepiece.sentencepiece_model_pb2 import ModelProto

from keras_attn.export.tokens.character_map import CharacterMap, character_map
from keras_attn.export.tokens.double_array import DoubleArray, build_double_array, nodes_of
from keras_attn.export.tokens.utf8_trie import characters, with_default
from keras_attn.special_ids import UNK_ID
from keras_attn.text.capitals import lowers_capitals
from keras_attn.text.framing import one_line
from keras_attn.text.vocabulary_checks import byte_ids, piece_scores
from keras_attn.text.words import WORD_START

SPACE = 0x20
NEVER = np.float32(-1e30)  # the score of a piece that does not fit
DROPPED_SPACE, BYTE = 1, 2  # kinds of surfaces
_LONGEST = 255  # bytes of a piece; trainers make none of more than 64 unless they are told


@dataclass(frozen=True)
class Normalization:
    """The normalisation of text.

    Attributes:
        characters: what characters are replaced by.
        add_space: whether a space is put in front.
        merge_spaces: whether runs of spaces become one, and none is left at the ends.
        lower_capitals: whether a line in capitals is read in small letters, see `text.capitals`.
    """

    characters: CharacterMap
    add_space: bool
    merge_spaces: bool
    lower_capitals: bool


@dataclass(frozen=True)
class Pieces:
    """The pieces of the vocabulary.

    Attributes:
        trie: its values are ids; a character that is not a piece has the unknown id.
        scores: float32 `[1 + V]`, by id + 1; the first is `NEVER`, that of the unknown id is for a character that is not a piece.
        byte_ids: int32 `[256]`, the ids in which a character that is not a piece is spelled; `None`: it is unknown.
    """

    trie: DoubleArray
    scores: np.ndarray
    byte_ids: np.ndarray | None


@dataclass(frozen=True)
class Surfaces:
    """The text of ids.

    Attributes:
        text: uint8, all of them one after the other.
        starts: int16 or int32 `[V + 1]`, where in `text` each begins, and the last one ends, less `first_start`.
        first_start: see there.
        kinds: uint8 `[V]`, `DROPPED_SPACE` where the first byte is a space that is left out at the beginning of a text, `BYTE`
            where all of it is a byte of a character that is spelled, else 0.
        drop_one: whether only one such space is left out, else all of them are.
        broken: where in `text` the replacement for invalid UTF-8 begins and ends; `None`: nothing is spelled in bytes.
        space: the same of what stands for spelled control characters; `None`: they stay.
    """

    text: np.ndarray
    starts: np.ndarray
    first_start: int
    kinds: np.ndarray
    drop_one: bool
    broken: tuple[int, int] | None
    space: tuple[int, int] | None


@dataclass(frozen=True)
class VocabularyTables:
    """All tables of a vocabulary.

    Attributes:
        surfaces: as SentencePiece shows them.
        surfaces_in_line: with spaces for control characters, see `one_line`.
    """

    normalization: Normalization
    pieces: Pieces
    surfaces: Surfaces
    surfaces_in_line: Surfaces


def vocabulary_tables(model_proto: bytes) -> VocabularyTables:
    """The tables of a `.spm` file that `Tokenizer` accepts.

    Raises:
        ValueError: the vocabulary needs something that a graph cannot do and no trained vocabulary needs.
    """
    model = ModelProto.FromString(model_proto)
    bytes_in = byte_ids(model.pieces)
    return VocabularyTables(
        _normalization(model),
        _pieces(model, bytes_in),
        _surfaces(model, bytes_in, str),
        _surfaces(model, bytes_in, one_line),
    )


def _normalization(model: ModelProto) -> Normalization:
    spec = model.normalizer_spec
    if not spec.escape_whitespaces:
        raise _unfit("keeps spaces as they are")
    symbols = {piece.piece.encode() for piece in model.pieces if piece.type == piece.USER_DEFINED}
    try:
        characters = character_map(spec.precompiled_charsmap, frozenset(symbols))
    except ValueError as error:
        raise _unfit(str(error)) from None
    return Normalization(
        characters, spec.add_dummy_prefix, spec.remove_extra_whitespaces, lowers_capitals(model)
    )


def _pieces(model: ModelProto, byte_ids: list[int]) -> Pieces:
    ids, scores = {}, np.full(1 + len(model.pieces), NEVER)
    for piece_id, score in piece_scores(model.pieces).items():
        scores[1 + piece_id] = score
        if piece_id == UNK_ID:
            continue
        text = model.pieces[piece_id].piece.replace(WORD_START, " ").encode()
        if len(text) > _LONGEST:
            raise _unfit(f"has a piece of {len(text)} bytes")
        ids[text] = piece_id
    trie = build_double_array(with_default(nodes_of(ids), characters(UNK_ID)))
    return Pieces(trie, scores, np.array(byte_ids, np.int32) if byte_ids else None)


def _surfaces(model: ModelProto, byte_ids: list[int], shown: Callable[[str], str]) -> Surfaces:
    spec = model.normalizer_spec
    drops = spec.add_dummy_prefix or spec.remove_extra_whitespaces
    texts, kinds = [], []
    for piece in model.pieces:
        has_text = piece.type in (piece.NORMAL, piece.USER_DEFINED)
        text = piece.piece.replace(WORD_START, " ") if has_text else ""
        texts.append(shown(model.trainer_spec.unk_surface if piece.type == piece.UNKNOWN else text).encode())
        kinds.append(DROPPED_SPACE if drops and text.startswith(" ") else 0)
    for byte, piece_id in enumerate(byte_ids):
        texts[piece_id], kinds[piece_id] = bytes([byte]), BYTE
    starts = np.cumsum([0, *map(len, texts)])
    end = int(starts[-1])
    first = 1 << 15 if end + 4 < 1 << 16 else 0
    extra = "\ufffd ".encode() if byte_ids else b""
    return Surfaces(
        text=np.frombuffer(b"".join(texts) + extra, np.uint8),
        starts=(starts - first).astype(np.int16 if first else np.int32),
        first_start=first,
        kinds=np.array(kinds, np.uint8),
        drop_one=not spec.remove_extra_whitespaces,
        broken=(end, end + 3) if byte_ids else None,
        space=(end + 3, end + 4) if byte_ids and shown is one_line else None,
    )


def _unfit(reason: str) -> ValueError:
    return ValueError(f"the SentencePiece model cannot be put into a graph ({reason}): train another")
