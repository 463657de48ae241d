"""Which sentence pairs may share a batch: those of about equal length, so that little of it is padding."""

from itertools import pairwise

import numpy as np

from keras_attn.config import ConfigError, TrainingConfig

_GROWTH = 1.1


def boundaries(longest: int) -> list[int]:
    """Upper ends of the length buckets: 2, 4, 6, ... and, where that is wider, each a tenth above the last.

    The last one is `longest` itself.
    """
    ends = [min(2, longest)]
    while ends[-1] < longest:
        ends.append(min(longest, max(ends[-1] + 2, int(ends[-1] * _GROWTH))))
    return ends


def members(bucket: np.ndarray) -> list[np.ndarray]:
    """Which pairs are in each bucket, uint32, from the pairs' buckets, int `[pairs]`."""
    pairs = np.argsort(bucket, kind="stable").astype(np.uint32)
    return np.split(pairs, np.flatnonzero(np.diff(bucket[pairs])) + 1)


def batch_splits(lengths: np.ndarray, training: TrainingConfig) -> np.ndarray:
    """Cuts pairs that stand in the order of their buckets into batches.

    A batch may reach over the end of a bucket, so only the last of all batches can be a small one. It holds
    `training.batch_size` pairs, or as many as fit `training.batch_tokens` when each is padded to the length of its
    longest bucket, at least one.

    Args:
        lengths: int `[pairs]`, the upper end of each pair's bucket, never falling.
        training: where the budget stands.

    Returns:
        int64 `[batches + 1]`: batch b holds the pairs from `splits[b]` up to, not including, `splits[b + 1]`.

    Raises:
        ConfigError: not exactly one of the two budgets is set.
    """
    if (training.batch_size > 0) == (training.batch_tokens > 0):
        raise ConfigError(
            "set one of training.batch_size (sentences) and training.batch_tokens (target tokens), and the other to 0; "
            f"got batch_size = {training.batch_size}, batch_tokens = {training.batch_tokens}"
        )
    splits = [0]
    begins = np.flatnonzero(np.diff(lengths, prepend=0))  # of the buckets
    for begin, end in pairwise([*begins.tolist(), len(lengths)]):
        most = training.batch_size or max(1, training.batch_tokens // int(lengths[begin]))
        splits += range(max(begin, splits[-1] + most), end, most)
    return np.array([*splits, len(lengths)], np.int64)
