"""A glossary: which words of one language have to become which of the other."""

import re
from collections.abc import Mapping
from pathlib import Path

from keras_attn.text.corpus import CorpusError, read_lines


class Glossary:
    """Finds the terms of a line.

    A term stands as it is written, capitals too, and as whole words: "dog" is not in "dogs" nor in "Dog". Where terms overlap, the
    longer one counts.

    Args:
        terms: what each term of the source language has to become.

    Raises:
        ValueError: a term or its translation is empty.
    """

    def __init__(self, terms: Mapping[str, str]) -> None:
        self.terms = {source.strip(): target.strip() for source, target in terms.items()}
        for source, target in self.terms.items():
            if not (source and target):
                raise ValueError(
                    f"a glossary needs a term and its translation; got {source!r} and {target!r}"
                )
        longest_first = sorted(self.terms, key=len, reverse=True)
        any_term = "|".join(map(re.escape, longest_first)) or "(?!)"
        self._pattern = re.compile(rf"(?<!\w)(?:{any_term})(?!\w)")

    @classmethod
    def read(cls, path: str | Path) -> "Glossary":
        """Reads a file of two columns, a tab between them; an empty line says nothing.

        Raises:
            CorpusError: the file cannot be read, or a line has not two columns.
        """
        terms = {}
        for number, line in enumerate(read_lines(path), start=1):
            if not line.strip():
                continue
            columns = line.split("\t")
            if len(columns) != 2 or not all(column.strip() for column in columns):
                raise CorpusError(
                    f"{path}, line {number}: expected a term, a tab and its translation; got {line!r}"
                )
            terms[columns[0]] = columns[1]
        return cls(terms)

    def translations(self, line: str) -> list[str]:
        """What the terms of a line have to become, one for each time that a term occurs."""
        return [self.terms[term] for term in self._pattern.findall(line)]
