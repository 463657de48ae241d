"""Vocabularies that nobody trained: a good `.spm` cut short, with flipped bytes, and with fields that no trainer writes."""

import random
import struct
from collections.abc import Iterator

from sentencepiece.sentencepiece_model_pb2 import ModelProto

HUGE = 2**31 - 1


def hostile_vocabularies(good: bytes, seed: int = 1) -> Iterator[tuple[str, bytes]]:
    """Named variants of a good model's bytes, always the same ones. Some may still be good, such as those with a bit flipped in a
    piece's text or in the table for a character that no text has.
    """
    draw = random.Random(seed)
    yield from _truncated(good)
    yield from _flipped(good, draw)
    yield from _long_fields(good)
    for name, change in _CHANGES.items():
        model = ModelProto.FromString(good)
        change(model)
        yield name, model.SerializePartialToString()
    for name, charsmap in _damaged_charsmaps(
        ModelProto.FromString(good).normalizer_spec.precompiled_charsmap, draw
    ):
        model = ModelProto.FromString(good)
        model.normalizer_spec.precompiled_charsmap = charsmap
        yield name, model.SerializeToString()


def _truncated(good: bytes) -> Iterator[tuple[str, bytes]]:
    ends = {0, 1, 2, 3, 10, 100, *(len(good) * part // 16 for part in range(1, 16)), len(good) - 1}
    for end in sorted(ends):
        yield f"cut after {end} bytes", good[:end]


def _flipped(good: bytes, draw: random.Random) -> Iterator[tuple[str, bytes]]:
    front = [
        *range(0, 400, 5)
    ]  # the pieces come first, the normaliser's table takes up nearly all of the rest
    back = [*range(len(good) - 200, len(good), 5)]
    for place in front + back + [draw.randrange(len(good)) for _ in range(60)]:
        yield f"byte {place} flipped", _with(good, place, bytes([good[place] ^ (1 << draw.randrange(8))]))


def _long_fields(good: bytes) -> Iterator[tuple[str, bytes]]:
    """Fields that say they are longer than the file."""
    for number in (1, 2, 3, 5):
        tag = bytes([number << 3 | 2])
        yield f"field {number} of 2 GiB", good + tag + b"\xff\xff\xff\xff\x07"
        yield f"field {number} of 2 ** 64 bytes", good + tag + b"\xff" * 9 + b"\x01"
    yield "groups within groups", b"\x0b" * 100_000
    yield "messages within messages", _nested(200)


def _nested(depth: int) -> bytes:
    message = b""
    for _ in range(depth):
        message = b"\x0a" + bytes([len(message) % 128]) + message
    return message


def _damaged_charsmaps(good: bytes, draw: random.Random) -> Iterator[tuple[str, bytes]]:
    """The normaliser's table: the size of its trie in four bytes, the trie, and the characters to put in."""
    (size,) = struct.unpack("<I", good[:4])
    for claimed in (0, 1, 1024, size - 1024, size + 1024, len(good), HUGE, 2**32 - 1):
        yield f"a trie that claims {claimed} bytes", struct.pack("<I", claimed) + good[4:]
    for unit in (
        b"\xff\xff\xff\xff",
        b"\x00\x00\x00\x00",
        b"\x00\x00\x00\x80",
        b"\xff\x00\x00\x00",
        b"\x00\xfc\xff\xff",
    ):
        yield f"a trie of nothing but {unit.hex()}", good[:4] + unit * (size // 4) + good[4 + size :]
        for place in (0, 1, 32, 97, 194, 195, 226, 255):
            yield f"unit {place} of the trie is {unit.hex()}", _with(good, 4 + 4 * place, unit)
    for _ in range(40):
        place = 4 + 4 * draw.randrange(size // 4)
        yield f"trie damaged at {place}", _with(good, place, draw.randbytes(4))
    yield "a trie of noise", good[:4] + draw.randbytes(size) + good[4 + size :]
    yield "no characters to put in", good[: 4 + size]
    yield "characters without an end", good.rstrip(b"\x00")
    yield "characters that are no UTF-8", good[: 4 + size] + b"\xff" * (len(good) - size - 5) + b"\x00"
    yield "a table of three bytes", good[:3]
    yield "a table that ends in its trie", good[: size // 2]


def _with(data: bytes, place: int, change: bytes) -> bytes:
    return data[:place] + change + data[place + len(change) :]


def _set(path: str, value: object):
    """A change of one field, such as `trainer_spec.unk_id` or `pieces.7.score`."""

    def change(model: ModelProto) -> None:
        *way, name = path.split(".")
        message = model
        for step in way:
            message = message[int(step)] if step.isdigit() else getattr(message, step)
        setattr(message, name, value)

    return change


def _all_pieces(**values: object):
    def change(model: ModelProto) -> None:
        for piece in model.pieces[4:]:
            for name, value in values.items():
                setattr(piece, name, value)

    return change


def _keep(count: int):
    def change(model: ModelProto) -> None:
        del model.pieces[count:]

    return change


_KINDS = ModelProto.SentencePiece
_CHANGES = {
    "a score that is no number": _set("pieces.9.score", float("nan")),
    "an infinite score": _set("pieces.9.score", float("inf")),
    "scores of 1e38": _all_pieces(score=1e38),
    "scores of -1e38": _all_pieces(score=-1e38),
    "equal scores": _all_pieces(score=0.0),
    "an empty piece": _set("pieces.9.piece", ""),
    "a piece with NUL": _set("pieces.9.piece", "a\x00b"),
    "a piece of a megabyte": _set("pieces.9.piece", "x" * 1_000_000),
    "a piece of 60,000 characters": _set("pieces.9.piece", "x" * 60_000),
    "a piece with a terminal escape": _set("pieces.9.piece", "\x1b[2J"),
    "one piece for all": _all_pieces(piece="a"),
    "nothing but unused pieces": _all_pieces(type=_KINDS.UNUSED),
    "nothing but control pieces": _all_pieces(type=_KINDS.CONTROL),
    "nothing but unknown pieces": _all_pieces(type=_KINDS.UNKNOWN),
    "nothing but bytes": _all_pieces(type=_KINDS.BYTE),
    "nothing but what users define": _all_pieces(type=_KINDS.USER_DEFINED),
    "padding that is text": _set("pieces.0.type", _KINDS.NORMAL),
    "no unknown piece": _set("pieces.1.type", _KINDS.NORMAL),
    "an end that is text": _set("pieces.3.type", _KINDS.NORMAL),
    "no pieces": _keep(0),
    "one piece": _keep(1),
    "special pieces only": _keep(4),
    "ids of 2 ** 31 - 1": _set("trainer_spec.unk_id", HUGE),
    "a negative unknown id": _set("trainer_spec.unk_id", -1),
    "a vocabulary that claims 2 ** 31 - 1 pieces": _set("trainer_spec.vocab_size", HUGE),
    "words": _set("trainer_spec.model_type", 3),
    "byte fallback": _set("trainer_spec.byte_fallback", True),
    "whitespace as suffix": _set("trainer_spec.treat_whitespace_as_suffix", True),
    "whitespace not escaped": _set("normalizer_spec.escape_whitespaces", False),
    "no table": _set("normalizer_spec.precompiled_charsmap", b""),
    "a table for decoding": _set("denormalizer_spec.precompiled_charsmap", b"\xff" * 2048),
    "another name for padding": _set("trainer_spec.pad_piece", "▁"),
    "an unknown surface of a megabyte": _set("trainer_spec.unk_surface", "?" * 1_000_000),
}
