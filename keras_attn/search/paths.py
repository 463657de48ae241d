"""Unfinished hypotheses, and how finished ones compete."""

from typing import NamedTuple

from keras import ops, tree

from keras_attn.search import hypotheses
from keras_attn.search.coverage_penalty import coverage_penalty as missing_words
from keras_attn.search.decode_loop import weights_of
from keras_attn.search.hypotheses import NEVER, Hypotheses
from keras_attn.search.length_penalty import length_penalty as penalty
from keras_attn.search.phrases import PhraseProgress, Phrases, no_progress, placement
from keras_attn.search.types import Active, KeptWeights, Scalar, Tensor
from keras_attn.special_ids import PAD_ID

AHEAD = 8  # tokens for which a live hypothesis may hope at no cost; hoping for more takes time and finds nothing better


class Paths(NamedTuple):
    """M unfinished hypotheses per sentence. An impossible one has log_prob NEVER, and its other values are meaningless."""

    tokens: Tensor  # int32 [B, M, L]
    rows: Tensor  # int32 [B, M, L]: the row in which each token was chosen, to find its attention weights
    lengths: Tensor  # int32 [B, M]
    log_probs: Tensor  # float32 [B, M]
    coverage: (
        Tensor | tuple[()]
    )  # float32 [B, M, S], the sum of the attention weights so far; () if not needed
    said: PhraseProgress | tuple[()]  # [B, M, ...], progress with the phrases; () if there are none


class Ranking(NamedTuple):
    """The score by which finished hypotheses compete."""

    alpha: float
    beta: float
    source_mask: Tensor | None  # bool [B, S]; None if beta is 0

    def scores(self, paths: Paths) -> Tensor:
        scores = paths.log_probs / penalty(paths.lengths, self.alpha)
        if self.beta:
            scores = scores + missing_words(paths.coverage, self.source_mask[:, None], self.beta)
        if paths.said:
            scores = scores + placement(paths.said)
        return ops.where(paths.log_probs > NEVER, scores, NEVER)

    def bound(self, paths: Paths, limits: Tensor) -> Tensor:
        """A score that no continuation by up to `AHEAD` tokens exceeds: log-probabilities only fall, the length penalty is largest
        for the longest, and neither coverage nor the places of phrases ever raise a score."""
        longest = ops.minimum(limits[:, None], paths.lengths + AHEAD)
        return ops.where(paths.log_probs > NEVER, paths.log_probs / penalty(longest, self.alpha), NEVER)


def start(
    batch: int | Scalar,
    beam_size: int,
    max_length: int,
    *,
    source_mask: Tensor | None,
    phrases: Phrases | None,
) -> tuple[Paths, Paths]:
    """One live hypothesis per sentence, the empty one, and no finished ones."""
    buffer = ops.zeros((batch, beam_size, max_length), dtype="int32")
    lengths = ops.zeros((batch, beam_size), dtype="int32")
    none = ops.full((batch, beam_size), NEVER, dtype="float32")
    first = hypotheses.put(none, 0, ops.zeros((batch,), dtype="float32"))
    coverage = ()
    if source_mask is not None:
        coverage = ops.zeros((batch, beam_size, ops.shape(source_mask)[1]), dtype="float32")
    said = () if phrases is None else no_progress(phrases, beam_size)
    live = Paths(buffer, buffer, lengths, first, coverage, said)
    return live, live._replace(log_probs=none)


def only(paths: Paths, which: Tensor) -> Paths:
    """Makes the others impossible."""
    return paths._replace(log_probs=ops.where(which, paths.log_probs, NEVER))


def best_finished(finished: Paths, new: Paths, ranking: Ranking) -> Paths:
    """The best K finished hypotheses, by score; on a tie, those that finished first (torch leaves the order open)."""
    pool = _joined(finished, new)  # [B, 3K]
    return hypotheses.gather(pool, ops.top_k(ranking.scores(pool), finished.log_probs.shape[1])[1])


def can_win(live: Paths, finished: Paths, limits: Tensor, ranking: Ranking, n_best: int | Scalar) -> Active:
    """Whether a live hypothesis would be among the best `n_best` if its next `AHEAD` tokens were certain: bool `[B]`."""
    last = ops.take(ranking.scores(finished), n_best - 1, axis=1)
    return ops.max(ranking.bound(live, limits), axis=1) > last


def finished_first(live: Paths, finished: Paths) -> Paths:
    """The finished hypotheses, and live ones in the remaining slots."""
    beam_size = finished.log_probs.shape[1]
    count = ops.sum(ops.cast(finished.log_probs > NEVER, "int32"), axis=1, keepdims=True)  # [B, 1]
    places = ops.arange(beam_size, dtype="int32")[None]  # [1, K]
    places = ops.where(places < count, places, beam_size + places - count)
    return hypotheses.gather(_joined(finished, live), places)


def result(paths: Paths, kept: KeptWeights, ranking: Ranking) -> Hypotheses:
    """Converts them to the result of the search."""
    lengths = ops.where(paths.log_probs > NEVER, paths.lengths, 0)
    real = hypotheses.within(lengths, paths.tokens.shape[-1])  # [B, K, L]
    tokens = ops.where(real, paths.tokens, PAD_ID)
    scores = ranking.scores(paths)
    return Hypotheses(tokens, lengths, paths.log_probs, scores, weights_of(kept, paths.rows, real))


def _joined(first: Paths, second: Paths) -> Paths:
    return tree.map_structure(lambda a, b: ops.concatenate([a, b], axis=1), first, second)
