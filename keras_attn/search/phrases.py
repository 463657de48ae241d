"""Phrases that a translation must contain, and the progress of a hypothesis with each.

Post and Vilar (2018) call these constraints. A hypothesis must contain each phrase word for word, in any order. The beam
(`search.beam`) tries the next token of every phrase, however improbable. Hypotheses take turns for its slots by how many tokens of
the phrases they contain.

Attention tells where a phrase belongs: where the model reads its term (`Phrases.terms`). A hypothesis with a phrase that begins
elsewhere has a lower score and is no further for it, unless the model would have ended it or the limit is near.

Shapes: B sentences, P phrases per sentence (a graph must know this number), at most Q tokens per phrase, S positions of the source;
`...` are hypotheses, `[B, K]`.
"""

import math
from typing import NamedTuple

from keras import ops

from keras_attn.search.hypotheses import NEVER
from keras_attn.search.types import Scalar, Tensor, Weights
from keras_attn.special_ids import PAD_ID

ANY_BOUNDARY = -1  # stands for any token that begins a new word, or EOS
ELSEWHERE = 0.5  # a phrase whose term gets less of the attention begins elsewhere
WEIGHT = 2.0  # of the logarithm of the attention in a score; both are chosen on development sets (benchmarks/log/glossary.md)
LEAST = 1e-4  # a phrase that begins where its term gets no attention costs 18.4 instead of infinity


class Phrases(NamedTuple):
    """The phrases that each sentence must contain.

    Equal phrases of a sentence are adjacent; each of them must occur.

    Attributes:
        ids: int32 `[B, P, Q]`; phrases and their tokens are padded on the right with 0. A -1 after a phrase prevents its last word
            from continuing: the next token must then be one of `boundaries`.
        boundaries: bool `[V]`, the tokens that may follow a word, including EOS.
        terms: float32 `[B, P, S]`, 1 where the source has what the phrase translates, otherwise 0. `None`: unknown.
    """

    ids: Tensor
    boundaries: Tensor
    terms: Tensor | None = None


class PhraseProgress(NamedTuple):
    """The progress of hypotheses with their phrases."""

    matched: Tensor  # bool [..., P, Q]: whether the last q + 1 tokens are the first q + 1 of the phrase
    begun: Tensor  # float32 [..., P, Q]: of those, the logarithm of the attention to the term at the first
    whole: Tensor  # bool [..., P]: whether the phrase is complete
    placed: Tensor  # float32 [..., P]: of a complete phrase, the logarithm of the attention to its term where it began; else 0
    late: Tensor  # bool [...]: whether phrases may begin anywhere by now


def no_progress(phrases: Phrases, beam_size: int) -> PhraseProgress:
    """The progress of empty hypotheses, `[B, K]` of them."""
    nothing = phrases.ids[:, None] * ops.zeros((beam_size, 1, 1), dtype="int32")
    matched, begun = ops.cast(nothing, "bool"), ops.cast(nothing, "float32")
    return PhraseProgress(matched, begun, matched[..., 0], begun[..., 0], matched[..., 0, 0])


def attention_to_terms(phrases: Phrases, weights: Weights, beam_size: int) -> Tensor:
    """The logarithm of the attention that each phrase's term gets, float32 `[B, K, P]`; 0 if that is unknown.

    Args:
        weights: float32 `[B * K, M]`, of the next token; if the memory has fewer positions than the source, each stands for
            several. `None`: the model has no attention.
    """
    if weights is None or phrases.terms is None:
        return ops.zeros_like(
            phrases.ids[:, None, :, 0] * ops.zeros((beam_size, 1), dtype="int32"), dtype="float32"
        )
    read, words = ops.shape(weights)[-1], ops.shape(phrases.terms)[-1]
    weights = ops.take(
        ops.cast(weights, "float32"), ops.arange(words, dtype="int32") * read // words, axis=-1
    )
    weights = ops.reshape(weights, (-1, beam_size, words))
    return ops.log(ops.clip(ops.einsum("bks,bps->bkp", weights, phrases.terms), LEAST, 1.0))


def after(
    phrases: Phrases, said: PhraseProgress, tokens: Tensor, attention: Tensor, late: Tensor
) -> PhraseProgress:
    """The progress after one more token.

    Args:
        said: the progress of hypotheses, `[B, K]` of them.
        tokens: int32 `[B, K, C]`, C continuations of each.
        attention: float32 `[B, K, P]`, as `attention_to_terms` has it.
        late: bool `[B, K]`, whether the model would end the hypothesis now, or its limit leaves no more room than for the phrases.

    Returns:
        The progress of each continuation: `[B, K, C]`.
    """
    ids = phrases.ids[:, None, None]  # [B, 1, 1, P, Q]
    matched, begun, whole, placed, before = (leaf[:, :, None] for leaf in said)
    late = ops.logical_or(before, ops.logical_or(late[:, :, None], ops.zeros_like(tokens, dtype="bool")))
    boundary = ops.take(phrases.boundaries, tokens, axis=0)[..., None, None]
    tokens = tokens[..., None, None]
    hit = ops.logical_or(ids == tokens, ops.logical_and(ids == ANY_BOUNDARY, boundary))
    hit = ops.logical_and(hit, ids != PAD_ID)
    going_on = ops.concatenate([ops.ones_like(matched[..., :1]), matched[..., :-1]], axis=-1)
    # A boundary closes a phrase, and may begin the next one.
    closed = ops.any(ops.logical_and(ops.logical_and(going_on, hit), ids == ANY_BOUNDARY), axis=-1)
    open_now = _shifted(ops.logical_or(whole, closed))
    open_now = ops.logical_or(ops.logical_not(_same_as_before(phrases)[:, None, None]), open_now)
    matched = ops.logical_and(ops.logical_and(going_on, hit), open_now[..., None])
    begun = ops.concatenate([attention[:, :, None, :, None], begun[..., :-1]], axis=-1)
    begun = ops.where(matched, begun, 0.0)
    last = ops.logical_and(matched, _last(phrases)[:, None, None])
    complete = ops.any(last, axis=-1)
    here = ops.sum(ops.where(last, begun, 0.0), axis=-1)
    best = ops.where(whole, ops.maximum(placed, here), here)  # it may have occurred before
    return PhraseProgress(
        matched, begun, ops.logical_or(whole, complete), ops.where(complete, best, placed), late
    )


def next_tokens(phrases: Phrases, said: PhraseProgress, log_probs: Tensor) -> Tensor:
    """The token that would continue each phrase; 0 if the phrase is complete.

    Args:
        said: the progress of hypotheses, `[B, K]` of them.
        log_probs: float32 `[B, K, V]`, of the next token; they choose among the boundaries.

    Returns:
        int32 `[B, K, P]`.
    """
    place = ops.expand_dims(_got(said.matched), -1)  # [B, K, P, 1]
    ids = ops.zeros_like(place) + phrases.ids[:, None]  # [B, K, P, Q]
    last = ops.shape(phrases.ids)[-1] - 1
    wanted = ops.squeeze(ops.take_along_axis(ids, ops.minimum(place, last), axis=-1), -1)
    boundary = ops.argmax(ops.where(phrases.boundaries, log_probs, 2 * NEVER), axis=-1)
    wanted = ops.where(wanted == ANY_BOUNDARY, ops.cast(boundary, "int32")[..., None], wanted)
    return ops.where(said.whole, PAD_ID, wanted)


def progress(phrases: Phrases, said: PhraseProgress) -> tuple[Tensor, Tensor]:
    """How far hypotheses are with the phrases: int32 `[...]`, from 0 to 2PQ + 1, and whether they contain all, bool `[...]`.

    A hypothesis is further the more tokens it contains of phrases that begin at their terms. Of equals, those with a phrase that
    begins elsewhere are behind. The last tokens may begin several phrases, and count for the longest beginning only.
    """
    lengths = ops.sum(ops.cast(phrases.ids != PAD_ID, "int32"), axis=-1)  # [B, P]
    lengths = ops.reshape(lengths, (-1, *[1] * (len(said.whole.shape) - 2), phrases.ids.shape[1]))
    at_term = ops.logical_or(said.placed >= math.log(ELSEWHERE), said.late[..., None])
    begun_at_term = ops.logical_or(_begun(said) >= math.log(ELSEWHERE), said.late)
    whole = ops.sum(ops.where(ops.logical_and(said.whole, at_term), lengths, 0), axis=-1)
    begun = ops.max(ops.where(said.whole, 0, _got(said.matched)), axis=-1)
    all_at_terms = ops.logical_and(ops.all(at_term, axis=-1), begun_at_term)
    done = 2 * (whole + ops.where(begun_at_term, begun, 0)) + ops.cast(all_at_terms, "int32")
    return done, ops.all(ops.logical_or(said.whole, lengths == 0), axis=-1)


def placement(said: PhraseProgress) -> Tensor:
    """What is added to the scores of hypotheses for where their phrases begin, float32 `[...]`, at most 0.

    That is `WEIGHT` times the logarithm of the attention to the term, for each complete phrase and for the longest beginning.
    """
    return WEIGHT * (ops.sum(said.placed, axis=-1) + _begun(said))


def in_turns(log_probs: Tensor, done: Tensor, most: int | Scalar) -> Tensor:
    """Ranks candidates so that groups with equal progress take turns, those with the most progress first.

    This is the dynamic beam allocation of Post and Vilar (2018, section 3.2), with a bank for each number of tokens, written as a
    single ranking of all candidates (Hu et al. 2019, "Improved Lexically Constrained Decoding", section 3.2).

    Args:
        log_probs: float32 `[B, M]`; candidates with NEVER are never chosen.
        done: int32 `[B, M]`, from 0 to `most`.

    Returns:
        float32 `[B, M]`, higher ranks first.
    """
    best_first = ops.argsort(-log_probs, axis=1)  # equal ones stay in order
    # [B, M, most + 1]
    group = ops.take_along_axis(done, best_first, axis=1)[..., None] == ops.arange(most + 1, dtype="int32")
    count = ops.cumsum(ops.cast(group, "int32"), axis=1)
    turn = ops.max(ops.where(group, count, 0), axis=-1) - 1  # how many of its group come before
    turn = ops.take_along_axis(turn, ops.argsort(best_first, axis=1), axis=1)
    order = ops.cast(turn * (most + 1) + most - done, "float32")
    return ops.where(log_probs > NEVER, -order, NEVER)


def _begun(said: PhraseProgress) -> Tensor:
    """float32 `[...]`: of the longest beginning that hypotheses end with, the logarithm of the attention to its term, or 0."""
    unfinished = ops.logical_and(said.matched, ops.logical_not(said.whole)[..., None])
    counts = ops.arange(ops.shape(said.matched)[-1], dtype="int32") + 1
    longest = ops.argmax(_flat(ops.where(unfinished, counts, 0)), axis=-1)
    begun = _flat(ops.where(unfinished, said.begun, 0.0))
    return ops.squeeze(ops.take_along_axis(begun, ops.expand_dims(longest, -1), axis=-1), -1)


def _got(matched: Tensor) -> Tensor:
    """bool `[..., P, Q]` -> int32 `[..., P]`: how many tokens of each phrase the hypothesis ends with."""
    counts = ops.arange(ops.shape(matched)[-1], dtype="int32") + 1
    return ops.max(ops.where(matched, counts, 0), axis=-1)


def _flat(values: Tensor) -> Tensor:
    """`[..., P, Q]` -> `[..., P * Q]`."""
    *rest, count, longest = ops.shape(values)
    return ops.reshape(values, (*rest, count * longest))


def _last(phrases: Phrases) -> Tensor:
    """bool `[B, P, Q]`: the last token of each phrase."""
    real = phrases.ids != PAD_ID
    following = ops.concatenate([real[..., 1:], ops.zeros_like(real[..., :1])], axis=-1)
    return ops.logical_and(real, ops.logical_not(following))


def _same_as_before(phrases: Phrases) -> Tensor:
    """bool `[B, P]`: whether a phrase equals the one before it, so that it must occur again after that one."""
    same = ops.all(phrases.ids[:, 1:] == phrases.ids[:, :-1], axis=-1)
    return ops.concatenate([ops.zeros_like(phrases.ids[:, :1, 0], dtype="bool"), same], axis=1)


def _shifted(whole: Tensor) -> Tensor:
    """bool `[..., P]`: whether the previous phrase is complete."""
    return ops.concatenate([ops.ones_like(whole[..., :1]), whole[..., :-1]], axis=-1)
