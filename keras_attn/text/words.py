"""Words: to which one each sub-word belongs, how they are spelled, and whether lines have spaces or are single words."""

import re
import unicodedata
from collections.abc import Callable, Sequence
from itertools import accumulate

WORD_START = "▁"  # SentencePiece marks the beginning of a word by U+2581
EOS_PIECE = "</s>"  # the tokenizer's name for EOS_ID; no text contains a piece of this name


_MOSTLY = 0.9
_LONGEST_NAME = 15  # letters, in a script that may do without spaces
_BYTES = re.compile("(?:<0x[0-9A-F]{2}>)+")


def have_no_spaces(lines: Sequence[str]) -> bool:
    """Whether at least nine in ten lines have no space inside: single words, or sentences in Chinese, Japanese or Thai."""
    return _mostly(_has_no_space, lines)


def are_single_words(lines: Sequence[str]) -> bool:
    """Whether at least nine in ten lines are single words: names or spellings, for example, rather than sentences.

    In a script without capitals, which may do without spaces, a line that is long or ends in a punctuation mark is a sentence.
    """
    return _mostly(lambda line: _has_no_space(line) and not _is_sentence(line), lines)


def _mostly(holds: Callable[[str], bool], lines: Sequence[str]) -> bool:
    return sum(map(holds, lines)) >= _MOSTLY * len(lines)


def _has_no_space(line: str) -> bool:
    return len(line.split()) == 1


def _is_sentence(word: str) -> bool:
    """Whether what has no space is a sentence all the same; numbers, dates and formulas are not."""
    has_capitals = word.lower() != word.upper()
    if has_capitals or not any(map(str.isalpha, word)):
        return False
    return len(word.strip()) > _LONGEST_NAME or unicodedata.category(word.strip()[-1]) == "Po"


def comparable(text: str) -> str:
    """The text with one way to write an accented letter (NFC) and single spaces, so that what looks equal is equal."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def word_of_pieces(pieces: Sequence[str]) -> list[int]:
    """The word that each piece belongs to, counted from 0; `"</s>"` is a word of its own.

    The words are those of the whitespace-split text as the tokenizer saw it.
    """
    following = [*pieces[1:], EOS_PIECE] if pieces else []
    opens = [_opens_word(i, *pair) for i, pair in enumerate(zip(pieces, following, strict=True))]
    return [
        max(count - 1, 0) for count in accumulate(opens)
    ]  # a bare mark at the beginning belongs to the first word


def words_of_pieces(pieces: Sequence[str]) -> list[str]:
    """The words that pieces spell, `"</s>"` included; runs of bytes, such as `<0xC3>` `<0xA9>`, are decoded as UTF-8."""
    word_of_piece = word_of_pieces(pieces)
    words = [""] * (word_of_piece[-1] + 1 if pieces else 0)
    for word, piece in zip(word_of_piece, pieces, strict=True):
        words[word] += piece.removeprefix(WORD_START)
    return [_BYTES.sub(_decoded, word) for word in words]


def _decoded(run: re.Match[str]) -> str:
    return bytes.fromhex(run[0].replace("<0x", "").replace(">", "")).decode(errors="replace")


def may_follow_a_word(piece: str) -> bool:
    """Whether a piece cannot continue the previous word: it begins a new one, is the end, or is punctuation.

    A letter, a digit and a combining mark continue a word, and so may a byte or an unknown, `<0xE2>` and `<unk>`.
    """
    goes_on = piece[:1].isalnum() or unicodedata.category(piece[:1])[0] == "M" or piece.startswith("<")
    return piece == EOS_PIECE or not goes_on


def _opens_word(position: int, piece: str, following: str) -> bool:
    if piece == EOS_PIECE:
        return True
    if piece == WORD_START:  # on its own it begins a word only if the next piece is that word's text
        return not following.startswith((WORD_START, EOS_PIECE))
    return position == 0 or piece.startswith(WORD_START)
