"""What two signatures have in common is stored once, but for loops whose shapes hang on the input."""

import numpy as np
import pytest
import tensorflow as tf
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter

from keras_attn.export.associated_files import with_metadata
from keras_attn.export.conversion import convert

pytestmark = pytest.mark.slow


def doubled(length, name):
    """x, int32 `[length]`, added to itself until its first number is 100 or more; a large constant is in it."""
    table = np.arange(2000, dtype="int32")

    def function(*, x):
        found = tf.while_loop(lambda y: y[0] < 100, lambda y: y + y, [x + tf.constant(table)[5] - 5])
        return {name: found[0]}

    return tf.function(function, autograph=False).get_concrete_function(
        x=tf.TensorSpec([length], tf.int32, "x")
    )


@pytest.fixture(scope="module", params=[3, None], ids=["fixed", "any length"])
def files(request):
    """The file as it is converted and as it is written, and whether its shapes are fixed."""
    signatures = {name: doubled(request.param, name) for name in ("one", "two")}
    converted = convert(signatures, "float32")
    return converted, with_metadata(converted, "doubling", "{}", []), request.param is not None


def test_loops_are_shared_if_their_shapes_are_fixed(files):
    before, after, fixed = (
        schema.ModelT.InitFromPackedBuf(file, 0) if isinstance(file, bytes) else file for file in files
    )
    assert len(before.subgraphs) == 6
    assert len(after.subgraphs) == (4 if fixed else 6)


def test_constants_are_shared(files):
    model = schema.ModelT.InitFromPackedBuf(files[1], 0)
    contents = [bytes(buffer.data) for buffer in model.buffers if buffer.data is not None]
    assert len(contents) == len(set(contents))


def test_signatures_that_share_take_turns(files):
    interpreter = Interpreter(model_content=files[1])
    for length in [3] if files[2] else [3, 5, 1, 4]:
        for name in ("one", "two", "one"):
            run = interpreter.get_signature_runner(name)
            x = np.arange(7, 7 + length, dtype="int32")
            assert run(x=x)[name].tolist() == [16 * number for number in x.tolist()]
