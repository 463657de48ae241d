import itertools

import numpy as np
import pytest

from keras_attn.config import ConfigError, TrainingConfig
from keras_attn.data.bucketing import batch_splits, boundaries


@pytest.mark.parametrize(
    "longest, ends", [(1, [1]), (2, [2]), (3, [2, 3]), (7, [2, 4, 6, 7]), (24, [*range(2, 23, 2), 24])]
)
def test_short_buckets_are_two_wide_and_the_last_ends_at_the_longest(longest, ends):
    assert boundaries(longest) == ends


def test_long_buckets_are_a_tenth_wide():
    ends = boundaries(1000)
    long = [end for end in ends if 20 <= end < 1000]
    assert ends[-1] == 1000
    assert all(2 <= after - before <= 0.1 * before for before, after in itertools.pairwise(long))


def test_a_sentence_budget_fills_every_batch_but_the_last():
    lengths = np.array([2, 2, 2, 2, 4, 4, 9])
    assert batch_splits(lengths, TrainingConfig(batch_size=3)).tolist() == [0, 3, 6, 7]


def test_a_token_budget_counts_the_padding_of_the_longest_bucket():
    # 12 tokens hold six pairs of length 2, three of 4, two of 6; the one of 20 is alone, whatever the budget.
    lengths = np.array([2, 2, 2, 2, 2, 2, 2, 4, 4, 6, 20])
    splits = batch_splits(lengths, TrainingConfig(batch_size=0, batch_tokens=12))
    assert splits.tolist() == [0, 6, 9, 10, 11]


def test_a_token_budget_is_kept_and_used_as_far_as_it_goes():
    lengths = np.sort(np.random.default_rng(0).integers(1, 60, size=500))
    splits = batch_splits(lengths, TrainingConfig(batch_size=0, batch_tokens=200)).tolist()
    assert (splits[0], splits[-1]) == (0, 500)
    for start, end in itertools.pairwise(splits):
        assert (end - start) * lengths[end - 1] <= 200
        assert end == 500 or (end + 1 - start) * lengths[end] > 200


@pytest.mark.parametrize("size, tokens", [(0, 0), (64, 2048)])
def test_anything_but_one_budget_is_refused(size, tokens):
    with pytest.raises(ConfigError, match=f"batch_size = {size}, batch_tokens = {tokens}"):
        batch_splits(np.array([2, 2]), TrainingConfig(batch_size=size, batch_tokens=tokens))
