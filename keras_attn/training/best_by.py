"""Development scores that choose the best model."""

import dataclasses
from collections.abc import Sequence

from keras_attn.text.corpus import Corpus
from keras_attn.text.words import are_single_words
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
        """The best round; on a tie, the first."""
        sign = 1 if self.rises else -1
        return max(rounds, key=lambda one: sign * getattr(one, self.column))

    def rounds_since_best(self, rounds: Sequence[Round]) -> int:
        """How many evaluations have passed without a better one."""
        return len(rounds) - 1 - list(rounds).index(self.best(rounds)) if rounds else 0

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
    such tasks have right answers and no paraphrases.
    """
    if best_by != "auto":
        return best_by
    return "exact" if are_single_words(dev.target) or are_single_words(dev.source) else "bleu"
