"""Groups sentence pairs into batches with few different shapes.

Pairs of about equal length share a batch, so that little of it is padding. Compilers such as XLA recompile for every shape, so
there are at most a dozen shapes.
"""

import dataclasses

import numpy as np

from keras_attn.config import ConfigError, TrainingConfig

MOST_SHAPES = 12


@dataclasses.dataclass(frozen=True)
class Shape:
    """The shape of a batch.

    Attributes:
        rows: the number of sentence pairs.
        source, target: the lengths to which the sides are padded, EOS included.
    """

    rows: int
    source: int
    target: int


@dataclasses.dataclass(frozen=True)
class Layout:
    """How the pairs of every epoch are divided into batches.

    A batch contains pairs of one bucket. The remainder of a bucket moves to the beginning of the next bucket, of longer pairs, so
    all batches except the last are full.

    Attributes:
        buckets: for each bucket, the indices of its pairs, uint32.
        splits: int64 `[batches + 1]`: if the buckets are concatenated, batch b contains the pairs from `splits[b]` up to, not
            including, `splits[b + 1]`.
        shapes: the shape of each batch.
    """

    buckets: list[np.ndarray]
    splits: np.ndarray
    shapes: list[Shape]


def check_budget(training: TrainingConfig) -> None:
    """Raises a ConfigError unless exactly one of the two budgets of a batch is set."""
    if (training.batch_size > 0) == (training.batch_tokens > 0):
        raise ConfigError(
            "set one of training.batch_size (sentences) and training.batch_tokens (target tokens), and the other to 0; "
            f"got batch_size = {training.batch_size}, batch_tokens = {training.batch_tokens}"
        )


def layout(source: np.ndarray, target: np.ndarray, training: TrainingConfig) -> Layout:
    """Buckets and batches of pairs with these lengths.

    A batch contains `training.batch_size` pairs, or as many padded targets as fit into `training.batch_tokens`, at least one.

    Args:
        source, target: int `[pairs]`, lengths with EOS.
        training: contains the budget.

    Raises:
        ConfigError: neither or both of the two budgets are set.
    """
    check_budget(training)
    usual = np.rint(source * (target.sum() / source.sum())).astype(
        int
    )  # the length of such a source's target
    longest = np.maximum(usual, target)
    buckets = _members(np.searchsorted(boundaries(np.bincount(longest)), longest))
    splits, shapes = [0], []
    lengths = end = 0
    for bucket in buckets:
        lengths = np.maximum(lengths, [source[bucket].max(), target[bucket].max()])
        most = training.batch_size or max(1, training.batch_tokens // int(lengths[1]))
        shape = Shape(min(most, len(longest)), *lengths.tolist())
        end += len(bucket)
        batches = (end - splits[-1]) // shape.rows
        splits += [splits[-1] + shape.rows * batch for batch in range(1, batches + 1)]
        shapes += [shape] * batches
    if splits[-1] < end:
        splits.append(end)
        shapes.append(shape)
    return Layout(buckets, np.array(splits, np.int64), shapes)


def boundaries(counts: np.ndarray, most: int = MOST_SHAPES) -> list[int]:
    """The upper ends of at most `most` length buckets that minimise padding, if each pair is padded to the end of its bucket.

    The solution is exact, by dynamic programming over the number of buckets.

    Args:
        counts: int `[longest + 1]`, the number of pairs of each length; the last is not 0.
    """
    # A bucket that ends at another length is no better.
    lengths = np.concatenate([[0], np.flatnonzero(counts[1:]) + 1])
    up_to = np.cumsum(counts)[lengths]  # pairs of at most that length
    padded = np.where(lengths > 0, np.inf, 0.0)  # the fewest positions for all pairs up to a length
    begins = []
    for _ in range(most):
        # [end, begin]: pairs longer than begin, up to end, are padded to end
        choices = padded + np.where(
            lengths < lengths[:, None], (up_to[:, None] - up_to) * lengths[:, None], np.inf
        )
        choices[0, 0] = 0
        begins.append(choices.argmin(axis=1))
        padded = choices.min(axis=1)
    ends = [len(lengths) - 1]
    while begins and ends[-1] > 0:
        ends.append(int(begins.pop()[ends[-1]]))
    return sorted({int(lengths[end]) for end in ends if end > 0})


def _members(bucket: np.ndarray) -> list[np.ndarray]:
    """The pairs in each bucket, from the bucket of each pair, int `[pairs]`."""
    pairs = np.argsort(bucket, kind="stable").astype(np.uint32)
    return np.split(pairs, np.flatnonzero(np.diff(bucket[pairs])) + 1)
