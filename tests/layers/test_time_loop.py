import keras
import numpy as np
import pytest
from keras import ops

from keras_attn.layers.time_loop import unroll

only_tensorflow = pytest.mark.skipif(
    keras.backend.backend() != "tensorflow", reason="tf.function is TensorFlow's"
)

X = np.arange(24, dtype="float32").reshape(2, 4, 3)  # [batch, time, width]
NO_WEIGHTS = keras.layers.Layer()


def running_sum(x_t, total):
    total = total + x_t
    return total, total


def numbers(nest):
    return keras.tree.map_structure(ops.convert_to_numpy, nest)


def test_the_state_goes_from_step_to_step():
    outputs, state = numbers(unroll(running_sum, X, np.zeros((2, 3), "float32"), NO_WEIGHTS))
    np.testing.assert_array_equal(outputs, np.cumsum(X, axis=1))
    np.testing.assert_array_equal(state, X.sum(1))


def test_reversed_outputs_stand_in_the_order_of_the_inputs():
    outputs, state = numbers(unroll(running_sum, X, np.zeros((2, 3), "float32"), NO_WEIGHTS, reverse=True))
    np.testing.assert_array_equal(outputs, np.cumsum(X[:, ::-1], axis=1)[:, ::-1])
    np.testing.assert_array_equal(state, X.sum(1))


def test_outputs_need_not_be_shaped_like_the_state():
    """What `keras.ops.scan` cannot do on TensorFlow."""

    def step(x_t, count):
        outer = ops.expand_dims(x_t, 2) * ops.expand_dims(x_t, 1)  # [batch, 3, 3]
        first = ops.cast(x_t[:, 0], "int32")  # [batch]
        return {"outer": outer, "pair": (first, count)}, count + 1

    outputs, count = numbers(unroll(step, X, np.zeros((2, 1), "int32"), NO_WEIGHTS))
    np.testing.assert_array_equal(outputs["outer"], X[..., :, None] * X[..., None, :])
    np.testing.assert_array_equal(outputs["pair"][0], X[..., 0].astype("int32"))
    np.testing.assert_array_equal(outputs["pair"][1], [[[0], [1], [2], [3]]] * 2)
    np.testing.assert_array_equal(count, [[4], [4]])


def test_inputs_and_states_may_be_nests():
    def step(inputs_t, state):
        (x_t,), flag_t = inputs_t["x"], inputs_t["flag"]
        kept = ops.where(flag_t, x_t, state["kept"])
        return kept, {"kept": kept, "seen": (state["seen"][0] + 1,)}

    flags = np.array([[[True], [False], [False], [True]]] * 2)
    state = {"kept": np.zeros((2, 3), "float32"), "seen": (np.zeros((2,), "int32"),)}
    outputs, state = numbers(unroll(step, {"x": (X,), "flag": flags}, state, NO_WEIGHTS))
    np.testing.assert_array_equal(outputs, X[:, [0, 0, 0, 3]])
    np.testing.assert_array_equal(state["seen"][0], [4, 4])


@pytest.mark.parametrize("reverse", [False, True])
def test_one_step_is_enough(reverse):
    outputs, state = numbers(unroll(running_sum, X[:, :1], X[:, 1], NO_WEIGHTS, reverse=reverse))
    np.testing.assert_array_equal(outputs[:, 0], X[:, 0] + X[:, 1])
    np.testing.assert_array_equal(state, X[:, 0] + X[:, 1])


@pytest.mark.parametrize("reverse", [False, True])
def test_the_gradient_goes_back_through_every_step(reverse, gradients):
    def step(x_t, state):
        return state * x_t, state * x_t

    def product(x, state):
        return ops.sum(unroll(step, x, state, NO_WEIGHTS, reverse=reverse)[1])

    x = X[:1] + 1
    for_x, for_state = gradients(product, x, np.ones((1, 3), "float32"))
    np.testing.assert_allclose(for_x, x.prod(1, keepdims=True) / x, rtol=1e-5)
    np.testing.assert_allclose(for_state, x.prod(1), rtol=1e-5)


@only_tensorflow
@pytest.mark.parametrize("reverse", [False, True])
def test_the_length_may_be_unknown_until_the_graph_runs(reverse):
    import tensorflow as tf

    @tf.function(input_signature=[tf.TensorSpec((None, None, 3))])
    def graph(x):
        return unroll(running_sum, x, tf.zeros((tf.shape(x)[0], 3)), NO_WEIGHTS, reverse=reverse)

    for length in (4, 1, 2):
        expected = unroll(
            running_sum, X[:, :length], np.zeros((2, 3), "float32"), NO_WEIGHTS, reverse=reverse
        )
        for a, b in zip(graph(X[:, :length]), expected, strict=True):
            np.testing.assert_array_equal(a.numpy(), b.numpy())


@keras.saving.register_keras_serializable(package="tests")
class NoisyMemory(keras.layers.Layer):
    """Adds half-dropped, weighted inputs to what it remembers."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.dense = keras.layers.Dense(3, kernel_initializer="identity")
        self.dropout = keras.layers.Dropout(0.5)

    def build(self, inputs_shape):
        self.dense.build(inputs_shape)

    def call(self, inputs, training=None):
        def step(x_t, state):
            noisy = self.dropout(self.dense(x_t), training=training)
            return noisy, state + noisy

        outputs, _ = unroll(step, inputs, ops.zeros_like(inputs[:, 0]), self)
        return outputs


def test_dropout_differs_from_step_to_step_and_from_call_to_call():
    layer, ones = NoisyMemory(), np.ones((8, 5, 3), "float32")
    first, second = (ops.convert_to_numpy(layer(ones, training=True)) for _ in range(2))
    assert set(np.unique(first)) == {0.0, 2.0}
    assert all((first[:, t] != first[:, t + 1]).any() for t in range(4))
    assert (first != second).any()


@pytest.mark.slow
def test_a_layer_with_a_loop_in_it_trains():
    x = np.random.default_rng(1).normal(size=(16, 5, 3)).astype("float32")
    model = keras.Sequential([keras.Input((None, 3)), NoisyMemory()])
    model.compile(keras.optimizers.SGD(0.5), "mse")
    model.fit(x, -x, epochs=30, verbose=0)
    kernel = ops.convert_to_numpy(model.layers[0].dense.kernel)
    assert (np.diag(kernel) < 0).all()  # the map to -x, from the identity


def test_frozen_weights_stay_as_they_are_in_mixed_precision(mixed_float16):
    """On JAX, random seeds travel through the loop and are assigned after it; weights must not."""
    layer = NoisyMemory()
    layer.build(X.shape)
    kernel = np.random.default_rng(1).normal(size=(3, 3)).astype("float32")  # not exact in float16
    layer.dense.kernel.assign(kernel)
    layer.trainable = False
    layer(X, training=True)
    np.testing.assert_array_equal(ops.convert_to_numpy(layer.dense.kernel), kernel)
