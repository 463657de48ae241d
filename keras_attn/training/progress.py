"""What a training says while it runs: a bar, and a line at the end of each round."""

import time
from collections.abc import Sequence

import keras
from tqdm import tqdm

from keras_attn.training.history import Round, best, tokens_per_second
from keras_attn.training.plan import Plan


class ShowProgress(keras.callbacks.Callback):
    """Moves a bar by one at each step, and shows the round's loss and its real target tokens a second."""

    def __init__(self, bar: tqdm) -> None:
        super().__init__()
        self._bar = bar
        self._began = 0.0

    def on_epoch_begin(self, epoch: int, logs: dict[str, float] | None = None) -> None:
        self._began = time.monotonic()

    def on_train_batch_end(self, batch: int, logs: dict[str, float]) -> None:
        speed = real_tokens(logs) / (time.monotonic() - self._began)
        self._bar.set_postfix_str(f"loss {logs['loss']:.3f}, {speed:,.0f} tokens/s", refresh=False)
        self._bar.update()


def real_tokens(logs: dict[str, float]) -> float:
    """The round's `TokenCount` so far. When a model has two outputs, Keras puts the output's name before it."""
    return next(value for name, value in logs.items() if name.endswith("tokens"))


def describe_round(rounds: Sequence[Round], plan: Plan) -> str:
    """A line about the last of these rounds, and about the time that is left."""
    one = rounds[-1]
    seconds_per_step = sum(each.seconds for each in rounds) / one.step
    left = tqdm.format_interval(seconds_per_step * (plan.total_steps - one.step))
    return (
        f"epoch {one.epoch:.1f}, step {one.step} of {plan.total_steps}: loss {one.loss:.3f}, "
        f"dev BLEU {one.dev_bleu:.2f}{' (best)' if best(rounds) is one else ''}, perplexity {one.dev_perplexity:.2f}, "
        f"{tokens_per_second(rounds[-1:]):,.0f} tokens/s, {left} left"
    )
