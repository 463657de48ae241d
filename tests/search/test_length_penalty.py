import numpy as np
import pytest
from keras import ops

from keras_attn.search import length_penalty


@pytest.mark.parametrize(("length", "alpha", "expected"), [(1, 0.7, 1.0), (7, 1.0, 2.0), (19, 0.5, 2.0)])
def test_the_penalty_is_that_of_wu_et_al(length, alpha, expected):
    assert float(length_penalty(length, alpha)) == pytest.approx(expected)


def test_without_alpha_every_length_counts_the_same():
    lengths = np.array([[0, 1], [10, 100]], "int32")
    np.testing.assert_array_equal(ops.convert_to_numpy(length_penalty(lengths, 0.0)), np.ones((2, 2)))
