"""Beam search with live and finished hypotheses apart."""

from typing import Any, NamedTuple

from keras import ops, tree

from keras_attn.search import hypotheses
from keras_attn.search.decode_loop import Step, batch_size, decode_loop, weights_of
from keras_attn.search.greedy import greedy
from keras_attn.search.hypotheses import NEVER, Hypotheses
from keras_attn.search.length_penalty import length_penalty as penalty


class _Paths(NamedTuple):
    """M hypotheses a sentence in the making. One that is impossible has log_prob NEVER; the rest of it means nothing."""

    tokens: Any  # int32 [B, M, L]
    rows: Any  # int32 [B, M, L]: the row of the step that each token was chosen in, to find its attention weights
    lengths: Any  # int32 [B, M]
    log_probs: Any  # float32 [B, M]


def beam(
    step: Step,
    state: Any,
    *,
    bos_id: int,
    eos_id: int,
    max_length: int,
    limits: Any = None,
    beam_size: int,
    length_penalty: float = 1.0,
) -> Hypotheses:
    """Keeps the best `beam_size` (K) live hypotheses at every position, and the best K finished ones.

    At each position the best 2K continuations of the live hypotheses are looked at: those that end in EOS compete for
    the finished places by score, the best K others live on. A sentence is done when none of its live hypotheses can
    still beat its worst finished one, however it went on, or at its limit. Finished hypotheses come first in the
    result; places that are then left hold hypotheses cut at the limit, whose score, the penalty of their own
    length applied, is in order among themselves only.

    A beam of one is greedy search: with a single place, an EOS that is only second best must not end the sentence.

    Args:
        step, bos_id, eos_id, max_length, limits: as for `greedy`; `step` is called with B * K rows, the hypotheses of a
            sentence next to one another.
        state: nest of tensors `[B, ...]`; each row is repeated K times.
        beam_size: K.
        length_penalty: alpha in `((5 + n) / 6) ** alpha`, by which a log-probability is divided.

    Returns:
        `Hypotheses` with N = K.

    Raises:
        ValueError: a value that cannot be used, or a step that breaks its contract.

    Reference: Wu et al. (2016), section 7 and equation 14 (without the coverage penalty).
    """
    if beam_size < 1:
        raise ValueError(f"beam_size must be at least 1. Received: beam_size={beam_size}")
    if not length_penalty >= 0:
        raise ValueError(f"length_penalty must be 0 or more. Received: length_penalty={length_penalty}")
    if beam_size == 1:
        best = greedy(step, state, bos_id=bos_id, eos_id=eos_id, max_length=max_length, limits=limits)
        return best._replace(scores=best.log_probs / penalty(best.lengths, length_penalty))
    hypotheses.check_ids(bos_id, eos_id)
    batch = batch_size(state)
    limits = hypotheses.sentence_limits(limits, batch, max_length)
    first_rows = ops.arange(batch, dtype="int32")[:, None] * beam_size  # [B, 1]

    def choose(position, log_probs, found, active):
        live, finished = found
        candidates, tokens, parents = _extend(live, log_probs, position, first_rows, bos_id)  # [B, 2K]
        ended = ops.equal(tokens, eos_id)
        finished = _best_finished(finished, _only(candidates, ended), length_penalty)
        live, places = _best_live(_only(candidates, ops.logical_not(ended)), beam_size)
        found = hypotheses.only_where(active, (live, finished), found)
        going_on = ops.logical_and(position + 1 < limits, _can_win(*found, limits, length_penalty))
        tokens, parents = hypotheses.gather((tokens, parents), places)  # [B, K]
        rows = ops.reshape(first_rows + parents, (-1,))
        return ops.reshape(tokens, (-1,)), rows, found, ops.logical_and(active, going_on)

    rows = ops.repeat(ops.arange(batch, dtype="int32"), beam_size)  # [B * K]
    state = tree.map_structure(lambda leaf: ops.take(leaf, rows, axis=0), state)
    found = _start(batch, beam_size, max_length)
    found, kept = decode_loop(step, state, ops.full_like(rows, bos_id), choose, found, limits > 0, max_length)
    return _result(_finished_first(*found), kept, length_penalty)


def _start(batch: Any, beam_size: int, max_length: int) -> tuple[_Paths, _Paths]:
    """One live hypothesis a sentence, the empty one, and no finished ones."""
    buffer = ops.zeros((batch, beam_size, max_length), dtype="int32")
    lengths = ops.zeros((batch, beam_size), dtype="int32")
    none = ops.full((batch, beam_size), NEVER, dtype="float32")
    first = hypotheses.put(none, 0, ops.zeros((batch,), dtype="float32"))
    return _Paths(buffer, buffer, lengths, first), _Paths(buffer, buffer, lengths, none)


def _extend(
    live: _Paths, log_probs: Any, position: Any, first_rows: Any, bos_id: int
) -> tuple[_Paths, Any, Any]:
    """The best 2K continuations of the live hypotheses, with the tokens they add and the places of their parents.

    The best 2K of a sentence are among the best 2K of each of its rows. At most K of them can end in EOS, one a row.
    """
    beam_size = live.log_probs.shape[1]
    best, tokens = hypotheses.best_tokens(log_probs, 2 * beam_size, bos_id)  # [B * K, C]
    choices = best.shape[1]
    totals = live.log_probs[:, :, None] + ops.reshape(best, (-1, beam_size, choices))  # [B, K, C]
    totals, places = ops.top_k(ops.reshape(totals, (-1, beam_size * choices)), 2 * beam_size)  # [B, 2K]
    tokens = hypotheses.gather(ops.reshape(tokens, (-1, beam_size * choices)), places)
    parents = places // choices
    paths = hypotheses.gather(live, parents)
    extended = _Paths(
        tokens=hypotheses.put(paths.tokens, position, tokens),
        rows=hypotheses.put(paths.rows, position, first_rows + parents),
        lengths=paths.lengths + 1,
        log_probs=ops.maximum(totals, NEVER),
    )
    return extended, tokens, parents


def _only(paths: _Paths, which: Any) -> _Paths:
    """Makes the others impossible."""
    return paths._replace(log_probs=ops.where(which, paths.log_probs, NEVER))


def _scores(log_probs: Any, lengths: Any, alpha: float) -> Any:
    return ops.where(log_probs > NEVER, log_probs / penalty(lengths, alpha), NEVER)


def _best_finished(finished: _Paths, new: _Paths, alpha: float) -> _Paths:
    """The best K of the finished hypotheses, by score; of equals, those that finished first."""
    pool = _joined(finished, new)  # [B, 3K]
    scores = _scores(pool.log_probs, pool.lengths, alpha)
    return hypotheses.gather(pool, ops.top_k(scores, finished.log_probs.shape[1])[1])


def _best_live(candidates: _Paths, beam_size: int) -> tuple[_Paths, Any]:
    """The best K candidates, by log-probability as they are equally long, and their places."""
    places = ops.top_k(candidates.log_probs, beam_size)[1]
    return hypotheses.gather(candidates, places), places


def _can_win(live: _Paths, finished: _Paths, limits: Any, alpha: float) -> Any:
    """Whether the best live hypothesis could still beat the worst finished one: bool `[B]`.

    Its log-probability can only fall, and the penalty is largest at the limit: that bounds its score.
    """
    bound = _scores(live.log_probs[:, 0], limits, alpha)
    worst = _scores(finished.log_probs[:, -1], finished.lengths[:, -1], alpha)
    return bound > worst


def _finished_first(live: _Paths, finished: _Paths) -> _Paths:
    """The finished hypotheses, and live ones in the places that are left."""
    beam_size = finished.log_probs.shape[1]
    count = ops.sum(ops.cast(finished.log_probs > NEVER, "int32"), axis=1, keepdims=True)  # [B, 1]
    places = ops.arange(beam_size, dtype="int32")[None]  # [1, K]
    places = ops.where(places < count, places, beam_size + places - count)
    return hypotheses.gather(_joined(finished, live), places)


def _joined(first: _Paths, second: _Paths) -> _Paths:
    return tree.map_structure(lambda a, b: ops.concatenate([a, b], axis=1), first, second)


def _result(paths: _Paths, kept: Any, alpha: float) -> Hypotheses:
    lengths = ops.where(paths.log_probs > NEVER, paths.lengths, 0)
    real = hypotheses.within(lengths, paths.tokens.shape[-1])  # [B, K, L]
    tokens = ops.where(real, paths.tokens, hypotheses.PAD_ID)
    scores = _scores(paths.log_probs, lengths, alpha)
    return Hypotheses(tokens, lengths, paths.log_probs, scores, weights_of(kept, paths.rows, real))
