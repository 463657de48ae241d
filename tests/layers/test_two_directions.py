"""Two cells over the same sequences, in two loops or in one."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_attn.layers import time_loop
from keras_attn.layers.recurrent_cells import CELLS, make_cell
from keras_attn.layers.two_directions import run_both_ways

B, T, E, UNITS = 3, 7, 4, 5
random = np.random.default_rng(1)
X = random.normal(size=(B, T, E)).astype("float32")
MASK = np.arange(T) < np.array([7, 4, 1])[:, None]
on_jax = pytest.mark.skipif(
    keras.backend.backend() != "jax", reason="others have no loop for both directions"
)


def two_cells(kind):
    cells = [make_cell(kind, UNITS, name=name) for name in ("ahead", "back")]
    for cell in cells:
        cell.build((None, None, E))
        for weight in cell.weights:
            weight.assign(random.normal(size=weight.shape))
    return cells


def numbers(cells, mask):
    """Outputs, final outputs, and the gradients of a sum of all in which each counts otherwise."""
    import jax

    layer = keras.layers.Layer()
    layer.ahead, layer.back = cells

    def call(x, mask):
        return run_both_ways(*cells, x, mask=mask)

    layer.call, layer.built = call, True

    def loss(values, x):
        (outputs, final), _ = layer.stateless_call(values, [], x, mask)
        weights = np.arange(1, T * 2 * UNITS + 1).reshape(T, 2 * UNITS) / 100
        return ops.sum(outputs * weights) + ops.sum(final * weights[0]), (outputs, final)

    values = [weight.value for weight in layer.trainable_variables]
    (_, found), gradients = jax.value_and_grad(loss, argnums=(0, 1), has_aux=True)(values, X)
    return [np.asarray(each) for each in jax.tree.leaves((found, gradients))]


@on_jax
@pytest.mark.parametrize("mask", [MASK, None], ids=["padded", "whole"])
@pytest.mark.parametrize("kind", CELLS)
def test_one_loop_computes_what_two_do_and_the_same_gradients(kind, mask, monkeypatch):
    cells = two_cells(kind)
    two = numbers(cells, mask)
    monkeypatch.setattr(time_loop, "is_bound_by_launches", lambda: True)
    one = numbers(cells, mask)
    assert len(one) == 2 + 2 * len(cells[0].weights) + 1
    for ours, theirs in zip(one, two, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-5 * np.abs(theirs).max())


@on_jax
def test_where_is_bound_by_launches_there_is_one_loop(monkeypatch):
    import jax

    cells = two_cells("gru")

    def loops():
        return str(jax.make_jaxpr(lambda x: run_both_ways(*cells, x, mask=MASK))(X)).count("= scan[")

    assert loops() == 2
    monkeypatch.setattr(time_loop, "is_bound_by_launches", lambda: True)
    assert loops() == 1


def test_launches_do_not_count_on_a_cpu():
    assert not time_loop.is_bound_by_launches()
