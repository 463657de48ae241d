"""Phrases that a translation has to hold, and how far a hypothesis has got with each.

What Post and Vilar (2018) call constraints. A hypothesis has to say each phrase as it stands, in any order. The beam
(`search.beam`) tries the next token of every phrase however improbable it is, and hypotheses that have got equally far take turns
for its places.

Shapes: B sentences, P phrases of each, a number that a graph must know, and Q tokens of each phrase, at most; `...` are
hypotheses, `[B, K]`.
"""

from typing import NamedTuple

from keras import ops

from keras_attn.search.hypotheses import NEVER
from keras_attn.search.types import Scalar, Tensor
from keras_attn.special_ids import PAD_ID

ANY_BOUNDARY = -1  # in place of a token: one with which a new word begins, or EOS


class Phrases(NamedTuple):
    """What each sentence has to hold.

    Equal phrases of a sentence stand next to one another: each of them is to be said.

    Attributes:
        ids: int32 `[B, P, Q]`, phrases padded on the right with 0, and so are their tokens. -1 behind a phrase keeps its last
            word from going on: what follows is then one of `boundaries`.
        boundaries: bool `[V]`, the tokens that may follow a word, EOS among them.
    """

    ids: Tensor
    boundaries: Tensor


class Said(NamedTuple):
    """What hypotheses have said of their phrases."""

    matched: Tensor  # bool [..., P, Q]: the last q + 1 tokens are the first q + 1 of the phrase
    whole: Tensor  # bool [..., P]: the phrase was said before


def nothing_said(phrases: Phrases, beam_size: int) -> Said:
    """Of the empty hypotheses, `[B, K]` of them."""
    matched = ops.zeros_like(phrases.ids[:, None] + ops.zeros((beam_size, 1, 1), dtype="int32"), dtype="bool")
    return Said(matched, matched[..., 0])


def after(phrases: Phrases, said: Said, tokens: Tensor) -> Said:
    """What is said after one more token.

    Args:
        said: of hypotheses, `[B, K]` of them.
        tokens: int32 `[B, K, C]`, C ways for each to go on.

    Returns:
        Of each of them: `[B, K, C]`.
    """
    ids = phrases.ids[:, None, None]  # [B, 1, 1, P, Q]
    matched, whole = said.matched[:, :, None], said.whole[:, :, None]
    boundary = ops.take(phrases.boundaries, tokens, axis=0)[..., None, None]
    tokens = tokens[..., None, None]
    hit = ops.logical_or(ids == tokens, ops.logical_and(ids == ANY_BOUNDARY, boundary))
    hit = ops.logical_and(hit, ids != PAD_ID)
    begun = ops.concatenate([ops.ones_like(matched[..., :1]), matched[..., :-1]], axis=-1)
    open_now = ops.logical_or(ops.logical_not(_same_as_before(phrases)[:, None, None]), _shifted(whole))
    matched = ops.logical_and(ops.logical_and(begun, hit), open_now[..., None])
    complete = ops.any(ops.logical_and(matched, _last(phrases)[:, None, None]), axis=-1)
    return Said(matched, ops.logical_or(whole, complete))


def next_tokens(phrases: Phrases, said: Said, log_probs: Tensor) -> Tensor:
    """The token that would bring each phrase on; 0 where there is nothing left to say.

    Args:
        said: of hypotheses, `[B, K]` of them.
        log_probs: float32 `[B, K, V]`, of the token that follows; of the boundaries they choose.

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
    """How many tokens of the phrases are said, int32 `[...]`, and whether all of them are, bool `[...]`."""
    lengths = ops.sum(ops.cast(phrases.ids != PAD_ID, "int32"), axis=-1)  # [B, P]
    lengths = ops.reshape(lengths, (-1, *[1] * (len(said.whole.shape) - 2), phrases.ids.shape[1]))
    done = ops.sum(ops.where(said.whole, lengths, _got(said.matched)), axis=-1)
    return done, ops.all(ops.logical_or(said.whole, lengths == 0), axis=-1)


def in_turns(log_probs: Tensor, done: Tensor, most: int | Scalar) -> Tensor:
    """Ranks candidates so that those that have got equally far take turns, those furthest on first.

    The dynamic beam allocation of Post and Vilar (2018, section 3.2), a bank for each number of tokens, as one order of all
    candidates (Hu et al. 2019, "Improved Lexically Constrained Decoding", section 3.2).

    Args:
        log_probs: float32 `[B, M]`; NEVER is never taken.
        done: int32 `[B, M]`, from 0 to `most`.

    Returns:
        float32 `[B, M]`, larger is sooner.
    """
    mine, other = log_probs[:, :, None], log_probs[:, None]  # [B, M, 1], [B, 1, M]
    number = ops.arange(ops.shape(log_probs)[1], dtype="int32")
    sooner = ops.logical_or(
        other > mine, ops.logical_and(other == mine, number[None] < number[:, None])
    )  # [B, M, M]
    of_equals = ops.logical_and(sooner, done[:, :, None] == done[:, None])
    turn = ops.sum(ops.cast(of_equals, "int32"), axis=-1)
    order = ops.cast(turn * (most + 1) + most - done, "float32")
    return ops.where(log_probs > NEVER, -order, NEVER)


def _got(matched: Tensor) -> Tensor:
    """bool `[..., P, Q]` -> int32 `[..., P]`: how many tokens of each phrase were said last."""
    counts = ops.arange(ops.shape(matched)[-1], dtype="int32") + 1
    return ops.max(ops.where(matched, counts, 0), axis=-1)


def _last(phrases: Phrases) -> Tensor:
    """bool `[B, P, Q]`: the last token of each phrase."""
    real = phrases.ids != PAD_ID
    following = ops.concatenate([real[..., 1:], ops.zeros_like(real[..., :1])], axis=-1)
    return ops.logical_and(real, ops.logical_not(following))


def _same_as_before(phrases: Phrases) -> Tensor:
    """bool `[B, P]`: a phrase that the one before it equals; it is said after that one, and once more."""
    same = ops.all(phrases.ids[:, 1:] == phrases.ids[:, :-1], axis=-1)
    return ops.concatenate([ops.zeros_like(phrases.ids[:, :1, 0], dtype="bool"), same], axis=1)


def _shifted(whole: Tensor) -> Tensor:
    """bool `[..., P]`: whether the phrase before was said."""
    return ops.concatenate([ops.ones_like(whole[..., :1]), whole[..., :-1]], axis=-1)
