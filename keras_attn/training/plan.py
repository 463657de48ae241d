"""The length of a training run. Keras' epochs are the rounds: the steps up to one evaluation."""

import dataclasses
import math
from collections.abc import Sequence

from keras_attn.config import Config, ConfigError
from keras_attn.training.best_by import SCORES, BestBy
from keras_attn.training.history import Round


@dataclasses.dataclass(frozen=True)
class Plan:
    """The number of steps in a training run. It ends with a complete round, so the last epoch may be longer.

    Attributes:
        steps_per_epoch: steps in which every training pair is seen once.
        steps_per_round: steps up to one evaluation.
        rounds: the most rounds.
        patience: evaluations without improvement after which training ends early; 0: never.
        best_by: the score that decides whether an evaluation is better.
    """

    steps_per_epoch: int
    steps_per_round: int
    rounds: int
    patience: int = 0
    best_by: BestBy = SCORES["bleu"]

    @classmethod
    def of(cls, config: Config, steps_per_epoch: int, best_by: str = "bleu") -> "Plan":
        """The plan for `training.epochs` with an evaluation every `training.evaluate_every` steps, rounded up to a multiple of
        `training.steps_per_execution`.

        Args:
            config: contains these settings.
            steps_per_epoch: steps in which every training pair is seen once.
            best_by: a key of `SCORES`.
        """
        total = config.training.epochs * steps_per_epoch
        steps_per_round = min(config.training.evaluate_every or steps_per_epoch, total)
        steps_per_round += -steps_per_round % config.training.steps_per_execution
        rounds = math.ceil(total / steps_per_round)
        return cls(steps_per_epoch, steps_per_round, rounds, config.training.patience, SCORES[best_by])

    @property
    def total_steps(self) -> int:
        return self.rounds * self.steps_per_round

    def check_rounds(self, rounds: Sequence[Round]) -> None:
        """Raises ConfigError if a run with these completed rounds would be resumed with rounds of another length."""
        if rounds and rounds[0].step != self.steps_per_round:
            raise ConfigError(
                f"this folder's run evaluates every {rounds[0].step} steps, but with the present training.epochs and "
                f"training.steps_per_execution it would evaluate every {self.steps_per_round}. Set them back to resume, "
                "or train in another folder"
            )

    def is_over(self, rounds: Sequence[Round]) -> bool:
        """Whether a run with these completed rounds has reached its end, or has run out of patience."""
        return len(rounds) >= self.rounds or 0 < self.patience <= self.best_by.rounds_since_best(rounds)
