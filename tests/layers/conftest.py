"""Gradients, written once for both backends."""

import keras
import numpy as np
import pytest
from keras import ops


@pytest.fixture(autouse=True)
def fixed_seed():
    keras.utils.set_random_seed(1)


@pytest.fixture
def mixed_float16():
    """Layers made in the test compute in float16 over float32 weights."""
    keras.config.set_dtype_policy("mixed_float16")
    yield
    keras.config.set_dtype_policy("float32")


@pytest.fixture
def gradients():
    """`gradients(function, *arrays)`: the derivatives of the scalar `function(*arrays)`, in graph mode, as arrays."""
    return _gradients


@pytest.fixture
def weight_gradients():
    """`weight_gradients(function, layer)`: those of the scalar `function()` by the layer's trainable weights."""
    return _weight_gradients


def _gradients(function, *arrays):
    arrays = [ops.convert_to_tensor(array) for array in arrays]
    if keras.backend.backend() == "jax":
        import jax

        return [np.asarray(g) for g in jax.grad(function, argnums=tuple(range(len(arrays))))(*arrays)]
    if keras.backend.backend() == "torch":
        import torch

        arrays = [array.requires_grad_() for array in arrays]
        found = torch.autograd.grad(function(*arrays), arrays, allow_unused=True, materialize_grads=True)
        return [g.numpy() for g in found]
    import tensorflow as tf

    @tf.function
    def graph(*arrays):
        with tf.GradientTape() as tape:
            tape.watch(arrays)
            value = function(*arrays)
        return tape.gradient(value, arrays)

    return [g.numpy() for g in graph(*arrays)]


def _weight_gradients(function, layer):
    weights = layer.trainable_variables
    if keras.backend.backend() == "jax":
        import jax

        def of_values(values):
            with keras.StatelessScope(state_mapping=list(zip(weights, values, strict=True))):
                return function()

        return [np.asarray(g) for g in jax.grad(of_values)([weight.value for weight in weights])]
    if keras.backend.backend() == "torch":
        import torch

        values = [weight.value for weight in weights]
        found = torch.autograd.grad(function(), values, allow_unused=True, materialize_grads=True)
        return [g.numpy() for g in found]
    import tensorflow as tf

    @tf.function
    def graph():
        with tf.GradientTape() as tape:
            value = function()
        return tape.gradient(value, [weight.value for weight in weights])

    return [g.numpy() for g in graph()]
