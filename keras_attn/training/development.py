"""Evaluates a model in training: greedy translations of the development set, and perplexity."""

import dataclasses
import math
from typing import Any

from keras_attn.evaluation.error_rates import ErrorRates, error_rates
from keras_attn.evaluation.scores import Scores, corpus_scores
from keras_attn.inference.translator import Translator
from keras_attn.text.corpus import Corpus

_LARGEST_EXPONENT = 700.0  # exp overflows for larger values


@dataclasses.dataclass(frozen=True)
class DevScores:
    """The result of one evaluation on the development set.

    Attributes:
        scores, errors: those of greedy translations.
        perplexity: per target token, EOS included.
    """

    scores: Scores
    errors: ErrorRates
    perplexity: float

    def as_dict(self) -> dict[str, Any]:
        """For `metrics.json`."""
        found = {
            **self.scores.as_dict(),
            **self.errors.as_dict(),
            "search": "greedy",
            "perplexity": self.perplexity,
        }
        return {f"dev_{name}": value for name, value in found.items()}

    def numbers(self) -> dict[str, float]:
        """The scores that have a column in `log.csv`."""
        return {name: value for name, value in self.as_dict().items() if isinstance(value, float)}


def evaluate_on_dev(translator: Translator, dev: Corpus) -> DevScores:
    """Translates the development set greedily, and scores its references (teacher forcing)."""
    translations = translator(dev.source, beam_size=1)
    return DevScores(
        corpus_scores(translations, dev.target),
        error_rates(dev.source, translations, dev.target),
        perplexity(translator, dev),
    )


def perplexity(translator: Translator, pairs: Corpus) -> float:
    """`exp(-sum(log p(token)) / tokens)` over all target tokens, EOS included."""
    forced = translator.force(pairs.source, pairs.target)
    log_prob = sum(each.log_prob for each in forced)
    tokens = sum(len(each.target_ids) for each in forced)
    return math.exp(min(-log_prob / tokens, _LARGEST_EXPONENT))
