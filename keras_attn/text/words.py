"""Words: which one each sub-word belongs to, and whether lines are no more than one."""

from collections.abc import Sequence
from itertools import accumulate

WORD_START = "▁"  # SentencePiece writes U+2581 where a word begins
EOS_PIECE = "</s>"  # what the tokenizer calls EOS_ID; no text is ever cut into a piece of this name


_MOSTLY = 0.9


def are_single_words(lines: Sequence[str]) -> bool:
    """Whether at least nine in ten lines are one word: names or spellings, say, and not sentences."""
    return sum(len(line.split()) == 1 for line in lines) >= _MOSTLY * len(lines)


def word_of_pieces(pieces: Sequence[str]) -> list[int]:
    """The word that each piece belongs to, counted from 0; `"</s>"` is a word of its own.

    The words are those of the whitespace-split text as the tokenizer saw it.
    """
    following = [*pieces[1:], EOS_PIECE] if pieces else []
    opens = [_opens_word(i, *pair) for i, pair in enumerate(zip(pieces, following, strict=True))]
    return [max(count - 1, 0) for count in accumulate(opens)]  # a bare mark at the front: the first word's


def _opens_word(position: int, piece: str, following: str) -> bool:
    if piece == EOS_PIECE:
        return True
    if piece == WORD_START:  # alone it opens a word only if the next piece is that word's text
        return not following.startswith((WORD_START, EOS_PIECE))
    return position == 0 or piece.startswith(WORD_START)
