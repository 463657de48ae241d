import keras
import numpy as np
import pytest
import tensorflow as tf
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter

from keras_attn.export.compaction import compact
from keras_attn.export.conversion import convert
from keras_attn.export.int8_embedding import Int8Embedding
from keras_attn.export.packing import packed, parsed

FILL = schema.BuiltinOperator.FILL


def compacted(content):
    model = parsed(content)
    compact(model)
    return packed(model)


def fills(content):
    """For each graph, how many operators fill a tensor."""
    model = parsed(content)
    codes = [max(code.builtinCode, code.deprecatedBuiltinCode) for code in model.operatorCodes]
    return [sum(codes[one.opcodeIndex] == FILL for one in graph.operators) for graph in model.subgraphs]


def run(content, **inputs):
    return Interpreter(model_content=content).get_signature_runner("f")(**inputs)["out"]


@pytest.fixture(scope="module")
def running_sums():
    """Of 64 rows of 32, in a loop that writes to a buffer: 8 kB of zeros at first."""

    def sums(rows):
        def body(i, total, kept):
            total = total + rows[i]
            return i + 1, total, kept.write(i, total)

        kept = tf.TensorArray(tf.float32, size=64, element_shape=(32,))
        start = (tf.constant(0), tf.zeros((32,)), kept)
        return {"out": tf.while_loop(lambda i, *_: i < 64, body, start, maximum_iterations=64)[2].stack()}

    function = tf.function(sums, [tf.TensorSpec((64, 32), name="rows")])
    return convert({"f": function.get_concrete_function()}, "float32")


def test_zeros_that_a_loop_begins_with_are_not_stored(running_sums):
    small = compacted(running_sums)
    assert len(running_sums) - len(small) > 7500
    assert fills(running_sums)[0] == 0
    assert fills(small)[0] == 1 and not any(fills(small)[1:])  # outside the loop: once a call


def test_a_compact_file_computes_the_same_in_every_call(running_sums):
    small = Interpreter(model_content=compacted(running_sums)).get_signature_runner("f")
    for seed in range(3):
        rows = np.random.default_rng(seed).normal(size=(64, 32)).astype("float32")
        np.testing.assert_array_equal(small(rows=rows)["out"], run(running_sums, rows=rows))


def test_what_is_small_or_not_zero_is_left_alone():
    table = np.arange(4096, dtype="float32").reshape(64, 64)

    def both(rows):
        return {"out": rows @ table + tf.constant(np.zeros(64, "float32"))}

    function = tf.function(both, [tf.TensorSpec((1, 64), name="rows")])
    content = convert({"f": function.get_concrete_function()}, "float32")
    assert not any(fills(compacted(content)))
    rows = np.ones((1, 64), "float32")
    np.testing.assert_array_equal(run(compacted(content), rows=rows), run(content, rows=rows))


def test_zeros_that_a_loops_body_reads_stay_even_where_others_begin_with_them():
    def zeros():
        return tf.constant(np.zeros((64, 32), "float32"))

    def sums(rows):
        def body(i, total):
            return i + 1, total + tf.reduce_sum(tf.concat([rows, zeros() * total], axis=0))

        total = tf.while_loop(lambda i, _: i < 4, body, (tf.constant(0), tf.constant(0.0)))[1]
        return {"out": tf.concat([rows + total, zeros()], axis=0)}

    function = tf.function(sums, [tf.TensorSpec((1, 32), name="rows")])
    content = convert({"f": function.get_concrete_function()}, "float32")
    assert not any(fills(compacted(content)))  # a body would make them at every step
    rows = np.ones((1, 32), "float32")
    np.testing.assert_array_equal(run(compacted(content), rows=rows), run(content, rows=rows))


def test_equal_tensors_and_options_are_written_once(running_sums):
    def tables(content):
        graphs = schema.Model.GetRootAs(content)
        graphs = [graphs.Subgraphs(i) for i in range(graphs.SubgraphsLength())]
        tensors = [graph.Tensors(i) for graph in graphs for i in range(graph.TensorsLength())]
        operators = [graph.Operators(i) for graph in graphs for i in range(graph.OperatorsLength())]
        options = [one.BuiltinOptions() for one in operators]
        return len(tensors), {t._tab.Pos for t in tensors}, {each.Pos for each in options if each is not None}

    count, places, options = tables(running_sums)
    small_count, small_places, small_options = tables(compacted(running_sums))
    assert len(places) == count
    assert len(small_places) < small_count / 2
    assert len(small_options) < len(options)


@pytest.fixture(scope="module")
def tied():
    """A table of 300 int8 rows, looked up and as a matrix."""
    layer = keras.layers.ReversibleEmbedding(300, 16)
    layer.build()
    embedding = Int8Embedding(layer)

    def both(ids, vectors):
        return {"rows": embedding(ids), "products": embedding(vectors, reverse=True)}

    function = tf.function(
        both, [tf.TensorSpec((4,), tf.int32, "ids"), tf.TensorSpec((2, 16), name="vectors")]
    )
    return convert({"f": function.get_concrete_function()}, "int8")


def test_scales_of_rows_are_stored_once_and_change_nothing(tied):
    def scales(content):
        tables = [tensor.quantization for graph in parsed(content).subgraphs for tensor in graph.tensors]
        return [len(table.scale) for table in tables if table is not None and table.scale is not None]

    assert scales(tied) == [300] and scales(compacted(tied)) == [1]
    assert len(tied) - len(compacted(tied)) > 300 * (4 + 8)  # and the zero point of each
    generator = np.random.default_rng(0)
    given = {
        "ids": np.array([0, 7, 7, 299], np.int32),
        "vectors": generator.normal(size=(2, 16)).astype("float32"),
    }
    before, after = (
        Interpreter(model_content=content).get_signature_runner("f")(**given)
        for content in (tied, compacted(tied))
    )
    np.testing.assert_array_equal(after["rows"], before["rows"])
    np.testing.assert_allclose(after["products"], before["products"], rtol=1e-5)


def test_a_product_with_a_bias_keeps_its_scales():
    layer = keras.layers.ReversibleEmbedding(300, 16)
    layer.build()
    embedding = Int8Embedding(layer)
    bias = np.linspace(-1, 1, 300, dtype="float32")

    def both(ids, vectors):
        return {"rows": embedding(ids), "out": embedding(vectors, reverse=True) + bias}

    function = tf.function(
        both, [tf.TensorSpec((4,), tf.int32, "ids"), tf.TensorSpec((2, 16), name="vectors")]
    )
    content = convert({"f": function.get_concrete_function()}, "int8")
    given = {"ids": np.zeros(4, np.int32), "vectors": np.ones((2, 16), "float32")}
    np.testing.assert_array_equal(run(compacted(content), **given), run(content, **given))
