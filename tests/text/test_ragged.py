import numpy as np
import pytest

from keras_attn.text.ragged import Ragged

ROWS = [[5, 6, 7], [], [8]]


@pytest.fixture
def ragged():
    return Ragged.of(ROWS)


def test_rows_lie_one_after_the_other(ragged):
    assert ragged.values.tolist() == [5, 6, 7, 8]
    assert ragged.offsets.tolist() == [0, 3, 3, 4]
    assert (len(ragged), ragged.lengths.tolist()) == (3, [3, 0, 1])


@pytest.mark.parametrize("rows", [[2, 0], [1], [0, 0, 2, 1], []])
def test_rows_are_taken_in_the_order_asked_for(ragged, rows):
    taken = ragged.take(np.array(rows, np.int64))
    assert (taken.values.tolist(), taken.lengths.tolist()) == (
        [value for row in rows for value in ROWS[row]],
        [len(ROWS[row]) for row in rows],
    )


@pytest.mark.parametrize(
    ("frame", "expected"),
    [
        ({}, [[5, 6, 7], [0, 0, 0], [8, 0, 0]]),
        ({"end": 3}, [[5, 6, 7, 3], [3, 0, 0, 0], [8, 3, 0, 0]]),
        ({"begin": 2}, [[2, 5, 6, 7], [2, 0, 0, 0], [2, 8, 0, 0]]),
        ({"begin": 2, "end": 3}, [[2, 5, 6, 7, 3], [2, 3, 0, 0, 0], [2, 8, 3, 0, 0]]),
    ],
)
def test_rows_are_padded_on_the_right_behind_what_frames_them(ragged, frame, expected):
    padded = ragged.padded(**frame)
    assert padded.tolist() == expected and padded.dtype == np.int32
