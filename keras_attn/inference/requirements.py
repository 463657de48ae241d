"""Required beginnings and contents of translations, as ids for a search."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from keras_attn.compilation import padded
from keras_attn.search.phrases import ANY_BOUNDARY, Phrases
from keras_attn.special_ids import PAD_ID, UNK_ID
from keras_attn.text.framing import check_lines
from keras_attn.text.glossary import Glossary
from keras_attn.text.tokenizer import Tokenizer


class _Phrase(NamedTuple):
    """A phrase that a translation must contain."""

    ids: list[int]
    places: range  # the sub-words of its term in the source


class Requirements:
    """The prefixes of lines, if any, and the phrases that a glossary requires.

    Args:
        lines: in the source language.
        source_tokenizer: the tokenizer of that language.
        target_tokenizer: the tokenizer of the target language.
        prefix: the beginning of the translations, one text for all or one for each; `None`: anything.
        glossary: required translations of terms; `None`: there are none.

    Raises:
        TypeError: prefixes that are no sequence.
        ValueError: the numbers of prefixes and lines differ, one is no text, or the vocabulary cannot spell a text.
    """

    def __init__(
        self,
        lines: Sequence[str],
        source_tokenizer: Tokenizer,
        target_tokenizer: Tokenizer,
        *,
        prefix: str | Sequence[str] | None,
        glossary: Mapping[str, str] | Glossary | None,
    ) -> None:
        self._tokenizer = target_tokenizer
        prefixes = [prefix or ""] * len(lines) if prefix is None or isinstance(prefix, str) else prefix
        check_lines(prefixes, name="prefix")
        if len(prefixes) != len(lines):
            raise ValueError(f"expected one prefix per line; got {len(prefixes)} for {len(lines)} lines")
        self._prefixes = _sayable(prefixes, target_tokenizer) if any(prefixes) else [[] for _ in lines]
        if not isinstance(glossary, Glossary):
            glossary = Glossary({} if glossary is None else glossary)
        self._phrases = _phrases(lines, glossary, source_tokenizer, target_tokenizer)

    def room(self, row: int) -> int:
        """How many sub-words of a line's translation are already given."""
        return len(self._prefixes[row]) + sum(len(phrase.ids) - 1 for phrase in self._phrases[row])

    def of(self, rows: Sequence[int], count: int, length: int) -> dict[str, Any]:
        """`prefix` and `phrases` for the search of some lines, as far as they have any, in a batch `[count, length]`."""
        asked = {}
        if any(self._prefixes[row] for row in rows):
            asked["prefix"] = padded([self._prefixes[row] for row in rows], count)
        if any(self._phrases[row] for row in rows):
            asked["phrases"] = self._arrays([self._phrases[row] for row in rows], count, length)
        return asked

    def _arrays(self, phrases: list[list[_Phrase]], count: int, length: int) -> Phrases:
        most = (
            1 << (max(map(len, phrases)) - 1).bit_length()
        )  # one of a few numbers, because each is compiled separately
        longest = max(len(phrase.ids) for each in phrases for phrase in each)
        ids = np.full((count, most, longest), PAD_ID, np.int32)
        terms = np.zeros((count, most, length), np.float32)
        for i, each in enumerate(phrases):
            for j, phrase in enumerate(each):
                ids[i, j, : len(phrase.ids)] = phrase.ids
                terms[i, j, [place for place in phrase.places if place < length]] = 1
        terms[~terms.any(axis=2)] = 1  # no place is known, so all are right
        return Phrases(ids, self._tokenizer.may_follow_a_word, terms)


def _phrases(
    lines: Sequence[str], glossary: Glossary, source_tokenizer: Tokenizer, target_tokenizer: Tokenizer
) -> list[list[_Phrase]]:
    """The phrases of each line, with equal ones adjacent and in the order of their terms."""
    found = [sorted(glossary.occurrences(line), key=lambda term: term.translation) for line in lines]
    terms = [term for each in found for term in each]
    different = sorted({term.translation for term in terms})
    ids = dict(zip(different, _sayable(different, target_tokenizer), strict=True))
    for text in different:
        if not ids[text]:
            raise ValueError(f"{text!r} has no words that the target vocabulary could spell")
    begins = source_tokenizer.encode([term.before for term in terms])
    ends = source_tokenizer.encode([term.before + term.term for term in terms])
    places = iter([range(len(begin), len(end)) for begin, end in zip(begins, ends, strict=True)])
    return [
        [_Phrase([*ids[term.translation], ANY_BOUNDARY], next(places)) for term in each] for each in found
    ]


def _sayable(texts: Sequence[str], tokenizer: Tokenizer) -> list[list[int]]:
    encoded = tokenizer.encode_as_written(texts)
    for text, ids in zip(texts, encoded, strict=True):
        if UNK_ID in ids:
            raise ValueError(
                f"the target vocabulary cannot spell {text!r}: it does not know one of the characters"
            )
    return encoded
