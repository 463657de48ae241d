"""Words: to which one each sub-word belongs, how they are spelled, and whether lines are single words."""

import re
import unicodedata
from collections.abc import Sequence
from itertools import accumulate

WORD_START = "▁"  # SentencePiece marks the beginning of a word by U+2581
EOS_PIECE = "</s>"  # the tokenizer's name for EOS_ID; no text contains a piece of this name


_MOSTLY = 0.9
_BYTES = re.compile("(?:<0x[0-9A-F]{2}>)+")


def are_single_words(lines: Sequence[str]) -> bool:
    """Whether at least nine in ten lines are single words: names or spellings, for example, rather than sentences."""
    return sum(len(line.split()) == 1 for line in lines) >= _MOSTLY * len(lines)


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
