"""The files inside a `.tflite`, and what its metadata say."""

import hashlib
import io
import zipfile

import flatbuffers
import pytest
import tensorflow as tf
from ai_edge_litert.interpreter import Interpreter

from keras_attn.export.associated_files import with_files, with_metadata
from keras_attn.export.conversion import convert
from keras_attn.export.packing import parsed

FILES = {"model.json": b'{"a": 1}', "ö.bin": bytes(range(256)) * 8}
NAME, DESCRIPTION, LICENSE, ASSOCIATED_FILES, MIN_PARSER_VERSION = 0, 1, 5, 6, 7  # fields of `ModelMetadata`


@pytest.fixture(scope="module")
def graphs():
    function = tf.function(lambda x: {"out": x + 1}, [tf.TensorSpec([2], tf.int32, name="x")])
    return convert({"f": function.get_concrete_function()}, "float32")


def metadata(model):
    """The root table of the file's `ModelMetadata`."""
    written = parsed(model)
    (entry,) = [entry for entry in written.metadata if entry.name == b"TFLITE_METADATA"]
    content = bytes(written.buffers[entry.buffer].data)
    assert content[4:8] == b"M001"
    return flatbuffers.table.Table(content, flatbuffers.encode.Get(flatbuffers.packer.uoffset, content, 0))


def text(table, field):
    offset = table.Offset(4 + 2 * field)
    return table.String(table.Pos + offset).decode() if offset else None


def named_files(table):
    offset = table.Offset(4 + 2 * ASSOCIATED_FILES)
    start = table.Vector(offset)
    entries = [table.Indirect(start + 4 * i) for i in range(table.VectorLen(offset))]
    return [text(flatbuffers.table.Table(table.Bytes, entry), NAME) for entry in entries]


def test_every_field_of_the_metadata_says_its_own(graphs):
    about = metadata(with_metadata(graphs, "en to fr", "ein Übersetzer", FILES, licence="CC BY"))
    assert [text(about, field) for field in (NAME, DESCRIPTION, LICENSE, MIN_PARSER_VERSION)] == [
        "en to fr",
        "ein Übersetzer",
        "CC BY",
        "1.3.0",
    ]
    assert named_files(about) == ["model.json", "ö.bin"]
    assert text(metadata(with_metadata(graphs, "a", "b", [])), LICENSE) is None


def test_what_the_converter_noted_is_still_there(graphs):
    def notes(model):
        written = parsed(model)
        return {entry.name: bytes(written.buffers[entry.buffer].data) for entry in written.metadata}

    before, after = notes(graphs), notes(with_metadata(graphs, "a", "b", []))
    assert before and {name: after.pop(name) for name in before} == before
    assert after.keys() == {b"TFLITE_METADATA"}


def test_files_come_out_as_they_went_in_and_the_graphs_run(graphs):
    model = with_files(graphs, FILES)
    with zipfile.ZipFile(io.BytesIO(model)) as archive:
        assert {name: archive.read(name) for name in FILES} == FILES
    assert model.startswith(graphs)
    run = Interpreter(model_content=model).get_signature_runner("f")
    assert run(x=tf.constant([3, 4]))["out"].tolist() == [4, 5]


def test_the_archive_has_the_sum_of_the_graphs_before_it_and_no_time(graphs):
    with zipfile.ZipFile(io.BytesIO(with_files(graphs, FILES))) as archive:
        assert archive.read("graphs.sha256").decode() == hashlib.sha256(graphs).hexdigest()
        assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
