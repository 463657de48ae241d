"""Beam search with live and finished hypotheses apart."""

from typing import NamedTuple

from keras import ops, tree

from keras_attn.search import hypotheses
from keras_attn.search.coverage_penalty import coverage_penalty as missing_words
from keras_attn.search.decode_loop import batch_size, decode_loop, weights_of
from keras_attn.search.greedy import greedy
from keras_attn.search.hypotheses import NEVER, Hypotheses
from keras_attn.search.length_penalty import length_penalty as penalty
from keras_attn.search.types import (
    Active,
    KeptWeights,
    Limits,
    LogProbs,
    Scalar,
    State,
    Step,
    Tensor,
    Weights,
)
from keras_attn.special_ids import PAD_ID


class _Paths(NamedTuple):
    """M hypotheses a sentence in the making. One that is impossible has log_prob NEVER; the rest of it means nothing."""

    tokens: Tensor  # int32 [B, M, L]
    rows: Tensor  # int32 [B, M, L]: the row of the step that each token was chosen in, to find its attention weights
    lengths: Tensor  # int32 [B, M]
    log_probs: Tensor  # float32 [B, M]
    coverage: (
        Tensor | tuple[()]
    )  # float32 [B, M, S], the sum of the attention weights so far; () where nobody asks


class _Ranking(NamedTuple):
    """What finished hypotheses compete by."""

    alpha: float
    beta: float
    source_mask: Tensor | None  # bool [B, S]; None where beta is 0

    def scores(self, paths: _Paths) -> Tensor:
        scores = paths.log_probs / penalty(paths.lengths, self.alpha)
        if self.beta:
            scores = scores + missing_words(paths.coverage, self.source_mask[:, None], self.beta)
        return ops.where(paths.log_probs > NEVER, scores, NEVER)

    def bound(self, paths: _Paths, limits: Tensor) -> Tensor:
        """What no score can be above, however its hypothesis goes on: log-probabilities only fall, the length penalty is
        largest at the limit, and that of coverage takes away."""
        return ops.where(
            paths.log_probs > NEVER, paths.log_probs / penalty(limits[:, None], self.alpha), NEVER
        )


def beam(
    step: Step,
    state: State,
    *,
    bos_id: int,
    eos_id: int,
    max_length: int,
    limits: Limits = None,
    return_weights: bool = False,
    beam_size: int,
    length_penalty: float = 1.0,
    coverage_penalty: float = 0.0,
    source_mask: Tensor | None = None,
) -> Hypotheses:
    """Keeps the best `beam_size` (K) live hypotheses at every position, and the best K finished ones.

    At each position the best 2K continuations of the live hypotheses are looked at: those that end in EOS compete for
    the finished places by score, the best K others live on. A sentence is done when none of its live hypotheses can
    still beat its worst finished one, however it went on, or at its limit. Finished hypotheses come first in the
    result; places that are then left hold hypotheses cut at the limit, whose score, the penalty of their own
    length applied, is in order among themselves only.

    A beam of one is greedy search: with a single place, an EOS that is only second best must not end the sentence.

    Args:
        step, bos_id, eos_id, max_length, limits, return_weights: as for `greedy`; `step` is called with B * K rows, the
            hypotheses of a sentence next to one another.
        state: nest of tensors `[B, ...]`; each row is repeated K times.
        beam_size: K.
        length_penalty: alpha in `((5 + n) / 6) ** alpha`, by which a log-probability is divided.
        coverage_penalty: beta in `beta * sum_s log(min(sum_t weight_ts, 1))`, which is added to a score; above 0 it needs a
            step that gives attention weights.
        source_mask: bool `[B, S]`, the real words of the source, for the coverage penalty.

    Returns:
        `Hypotheses` with N = K.

    Raises:
        ValueError: a value that cannot be used, or a step that breaks its contract.

    Reference: Wu et al. (2016), section 7 and equation 14.
    """
    if beam_size < 1:
        raise ValueError(f"beam_size must be at least 1. Received: beam_size={beam_size}")
    if not length_penalty >= 0:
        raise ValueError(f"length_penalty must be 0 or more. Received: length_penalty={length_penalty}")
    if not coverage_penalty >= 0:
        raise ValueError(f"coverage_penalty must be 0 or more. Received: coverage_penalty={coverage_penalty}")
    if coverage_penalty and source_mask is None:
        raise ValueError("coverage_penalty needs a source_mask, to know which words there are to cover.")
    if beam_size == 1:
        best = greedy(
            step,
            state,
            bos_id=bos_id,
            eos_id=eos_id,
            max_length=max_length,
            limits=limits,
            return_weights=return_weights,
        )
        return best._replace(scores=best.log_probs / penalty(best.lengths, length_penalty))
    hypotheses.check_ids(bos_id, eos_id)
    batch = batch_size(state)
    limits = hypotheses.sentence_limits(limits, batch, max_length)
    first_rows = ops.arange(batch, dtype="int32")[:, None] * beam_size  # [B, 1]

    ranking = _Ranking(length_penalty, coverage_penalty, source_mask)

    def choose(position, log_probs, weights, progress, active):
        live, finished = progress
        candidates, tokens, parents = _extend(
            live, log_probs, weights, position, first_rows, bos_id
        )  # [B, 2K]
        ended = ops.equal(tokens, eos_id)
        finished = _best_finished(finished, _only(candidates, ended), ranking)
        live, places = _best_live(_only(candidates, ops.logical_not(ended)), beam_size)
        progress = hypotheses.only_where(active, (live, finished), progress)
        going_on = ops.logical_and(position + 1 < limits, _can_win(*progress, limits, ranking))
        tokens, parents = hypotheses.gather((tokens, parents), places)  # [B, K]
        rows = ops.reshape(first_rows + parents, (-1,))
        return ops.reshape(tokens, (-1,)), rows, progress, ops.logical_and(active, going_on)

    rows = ops.repeat(ops.arange(batch, dtype="int32"), beam_size)  # [B * K]
    state = tree.map_structure(lambda leaf: ops.take(leaf, rows, axis=0), state)
    progress = _start(batch, beam_size, max_length, source_mask if coverage_penalty else None)
    first = ops.full_like(rows, bos_id)
    progress, kept = decode_loop(
        step,
        state,
        tokens=first,
        choose=choose,
        progress=progress,
        active=limits > 0,
        max_length=max_length,
        return_weights=return_weights,
    )
    return _result(_finished_first(*progress), kept, ranking)


def _start(
    batch: int | Scalar, beam_size: int, max_length: int, source_mask: Tensor | None
) -> tuple[_Paths, _Paths]:
    """One live hypothesis a sentence, the empty one, and no finished ones."""
    buffer = ops.zeros((batch, beam_size, max_length), dtype="int32")
    lengths = ops.zeros((batch, beam_size), dtype="int32")
    none = ops.full((batch, beam_size), NEVER, dtype="float32")
    first = hypotheses.put(none, 0, ops.zeros((batch,), dtype="float32"))
    coverage = ()
    if source_mask is not None:
        coverage = ops.zeros((batch, beam_size, ops.shape(source_mask)[1]), dtype="float32")
    return _Paths(buffer, buffer, lengths, first, coverage), _Paths(buffer, buffer, lengths, none, coverage)


def _extend(
    live: _Paths,
    log_probs: LogProbs,
    weights: Weights,
    position: Scalar,
    first_rows: Tensor,
    bos_id: int,
) -> tuple[_Paths, Tensor, Tensor]:
    """The best 2K continuations of the live hypotheses, with the tokens they add and the places of their parents.

    The best 2K of a sentence are among the best 2K of each of its rows. At most K of them can end in EOS, one a row.
    """
    beam_size = live.log_probs.shape[1]
    live = _covered(live, weights)
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
        coverage=paths.coverage,
    )
    return extended, tokens, parents


def _covered(live: _Paths, weights: Weights) -> _Paths:
    """The live hypotheses with the attention of this step counted in, where coverage is counted."""
    if not tree.flatten(live.coverage):
        return live
    if weights is None:
        raise ValueError("coverage_penalty needs a step that gives attention weights; this one gives None.")
    return live._replace(coverage=live.coverage + ops.reshape(weights, ops.shape(live.coverage)))


def _only(paths: _Paths, which: Tensor) -> _Paths:
    """Makes the others impossible."""
    return paths._replace(log_probs=ops.where(which, paths.log_probs, NEVER))


def _best_finished(finished: _Paths, new: _Paths, ranking: _Ranking) -> _Paths:
    """The best K of the finished hypotheses, by score; of equals, those that finished first (torch leaves that open)."""
    pool = _joined(finished, new)  # [B, 3K]
    return hypotheses.gather(pool, ops.top_k(ranking.scores(pool), finished.log_probs.shape[1])[1])


def _best_live(candidates: _Paths, beam_size: int) -> tuple[_Paths, Tensor]:
    """The best K candidates, by log-probability as they are equally long, and their places."""
    places = ops.top_k(candidates.log_probs, beam_size)[1]
    return hypotheses.gather(candidates, places), places


def _can_win(live: _Paths, finished: _Paths, limits: Tensor, ranking: _Ranking) -> Active:
    """Whether the best live hypothesis could still beat the worst finished one: bool `[B]`."""
    return ranking.bound(live, limits)[:, 0] > ranking.scores(finished)[:, -1]


def _finished_first(live: _Paths, finished: _Paths) -> _Paths:
    """The finished hypotheses, and live ones in the places that are left."""
    beam_size = finished.log_probs.shape[1]
    count = ops.sum(ops.cast(finished.log_probs > NEVER, "int32"), axis=1, keepdims=True)  # [B, 1]
    places = ops.arange(beam_size, dtype="int32")[None]  # [1, K]
    places = ops.where(places < count, places, beam_size + places - count)
    return hypotheses.gather(_joined(finished, live), places)


def _joined(first: _Paths, second: _Paths) -> _Paths:
    return tree.map_structure(lambda a, b: ops.concatenate([a, b], axis=1), first, second)


def _result(paths: _Paths, kept: KeptWeights, ranking: _Ranking) -> Hypotheses:
    lengths = ops.where(paths.log_probs > NEVER, paths.lengths, 0)
    real = hypotheses.within(lengths, paths.tokens.shape[-1])  # [B, K, L]
    tokens = ops.where(real, paths.tokens, PAD_ID)
    scores = ranking.scores(paths)
    return Hypotheses(tokens, lengths, paths.log_probs, scores, weights_of(kept, paths.rows, real))
