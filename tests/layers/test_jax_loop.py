"""The gradients of matrices as one product after JAX's loop."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_attn.layers import AttentionDecoder, BahdanauAttention, LuongAttention, time_loop
from keras_attn.layers.time_loop import unroll

pytestmark = pytest.mark.skipif(keras.backend.backend() != "jax", reason="others have loops of their own")
B, T, S, WIDTH = 2, 3, 5, 4
random = np.random.default_rng(2)
MATRIX = random.normal(size=(WIDTH, WIDTH)).astype("float32")
MEMORY = random.normal(size=(B, S, WIDTH)).astype("float32")
STATE = random.normal(size=(B, WIDTH)).astype("float32")
INPUTS = random.normal(size=(T, B, WIDTH)).astype("float32")


def attending(scan, matrix, memory, state, inputs, *, reverse=False):
    """A loop that multiplies its state by a matrix and by its transpose, and attends to a memory; and a count."""
    import jax
    import jax.numpy as jnp

    def body(carry, x):
        state, count = carry
        asked = jnp.tanh(state @ matrix + x)
        weights = jax.nn.softmax(jnp.einsum("bd,bsd->bs", asked, memory))
        context = jnp.einsum("bs,bsd->bd", weights, memory)
        return (jax.nn.relu(context @ matrix.T) + asked, count + 1), {"weights": weights, "count": count}

    (state, count), outputs = scan(body, (state, jnp.int32(0)), inputs, reverse=reverse, unroll=1)
    return jnp.sum(state**2) + jnp.sum(outputs["weights"][..., 0]), (state, count, outputs)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("compiled", [False, True])
def test_results_and_gradients_are_those_of_jaxs_own_loop(reverse, compiled):
    import jax

    from keras_attn.layers import jax_loop

    def found(scan):
        def value(*given):
            return attending(scan, *given, reverse=reverse)

        both = jax.value_and_grad(value, argnums=(0, 1, 2, 3), has_aux=True)
        return jax.tree.leaves((jax.jit(both) if compiled else both)(MATRIX, MEMORY, STATE, INPUTS))

    ours, theirs = found(jax_loop.scan), found(jax.lax.scan)
    assert len(ours) == 1 + 4 + 4
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


def products(program, in_loop=False):
    """Matrix products of a jaxpr: those in its loops, and those outside."""
    inside = outside = 0
    for equation in program.eqns:
        if equation.primitive.name == "dot_general":
            inside, outside = inside + in_loop, outside + (not in_loop)
        for value in equation.params.values():
            if hasattr(value, "jaxpr"):
                more = products(value.jaxpr, in_loop or equation.primitive.name == "scan")
                inside, outside = inside + more[0], outside + more[1]
    return inside, outside


def test_the_loop_back_has_no_product_for_the_gradient_of_a_matrix():
    import jax

    from keras_attn.layers import jax_loop

    def counted(scan):
        gradient = jax.grad(lambda *given: attending(scan, *given)[0], argnums=(0, 1))
        return products(jax.make_jaxpr(gradient)(MATRIX, MEMORY, STATE, INPUTS).jaxpr)

    assert counted(jax.lax.scan) == (4 + 2 * 4, 0)
    assert counted(jax_loop.scan) == (4 + 4, 4)


@pytest.mark.parametrize(
    "make",
    [
        lambda: AttentionDecoder(6, BahdanauAttention(5), readout_units=4, num_layers=2, dropout=0.5),
        lambda: AttentionDecoder(6, LuongAttention(), cell="lstm", query_state="current", feed="attentional"),
        lambda: AttentionDecoder(6, BahdanauAttention(5), query_state="intermediate", dtype="mixed_bfloat16"),
    ],
    ids=["bahdanau", "luong", "intermediate, in bfloat16"],
)
def test_a_decoder_learns_the_same_where_launches_count(make, monkeypatch):
    import jax

    keras.utils.set_random_seed(3)
    decoder = make()
    inputs = np.swapaxes(INPUTS, 0, 1)
    decoder(inputs, MEMORY)

    def found():
        def value(trainable, others):
            outputs, others = decoder.stateless_call(trainable, others, inputs, MEMORY, training=True)
            return ops.sum(ops.cast(outputs, "float32") ** 2), others

        given = [
            [each.value for each in group]
            for group in (decoder.trainable_variables, decoder.non_trainable_variables)
        ]
        return jax.tree.leaves(jax.jit(jax.value_and_grad(value, has_aux=True))(*given))

    theirs = found()
    monkeypatch.setattr(time_loop, "is_bound_by_launches", lambda: True)
    ours = found()
    assert len(ours) == len(theirs) >= 1 + len(decoder.trainable_variables)
    rounding = 1e-5 if decoder.compute_dtype == "float32" else 2e-2
    for one, other in zip(ours, theirs, strict=True):
        one, other = (np.asarray(each, "float64") for each in (one, other))
        np.testing.assert_allclose(one, other, atol=rounding * max(np.abs(other).max(), 1e-6))


def test_a_loop_without_such_products_is_jaxs_own(monkeypatch):
    monkeypatch.setattr(time_loop, "is_bound_by_launches", lambda: True)
    outputs, state = unroll(
        lambda x, total: (total + x, total + x),
        np.swapaxes(INPUTS, 0, 1),
        np.zeros((B, WIDTH), "float32"),
        keras.layers.Layer(),
    )
    np.testing.assert_allclose(outputs, np.cumsum(np.swapaxes(INPUTS, 0, 1), axis=1), rtol=1e-6)
    np.testing.assert_allclose(state, INPUTS.sum(0), rtol=1e-6)
