"""How long a training is. Keras' epochs are the rounds: the steps up to one evaluation."""

import dataclasses
import math
from collections.abc import Sequence

from keras_attn.config import Config, ConfigError
from keras_attn.training.best_by import SCORES, BestBy
from keras_attn.training.history import Round


@dataclasses.dataclass(frozen=True)
class Plan:
    """How many steps a training has. It ends with a whole round, so the last epoch may be a longer one.

    Attributes:
        steps_per_epoch: steps in which every training pair is seen once.
        steps_per_round: steps up to one evaluation.
        rounds: how many there are at most.
        patience: evaluations without a better one after which the training ends early; 0: it never does.
        best_by: what makes one better.
    """

    steps_per_epoch: int
    steps_per_round: int
    rounds: int
    patience: int = 0
    best_by: BestBy = SCORES["bleu"]

    @classmethod
    def of(cls, config: Config, steps_per_epoch: int, best_by: str = "bleu") -> "Plan":
        """The plan for `training.epochs` with an evaluation every `training.evaluate_every` steps, which
        `training.steps_per_execution` divides, or else the next number that it divides.

        Args:
            config: where these stand.
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
        """Raises ConfigError where a training with these rounds behind it would go on with rounds of another length."""
        if rounds and rounds[0].step != self.steps_per_round:
            raise ConfigError(
                f"this folder's training evaluates every {rounds[0].step} steps, and training.epochs is now such that it would "
                f"every {self.steps_per_round}. Set it back to go on, or train in another folder"
            )

    def is_over(self, rounds: Sequence[Round]) -> bool:
        """Whether a training with these rounds behind it has come to its end, or its patience has."""
        return len(rounds) >= self.rounds or 0 < self.patience <= self.best_by.rounds_since_best(rounds)
