"""The engine of a model folder: what of it is read, and with which weights."""

import functools
import shutil

import h5py
import numpy as np
import pytest

from keras_attn.storage import packaged
from keras_attn.storage.checksums import SUMS
from keras_attn.storage.engine_file import (
    EngineFile,
    PlacedArray,
    int8_rows,
    read_engine,
    with_weights,
    write_engine,
)
from keras_attn.storage.folder_files import WEIGHTS, ModelFolderError
from keras_attn.storage.weights_file import array_sizes

MODEL = packaged.folder("tatoeba-en-es")


def test_the_largest_weight_of_each_row_becomes_127():
    rows, scales = int8_rows(np.array([[1.0, -2.0, 0.0], [0.5, 0.1, 0.0], [0.0, 0.0, 0.0]], np.float32))
    assert rows.tolist() == [[64, -127, 0], [127, 25, 0], [0, 0, 0]] and rows.dtype == np.int8
    assert scales.tolist() == pytest.approx([2 / 127, 0.5 / 127, 1.0]) and scales.dtype == np.float32


def test_an_engine_is_read_in_the_precision_asked_for():
    kinds = {
        precision: {array.dtype for array in read_engine(MODEL, precision).arrays}
        for precision in ("float32", "int8")
    }
    assert kinds["float32"] == {"float32"} and "int8" in kinds["int8"]
    assert read_engine(MODEL, "float16") is None


@pytest.fixture
def folder(tmp_path):
    """A copy of a packaged model."""
    return shutil.copytree(MODEL, tmp_path / "model")


def test_what_is_written_is_read_back(folder):
    arrays = (PlacedArray("a", True, "int8", 64),)
    write_engine(folder, {"int8": EngineFile(b"graph", arrays, {"sizes": [1, 2]})})
    graph, found, about = read_engine(folder, "int8")
    assert (graph, found, about["sizes"]) == (b"graph", arrays, [1, 2])
    assert read_engine(folder, "float32") is None  # the old one is replaced


def test_an_engine_of_another_version_counts_as_missing(folder, monkeypatch):
    assert read_engine(folder, "int8") is not None
    monkeypatch.setattr("keras_attn.storage.engine_file._VERSION", 1)
    assert read_engine(folder, "int8") is None


@functools.cache
def smallest_matrix():
    """The name and content of a matrix of the weights that has more rows than columns, or fewer."""
    sizes = array_sizes(MODEL / WEIGHTS)
    with h5py.File(MODEL / WEIGHTS) as file:
        matrices = {name: file[name][()] for name in sorted(sizes, key=sizes.get)[:40]}
    return next(
        (name, array.astype(np.float32))
        for name, array in matrices.items()
        if array.ndim == 2 and array.shape[0] != array.shape[1] and min(array.shape) > 1
    )


@pytest.mark.parametrize("dtype", ["float32", "int8"])
@pytest.mark.parametrize("transposed", [False, True])
def test_the_weights_stand_at_their_places_behind_the_graph(dtype, transposed):
    name, matrix = smallest_matrix()
    content = with_weights(MODEL, EngineFile(b"graph", (PlacedArray(name, transposed, dtype, 64),), {}))
    matrix = matrix.T if transposed else matrix
    expected = int8_rows(matrix)[0] if dtype == "int8" else matrix
    assert content[:64] == b"graph".ljust(64, b"\0")
    assert bytes(content[64:]) == expected.tobytes()


@pytest.mark.parametrize(
    ("name", "offset"),
    [("no such array", 64), ("", 4), ("", 10**9)],
    ids=["no array", "in the graph", "far away"],
)
def test_weights_without_a_place_are_refused(name, offset):
    place = PlacedArray(name or smallest_matrix()[0], False, "float32", offset)
    with pytest.raises(ModelFolderError, match=r"engine.zip and model.weights.h5 in .* do not fit together"):
        with_weights(MODEL, EngineFile(b"graph", (place,), {}))


def test_an_engine_belongs_to_the_weights_of_a_folder_without_checksums_too(folder):
    (folder / SUMS).unlink()
    write_engine(folder, {"int8": EngineFile(b"graph", (), {"sizes": [1]})})
    assert read_engine(folder, "int8").graph == b"graph"
