"""Batches of ids for what is compiled."""

import numpy as np
import pytest

from keras_attn.compilation import padded


@pytest.mark.parametrize(
    ("backend", "longest", "shape"),
    [
        ("tensorflow", 3, (2, 3)),
        ("torch", 17, (2, 17)),
        ("jax", 3, (5, 16)),  # few shapes: full batches, and lengths in steps of 16
        ("jax", 16, (5, 16)),
        ("jax", 17, (5, 32)),
    ],
)
def test_rows_are_padded_on_the_right_to_a_shape_that_the_backend_likes(monkeypatch, backend, longest, shape):
    monkeypatch.setattr("keras.backend.backend", lambda: backend)
    ids = padded([[7], [8] * longest], 5)
    assert ids.shape == shape and ids.dtype == np.int32
    assert ids[0].tolist() == [7, *[0] * (shape[1] - 1)]
    assert ids[1].tolist() == [8] * longest + [0] * (shape[1] - longest)
    assert not ids[2:].any()
