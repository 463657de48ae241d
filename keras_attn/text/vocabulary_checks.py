"""Checks of a vocabulary before TensorFlow's operator gets it: the operator can crash on a damaged one, and is silently wrong with
some kinds. Vocabularies may be untrusted.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from keras_attn.special_ids import BOS_ID, EOS_ID, PAD_ID, UNK_ID
from keras_attn.text.words import WORD_START

if TYPE_CHECKING:
    from sentencepiece import SentencePieceProcessor
    from sentencepiece.sentencepiece_model_pb2 import ModelProto, TrainerSpec


MOST_BYTES = 1 << 24  # size of a vocabulary; one of 256,000 pieces takes five million
_MOST_PIECES = 1 << 20
_UNKNOWN_PENALTY = 10.0  # SentencePiece's


def checked_pieces(model_proto: bytes) -> list[str]:
    """The pieces of a `.spm` file's bytes. SentencePiece's own loader refuses those on which the operator would crash.

    Raises:
        ValueError: see `Tokenizer`.
    """
    import sentencepiece
    from google.protobuf.message import DecodeError
    from sentencepiece.sentencepiece_model_pb2 import ModelProto

    if len(model_proto) > MOST_BYTES:
        raise ValueError(
            f"a SentencePiece model of {len(model_proto):,} bytes: expected at most {MOST_BYTES:,}"
        )
    try:
        model = ModelProto.FromString(model_proto)
    except DecodeError:
        model = ModelProto()
    if not model.pieces:
        raise ValueError("not a SentencePiece model: expected the bytes of a trained .spm or .model file")
    if len(model.pieces) > _MOST_PIECES:
        raise ValueError(
            f"a SentencePiece model of {len(model.pieces):,} pieces: expected at most {_MOST_PIECES:,}"
        )
    _check_kind(model.trainer_spec)
    _check_pieces(model.pieces)
    _check_table(model.normalizer_spec.precompiled_charsmap)
    try:
        processor = sentencepiece.SentencePieceProcessor(model_proto=model_proto)
    except (RuntimeError, TypeError) as error:
        reason = str(error).removeprefix("INTERNAL: ").removesuffix(".")
        raise _damaged(reason) from None
    _check_special_ids(model.trainer_spec, processor)
    return [piece.piece for piece in model.pieces]


def _check_special_ids(trainer: "TrainerSpec", processor: "SentencePieceProcessor") -> None:
    """SentencePiece finds special pieces by their names, TensorFlow's operator by the trainer's ids: both must be ours."""
    expected = (PAD_ID, UNK_ID, BOS_ID, EOS_ID)
    named = (processor.pad_id(), processor.unk_id(), processor.bos_id(), processor.eos_id())
    numbered = (trainer.pad_id, trainer.unk_id, trainer.bos_id, trainer.eos_id)
    for special_ids in (numbered, named):
        if special_ids != expected:
            raise ValueError(
                f"expected a SentencePiece model with pad, unk, bos, eos = {expected}, got {special_ids}: "
                f"train with --pad_id={PAD_ID} --unk_id={UNK_ID} --bos_id={BOS_ID} --eos_id={EOS_ID}"
            )


def _check_kind(trainer: "TrainerSpec") -> None:
    """Refuses models that TensorFlow's operator loads but encodes wrongly."""
    if trainer.model_type != trainer.UNIGRAM:
        kind = trainer.ModelType.Name(trainer.model_type)
        raise ValueError(
            f"expected a unigram SentencePiece model, got {kind}: train with --model_type=unigram"
        )
    if trainer.treat_whitespace_as_suffix:
        raise ValueError(
            "the SentencePiece model marks the ends of words: train it with --treat_whitespace_as_suffix=false"
        )


def _check_pieces(pieces: Sequence["ModelProto.SentencePiece"]) -> None:
    has_bytes = any(piece.type == piece.BYTE for piece in pieces)
    for i, piece in enumerate(pieces):
        if isinstance(piece.piece, bytes):  # protobuf returns bytes if they are not text
            raise _damaged(f"piece {i} is not UTF-8")
        if piece.type not in (piece.NORMAL, piece.UNKNOWN, piece.CONTROL, piece.USER_DEFINED, piece.BYTE):
            raise ValueError(
                f"piece {i} of the SentencePiece model is of type {piece.Type.Name(piece.type)}: "
                "expected NORMAL, UNKNOWN, CONTROL, USER_DEFINED or BYTE, which TensorFlow's operators know"
            )
    if has_bytes and not any(piece.piece == WORD_START for piece in pieces):
        raise ValueError(
            "the SentencePiece model falls back to bytes and has no piece for a space, which it would show as ▁: "
            f"train it with --required_chars={WORD_START}"
        )


def byte_ids(pieces: Sequence["ModelProto.SentencePiece"]) -> list[int]:
    """The ids of the 256 bytes for spelling characters without a piece; none if such characters are unknown instead."""
    ids = {int(piece.piece[1:-1], 16): i for i, piece in enumerate(pieces) if piece.type == piece.BYTE}
    return [ids[byte] for byte in range(256)] if ids else []


def piece_scores(pieces: Sequence["ModelProto.SentencePiece"]) -> dict[int, float]:
    """The scores with which SentencePiece encodes, by id: of every piece that is text, and of the unknown id.

    A user-defined piece scores 0.1 per byte after the first, which no log-probability exceeds. (In its n-best lists, SentencePiece
    counts characters instead.) An unknown character scores 10 less than the least probable piece.
    """
    scores = {}
    for i, piece in enumerate(pieces):
        if piece.type == piece.NORMAL:
            scores[i] = piece.score
        elif piece.type == piece.USER_DEFINED:
            scores[i] = 0.1 * (len(piece.piece.encode()) - 1)
    least = min((piece.score for piece in pieces if piece.type == piece.NORMAL), default=0.0)
    return {**scores, UNK_ID: least - _UNKNOWN_PENALTY}


def _check_table(charsmap: bytes) -> None:
    """The normaliser's table is the size of a trie in four bytes, the trie and the replacements; the last must be text."""
    trie_size = int.from_bytes(charsmap[:4], "little")
    try:
        charsmap[4 + trie_size :].decode("utf-8")
    except UnicodeDecodeError:
        raise _damaged("its normaliser's table is not UTF-8") from None


def _damaged(reason: str) -> ValueError:
    return ValueError(f"the SentencePiece model is damaged ({reason}): get it again, or train another")
