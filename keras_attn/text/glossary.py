"""Glossaries: required translations of terms."""

import re
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from keras_attn.text.corpus import CorpusError, read_lines
from keras_attn.text.words import comparable

_LETTER = re.compile(r"\w")


class Occurrence(NamedTuple):
    """A term in a line."""

    before: str  # the line up to the term
    term: str
    translation: str


class Glossary:
    """Finds the terms of a line.

    A term matches only as whole words and with the same capitals: "dog" matches neither "dogs" nor "Dog". Between its words may be
    any white space, and an accented letter may be written as one character or as two. If terms overlap, the longer one counts.

    Args:
        terms: the required translation of each term of the source language.

    Raises:
        ValueError: no mapping, a term or its translation is empty or no text, or a term has two translations.
    """

    def __init__(self, terms: Mapping[str, str]) -> None:
        if not isinstance(terms, Mapping):
            raise ValueError(
                f"a glossary must be a mapping from terms to their translations, such as a dict. Received: {terms!r:.80}. "
                "Glossary.read reads one from a file"
            )
        for pair in terms.items():
            if not all(isinstance(text, str) and text.strip() for text in pair):
                raise ValueError(
                    f"a glossary needs a term and its translation as text; got {pair[0]!r} and {pair[1]!r}"
                )
        self.terms: dict[str, str] = {}
        for source, target in terms.items():
            known = self.terms.setdefault(comparable(source), target.strip())
            if known != target.strip():
                raise ValueError(
                    f"a glossary needs one translation of {source!r}; got {known!r} and {target!r}"
                )
        longest_first = sorted(self.terms, key=len, reverse=True)
        any_term = "|".join(map(re.escape, longest_first)) or "(?!)"
        self._pattern = re.compile(rf"(?<!\w)(?=({any_term})(?!\w))")  # the longest at each word

    @classmethod
    def read(cls, path: str | Path) -> "Glossary":
        """Reads a file with two columns, separated by a tab; empty lines are ignored.

        Raises:
            CorpusError: the file cannot be read, a line does not have two columns, or a term has two translations.
        """
        terms: dict[str, str] = {}
        for number, line in enumerate(read_lines(path), start=1):
            if not line.strip():
                continue
            columns = line.split("\t")
            if len(columns) != 2 or not all(column.strip() for column in columns):
                raise CorpusError(
                    f"{path}, line {number}: expected a term, a tab and its translation; got {line!r}"
                )
            term, translation = comparable(columns[0]), columns[1].strip()
            if terms.setdefault(term, translation) != translation:
                raise CorpusError(
                    f"{path}, line {number}: {term!r} already has the translation {terms[term]!r}: leave one of the two out"
                )
        return cls(terms)

    def occurrences(self, line: str) -> list[Occurrence]:
        """The terms in a line, with one way to write accented letters and single spaces."""
        line = comparable(line)
        spans = [
            (begin, end)
            for begin, longest in (found.span(1) for found in self._pattern.finditer(line))
            for end in range(begin + 1, longest + 1)
            if line[begin:end] in self.terms and not _is_in_a_word(line[end : end + 1])
            if not _is_in_a_word(line[max(begin - 1, 0) : begin])
        ]
        taken, chosen = bytearray(len(line)), []
        for begin, end in sorted(spans, key=lambda span: span[0] - span[1]):  # longest first
            if not any(taken[begin:end]):
                taken[begin:end] = b"\1" * (end - begin)
                chosen.append((begin, end))
        return [
            Occurrence(line[:begin], line[begin:end], self.terms[line[begin:end]])
            for begin, end in sorted(chosen)
        ]


def _is_in_a_word(character: str) -> bool:
    """Whether it is a letter, a digit, or a combining mark, which `\\w` leaves out; "" is none."""
    return bool(_LETTER.match(character)) or (character != "" and unicodedata.category(character)[0] == "M")
