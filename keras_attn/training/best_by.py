"""Development scores that choose the best model."""

import dataclasses
from collections.abc import Sequence

from keras_attn.text.corpus import Corpus
from keras_attn.text.words import are_single_words, have_no_spaces
from keras_attn.training.history import Round


@dataclasses.dataclass(frozen=True)
class BestBy:
    """A column of `log.csv` by which rounds are compared.

    Attributes:
        column: its name in `log.csv`.
        name: its name for people.
        unit: the unit of its values.
        rises: whether higher is better.
    """

    column: str
    name: str
    unit: str = ""
    rises: bool = True

    def best(self, rounds: Sequence[Round]) -> Round:
        """The best round; on a tie, the one of the lowest perplexity: at first, all may have an exact match of 0."""
        return max(rounds, key=lambda one: (self._worth(one), -one.dev_perplexity))

    def rounds_since_best(self, rounds: Sequence[Round]) -> int:
        """How many evaluations have passed without a better round."""
        return len(rounds) - 1 - rounds.index(self.best(rounds)) if rounds else 0

    def _worth(self, one: Round) -> float:
        return getattr(one, self.column) * (1 if self.rises else -1)

    def describe(self, one: Round) -> str:
        """The round's score with its name."""
        return f"{self.name} {getattr(one, self.column):.2f}{self.unit}"


SCORES = {
    "bleu": BestBy("dev_bleu", "BLEU"),
    "chrf": BestBy("dev_chrf", "chrF2"),
    "exact": BestBy("dev_exact", "exact match", " %"),
    "cer": BestBy("dev_cer", "character error rate", " %", rises=False),
    "wer": BestBy("dev_wer", "word error rate", " %", rises=False),
    "loss": BestBy("dev_perplexity", "perplexity", rises=False),
}


def chosen(best_by: str, dev: Corpus) -> str:
    """The key in `SCORES` for `training.best_by`. `"auto"` means exact match if one side is single words, else BLEU.

    BLEU is always 0 for single words. If only the source is single words, such as spellings to pronounce, exact match is right too:
    such tasks have right answers and no paraphrases. BLEU counts words, so sentences without spaces are judged by chrF instead.
    """
    if best_by != "auto":
        return best_by
    if are_single_words(dev.target) or are_single_words(dev.source):
        return "exact"
    return "chrf" if have_no_spaces(dev.target) else "bleu"
