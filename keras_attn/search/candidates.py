"""Which continuations of its live hypotheses a beam considers.

Shapes: B sentences, K live hypotheses of each, C continuations of each of these, V words.
"""

from typing import NamedTuple

import numpy as np
from keras import ops, tree

from keras_attn.search import hypotheses, phrases
from keras_attn.search.constraints import marked
from keras_attn.search.hypotheses import NEVER
from keras_attn.search.paths import Paths
from keras_attn.search.phrases import PhraseProgress, Phrases
from keras_attn.search.types import LogProbs, Tensor, Weights

_WANTED = 1e5  # far above any difference of log-probabilities, far below the value of impossible ones


class Choice(NamedTuple):
    """2K continuations of a sentence's hypotheses, best first by `keys`."""

    keys: Tensor  # float32 [B, 2K], by which they are ranked
    log_probs: Tensor  # float32 [B, 2K], of the whole hypothesis
    tokens: Tensor  # int32 [B, 2K]
    parents: Tensor  # int32 [B, 2K], the slot of the hypothesis that each continues
    said: PhraseProgress | tuple[()]  # [B, 2K, ...], how much of the phrases each then contains


def best_extensions(live: Paths, log_probs: LogProbs, *, diversity: float) -> Choice:
    """The best 2K of a sentence, which are among the best 2K of each of its rows. At most K end in EOS, one per row."""
    beam_size = live.log_probs.shape[1]
    best, tokens = hypotheses.best_tokens(log_probs, 2 * beam_size)  # [B * K, C]
    totals = _totals(live, best)
    keys = totals - diversity * np.arange(best.shape[1], dtype="float32") if diversity else totals
    return _best(keys, totals, tokens, ())


def constrained_extensions(
    live: Paths, log_probs: LogProbs, weights: Weights, wanted: Phrases, *, room: Tensor, eos_id: int
) -> Choice:
    """Picks 2K of a sentence in turns, by how much of the phrases they contain.

    They are chosen from the best 2K of each row and from the next tokens of its phrases. None that lacks a phrase ends.

    Args:
        live: the hypotheses.
        log_probs: float32 `[B * K, V]`, of their next tokens.
        weights: float32 `[B * K, S]`, their attention, or `None`.
        wanted: the phrases.
        room: int32 `[B]`, how many tokens the limit of each sentence still leaves.
        eos_id: EOS.
    """
    beam_size, vocabulary = live.log_probs.shape[1], log_probs.shape[-1]
    no_end = ops.where(np.arange(vocabulary) == eos_id, NEVER, log_probs)
    following = phrases.next_tokens(wanted, live.said, ops.reshape(no_end, (-1, beam_size, vocabulary)))
    following = ops.reshape(following, (-1, following.shape[-1]))  # [B * K, P]
    first = marked(ops.zeros_like(log_probs, dtype="bool"), following)
    choices = min(2 * beam_size + following.shape[-1], vocabulary)
    tokens = ops.top_k(log_probs + ops.where(first, _WANTED, 0.0), choices)[1]  # [B * K, C]
    tokens = ops.cast(tokens, "int32")
    totals = _totals(live, ops.take_along_axis(log_probs, tokens, axis=1))
    by_hypothesis = ops.reshape(tokens, (-1, beam_size, choices))
    _, count, longest = ops.shape(wanted.ids)
    would_end = ops.reshape(ops.argmax(log_probs, axis=-1) == eos_id, (-1, beam_size))
    late = ops.logical_or(would_end, room[:, None] <= count * longest)
    attention = phrases.attention_to_terms(wanted, weights, beam_size)
    said = phrases.after(wanted, live.said, by_hypothesis, attention, late)
    done, all_said = phrases.progress(wanted, said)
    totals = ops.where(ops.logical_and(by_hypothesis == eos_id, ops.logical_not(all_said)), NEVER, totals)
    size = beam_size * choices
    ranked = ops.reshape(totals + phrases.placement(said), (-1, size))
    keys = phrases.in_turns(ranked, ops.reshape(done, (-1, size)), 2 * count * longest + 1)
    return _best(keys, totals, tokens, said)


def _totals(live: Paths, best: Tensor) -> Tensor:
    """The log-probabilities of the hypotheses with one more token: `[B * K, C]` -> `[B, K, C]`."""
    beam_size, choices = live.log_probs.shape[1], best.shape[1]
    return live.log_probs[:, :, None] + ops.reshape(best, (-1, beam_size, choices))


def _best(keys: Tensor, totals: Tensor, tokens: Tensor, said: PhraseProgress | tuple[()]) -> Choice:
    """The 2K with the largest keys."""
    _, beam_size, choices = totals.shape
    keys, places = ops.top_k(ops.reshape(keys, (-1, beam_size * choices)), 2 * beam_size)  # [B, 2K]
    flat = tree.map_structure(
        lambda leaf: ops.reshape(leaf, (-1, beam_size * choices, *ops.shape(leaf)[3:])), (totals, said)
    )
    log_probs, said = hypotheses.gather(flat, places)
    tokens = hypotheses.gather(ops.reshape(tokens, (-1, beam_size * choices)), places)
    return Choice(keys, log_probs, tokens, places // choices, said)
