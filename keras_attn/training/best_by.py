"""What makes a model the best one so far: a score of the development set."""

import dataclasses
from collections.abc import Sequence

from keras_attn.text.corpus import Corpus
from keras_attn.text.words import are_single_words
from keras_attn.training.history import Round


@dataclasses.dataclass(frozen=True)
class BestBy:
    """A column of `log.csv` that rounds compete in.

    Attributes:
        column: which one.
        name: what people call it.
        unit: what stands behind its numbers.
        rises: whether more is better.
    """

    column: str
    name: str
    unit: str = ""
    rises: bool = True

    def best(self, rounds: Sequence[Round]) -> Round:
        """The best round, the first one of several."""
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
    """The key in `SCORES` that `training.best_by` means. `"auto"`: exact match where a side is single words, else BLEU.

    BLEU is always 0 for single words. Single words on the source side alone, such as spellings to be pronounced, have right
    answers too, and paraphrases of them are wrong.
    """
    if best_by != "auto":
        return best_by
    return "exact" if are_single_words(dev.target) or are_single_words(dev.source) else "bleu"
