"""What happens after each step and at the end of each round. Keras' epochs are the rounds: the steps up to one evaluation."""

import dataclasses
import math
import sys
import time
from pathlib import Path
from typing import Any

import keras
from tqdm import tqdm

from keras_attn.config import Config
from keras_attn.evaluation.scores import Scores, corpus_scores
from keras_attn.inference.translator import Translator
from keras_attn.storage.model_folder import TrainedModel, save_model
from keras_attn.text.corpus import Corpus
from keras_attn.training.checkpoint import TrainingState, check_space, save_checkpoint, size_of
from keras_attn.training.history import Round, best, rounds_since_best, tokens_per_second, write_csv
from keras_attn.training.optimizers import averaged_weights

_OVERHEAD = 1 << 20  # bytes of a model folder beside weights and vocabularies


@dataclasses.dataclass(frozen=True)
class Plan:
    """How many steps a training has. It ends with a whole round, so the last epoch may be a longer one."""

    steps_per_epoch: int
    steps_per_round: int
    rounds: int

    @classmethod
    def of(cls, config: Config, steps_per_epoch: int) -> "Plan":
        """The plan for `training.epochs` with an evaluation every `training.evaluate_every` steps."""
        total = config.training.epochs * steps_per_epoch
        steps_per_round = min(config.training.evaluate_every or steps_per_epoch, total)
        return cls(steps_per_epoch, steps_per_round, math.ceil(total / steps_per_round))

    @property
    def total_steps(self) -> int:
        return self.rounds * self.steps_per_round


class EndOfRound(keras.callbacks.Callback):
    """Evaluates, keeps the best model, writes the checkpoint and the log, and stops when patience is at its end.

    The order matters. What a kill undoes is done again, with the same result, from the checkpoint before; so the checkpoint comes
    after the model that it counts as the best one.

    Args:
        folder: where all of it goes.
        state: where the training stands now.
        trained: the model in training.
        dev: the development pairs.
        plan: the steps of the training.

    Attributes:
        state: where the training stands at the end of the last complete round.
    """

    def __init__(
        self, folder: Path, state: TrainingState, trained: TrainedModel, dev: Corpus, plan: Plan
    ) -> None:
        super().__init__()
        self.state = state
        self._folder = folder
        self._trained = trained
        self._dev = dev
        self._plan = plan
        self._translator = Translator.from_trained(trained)
        self._began = 0.0

    def on_epoch_begin(self, epoch: int, logs: dict[str, float] | None = None) -> None:
        self._began = time.monotonic()

    def on_epoch_end(self, epoch: int, logs: dict[str, float]) -> None:
        seconds = time.monotonic() - self._began
        with averaged_weights(self.model):
            scores, perplexity = _evaluate(self._translator, self._dev)
            logs.update(dev_bleu=scores.bleu, dev_perplexity=perplexity)  # TensorBoard comes later
            rounds = (*self.state.rounds, self._round(epoch, logs, seconds))
            if best(rounds) is rounds[-1]:
                self._save_model(self._metrics(scores, rounds[-1]))
        self.state = dataclasses.replace(self.state, rounds=rounds, finished=self._is_over(rounds))
        save_checkpoint(self._folder, self.state, state_variables(self.model))
        write_csv(self._folder / "log.csv", rounds)
        tqdm.write(self._line(rounds), file=sys.stderr)
        self.model.stop_training = self.state.finished

    def _round(self, epoch: int, logs: dict[str, float], seconds: float) -> Round:
        step = (epoch + 1) * self._plan.steps_per_round
        return Round(
            step=step,
            epoch=step / self._plan.steps_per_epoch,
            loss=logs["loss"],
            learning_rate=float(self.model.optimizer.learning_rate),
            dev_bleu=logs["dev_bleu"],
            dev_perplexity=logs["dev_perplexity"],
            tokens=int(_tokens(logs)),
            seconds=seconds,
        )

    def _save_model(self, metrics: dict[str, Any]) -> None:
        protos = self._trained.source_tokenizer.model_proto, self._trained.target_tokenizer.model_proto
        size = size_of(self.model.weights) + sum(map(len, protos)) + _OVERHEAD
        check_space(self._folder, size)  # writing to a full disk, HDF5 can crash the process
        save_model(self._folder, self._trained, metrics)

    def _metrics(self, scores: Scores, one: Round) -> dict[str, Any]:
        return {
            **{f"dev_{name}": value for name, value in scores.as_dict().items()},
            "dev_search": "greedy",
            "dev_perplexity": one.dev_perplexity,
            "best_step": one.step,
            "parameters": self.model.count_params(),
        }

    def _is_over(self, rounds: tuple[Round, ...]) -> bool:
        patience = self.state.config.training.patience
        return len(rounds) >= self._plan.rounds or (0 < patience <= rounds_since_best(rounds))

    def _line(self, rounds: tuple[Round, ...]) -> str:
        one = rounds[-1]
        seconds_per_step = sum(each.seconds for each in rounds) / one.step
        left = tqdm.format_interval(seconds_per_step * (self._plan.total_steps - one.step))
        return (
            f"epoch {one.epoch:.1f}, step {one.step} of {self._plan.total_steps}: loss {one.loss:.3f}, "
            f"dev BLEU {one.dev_bleu:.2f}{' (best)' if best(rounds) is one else ''}, perplexity {one.dev_perplexity:.2f}, "
            f"{tokens_per_second(rounds[-1:]):,.0f} tokens/s, {left} left"
        )


class ShowProgress(keras.callbacks.Callback):
    """Moves a bar by one at each step, and shows the round's loss and its real target tokens a second."""

    def __init__(self, bar: tqdm) -> None:
        super().__init__()
        self._bar = bar
        self._began = 0.0

    def on_epoch_begin(self, epoch: int, logs: dict[str, float] | None = None) -> None:
        self._began = time.monotonic()

    def on_train_batch_end(self, batch: int, logs: dict[str, float]) -> None:
        speed = _tokens(logs) / (time.monotonic() - self._began)
        self._bar.set_postfix_str(f"loss {logs['loss']:.3f}, {speed:,.0f} tokens/s", refresh=False)
        self._bar.update()


def _tokens(logs: dict[str, float]) -> float:
    """The round's `TokenCount`. Of a model with two outputs, Keras writes the output's name before it."""
    return next(value for name, value in logs.items() if name.endswith("tokens"))


def _evaluate(translator: Translator, dev: Corpus) -> tuple[Scores, float]:
    """Scores of greedy translations, and the perplexity of a target token, EOS included."""
    scores = corpus_scores(translator(dev.source, beam_size=1), dev.target)
    forced = translator.force(dev.source, dev.target)
    nll = -sum(each.log_prob for each in forced) / sum(len(each.target_ids) for each in forced)
    return scores, math.exp(min(nll, 700.0))  # beyond, exp overflows


def state_variables(model: keras.Model) -> list[keras.Variable]:
    """All that training changes: weights, random generators, and the optimizer's variables."""
    return [*model.variables, *model.optimizer.variables]
