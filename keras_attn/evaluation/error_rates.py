"""Exact match, character error rate and word error rate, for tasks with one right answer: spellings, sounds, dates.

Both error rates are Levenshtein 1966: the fewest insertions, deletions and substitutions that make a reference of the hypothesis.
"""

import dataclasses
import unicodedata
from collections.abc import Sequence
from importlib.metadata import version


@dataclasses.dataclass(frozen=True)
class ErrorRates:
    """Per cent; an error rate may exceed 100.

    Attributes:
        exact: sources whose hypothesis is one of their references.
        cer: character edits to the nearest reference of each source, over all of those references' characters, spaces included.
        wer: the same of words, which are what whitespace separates: phonemes, where a line is phonemes.
        signature: references a source (`var`: not as many for each), sources, and how lines are made comparable.
    """

    exact: float
    cer: float
    wer: float
    signature: str

    def as_dict(self) -> dict[str, float | str]:
        """By name, for `metrics.json`."""
        return {"exact": self.exact, "cer": self.cer, "wer": self.wer, "error_signature": self.signature}

    def __str__(self) -> str:
        return f"exact {self.exact:5.1f} %, CER {self.cer:5.1f} %, WER {self.wer:5.1f} %  {self.signature}"


def error_rates(sources: Sequence[str], hypotheses: Sequence[str], *references: Sequence[str]) -> ErrorRates:
    """Compares hypotheses with their references.

    A source that occurs several times counts once, with the hypothesis of its first line and the references of all its lines: the
    pronunciations of one word, say. Lines are compared in Unicode's composed form (NFC), with one space for each run of whitespace.

    Args:
        sources: what the hypotheses are of.
        hypotheses: one for each source.
        references: one or more lists, each with a reference for each source.

    Raises:
        ValueError: no lines, or lists that differ in length.
    """
    if not references or any(len(lines) != len(sources) for lines in (hypotheses, *references)):
        counts = ", ".join(str(len(lines)) for lines in (hypotheses, *references))
        raise ValueError(
            f"expected a hypothesis and a reference for each of {len(sources)} sources; got {counts}"
        )
    if not sources:
        raise ValueError("nothing to score: got no sources")
    groups: dict[str, tuple[str, list[str]]] = {}
    for source, hypothesis, *lines in zip(sources, hypotheses, *references, strict=True):
        _, known = groups.setdefault(source, (_comparable(hypothesis), []))
        known += [line for line in map(_comparable, lines) if line not in known]
    counts = {len(known) for _, known in groups.values()}
    right = sum(hypothesis in known for hypothesis, known in groups.values())
    return ErrorRates(
        exact=100 * right / len(groups),
        cer=_error_rate(
            [(list(hypothesis), list(map(list, known))) for hypothesis, known in groups.values()]
        ),
        wer=_error_rate(
            [(hypothesis.split(), [line.split() for line in known]) for hypothesis, known in groups.values()]
        ),
        signature=f"nrefs:{counts.pop() if len(counts) == 1 else 'var'}|sources:{len(groups)}|norm:nfc|"
        f"rapidfuzz:{version('rapidfuzz')}",
    )


def _comparable(line: str) -> str:
    return " ".join(unicodedata.normalize("NFC", line).split())


def _error_rate(groups: list[tuple[list[str], list[list[str]]]]) -> float:
    """Of symbols: the edits to the nearest references over the lengths of those, in per cent; of equally near ones, the longest."""
    from rapidfuzz.distance import Levenshtein

    edits = length = 0
    for hypothesis, references in groups:
        distance, shorter = min((Levenshtein.distance(hypothesis, each), -len(each)) for each in references)
        edits, length = edits + distance, length - shorter
    return 100 * edits / max(length, 1)
