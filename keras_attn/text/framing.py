"""All rules for framing sentences: BOS and EOS, padding, cutting, lines without words, line breaks.

A source ends with EOS and is cut so that EOS still fits. A target that the decoder reads begins with BOS, and a target to predict
ends with EOS. Batches are padded on the right. A line in which the vocabulary knows nothing, such as "" or "☃", has no words and is
not translated. A translation is always one line, without control characters.

Where necessary, a rule is written twice: for lists and arrays in Python, and as `tf_...` for tensors inside a graph.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from keras_attn.special_ids import BOS_ID, EOS_ID, PAD_ID, UNK_ID
from keras_attn.text.ragged import Ragged
from keras_attn.text.tokenizer import Tokenizer

if TYPE_CHECKING:
    import tensorflow as tf

Ids: TypeAlias = list[int]

CHARACTERS_PER_TOKEN = (
    64  # four times the longest sub-word: leaves room for spaces and marks that normalisation removes
)
# Line breaks, and control characters that an untrusted vocabulary could send to a terminal.
CONTROL_CHARACTERS = "".join(map(chr, [*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029]))
_CONTROL_CHARACTERS = r"[\x00-\x1f\x7f-\x9f" + "\u2028\u2029]"


def check_lines(*sides: Sequence[str], name: str = "the lines") -> None:
    """Refuses what is not a sequence of strings.

    Args:
        sides: the sequences; arrays are sequences too.
        name: what an error calls them.

    Raises:
        TypeError: one string, whose characters would be taken for lines, or no sequence.
        ValueError: one of the lines is not a string.
    """
    for lines in sides:
        if isinstance(lines, str):
            raise TypeError(
                "expected lists of lines; got one string, whose characters would be taken for lines"
            )
        if isinstance(lines, Mapping) or not all(hasattr(lines, it) for it in ("__len__", "__getitem__")):
            raise TypeError(
                f"expected {name} as a sequence of strings. Received: {type(lines).__name__}. "
                "Pass a list; list(...) makes one of a generator or a set"
            )
        for row, line in enumerate(lines):
            if not isinstance(line, str):
                raise ValueError(
                    f"expected text; got {line!r:.80} in row {row} of {name}. Pass strings only, and decode bytes"
                )


def source_of(ids: Sequence[int], most: int) -> Ids:
    """Sub-words as a source: with EOS, at most `most` ids."""
    return [*ids[: most - 1], EOS_ID]


def target_out_of(ids: Sequence[int]) -> Ids:
    """Sub-words as a target to predict: with EOS."""
    return [*ids, EOS_ID]


def target_in_of(target_out: Sequence[int]) -> Ids:
    """The decoder's input when it predicts `target_out`: BOS, then all tokens but the last."""
    return [BOS_ID, *target_out[:-1]]


def training_arrays(
    source: Ragged, target: Ragged, *, rows: int, lengths: tuple[int | None, int | None]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sub-words of pairs as `source` int32 `[B, S]`, `target_in` and `target_out` int32 `[B, T]`, padded on the right.

    Args:
        source, target: the sub-words.
        rows: B; rows without a pair contain only padding.
        lengths: S and T. `None`: the longest lengths.
    """
    return (
        source.padded(end=EOS_ID, rows=rows, length=lengths[0]),
        target.padded(begin=BOS_ID, rows=rows, length=lengths[1]),
        target.padded(end=EOS_ID, rows=rows, length=lengths[1]),
    )


def has_words(source: Collection[int], tokenizer: Tokenizer) -> bool:
    """Whether the vocabulary knows anything in a line with these ids."""
    return not tokenizer.wordless_ids.issuperset(source)


def one_line(text: str) -> str:
    """Text with line breaks and other control characters replaced by spaces."""
    return re.sub(_CONTROL_CHARACTERS, " ", text)


def longest_text(most: int) -> int:
    """How many characters of a text to read for at most `most` sub-words: this bounds time and memory, whatever a client
    sends."""
    return CHARACTERS_PER_TOKEN * most


def tf_framed(text: "tf.Tensor", tokenizer: Tokenizer, most: int) -> "tf.Tensor":
    """string `[B]` -> int32 `[B, length]`: sub-words, EOS, padding; length is `most` at most. As a source or as `target_out`."""
    import tensorflow as tf

    text = tf.strings.substr(text, 0, longest_text(most), unit="UTF8_CHAR")
    words = tokenizer.tf_encode(text)[:, : most - 1]
    ends = tf.fill([tf.shape(text)[0], 1], EOS_ID)
    return tf.concat([words, ends], axis=1).to_tensor(PAD_ID)


def tf_target_in_of(target_out: "tf.Tensor") -> "tf.Tensor":
    """int32 `[B, T]` to predict -> int32 `[B, T]` to read."""
    import tensorflow as tf

    return tf.concat([tf.fill([tf.shape(target_out)[0], 1], BOS_ID), target_out[:, :-1]], axis=1)


def tf_without_wordless(source: "tf.Tensor", wordless_ids: Collection[int]) -> "tf.Tensor":
    """Sources int32 `[B, S]`; a source without words becomes padding only."""
    import tensorflow as tf

    wordless = tf.constant(sorted(wordless_ids))
    known = tf.reduce_any(tf.reduce_all(source[..., None] != wordless, axis=-1), axis=1)  # [B]
    return tf.where(known[:, None], source, PAD_ID)


def tf_never_empty(ids: "tf.Tensor") -> "tf.Tensor":
    """Adds a column of padding unless the length is known: an encoder needs at least one position, and padding changes nothing.

    It is always added, and padding is never cut off, because LiteRT's kernels handle shapes that depend on the ids badly.
    """
    import tensorflow as tf

    return ids if ids.shape[1] else tf.pad(ids, [[0, 0], [0, 1]])


def tf_reframed(
    ids: "tf.Tensor", most: int, *, vocab_size: int, wordless_ids: Collection[int]
) -> tuple["tf.Tensor", "tf.Tensor"]:
    """Turns any ids from a host, int32 `[1, S]`, into a source as in training; also returns the flag `truncated` `[1]`.

    The sentence ends before the first EOS or padding, or where just one position is left for EOS. Ids outside the vocabulary become
    unknown words.
    """
    import tensorflow as tf

    ids = tf.pad(ids[:, :most], [[0, 0], [0, 1]]) if ids.shape[1] is None else ids  # S is 1 at least
    size = tf.shape(ids)[1]
    ends = tf.cast((ids == EOS_ID) | (ids == PAD_ID), tf.int32)
    words = tf.reduce_sum(tf.cast(tf.cumsum(ends, axis=1) == 0, tf.int32), axis=1)  # [1]
    read = tf.minimum(words, tf.minimum(size, most) - 1)
    places = tf.range(size)[None]  # [1, S]
    known = tf_known(ids, vocab_size)
    source = tf.where(places < read, known, tf.where(places == read, EOS_ID, PAD_ID))
    return tf_without_wordless(source, wordless_ids), tf.cast(words > read, tf.int32)


def tf_known(ids: "tf.Tensor", vocab_size: int) -> "tf.Tensor":
    """int32 ids of any shape, with ids outside the vocabulary replaced by the unknown id."""
    import tensorflow as tf

    return tf.where((ids >= 0) & (ids < vocab_size), ids, UNK_ID)


def tf_one_line(texts: "tf.Tensor") -> "tf.Tensor":
    """A string tensor of any shape, with control characters replaced by spaces."""
    import tensorflow as tf

    return tf.strings.regex_replace(texts, _CONTROL_CHARACTERS, " ")
