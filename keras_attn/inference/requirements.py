"""Required beginnings and contents of translations, as ids for a search."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from keras_attn.compilation import padded
from keras_attn.search.phrases import ANY_BOUNDARY, Phrases
from keras_attn.special_ids import PAD_ID, UNK_ID
from keras_attn.text.framing import check_lines
from keras_attn.text.glossary import Glossary
from keras_attn.text.tokenizer import Tokenizer
from keras_attn.text.words import may_follow_a_word


class Requirements:
    """The prefixes of lines, if any, and the phrases that a glossary requires.

    Args:
        lines: in the source language.
        tokenizer: the tokenizer of the target language.
        prefix: the beginning of the translations, one text for all or one for each; `None`: anything.
        glossary: required translations of terms; `None`: there are none.

    Raises:
        TypeError: prefixes that are no sequence.
        ValueError: the numbers of prefixes and lines differ, one is no text, or the vocabulary cannot spell a text.
    """

    def __init__(
        self,
        lines: Sequence[str],
        tokenizer: Tokenizer,
        *,
        prefix: str | Sequence[str] | None,
        glossary: Mapping[str, str] | Glossary | None,
    ) -> None:
        self._tokenizer = tokenizer
        prefixes = [prefix or ""] * len(lines) if prefix is None or isinstance(prefix, str) else prefix
        check_lines(prefixes, name="prefix")
        if len(prefixes) != len(lines):
            raise ValueError(f"expected one prefix per line; got {len(prefixes)} for {len(lines)} lines")
        self._prefixes = _sayable(prefixes, tokenizer) if any(prefixes) else [[] for _ in lines]
        if not isinstance(glossary, Glossary):
            glossary = Glossary({} if glossary is None else glossary)
        self._phrases = _phrases(lines, glossary, tokenizer)

    def room(self, row: int) -> int:
        """How many sub-words of a line's translation are already given."""
        return len(self._prefixes[row]) + sum(len(phrase) - 1 for phrase in self._phrases[row])

    def of(self, rows: Sequence[int], count: int) -> dict[str, Any]:
        """`prefix` and `phrases` for the search of some lines, in a batch of `count`, as far as they have any."""
        asked = {}
        if any(self._prefixes[row] for row in rows):
            asked["prefix"] = padded([self._prefixes[row] for row in rows], count)
        if any(self._phrases[row] for row in rows):
            asked["phrases"] = self._arrays([self._phrases[row] for row in rows], count)
        return asked

    def _arrays(self, phrases: list[list[list[int]]], count: int) -> Phrases:
        most = (
            1 << (max(map(len, phrases)) - 1).bit_length()
        )  # one of a few numbers, because each is compiled separately
        longest = max(len(phrase) for each in phrases for phrase in each)
        ids = np.full((count, most, longest), PAD_ID, np.int32)
        for i, each in enumerate(phrases):
            for j, phrase in enumerate(each):
                ids[i, j, : len(phrase)] = phrase
        pieces = self._tokenizer.pieces(range(self._tokenizer.vocab_size))
        return Phrases(ids, np.array([may_follow_a_word(piece) for piece in pieces]))


def _phrases(lines: Sequence[str], glossary: Glossary, tokenizer: Tokenizer) -> list[list[list[int]]]:
    """For each line, the ids of its phrases, with equal ones adjacent."""
    texts = [sorted(glossary.translations(line)) for line in lines]
    different = sorted({text for each in texts for text in each})
    ids = dict(zip(different, _sayable(different, tokenizer), strict=True))
    for text in different:
        if not ids[text]:
            raise ValueError(f"{text!r} has no words that the target vocabulary could spell")
    return [[[*ids[text], ANY_BOUNDARY] for text in each] for each in texts]


def _sayable(texts: Sequence[str], tokenizer: Tokenizer) -> list[list[int]]:
    encoded = tokenizer.encode_as_written(texts)
    for text, ids in zip(texts, encoded, strict=True):
        if UNK_ID in ids:
            raise ValueError(
                f"the target vocabulary cannot spell {text!r}: it does not know one of the characters"
            )
    return encoded
