"""Lines in capitals: a vocabulary may have them read as "THE END" -> "The end", because a model has seen few of them.

A line is in capitals if it has at least two capitals and no small letter. All of them but the first become small. Only letters
count whose other form is one letter with as many bytes in UTF-8, so the bytes of a line stay where they are: Latin, Greek, Cyrillic
and Armenian, but not "İ".

The rule is written three times: for lines in Python, for strings inside a graph, and for bytes in a `.tflite` (`export.tokens`).
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import tensorflow as tf
    from sentencepiece.sentencepiece_model_pb2 import ModelProto

BLOCKS = range(0x590), range(0x1E00, 0x1F00)
_MARK = "+lower_capitals"  # in the name of a vocabulary's normaliser, which SentencePiece does not read


def _small_letters() -> dict[int, int]:
    """The code point of the small letter for that of each capital."""
    pairs = ((point, chr(point), chr(point).lower()) for block in BLOCKS for point in block)
    return {
        point: ord(small)
        for point, capital, small in pairs
        if capital != small == small.lower() and small.upper() == capital
        if len(small) == 1 and len(small.encode()) == len(capital.encode())
    }


SMALL_LETTERS = _small_letters()
_CAPITALS = frozenset(map(chr, SMALL_LETTERS))
_SMALL = frozenset(map(chr, SMALL_LETTERS.values()))


def lowers_capitals(model: "ModelProto") -> bool:
    """Whether a vocabulary has lines in capitals read in small letters."""
    return model.normalizer_spec.name.endswith(_MARK)


def with_lower_capitals(model_proto: bytes) -> bytes:
    """The same vocabulary, which has them read so."""
    from sentencepiece.sentencepiece_model_pb2 import ModelProto

    model = ModelProto.FromString(model_proto)
    if not lowers_capitals(model):
        model.normalizer_spec.name += _MARK
    return model.SerializeToString(deterministic=True)


def without_capitals(line: str) -> str:
    """A line in capitals with small letters after the first one; any other line as it is."""
    if any(letter in _SMALL for letter in line):
        return line
    first = next((place for place, letter in enumerate(line) if letter in _CAPITALS), len(line))
    return line[: first + 1] + line[first + 1 :].translate(SMALL_LETTERS)


def tf_without_capitals(lines: "tf.Tensor") -> "tf.Tensor":
    """The same inside a graph, string `[B]`; bytes that are not UTF-8 become U+FFFD in lines in capitals."""
    import numpy as np
    import tensorflow as tf

    size = BLOCKS[-1].stop
    small = np.arange(size, dtype=np.int32)
    small[list(SMALL_LETTERS)] = list(SMALL_LETTERS.values())
    given = tf.strings.unicode_decode(lines, "UTF-8")
    points = given.to_tensor()  # [B, characters]
    known = tf.where(points < size, points, 0)
    lowered = tf.gather(small, known)
    is_capital = lowered != known
    is_small = tf.gather(np.isin(np.arange(size), list(SMALL_LETTERS.values())), known)
    is_later = tf.cumsum(tf.cast(is_capital, tf.int32), axis=1) > 1
    points = tf.where(is_capital & is_later, lowered, points)
    quiet = tf.strings.unicode_encode(tf.RaggedTensor.from_tensor(points, given.row_lengths()), "UTF-8")
    in_capitals = tf.reduce_any(is_later, axis=1) & ~tf.reduce_any(is_small, axis=1)
    return tf.where(in_capitals, quiet, lines)
