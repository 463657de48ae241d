"""Beam search that keeps live and finished hypotheses separately."""

import math
from numbers import Integral

from keras import ops, tree

from keras_attn.search import hypotheses, paths
from keras_attn.search.candidates import Choice, best_extensions, constrained_extensions
from keras_attn.search.decode_loop import batch_size, decode_loop
from keras_attn.search.greedy import greedy
from keras_attn.search.hypotheses import NEVER, Hypotheses
from keras_attn.search.length_penalty import length_penalty as penalty
from keras_attn.search.paths import Paths, Ranking
from keras_attn.search.phrases import Phrases
from keras_attn.search.types import Limits, Scalar, State, Step, Tensor, Weights


def beam(
    step: Step,
    state: State,
    *,
    bos_id: int,
    eos_id: int,
    max_length: int,
    limits: Limits = None,
    return_weights: bool = False,
    min_length: int = 0,
    beam_size: int,
    length_penalty: float = 1.0,
    coverage_penalty: float = 0.0,
    source_mask: Tensor | None = None,
    diversity: float = 0.0,
    phrases: Phrases | None = None,
    n_best: int | Scalar | None = None,
) -> Hypotheses:
    """Keeps the best `beam_size` (K) live hypotheses at every position, and the best K finished ones.

    Each position considers the best 2K continuations of the live hypotheses. Those that end in EOS compete for the finished
    slots by score; the best K others stay alive. A sentence is done at its limit, or as soon as none of its live hypotheses
    would be among the best `n_best` even if its next eight tokens were certain. Finished hypotheses come first in the result.
    Any remaining slots are filled with hypotheses that were cut at the limit; they are scored with the penalty for their own
    length and ordered among themselves.

    A beam of one is greedy search: with a single slot, an EOS that is only second best must not end the sentence. It has nothing to
    choose from, so its scores are without the coverage penalty.

    Args:
        step, bos_id, eos_id, max_length, limits, return_weights, min_length: as for `greedy`; `step` is called with B * K rows, the
            hypotheses of a sentence next to each other.
        state: nest of tensors `[B, ...]`; each row is repeated K times.
        beam_size: K.
        length_penalty: alpha in `((5 + n) / 6) ** alpha`, by which a log-probability is divided.
        coverage_penalty: beta in `beta * sum_s log(min(sum_t weight_ts, 1))`, which is added to a score. Above 0, it needs a step
            that returns attention weights.
        source_mask: bool `[B, S]`, the real words of the source, for the coverage penalty.
        diversity: gamma. The r-th best continuation of a hypothesis, counted from 0, is ranked as if its log-probability were lower
            by gamma * r, so that siblings crowd out fewer others. The returned log-probabilities and scores are not changed. 0:
            off.
        phrases: phrases that each sentence must contain. They need a K of at least 2 and no diversity. Each position also considers
            the next tokens of the phrases, and hypotheses take turns for the K slots by how much of the phrases they contain. A
            hypothesis ends only when it contains all phrases. One can be missing only if the limit leaves no room for all. Of a
            phrase with a term in the source, twice the logarithm of the term's attention where the phrase begins is added to the
            score, and where that is less than half of all attention the phrase does not count for the turns.
        n_best: how many hypotheses of each sentence are wanted, from 1 to K, an int or an int32 scalar. The search ends when these
            are found, often long before all K are; the others are whatever there is by then. `None`: K.

    Returns:
        `Hypotheses` with N = K.

    Raises:
        ValueError: an invalid value, or a step that breaks its contract.

    References: Wu et al. (2016), section 7 and equation 14; Li, Monroe and Jurafsky (2016), "A Simple, Fast Diverse Decoding
    Algorithm for Neural Generation", section 3; Post and Vilar (2018), "Fast Lexically Constrained Decoding with Dynamic Beam
    Allocation for Neural Machine Translation", section 3.
    """
    if not isinstance(beam_size, Integral) or beam_size < 1:
        raise ValueError(f"beam_size must be at least 1, and a whole number. Received: beam_size={beam_size}")
    for name, value in {
        "length_penalty": length_penalty,
        "coverage_penalty": coverage_penalty,
        "diversity": diversity,
    }.items():
        if not 0 <= value < math.inf:
            raise ValueError(f"{name} must be 0 or more, and finite. Received: {name}={value}")
    if coverage_penalty and source_mask is None:
        raise ValueError("coverage_penalty needs a source_mask, which says which words to cover.")
    if isinstance(n_best, Integral) and not 1 <= n_best <= beam_size:
        raise ValueError(
            f"n_best must be from 1 to beam_size, {beam_size}, or None for all. Received: n_best={n_best}"
        )
    if phrases is not None and (beam_size < 2 or diversity):
        raise ValueError(
            "phrases need a beam_size of at least 2, and no diversity. "
            f"Received: beam_size={beam_size}, diversity={diversity}"
        )
    if beam_size == 1:
        best = greedy(
            step,
            state,
            bos_id=bos_id,
            eos_id=eos_id,
            max_length=max_length,
            limits=limits,
            return_weights=return_weights,
            min_length=min_length,
        )
        return best._replace(scores=best.log_probs / penalty(best.lengths, length_penalty))
    hypotheses.check_ids(bos_id, eos_id)
    batch = batch_size(state)
    limits = hypotheses.sentence_limits(limits, batch, max_length)
    first_rows = ops.arange(batch, dtype="int32")[:, None] * beam_size  # [B, 1]

    ranking = Ranking(length_penalty, coverage_penalty, source_mask)
    n_best = beam_size if n_best is None else n_best

    def choose(position, log_probs, weights, progress, active):
        live, finished = progress
        live = _covered(live, weights)
        log_probs = hypotheses.possible(
            log_probs, position, bos_id=bos_id, eos_id=eos_id, min_length=min_length
        )
        if phrases is None:
            choice = best_extensions(live, log_probs, diversity=diversity)
        else:
            choice = constrained_extensions(
                live, log_probs, weights, phrases, room=limits - position, eos_id=eos_id
            )
        candidates = _extended(live, choice, position, first_rows)
        ended = ops.equal(choice.tokens, eos_id)
        finished = paths.best_finished(finished, paths.only(candidates, ended), ranking)
        places = ops.top_k(ops.where(ended, 2 * NEVER, choice.keys), beam_size)[1]
        live = hypotheses.gather(paths.only(candidates, ops.logical_not(ended)), places)
        progress = hypotheses.only_where(active, (live, finished), progress)
        going_on = ops.logical_and(position + 1 < limits, paths.can_win(*progress, limits, ranking, n_best))
        tokens, parents = hypotheses.gather((choice.tokens, choice.parents), places)  # [B, K]
        rows = ops.reshape(first_rows + parents, (-1,))
        return ops.reshape(tokens, (-1,)), rows, progress, ops.logical_and(active, going_on)

    rows = ops.repeat(ops.arange(batch, dtype="int32"), beam_size)  # [B * K]
    state = tree.map_structure(lambda leaf: ops.take(leaf, rows, axis=0), state)
    progress = paths.start(
        batch,
        beam_size,
        max_length,
        source_mask=source_mask if coverage_penalty else None,
        phrases=phrases,
    )
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
    live, finished = progress
    if (coverage_penalty or diversity) and phrases is None:  # until now not ranked by their scores
        live = hypotheses.gather(live, ops.top_k(ranking.scores(live), beam_size)[1])
    return paths.result(paths.finished_first(live, finished), kept, ranking)


def _extended(live: Paths, choice: Choice, position: Scalar, first_rows: Tensor) -> Paths:
    """The live hypotheses with the chosen tokens appended."""
    parents = hypotheses.gather(live, choice.parents)
    return Paths(
        tokens=hypotheses.put(parents.tokens, position, choice.tokens),
        rows=hypotheses.put(parents.rows, position, first_rows + choice.parents),
        lengths=parents.lengths + 1,
        log_probs=ops.maximum(choice.log_probs, NEVER),
        coverage=parents.coverage,
        said=choice.said,
    )


def _covered(live: Paths, weights: Weights) -> Paths:
    """The live hypotheses, with the attention of this step added if coverage is counted."""
    if not tree.flatten(live.coverage):
        return live
    if weights is None:
        raise ValueError(
            "coverage_penalty needs a step that returns attention weights; this one returns None."
        )
    return live._replace(coverage=live.coverage + ops.reshape(weights, ops.shape(live.coverage)))
