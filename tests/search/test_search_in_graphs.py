"""The same search in a compiled function with unknown sizes, and as a LiteRT file of built-in operators."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_attn.search import Hypotheses, beam, greedy, random_numbers, sample

IDS = {"bos_id": 2, "eos_id": 3}
UNITS, VOCABULARY, MAX_LENGTH = 8, 12, 10
UNIFORMS = ops.convert_to_tensor(random_numbers(1, range(16), MAX_LENGTH))
needs_tensorflow = pytest.mark.skipif(keras.backend.backend() != "tensorflow", reason="TensorFlow only")
needs_jax = pytest.mark.skipif(keras.backend.backend() != "jax", reason="JAX only")

SEARCHES = {
    "greedy": lambda step, state: greedy(step, state, **keeping_weights(state)),
    "beam": lambda step, state: beam(step, state, **keeping_weights(state), beam_size=4),
    "sample": lambda step, state: sample(
        step, state, **keeping_weights(state), uniforms=UNIFORMS[: ops.shape(state["hidden"])[0]], top_p=0.9
    ),
}
every_search = pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)


def keeping_weights(state):
    return {**IDS, "max_length": MAX_LENGTH, "return_weights": True}


def attend_and_update(memory):
    """A gated recurrent step with dot attention, of random weights, over a memory `[B, S, units]`: step and state."""
    random = np.random.default_rng(0)

    def matrix(*shape):
        return ops.convert_to_tensor(random.normal(size=shape).astype("float32"))

    embedding, gate_of, update_of = (
        matrix(VOCABULARY, UNITS),
        matrix(3 * UNITS, UNITS),
        matrix(3 * UNITS, UNITS),
    )
    output_of = matrix(UNITS, VOCABULARY)

    def step(tokens, state):
        hidden, memory = state["hidden"], state["memory"]
        weights = ops.softmax(ops.squeeze(ops.matmul(memory, hidden[:, :, None]), -1))  # [N, S]
        context = ops.squeeze(ops.matmul(weights[:, None], memory), 1)
        inputs = ops.concatenate([ops.take(embedding, tokens, axis=0), context, hidden], axis=1)
        gate = ops.sigmoid(ops.matmul(inputs, gate_of))
        hidden = gate * hidden + (1 - gate) * ops.tanh(ops.matmul(inputs, update_of))
        log_probs = ops.log_softmax(ops.matmul(hidden, output_of), axis=-1)
        return log_probs, {"hidden": hidden, "memory": memory}, weights

    return step, {"hidden": ops.mean(memory, axis=1), "memory": memory}


def memories(batch, source):
    return np.random.default_rng(1).normal(size=(batch, source, UNITS)).astype("float32")


def assert_equal(found, expected):
    found, expected = ([np.asarray(x) for x in hypotheses] for hypotheses in (found, expected))
    for exact in (0, 1):  # tokens, lengths
        np.testing.assert_array_equal(found[exact], expected[exact])
    for close in (2, 3, 4):  # log_probs, scores, weights
        np.testing.assert_allclose(found[close], expected[close], rtol=1e-4, atol=1e-5)


@pytest.mark.slow
@needs_tensorflow
@every_search
def test_a_graph_of_unknown_batch_and_source_length_finds_what_python_finds(search):
    import tensorflow as tf

    @tf.function(input_signature=[tf.TensorSpec([None, None, UNITS])])
    def in_graph(memory):
        return search(*attend_and_update(memory))

    for batch, source in ((1, 4), (3, 5), (8, 2)):
        memory = memories(batch, source)
        found = in_graph(memory)
        assert found.weights.shape[2:] == (MAX_LENGTH, source)
        assert_equal(found, search(*attend_and_update(memory)))


@needs_tensorflow
@pytest.mark.parametrize("name", ["greedy", "beam"])
def test_limits_of_unknown_number_work_in_a_graph(name):
    import tensorflow as tf

    search = {"greedy": greedy, "beam": lambda *args, **kwargs: beam(*args, beam_size=3, **kwargs)}[name]

    @tf.function(input_signature=[tf.TensorSpec([None, None, UNITS]), tf.TensorSpec([None], tf.int32)])
    def in_graph(memory, limits):
        return search(*attend_and_update(memory), **IDS, max_length=MAX_LENGTH, limits=limits)

    found = in_graph(memories(3, 4), [1, 2, 5])
    assert (np.asarray(found.lengths).max(axis=1) <= [1, 2, 5]).all()


@needs_jax
@every_search
def test_a_jitted_function_finds_what_python_finds(search):
    import jax

    memory = memories(3, 5)
    found = jax.jit(lambda memory: search(*attend_and_update(memory)))(memory)
    assert_equal(found, search(*attend_and_update(memory)))


@pytest.mark.slow
@needs_tensorflow
@pytest.mark.parametrize("source", [5, None], ids=["static source", "dynamic source"])
@pytest.mark.parametrize("name", ["greedy", "beam"])
def test_a_litert_file_of_built_in_operators_finds_what_python_finds(name, source):
    file = to_litert(SEARCHES[name], source)
    lengths = set()
    for i in range(12):
        memory = memories(12, source or 3 + i)[i : i + 1]
        expected = SEARCHES[name](*attend_and_update(memory))
        assert_equal(run_litert(file, memory), expected)
        lengths.add(int(expected.lengths[0, 0]))
    assert len(lengths) > 2  # the sentences do end at different positions


def to_litert(search, source):
    import tensorflow as tf

    @tf.function(input_signature=[tf.TensorSpec([1, source, UNITS])])
    def function(memory):
        return tuple(search(*attend_and_update(memory)))

    converter = tf.lite.TFLiteConverter.from_concrete_functions([function.get_concrete_function()], function)
    converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS]
    return converter.convert()


def run_litert(file, memory):
    from ai_edge_litert.interpreter import Interpreter

    interpreter = Interpreter(model_content=file, num_threads=1)
    index = interpreter.get_input_details()[0]["index"]
    interpreter.resize_tensor_input(index, memory.shape)
    interpreter.allocate_tensors()
    interpreter.set_tensor(index, memory)
    interpreter.invoke()
    outputs = sorted(interpreter.get_output_details(), key=lambda output: output["name"])
    return Hypotheses(*(interpreter.get_tensor(output["index"]) for output in outputs))
