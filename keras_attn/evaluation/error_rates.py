"""Exact match, character error rate and word error rate, for tasks with one right answer: spellings, sounds, dates.

Both error rates use the distance of Levenshtein 1966: the fewest insertions, deletions and substitutions that turn the
hypothesis into a reference.
"""

import dataclasses
from collections.abc import Sequence
from importlib.metadata import version

from keras_attn.text.words import comparable


@dataclasses.dataclass(frozen=True)
class ErrorRates:
    """Scores in per cent; an error rate may exceed 100.

    Attributes:
        exact: share of sources for which the hypothesis equals one of the references.
        cer: character edits to the nearest reference of each source, divided by the total length of those references, spaces
            included.
        wer: the same for words, separated by whitespace; these are phonemes if a line is phonemes.
        signature: references per source (`var`: not always the same number), sources, and how lines are normalised.
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

    A source that occurs several times, such as a word with several pronunciations, counts once, with the hypothesis of its first
    line and the references of all its lines. Lines are compared in Unicode's composed form (NFC), with one space per run of
    whitespace.

    Args:
        sources: the sources of the hypotheses.
        hypotheses: one per source.
        references: one or more lists, each with one reference per source.

    Raises:
        ValueError: no lines, or lists that differ in length.
    """
    if not references or any(len(lines) != len(sources) for lines in (hypotheses, *references)):
        counts = ", ".join(str(len(lines)) for lines in (hypotheses, *references))
        raise ValueError(
            f"expected a hypothesis and a reference for each of {len(sources)} sources; got {counts}"
        )
    if not len(sources):
        raise ValueError("nothing to score: got no sources")
    groups: dict[str, tuple[str, list[str]]] = {}
    for source, hypothesis, *lines in zip(sources, hypotheses, *references, strict=True):
        _, known = groups.setdefault(source, (comparable(hypothesis), []))
        known += [line for line in map(comparable, lines) if line not in known]
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


def _error_rate(groups: list[tuple[list[str], list[list[str]]]]) -> float:
    """Edits to the nearest references, divided by their lengths, in per cent; on a tie, the longest reference counts."""
    from rapidfuzz.distance import Levenshtein

    edits = length = 0
    for hypothesis, references in groups:
        distance, shorter = min((Levenshtein.distance(hypothesis, each), -len(each)) for each in references)
        edits, length = edits + distance, length - shorter
    return 100 * edits / max(length, 1)
