"""Sampling: draws each token from the model's distribution, with a temperature and cut to its most probable part."""

import math
from collections.abc import Iterable

import numpy as np
from keras import ops

from keras_attn.search import hypotheses
from keras_attn.search.decode_loop import batch_size
from keras_attn.search.greedy import decode_one
from keras_attn.search.hypotheses import NEVER, Hypotheses
from keras_attn.search.types import Limits, State, Step, Tensor, Tokens

_BELOW_1 = float(np.nextafter(np.float32(1), np.float32(0)))


def sample(
    step: Step,
    state: State,
    *,
    bos_id: int,
    eos_id: int,
    max_length: int,
    limits: Limits = None,
    return_weights: bool = False,
    min_length: int = 0,
    uniforms: Tensor,
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
) -> Hypotheses:
    """Draws one hypothesis per sentence.

    All random numbers are drawn beforehand, so that the same numbers give the same hypotheses on every backend, in Python and in a
    graph, whatever else is in the batch. (Models round differently, though, and may be at the border between two tokens.)

    Args:
        step, state, bos_id, eos_id, max_length, limits, return_weights, min_length: as for `greedy`.
        uniforms: float32 `[B, L]`, uniform in [0, 1), one for each token, see `random_numbers`.
        temperature: log-probabilities are divided by it; below 1, probable tokens become more probable.
        top_k: draw only from the k most probable tokens; 0: from all.
        top_p: among these, draw from the smallest set of most probable tokens with at least this total probability
            (Holtzman et al., 2020, section 3.1).

    Returns:
        `Hypotheses` with N = 1; the log-probabilities are the model's own, neither tempered nor renormalised.

    Raises:
        ValueError: an invalid value, or a step that breaks its contract.
    """
    if not 0 < temperature < math.inf:
        raise ValueError(
            f"temperature must be above 0, and finite. Received: {temperature}. Use greedy search instead of 0."
        )
    if top_k < 0:
        raise ValueError(f"top_k must be 0 (all tokens) or more. Received: {top_k}")
    if not 0 < top_p <= 1:
        raise ValueError(f"top_p must be above 0 and at most 1 (all tokens). Received: {top_p}")

    uniforms = ops.cast(ops.convert_to_tensor(uniforms), "float32")
    uniforms = ops.minimum(uniforms, _BELOW_1)  # a float64 below 1 may have been rounded to 1
    if len(uniforms.shape) != 2 or (uniforms.shape[1] or max_length) < max_length:
        raise ValueError(
            f"uniforms must have the shape [B, L], with an L of at least max_length, {max_length}. "
            f"Received: shape {tuple(uniforms.shape)}"
        )
    hypotheses.check_rows("uniforms", uniforms, batch_size(state))

    def draw(log_probs, position):
        best, tokens = hypotheses.best_tokens(log_probs, top_k or log_probs.shape[-1])  # [B, k]
        tempered = ops.where(best > NEVER / 2, best / temperature, NEVER)  # the impossible stays so
        choice = _inverse_cdf(tempered, top_p, ops.take(uniforms, position, axis=1))[:, None]
        return tuple(ops.squeeze(ops.take_along_axis(x, choice, axis=1), 1) for x in (best, tokens))

    return decode_one(
        step,
        state,
        pick=draw,
        bos_id=bos_id,
        eos_id=eos_id,
        max_length=max_length,
        limits=limits,
        return_weights=return_weights,
        min_length=min_length,
    )


def random_numbers(seed: int, rows: Iterable[int], length: int) -> np.ndarray:
    """Numbers to sample with, `uniforms`: those of a row depend on the seed and on the row's number, and on nothing else.

    Args:
        seed: from 0 up to 2 ** 64 - 1.
        rows: their numbers, such as those of the lines of a text.
        length: how many each row gets; the first ones are the same for every length.

    Returns:
        float32 `[B, length]`.
    """
    drawn = [
        np.random.Generator(np.random.Philox(key=np.array([seed, row], np.uint64))).random(length, np.float32)
        for row in rows
    ]
    return np.stack(drawn)


def _inverse_cdf(logits: Tensor, top_p: float, uniforms: Tensor) -> Tokens:
    """Draws from logits `[B, k]`, best first, with uniform numbers `[B]` in [0, 1): int32 `[B]`."""
    probabilities = ops.exp(logits - logits[:, :1])
    probabilities = probabilities / ops.sum(probabilities, axis=-1, keepdims=True)
    cumulative = ops.cumsum(probabilities, axis=-1)
    kept = cumulative - probabilities < top_p  # keep a token while the mass before it is still too small
    mass = ops.max(ops.where(kept, cumulative, 0.0), axis=-1, keepdims=True)
    return ops.sum(ops.cast(cumulative <= uniforms[:, None] * mass, "int32"), axis=-1)
