"""Constraints on hypotheses, which wrap a step: a step with constraints is again a step.

    step, state = constrained(step, state, [NoRepeat(3, max_length), Prefix(ids)])

A constraint has a method `start(batch)`, which returns its initial state for each row, and a call. The call takes the tokens
forbidden so far, the token just read and its state, and returns the updated forbidden tokens and state. Forbidden tokens get a
log-probability that makes them practically impossible; all others keep theirs.
"""

import dataclasses
from collections.abc import Sequence
from typing import Protocol

from keras import ops

from keras_attn.config.methods import check_number
from keras_attn.search.decode_loop import batch_size
from keras_attn.search.hypotheses import NEVER, check_rows
from keras_attn.search.types import LogProbs, Scalar, State, Step, Tensor, Tokens, Weights
from keras_attn.special_ids import PAD_ID

Forbidden = Tensor  # bool [N, V]


class Constraint(Protocol):
    """The interface of a constraint."""

    def start(self, batch: int | Scalar) -> State:
        """The state before the first token: a nest of tensors `[B, ...]`."""

    def __call__(self, forbidden: Forbidden, tokens: Tokens, state: State) -> tuple[Forbidden, State]:
        """The tokens that must not follow `tokens`, int32 `[N]`, and the next state."""


@dataclasses.dataclass(frozen=True)
class NoRepeat:
    """Forbids repeating any sequence of `n` tokens.

    Args:
        n: at least 1.
        max_length: that of the search.

    Reference: Paulus et al. 2018, "A Deep Reinforced Model for Abstractive Summarization", section 2.5.
    """

    n: int
    max_length: int

    def __post_init__(self) -> None:
        for name, count in (("n", self.n), ("max_length", self.max_length)):
            check_number(name, count, int)
            if count < 1:
                raise ValueError(f"{name} must be at least 1. Received: {name}={count}")

    def start(self, batch: int | Scalar) -> State:
        return ops.zeros((batch, self.max_length), dtype="int32")  # the last L tokens read, the newest last

    def __call__(self, forbidden: Forbidden, tokens: Tokens, read: State) -> tuple[Forbidden, State]:
        """Forbids each token that has already followed the last n - 1 tokens. (These may include BOS, which occurs only once.)"""
        read = ops.concatenate([read[:, 1:], tokens[:, None]], axis=1)
        starts = self.max_length - self.n + 1  # positions where n tokens begin
        if starts < 1:
            return forbidden, read
        followed = read[:, self.n - 1 :]  # [N, starts]
        for i in range(self.n - 1):
            same = read[:, i : i + starts] == read[:, starts + i : starts + i + 1]
            followed = ops.where(same, followed, PAD_ID)  # which is never produced anyway
        return marked(forbidden, followed), read


class Prefix:
    """Forces the given tokens at the beginning, even if another constraint forbids them.

    Args:
        ids: int32 `[B, P]`, without BOS, padded on the right with 0.

    Raises:
        ValueError: ids of another rank, without a column, or, when the search begins, of another number of sentences.
    """

    def __init__(self, ids: Tensor) -> None:
        self._ids = ops.cast(ops.convert_to_tensor(ids), "int32")
        if len(self._ids.shape) != 2 or self._ids.shape[1] == 0:
            raise ValueError(
                "a prefix must have the shape [B, P], a row for each sentence, with a P of at least 1. "
                f"Received: shape {tuple(self._ids.shape)}"
            )

    def start(self, batch: int | Scalar) -> State:
        check_rows("the prefix", self._ids, batch)
        return self._ids  # the rest of the prefix, then padding

    def __call__(self, forbidden: Forbidden, tokens: Tokens, left: State) -> tuple[Forbidden, State]:
        forced = left[:, 0][:, None]  # [N, 1]
        left = ops.concatenate([left[:, 1:], ops.zeros_like(forced)], axis=1)
        others = ops.arange(forbidden.shape[-1], dtype="int32") != forced  # [N, V]
        return ops.where(forced == PAD_ID, forbidden, others), left


def constrained(step: Step, state: State, constraints: Sequence[Constraint]) -> tuple[Step, State]:
    """Wraps a step and its initial state with constraints; later constraints override earlier ones."""
    if not constraints:
        return step, state
    batch = batch_size(state)

    def constrained_step(tokens: Tokens, state: State) -> tuple[LogProbs, State, Weights]:
        inner, states = state
        log_probs, inner, weights = step(tokens, inner)
        forbidden = ops.zeros_like(log_probs, dtype="bool")
        renewed = []
        for constraint, own in zip(constraints, states, strict=True):
            forbidden, own = constraint(forbidden, tokens, own)
            renewed.append(own)
        log_probs = ops.where(forbidden, NEVER, ops.cast(log_probs, "float32"))
        return log_probs, (inner, tuple(renewed)), weights

    return constrained_step, (state, tuple(constraint.start(batch) for constraint in constraints))


def marked(marks: Tensor, tokens: Tensor) -> Tensor:
    """Adds int32 `tokens` `[N, M]` to bool `[N, V]`."""
    rows = ops.zeros_like(tokens) + ops.arange(ops.shape(tokens)[0], dtype="int32")[:, None]
    places = ops.reshape(ops.stack([rows, tokens], axis=-1), (-1, 2))
    return ops.scatter_update(marks, places, ops.ones_like(places[:, 0], dtype="bool"))
