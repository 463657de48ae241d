"""Translates a test set with greedy and beam search, and scores the translations."""

import dataclasses
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from keras_attn.config import DataConfig
from keras_attn.corpora.named import tokenized_reference
from keras_attn.evaluation.error_rates import ErrorRates, error_rates
from keras_attn.evaluation.scores import Scores, corpus_scores, tokenized_scores
from keras_attn.text.words import have_no_spaces

if TYPE_CHECKING:
    from keras_attn.inference.translator import Translator


@dataclasses.dataclass(frozen=True)
class Evaluation:
    """The scores of one search method.

    Attributes:
        tokenized: scores against tokenised and lowercased references.
        without_spaces: whether the references have no spaces: they are one word each for BLEU, which is nearly always 0.
    """

    beam_size: int
    length_penalty: float
    coverage_penalty: float
    scores: Scores
    errors: ErrorRates
    tokenized: Scores | None = None
    without_spaces: bool = False

    @property
    def name(self) -> str:
        return "greedy" if self.beam_size == 1 else f"beam_{self.beam_size}"

    def as_dict(self) -> dict[str, Any]:
        """For `metrics.json`."""
        penalties = {"length_penalty": self.length_penalty, "coverage_penalty": self.coverage_penalty}
        values = {**penalties, **self.scores.as_dict(), **self.errors.as_dict()}
        return {**values, "tokenized": self.tokenized.as_dict()} if self.tokenized else values

    def __str__(self) -> str:
        penalties = f"length penalty {self.length_penalty:g}, coverage penalty {self.coverage_penalty:g}"
        search = "greedy search" if self.beam_size == 1 else f"beam size {self.beam_size}, {penalties}"
        scores = [scores for scores in (self.scores, self.tokenized) if scores]
        lines = [each.chrf_line if self.without_spaces else str(each) for each in scores]
        return "\n".join([search, *lines, str(self.errors)])


def evaluate(
    translator: "Translator",
    sources: Sequence[str],
    references: Sequence[str],
    beam_size: int | None = None,
    tokenized_references: Sequence[str] | None = None,
    *,
    more_references: Sequence[Sequence[str]] = (),
) -> Iterator[Evaluation]:
    """Yields the scores of greedy search, then those of beam search, each as soon as it is done.

    Args:
        translator: the translator to evaluate.
        sources: lines to translate.
        references: their translations, raw text.
        beam_size: None: the model's; 1: greedy search only.
        tokenized_references: the references lowercased, normalised and tokenised with Moses' rules, for a second pair of scores.
        more_references: further lists like `references`, which are equally right.

    Raises:
        ValueError: no lines, or the numbers of references and sources differ.
    """
    settings = translator.search
    _check_counts(sources, [references, *more_references], tokenized_references)
    beam_size = settings.beam_size if beam_size is None else beam_size
    for size in sorted({1, beam_size}):
        hypotheses = translator(sources, beam_size=size)
        tokenized = None
        if tokenized_references is not None:
            tokenized = tokenized_scores(
                hypotheses, tokenized_references, translator.languages[1], intervals=True
            )
        yield Evaluation(
            size,
            settings.length_penalty,
            settings.coverage_penalty,
            corpus_scores(hypotheses, references, *more_references, intervals=True),
            error_rates(sources, hypotheses, references, *more_references),
            tokenized,
            without_spaces=have_no_spaces(references),
        )


def tokenized_references(data: DataConfig, split: str) -> list[str] | None:
    """The references of a split as used in published papers, if its corpus has them: Multi30k's test sets.

    Raises:
        CorpusError: they cannot be fetched.
    """
    if data.corpus == "multi30k" and split.startswith("test") and data.target_language in ("de", "fr"):
        return tokenized_reference("multi30k", split, data.target_language)
    return None


def _check_counts(
    sources: Sequence[str], references: Sequence[Sequence[str]], tokenized: Sequence[str] | None
) -> None:
    """Checks the numbers of lines before the translation, which takes a while."""
    named = [("references", lines) for lines in references]
    if tokenized is not None:
        named.append(("tokenised references", tokenized))
    for name, lines in named:
        if len(lines) != len(sources):
            raise ValueError(
                f"expected one reference per source; got {len(sources)} sources and {len(lines)} {name}"
            )
    if not len(sources):
        raise ValueError("nothing to evaluate: got no sources")
