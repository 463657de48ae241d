"""Phrases that a translation must contain, and the progress of a hypothesis with each.

Post and Vilar (2018) call these constraints. A hypothesis must contain each phrase word for word, in any order. The beam
(`search.beam`) tries the next token of every phrase, however improbable. Hypotheses take turns for its slots by how many tokens of
the phrases they contain.

Shapes: B sentences, P phrases per sentence (a graph must know this number), at most Q tokens per phrase; `...` are hypotheses,
`[B, K]`.
"""

from typing import NamedTuple

from keras import ops

from keras_attn.search.hypotheses import NEVER
from keras_attn.search.types import Scalar, Tensor
from keras_attn.special_ids import PAD_ID

ANY_BOUNDARY = -1  # stands for any token that begins a new word, or EOS


class Phrases(NamedTuple):
    """The phrases that each sentence must contain.

    Equal phrases of a sentence are adjacent; each of them must occur.

    Attributes:
        ids: int32 `[B, P, Q]`; phrases and their tokens are padded on the right with 0. A -1 after a phrase prevents its last word
            from continuing: the next token must then be one of `boundaries`.
        boundaries: bool `[V]`, the tokens that may follow a word, including EOS.
    """

    ids: Tensor
    boundaries: Tensor


class Said(NamedTuple):
    """The progress of hypotheses with their phrases."""

    matched: Tensor  # bool [..., P, Q]: whether the last q + 1 tokens are the first q + 1 of the phrase
    whole: Tensor  # bool [..., P]: whether the phrase is complete


def nothing_said(phrases: Phrases, beam_size: int) -> Said:
    """The progress of empty hypotheses, `[B, K]` of them."""
    matched = ops.zeros_like(phrases.ids[:, None] + ops.zeros((beam_size, 1, 1), dtype="int32"), dtype="bool")
    return Said(matched, matched[..., 0])


def after(phrases: Phrases, said: Said, tokens: Tensor) -> Said:
    """The progress after one more token.

    Args:
        said: the progress of hypotheses, `[B, K]` of them.
        tokens: int32 `[B, K, C]`, C continuations of each.

    Returns:
        The progress of each continuation: `[B, K, C]`.
    """
    ids = phrases.ids[:, None, None]  # [B, 1, 1, P, Q]
    matched, whole = said.matched[:, :, None], said.whole[:, :, None]
    boundary = ops.take(phrases.boundaries, tokens, axis=0)[..., None, None]
    tokens = tokens[..., None, None]
    hit = ops.logical_or(ids == tokens, ops.logical_and(ids == ANY_BOUNDARY, boundary))
    hit = ops.logical_and(hit, ids != PAD_ID)
    begun = ops.concatenate([ops.ones_like(matched[..., :1]), matched[..., :-1]], axis=-1)
    # A boundary closes a phrase, and may begin the next one.
    closed = ops.any(ops.logical_and(ops.logical_and(begun, hit), ids == ANY_BOUNDARY), axis=-1)
    open_now = _shifted(ops.logical_or(whole, closed))
    open_now = ops.logical_or(ops.logical_not(_same_as_before(phrases)[:, None, None]), open_now)
    matched = ops.logical_and(ops.logical_and(begun, hit), open_now[..., None])
    complete = ops.any(ops.logical_and(matched, _last(phrases)[:, None, None]), axis=-1)
    return Said(matched, ops.logical_or(whole, complete))


def next_tokens(phrases: Phrases, said: Said, log_probs: Tensor) -> Tensor:
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


def progress(phrases: Phrases, said: Said) -> tuple[Tensor, Tensor]:
    """How many tokens of the phrases hypotheses contain, int32 `[...]`, and whether they contain all, bool `[...]`.

    The last tokens may begin several phrases, and count for the longest beginning only.
    """
    lengths = ops.sum(ops.cast(phrases.ids != PAD_ID, "int32"), axis=-1)  # [B, P]
    lengths = ops.reshape(lengths, (-1, *[1] * (len(said.whole.shape) - 2), phrases.ids.shape[1]))
    whole = ops.sum(ops.where(said.whole, lengths, 0), axis=-1)
    begun = ops.max(ops.where(said.whole, 0, _got(said.matched)), axis=-1)
    return whole + begun, ops.all(ops.logical_or(said.whole, lengths == 0), axis=-1)


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


def _got(matched: Tensor) -> Tensor:
    """bool `[..., P, Q]` -> int32 `[..., P]`: how many tokens of each phrase the hypothesis ends with."""
    counts = ops.arange(ops.shape(matched)[-1], dtype="int32") + 1
    return ops.max(ops.where(matched, counts, 0), axis=-1)


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
