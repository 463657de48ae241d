"""The result of a search, and the operations on buffers of fixed size that all searches share."""

from typing import NamedTuple, TypeVar

import numpy as np
from keras import ops, tree

from keras_attn.search.types import Active, Limits, LogProbs, Scalar, Tensor
from keras_attn.special_ids import PAD_ID

Nest = TypeVar("Nest")
_BLOCKS, _BEST_BLOCK = range(32, 129), 64  # words of a block; LiteRT is fastest with some 64
NEVER = -1e9  # log-probability of the impossible: far below any real one, and finite, so that no sum or difference is NaN


class Hypotheses(NamedTuple):
    """B sentences with N hypotheses each, best first; L is `max_length`.

    A hypothesis that ends in EOS is finished; any other was cut at its limit. A slot without a hypothesis has length 0,
    only PAD, and log_prob and score -1e9.

    Attributes:
        tokens: int32 `[B, N, L]`, without BOS, with EOS where it was produced, then PAD (0).
        lengths: int32 `[B, N]`, tokens that count, EOS included.
        log_probs: float32 `[B, N]`, the sum of the model's log-probabilities over the tokens.
        scores: float32 `[B, N]`. From `beam`: `log_probs` divided by the length penalty; in a beam of two or more also plus the
            coverage penalty and the cost of badly placed phrases. From `greedy` and `sample`: `log_probs`.
        weights: float32 `[B, N, L, S]`, the attention weights of each produced token, zero after the last; None if not
            requested.
    """

    tokens: Tensor
    lengths: Tensor
    log_probs: Tensor
    scores: Tensor
    weights: Tensor | None


def check_ids(bos_id: int, eos_id: int) -> None:
    """Refuses an EOS that could never be produced, and ids below 0."""
    if min(bos_id, eos_id) < 0:
        raise ValueError(f"bos_id and eos_id must be 0 or more. Received: bos_id={bos_id}, eos_id={eos_id}")
    if eos_id in (PAD_ID, bos_id):
        raise ValueError(
            f"eos_id must be neither {PAD_ID}, the padding, nor bos_id: these are never produced. "
            f"Received: bos_id={bos_id}, eos_id={eos_id}"
        )


def check_rows(name: str, tensor: Tensor, batch: int | Scalar) -> None:
    """Refuses a tensor with another number of rows than there are sentences, if both numbers are known."""
    rows = tensor.shape[0]
    if isinstance(rows, int) and isinstance(batch, int) and rows != batch:
        raise ValueError(f"{name} must have a row for each of the {batch} sentences. Received: {rows}")


def sentence_limits(limits: Limits, batch: int | Scalar, max_length: int) -> Tensor:
    """The most tokens of each sentence: int32 `[B]`, none above `max_length`."""
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1. Received: max_length={max_length}")
    if limits is None:
        return ops.full((batch,), max_length, dtype="int32")
    limits = ops.cast(ops.convert_to_tensor(limits), "int32")
    if len(limits.shape) != 1:
        raise ValueError(
            f"limits must have one number per sentence, [B]. Received: shape {tuple(limits.shape)}"
        )
    check_rows("limits", limits, batch)
    return ops.minimum(ops.reshape(limits, (batch,)), max_length)


def possible(log_probs: LogProbs, position: Scalar, *, bos_id: int, eos_id: int, min_length: int) -> LogProbs:
    """Log-probabilities float32 `[N, V]` in which PAD and BOS are impossible, and EOS where it would be the token before number
    `min_length`, counted from 1."""
    first_ids = np.arange(1 + max(PAD_ID, bos_id, eos_id))  # no later one is ever impossible
    if len(first_ids) > log_probs.shape[-1]:
        raise ValueError(
            f"bos_id and eos_id must be among the {log_probs.shape[-1]} words of the vocabulary. "
            f"Received: bos_id={bos_id}, eos_id={eos_id}"
        )

    def impossible(*ids: int) -> Tensor:
        return ops.convert_to_tensor(NEVER * np.isin(first_ids, ids).astype("float32"))

    never = impossible(PAD_ID, bos_id)
    if min_length > 1:
        never = ops.where(position + 1 < min_length, impossible(PAD_ID, bos_id, eos_id), never)
    return log_probs + ops.pad(never, [(0, log_probs.shape[-1] - len(first_ids))])


def best_tokens(log_probs: LogProbs, k: int) -> tuple[Tensor, Tensor]:
    """The best k tokens of each row, or the whole vocabulary if it is smaller.

    Args:
        log_probs: float32 `[N, V]`.

    Returns:
        `(log_probs, tokens)`: float32 and int32 `[N, min(k, V)]`, best first; on a tie, the smaller id first.
    """
    best, tokens = _top_k(log_probs, min(k, log_probs.shape[-1]))
    return best, ops.cast(tokens, "int32")  # torch counts in int64


def _top_k(numbers: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """`ops.top_k` of `[N, V]`. The best k are in the k blocks with the largest maxima, so only these are searched.

    That takes LiteRT a third to a half of the time. The blocks stay in order, so on a tie the smaller id still comes first.
    """
    size = numbers.shape[-1]
    blocks = [block for block in _BLOCKS if size % block == 0 and size // block >= 2 * k]
    if not blocks:
        return ops.top_k(numbers, k)
    block = min(blocks, key=lambda block: abs(block - _BEST_BLOCK))
    divided = ops.reshape(numbers, (-1, size // block, block))
    chosen = ops.top_k(ops.max(divided, axis=-1), k)[1]  # [N, k]
    chosen = -ops.top_k(-chosen, k)[0]  # in order
    best, places = ops.top_k(ops.reshape(gather(divided, chosen), (-1, k * block)), k)
    return best, gather(chosen, places // block) * block + places % block


def put(buffer: Tensor, position: Scalar, values: Tensor) -> Tensor:
    """Writes `values` `[...]` to `position` in the last dimension of `buffer` `[..., L]`."""
    here = ops.equal(ops.arange(buffer.shape[-1], dtype="int32"), position)  # [L]
    return ops.where(here, ops.expand_dims(values, -1), buffer)


def gather(hypotheses: Nest, places: Tensor) -> Nest:
    """Takes the hypotheses at `places` int32 `[B, M]` from a nest of buffers `[B, N, ...]`: a nest of `[B, M, ...]`."""

    count = tree.flatten(hypotheses)[0].shape[1]
    sentences = ops.arange(ops.shape(places)[0], dtype="int32")[:, None]  # [B, 1]
    rows = sentences * count + places  # of B * N

    def take(buffer):
        return ops.take(ops.reshape(buffer, (-1, *ops.shape(buffer)[2:])), rows, axis=0)

    return tree.map_structure(take, hypotheses)


def only_where(active: Active, new: Nest, old: Nest) -> Nest:
    """Merges two nests of buffers `[B, ...]`: the new one for active sentences, bool `[B]`, the old one for the others."""

    def choose(new, old):
        return ops.where(ops.reshape(active, (-1, *[1] * (len(new.shape) - 1))), new, old)

    return tree.map_structure(choose, new, old)


def within(lengths: Tensor, max_length: int) -> Tensor:
    """A mask of the positions within each length: bool `[..., max_length]` for int32 lengths `[...]`."""
    return ops.arange(max_length, dtype="int32") < ops.expand_dims(lengths, -1)
