"""Sampling: draws each token from the model's distribution, with a temperature and cut to its most probable part."""

import keras
from keras import ops

from keras_attn.search import hypotheses
from keras_attn.search.decode_loop import batch_size
from keras_attn.search.greedy import decode_one
from keras_attn.search.hypotheses import Hypotheses
from keras_attn.search.types import Limits, State, Step, Tensor, Tokens


def sample(
    step: Step,
    state: State,
    *,
    bos_id: int,
    eos_id: int,
    max_length: int,
    limits: Limits = None,
    return_weights: bool = False,
    seed: int | keras.random.SeedGenerator,
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
) -> Hypotheses:
    """Draws one hypothesis per sentence.

    All random numbers are drawn before the loop, so that the same seed and batch give the same hypotheses in Python and in a
    graph. (Random numbers differ between backends.)

    Args:
        step, state, bos_id, eos_id, max_length, limits, return_weights: as for `greedy`.
        seed: the same seed draws the same hypotheses.
        temperature: log-probabilities are divided by it; below 1, probable tokens become more probable.
        top_k: draw only from the k most probable tokens; 0: from all.
        top_p: among these, draw from the smallest set of most probable tokens with at least this total probability
            (Holtzman et al., 2020, section 3.1).

    Returns:
        `Hypotheses` with N = 1; the log-probabilities are the model's own, neither tempered nor renormalised.

    Raises:
        ValueError: an invalid value, or a step that breaks its contract.
    """
    if not temperature > 0:
        raise ValueError(
            f"temperature must be above 0. Received: {temperature}. Use greedy search instead of 0."
        )
    if top_k < 0:
        raise ValueError(f"top_k must be 0 (all tokens) or more. Received: {top_k}")
    if not 0 < top_p <= 1:
        raise ValueError(f"top_p must be above 0 and at most 1 (all tokens). Received: {top_p}")
    uniforms = keras.random.uniform((batch_size(state), max_length), seed=seed)  # [B, L]

    def draw(log_probs, position):
        best, tokens = hypotheses.best_tokens(log_probs, top_k or log_probs.shape[-1], bos_id)  # [B, k]
        choice = _inverse_cdf(best / temperature, top_p, ops.take(uniforms, position, axis=1))[:, None]
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
    )


def _inverse_cdf(logits: Tensor, top_p: float, uniforms: Tensor) -> Tokens:
    """Draws from logits `[B, k]`, best first, with uniform numbers `[B]` in [0, 1): int32 `[B]`."""
    probabilities = ops.exp(logits - logits[:, :1])
    probabilities = probabilities / ops.sum(probabilities, axis=-1, keepdims=True)
    cumulative = ops.cumsum(probabilities, axis=-1)
    kept = cumulative - probabilities < top_p  # keep a token while the mass before it is still too small
    mass = ops.max(ops.where(kept, cumulative, 0.0), axis=-1, keepdims=True)
    return ops.sum(ops.cast(cumulative <= uniforms[:, None] * mass, "int32"), axis=-1)
