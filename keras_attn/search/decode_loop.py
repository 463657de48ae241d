"""The loop over target positions that all searches share: call the step, let the search choose, reorder the rows."""

from collections.abc import Callable
from typing import Any, TypeVar

from keras import ops, tree

from keras_attn.search.types import (
    Active,
    KeptWeights,
    LogProbs,
    Rows,
    Scalar,
    State,
    Step,
    Tensor,
    Tokens,
    Weights,
)

Progress = TypeVar("Progress")  # the hypotheses found so far: a nest of tensors [B, ...]
Choose = Callable[[Scalar, LogProbs, Weights, Progress, Active], tuple[Tokens, Rows, Progress, Active]]


def batch_size(state: State) -> int | Scalar:
    """B, the number of rows of the state: an int if it is known, else a scalar tensor."""
    leaves = tree.flatten(state)
    if not leaves or any(len(leaf.shape) == 0 for leaf in leaves):
        raise ValueError(
            "search expects a state of at least one tensor, each of shape [B, ...]; B is the number of sentences. "
            f"Received: {tree.map_structure(lambda leaf: tuple(leaf.shape), state)}"
        )
    return ops.shape(leaves[0])[0]


def decode_loop(
    step: Step,
    state: State,
    *,
    tokens: Tokens,
    choose: Choose,
    progress: Progress,
    active: Active,
    max_length: int,
    return_weights: bool,
) -> tuple[Progress, KeptWeights]:
    """Runs `step` and `choose` until no sentence is active.

    Args:
        step: `step(tokens, state) -> (log_probs, state, weights)`, see `greedy`.
        state: nest of tensors `[N, ...]`.
        tokens: int32 `[N]`, the first input.
        choose: `choose(position, log_probs, weights, progress, active) -> (tokens, rows, progress, active)`. It takes the scalar
            position, the log-probabilities `[N, V]` and the weights `[N, S]`. It returns the next tokens `[N]`, the row `[N]` of
            the state to continue from for each (None: its own), and the updated `progress` and `active`.
        progress: nest of tensors, the hypotheses found so far.
        active: bool `[B]`, the sentences that are still being searched. `choose` must not change the `progress` of others.
        max_length: L.
        return_weights: whether to keep the attention weights.

    Returns:
        `(progress, weights)`: `weights` is float32 `[L, N, S]`, the attention weights of each position's rows, or None.
    """

    def body(position, tokens, state, progress, active, kept):
        log_probs, state, weights = _checked(step, tokens, state)
        kept = tuple(_put(buffer, position, weights) for buffer in kept)
        tokens, rows, progress, active = choose(position, log_probs, weights, progress, active)
        if rows is not None:
            state = tree.map_structure(lambda leaf: ops.take(leaf, rows, axis=0), state)
        return position + 1, tokens, state, progress, active, kept

    def any_active(position, tokens, state, progress, active, kept):
        return ops.any(active)

    state = tree.map_structure(ops.convert_to_tensor, state)
    kept = (_empty_buffer(step, tokens, state, max_length),) if return_weights else ()
    start = (ops.zeros((), dtype="int32"), tokens, state, progress, active, kept)
    _, _, _, progress, _, kept = ops.while_loop(any_active, body, start)
    return progress, kept[0] if kept else None


def weights_of(kept: KeptWeights, rows: Tensor, real: Tensor) -> Tensor | None:
    """The attention weights of hypotheses, collected from the rows in which their tokens were chosen.

    Args:
        kept: float32 `[L, N, S]` from `decode_loop`, or None.
        rows: int32 `[B, M, L]`, for each token the row of `kept` in which it was chosen.
        real: bool `[B, M, L]`, False after the last token.

    Returns:
        float32 `[B, M, L, S]`, zero where `real` is False, or None.
    """
    if kept is None:
        return None
    length, n, source = ops.shape(kept)
    positions = ops.arange(length, dtype="int32")  # [L]
    weights = ops.take(ops.reshape(kept, (length * n, source)), positions * n + rows, axis=0)
    return ops.where(ops.expand_dims(real, -1), weights, 0.0)


def _empty_buffer(step: Step, tokens: Tokens, state: State, max_length: int) -> Tensor:
    """Zeros `[L, N, S]`. A step traced before the loop tells S; its numbers are unused, so a graph leaves it out."""
    _, _, weights = step(tokens, state)
    if weights is None:
        raise ValueError("return_weights=True needs attention weights, but the step returns None.")
    return ops.zeros((max_length, *ops.shape(weights)), dtype="float32")


def _put(buffer: Tensor, position: Scalar, weights: Weights) -> Tensor:
    """Writes the weights `[N, S]` of one position to a buffer `[L, N, S]`."""
    positions = ops.arange(buffer.shape[0], dtype="int32")
    here = ops.reshape(ops.equal(positions, position), (-1, 1, 1))  # [L, 1, 1]
    return _shaped_as(ops.where(here, weights, buffer), buffer)


def _checked(step: Step, tokens: Tokens, state: State) -> tuple[LogProbs, State, Weights]:
    """Calls `step`, and refuses a state that could not be its next argument; the backend's own error is cryptic."""
    log_probs, new_state, weights = step(tokens, state)
    try:
        tree.assert_same_structure(state, new_state)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"step must return a state with the structure of the one it was given. {error}"
        ) from None
    for given, new in zip(tree.flatten(state), tree.flatten(new_state), strict=True):
        if given.dtype != new.dtype or not _compatible(given.shape, new.shape):
            raise ValueError(
                "step must return a state with the shapes and dtypes of the one it was given. "
                f"Given: {given.dtype} {tuple(given.shape)}, returned: {new.dtype} {tuple(new.shape)}"
            )
    if len(log_probs.shape) != 2 or log_probs.shape[-1] is None:
        raise ValueError(
            f"step must return log_probs [N, V] with a known vocabulary size V. Received: {tuple(log_probs.shape)}"
        )
    return ops.cast(log_probs, "float32"), tree.map_structure(_shaped_as, new_state, state), weights


def _shaped_as(new: Tensor, given: Tensor) -> Tensor:
    """Restores static shapes: a loop in TensorFlow's graph refuses a state that loses shape information in a step."""
    known = all(a is None or a == b for a, b in zip(given.shape, new.shape, strict=True))
    return new if known else ops.reshape(new, ops.shape(given))


def _compatible(given: Any, new: Any) -> bool:
    return len(given) == len(new) and all(None in (a, b) or a == b for a, b in zip(given, new, strict=True))
