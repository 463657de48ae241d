"""The decoder in TensorFlow's graphs and under XLA, whose gradients need loops of known length (see `time_loop`)."""

import keras
import numpy as np
import pytest

from keras_attn.layers import AttentionDecoder, BahdanauAttention, LuongAttention

if keras.backend.backend() != "tensorflow":
    pytest.skip("tf.function and jit_compile are TensorFlow's", allow_module_level=True)

import tensorflow as tf

pytestmark = pytest.mark.slow

random = np.random.default_rng(1)
X = random.normal(size=(2, 3, 4)).astype("float32")
MEMORY = random.normal(size=(2, 5, 4)).astype("float32")
MASK = np.arange(5) < np.array([[5], [2]])

DECODERS = {
    "bahdanau": lambda: AttentionDecoder(6, BahdanauAttention(5), readout_units=6),
    "luong": lambda: AttentionDecoder(
        6,
        LuongAttention("general"),
        cell="lstm",
        query_state="current",
        feed="attentional",
        readout="attentional",
        readout_units=6,
    ),
}
SIGNATURE = [
    tf.TensorSpec((None, None, 4)),
    tf.TensorSpec((None, None, 4)),
    tf.TensorSpec((None, None), tf.bool),
]


def loss_and_gradients(decoder):
    def function(x, memory, mask):
        weights = [weight.value for weight in decoder.trainable_variables]
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.sin(decoder(x, memory, memory_mask=mask)))
        return [loss, *tape.gradient(loss, weights)]

    return function


@pytest.mark.parametrize("name", DECODERS)
def test_xla_compiles_the_loss_and_its_gradients_to_the_same_numbers(name):
    decoder = DECODERS[name]()
    decoder.build(X.shape, MEMORY.shape)
    function = loss_and_gradients(decoder)
    compiled = tf.function(function, input_signature=SIGNATURE, jit_compile=True)
    for found, expected in zip(compiled(X, MEMORY, MASK), function(X, MEMORY, MASK), strict=True):
        np.testing.assert_allclose(found.numpy(), expected.numpy(), atol=2e-5)


@pytest.mark.parametrize("name", DECODERS)
def test_one_graph_serves_every_length(name):
    decoder = DECODERS[name]()
    decoder.build(X.shape, MEMORY.shape)
    graph = tf.function(lambda x, m, mask: decoder(x, m, memory_mask=mask), input_signature=SIGNATURE)
    for batch, length, source in [(2, 3, 5), (1, 1, 1), (2, 2, 4)]:
        arguments = X[:batch, :length], MEMORY[:batch, :source], MASK[:batch, :source]
        expected = decoder(*arguments[:2], memory_mask=arguments[2])
        np.testing.assert_allclose(graph(*arguments).numpy(), expected.numpy(), atol=1e-6)


def test_keras_trains_with_jit_compile_and_dropout_in_the_loop():
    decoder = AttentionDecoder(6, BahdanauAttention(5, dropout=0.5), readout_units=6)
    inputs = keras.Input((3, 4)), keras.Input((5, 4))
    model = keras.Model(inputs, decoder(*inputs))
    model.compile(keras.optimizers.SGD(0.0), "mse", jit_compile=True)
    first, second = (model.train_on_batch([X, MEMORY], np.ones((2, 3, 6))) for _ in range(2))
    assert np.isfinite(first) and first != second
