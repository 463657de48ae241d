import itertools

import numpy as np
import pytest

from keras_attn.config import ConfigError, TrainingConfig
from keras_attn.data.bucketing import Shape, boundaries, layout


def padding_of(ends, counts):
    return sum(
        count * min(end for end in ends if end >= length) for length, count in enumerate(counts) if count
    )


@pytest.mark.parametrize("most", [1, 2, 3, 9])
@pytest.mark.parametrize("seed", range(4))
def test_no_other_boundaries_leave_less_padding(most, seed):
    counts = np.random.default_rng(seed).integers(0, 50, 9)
    counts[0], counts[-1] = 0, 3
    every = ({*inner, 8} for size in range(most) for inner in itertools.combinations(range(1, 8), size))
    ends = boundaries(counts, most)
    assert len(ends) <= most and ends[-1] == 8
    assert padding_of(ends, counts) == min(padding_of(other, counts) for other in every)


def test_every_length_may_have_a_bucket_of_its_own():
    assert boundaries(np.array([0, 1, 1, 1]), most=12) == [1, 2, 3]


def test_lengths_that_no_pair_has_get_no_bucket():
    assert boundaries(np.array([0, 0, 5, 0, 0, 2]), most=12) == [2, 5]


def test_a_batch_is_as_long_as_the_longest_sides_of_its_bucket():
    source, target = np.array([2, 3, 9, 8]), np.array([3, 2, 4, 10])
    both = layout(source, target, TrainingConfig(batch_size=2))
    assert both.shapes == [Shape(2, 3, 3), Shape(2, 9, 10)]
    assert [sorted(bucket.tolist()) for bucket in both.buckets] == [[0, 1], [2], [3]]


def test_a_longer_bucket_is_never_shorter_on_either_side():
    source, target = np.array([6, 6, 2, 2]), np.array([2, 2, 9, 9])
    assert layout(source, target, TrainingConfig(batch_size=2)).shapes == [Shape(2, 6, 2), Shape(2, 6, 9)]


def test_what_is_left_over_of_a_bucket_comes_first_in_the_next():
    lengths = np.array([2, 2, 2, 5, 5, 9])
    cut = layout(lengths, lengths, TrainingConfig(batch_size=2))
    assert cut.splits.tolist() == [0, 2, 4, 6]
    assert cut.shapes == [Shape(2, 2, 2), Shape(2, 5, 5), Shape(2, 9, 9)]


def test_the_last_batch_has_room_for_more_than_is_left():
    cut = layout(np.full(7, 4), np.full(7, 4), TrainingConfig(batch_size=3))
    assert (cut.splits.tolist(), cut.shapes) == ([0, 3, 6, 7], [Shape(3, 4, 4)] * 3)


def test_a_batch_has_no_more_rows_than_there_are_pairs():
    assert layout(np.full(7, 4), np.full(7, 4), TrainingConfig(batch_size=99)).shapes == [Shape(7, 4, 4)]


def test_a_token_budget_holds_as_many_padded_targets_as_fit():
    source, target = np.array([2] * 6 + [4] * 3), np.array([3] * 6 + [6] * 3)
    cut = layout(source, target, TrainingConfig(batch_size=0, batch_tokens=9))
    assert cut.shapes == [Shape(3, 2, 3)] * 2 + [Shape(1, 4, 6)] * 3


def test_a_pair_longer_than_the_token_budget_comes_alone():
    cut = layout(np.array([20, 20]), np.array([20, 20]), TrainingConfig(batch_size=0, batch_tokens=5))
    assert cut.shapes == [Shape(1, 20, 20)] * 2


@pytest.mark.parametrize("budget", [{"batch_size": 8}, {"batch_size": 0, "batch_tokens": 200}])
def test_every_pair_is_in_one_batch_that_has_room_for_it_and_there_are_few_shapes(budget):
    source, target = np.random.default_rng(0).integers(1, 60, (2, 500))
    cut = layout(source, target, TrainingConfig(**budget))
    pairs = np.concatenate(cut.buckets)
    assert sorted(pairs.tolist()) == list(range(500)) and cut.splits[-1] == 500
    assert len(set(cut.shapes)) <= 12
    for (begin, end), shape in zip(itertools.pairwise(cut.splits), cut.shapes, strict=True):
        mine = pairs[begin:end]
        assert source[mine].max() <= shape.source and target[mine].max() <= shape.target
        assert len(mine) == shape.rows or end == 500
        assert "batch_tokens" not in budget or shape.rows == 1 or shape.rows * shape.target <= 200


@pytest.mark.parametrize("size, tokens", [(0, 0), (64, 2048)])
def test_anything_but_one_budget_is_refused(size, tokens):
    with pytest.raises(ConfigError, match=f"batch_size = {size}, batch_tokens = {tokens}"):
        layout(np.array([2, 2]), np.array([2, 2]), TrainingConfig(batch_size=size, batch_tokens=tokens))


def test_a_source_is_as_long_as_the_target_that_it_usually_has():
    """Of sources that are twice as long as their targets, a pair of 10 and 10 is no shorter than one of 20 and 10."""
    source, target = np.array([20] * 50 + [10]), np.full(51, 10)
    assert layout(source, target, TrainingConfig(batch_size=8)).shapes[0] == Shape(8, 20, 10)
    assert len(layout(source, target, TrainingConfig(batch_size=8)).buckets) == 1
