"""Progress messages of training: a bar, and a line at the end of each round."""

import dataclasses
import sys
import time
from collections.abc import Sequence

import keras
import numpy as np
from tqdm import tqdm

from keras_attn.training.compiling import compile_clock
from keras_attn.training.history import Round, tokens_per_second
from keras_attn.training.plan import Plan


class ShowProgress(keras.callbacks.Callback):
    """Shows the step, the round's loss and its real target tokens per second: on a bar or, if there is no terminal and the bar is
    off, in a line every half minute. At the end of a round it reports what was compiled, if the backend tells.

    Args:
        bar: counts the steps of the run.
        every: seconds between lines.
    """

    def __init__(self, bar: tqdm, every: float = 30.0) -> None:
        super().__init__()
        self._bar = bar
        self._every = every
        self._step = self._first = bar.n  # a bar that is turned off does not count
        self._began = self._told = time.monotonic()
        self._compiled = 0, 0.0

    def on_epoch_begin(self, epoch: int, logs: dict[str, float] | None = None) -> None:
        self._began = time.monotonic()
        self._first = self._step
        self._compiled = dataclasses.astuple(compile_clock())

    def on_train_batch_end(self, batch: int, logs: dict[str, float]) -> None:
        now = time.monotonic()
        done, self._step = self._step, self._first + batch + 1
        about = f"loss {logs['loss']:.3f}, {real_tokens(logs) / (now - self._began):,.0f} tokens/s"
        if not self._bar.disable:
            self._bar.set_postfix_str(about, refresh=False)
            self._bar.update(self._step - done)
        elif now - self._told >= self._every:
            tell(f"step {self._step} of {self._bar.total}: {about}")
            self._told = now

    def on_epoch_end(self, epoch: int, logs: dict[str, float] | None = None) -> None:
        programs, seconds = np.subtract(dataclasses.astuple(compile_clock()), self._compiled)
        if programs:
            told = f"compiled {programs:.0f} programs in {seconds:.1f} s: JAX needs one for every batch shape"
            tqdm.write(told, file=sys.stderr)
        if self._bar.disable and time.monotonic() - self._began >= self._every:
            tell("evaluating the development set")


def tell(message: str) -> None:
    """Prints a message about training, at once."""
    print(message, file=sys.stderr, flush=True)


def real_tokens(logs: dict[str, float]) -> float:
    """The round's `TokenCount` so far. If a model has two outputs, Keras prefixes the output's name."""
    return next(value for name, value in logs.items() if name.endswith("tokens"))


def describe_round(rounds: Sequence[Round], plan: Plan) -> str:
    """A line about the last of these rounds and the time left."""
    one = rounds[-1]
    best_by = plan.best_by
    score = f"dev {best_by.describe(one)}{' (best)' if best_by.best(rounds) is one else ''}"
    if best_by.column != "dev_perplexity":
        score += f", perplexity {one.dev_perplexity:.2f}"
    seconds_per_step = sum(each.seconds + (each.dev_seconds or 0.0) for each in rounds) / one.step
    left = tqdm.format_interval(seconds_per_step * (plan.total_steps - one.step))
    return (
        f"epoch {one.epoch:.1f}, step {one.step} of {plan.total_steps}: loss {one.loss:.3f}, "
        f"{score}, {tokens_per_second(rounds[-1:]):,.0f} tokens/s, {left} left"
    )
