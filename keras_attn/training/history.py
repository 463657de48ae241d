"""The history of a run, by rounds: the steps up to one evaluation on the development set."""

import csv
import dataclasses
from collections.abc import Sequence
from pathlib import Path

from keras_attn.files import new_file

LOG = "log.csv"


@dataclasses.dataclass(frozen=True)
class Round:
    """One line of the log, `log.csv`.

    Attributes:
        step: steps since training began.
        epoch: epochs since training began.
        loss: the training loss, smoothed labels and dropout included, as a mean over the round's batches.
        learning_rate: the learning rate of the next step.
        dev_bleu: sacreBLEU of the development set, greedy search.
        dev_perplexity: perplexity per target token of the development set, without label smoothing.
        tokens: real target tokens in this round.
        seconds: time for this round's steps, without the evaluation.
        dev_chrf, dev_exact, dev_cer, dev_wer: scores of the same translations as `dev_bleu`, see `evaluation`; None in rounds of
            versions that did not measure them.
        dev_seconds: time for the evaluation after this round; None likewise.
    """

    step: int
    epoch: float
    loss: float
    learning_rate: float
    dev_bleu: float
    dev_perplexity: float
    tokens: int
    seconds: float
    dev_chrf: float | None = None
    dev_exact: float | None = None
    dev_cer: float | None = None
    dev_wer: float | None = None
    dev_seconds: float | None = None


def tokens_per_second(rounds: Sequence[Round]) -> float:
    """Real target tokens per second of training, without padding and evaluations."""
    return sum(one.tokens for one in rounds) / sum(one.seconds for one in rounds)


def write_csv(path: Path, rounds: Sequence[Round]) -> None:
    """Rewrites all rounds, so that a resumed run never leaves a line that it will repeat."""
    with new_file(path) as part, part.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, [field.name for field in dataclasses.fields(Round)])
        writer.writeheader()
        for one in rounds:
            writer.writerow(
                {
                    name: f"{value:.6g}" if isinstance(value, float) else value
                    for name, value in vars(one).items()
                }
            )
