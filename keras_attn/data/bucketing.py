"""Which sentence pairs may share a batch: those of about equal length, so that little of it is padding."""

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
    for pair, length in enumerate(lengths.tolist()):
        most = training.batch_size or max(1, training.batch_tokens // length)
        if pair - splits[-1] >= most:
            splits.append(pair)
    return np.array([*splits, len(lengths)], np.int64)
