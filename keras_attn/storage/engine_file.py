"""`engine.zip` in a model folder: the search for LiteRT, so that a program can translate without TensorFlow and Keras.

    float32.tflite    graphs from ids to hypotheses
    float32.json      their search, sizes and weights
    int8.tflite, int8.json    the same with weights in int8, each row of a matrix with its own scale

The graphs are small, because they contain no matrices. TensorFlow Lite's format allows constants after the end of the file, and
that is where the weights from `model.weights.h5` are put when the engine is loaded. An engine belongs to the weights that it was
made from; with any other weights it counts as missing, and so does one of another version.
"""

import io
import json
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from keras_attn.bounded import parse_json, read_bytes, unpack_member
from keras_attn.files import write_bytes
from keras_attn.storage.checksums import digest
from keras_attn.storage.folder_files import (
    ENGINE,
    WEIGHTS,
    ModelFolderError,
    check_folder_sums,
    file_of,
    known_sums,
    of_one_save,
    replace_file,
)
from keras_attn.storage.weights_file import array_sizes

PRECISIONS = ("float32", "int8")
_VERSION = 2  # of the signatures
_MOST_BYTES = 64 << 20  # size limit of graphs; those of a large model take a megabyte


class PlacedArray(NamedTuple):
    """An array of the weights, and its position.

    Attributes:
        name: its name in `model.weights.h5`.
        transposed: whether it is stored column by column.
        dtype: "float32" or "int8".
        offset: from the beginning of the file, in bytes.
    """

    name: str
    transposed: bool
    dtype: str
    offset: int


class EngineFile(NamedTuple):
    """One precision of an engine.

    Attributes:
        graph: a `.tflite` without its largest constants.
        arrays: these constants.
        about: anything else that a program needs, see `inference.litert_engine`.
    """

    graph: bytes
    arrays: tuple[PlacedArray, ...]
    about: dict[str, Any]


def int8_rows(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A matrix as int8, and the float32 scale of each row."""
    scales = np.max(np.abs(matrix), axis=1) / np.float32(127)
    scales = np.where(scales > 0, scales, np.float32(1))
    return np.round(matrix / scales[:, None]).astype(np.int8), scales


def write_engine(folder: str | Path, engines: dict[str, EngineFile]) -> None:
    """Adds an engine to a model folder, or replaces the one in it.

    Args:
        folder: contains the weights that the engine was made from.
        engines: by precision.

    Raises:
        OSError: the folder cannot be written.
    """
    weights = known_sums(folder).get(WEIGHTS) or digest(file_of(folder, WEIGHTS))
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for precision, (graph, arrays, about) in engines.items():
            about = {**about, "version": _VERSION, "weights": weights, "arrays": arrays}
            archive.writestr(zipfile.ZipInfo(f"{precision}.tflite"), graph, zipfile.ZIP_DEFLATED)
            archive.writestr(zipfile.ZipInfo(f"{precision}.json"), json.dumps(about), zipfile.ZIP_DEFLATED)
    replace_file(Path(folder), ENGINE, lambda path: write_bytes(path, stream.getvalue()))


def has_engine(folder: str | Path) -> bool:
    """Whether a model folder says that it has an engine; `read_engine` checks whether it is usable."""
    return ENGINE in known_sums(folder) and file_of(folder, ENGINE).is_file()


@of_one_save
def read_engine(folder: str | Path, precision: str) -> EngineFile | None:
    """A complete engine that belongs to the weights in the folder; `None` if there is none.

    Raises:
        ModelFolderError: a file of the folder has changed, or the engine is not usable.
    """
    if not has_engine(folder):
        return None
    check_folder_sums(folder, ENGINE)
    try:
        with zipfile.ZipFile(io.BytesIO(read_bytes(file_of(folder, ENGINE), _MOST_BYTES))) as archive:
            if f"{precision}.tflite" not in archive.namelist():
                return None
            graph = unpack_member(archive, f"{precision}.tflite", _MOST_BYTES)
            about = parse_json(unpack_member(archive, f"{precision}.json", _MOST_BYTES), f"{precision}.json")
        if (about.pop("version", 1), about.get("weights")) != (_VERSION, known_sums(folder)[WEIGHTS]):
            return None
        return EngineFile(graph, tuple(_placed(each) for each in about.pop("arrays")), about)
    except (ValueError, TypeError, KeyError, zipfile.BadZipFile) as error:
        raise ModelFolderError(
            f"{file_of(folder, ENGINE)} is not usable: {error}. Use the engine keras, or make a new one with `keras-attn pack`"
        ) from None


def with_weights(folder: str | Path, engine: EngineFile) -> bytearray:
    """The whole `.tflite`.

    Raises:
        ModelFolderError: the engine and the weights do not fit together.
    """
    import h5py

    weights = file_of(folder, WEIGHTS)
    try:
        sizes = array_sizes(weights)
        ends = [len(engine.graph)]
        for each in engine.arrays:
            if each.name not in sizes or each.offset < len(engine.graph):
                raise ValueError(f"{each.name} has no place in it")
            ends.append(each.offset + sizes[each.name] * np.dtype(each.dtype).itemsize)
        most = len(engine.graph) + sum(4 * size + 64 for size in sizes.values())
        if max(ends) > most:
            raise ValueError(f"it would take {max(ends):,} bytes, and its weights have {most:,}")
        content = bytearray(max(ends))
        content[: len(engine.graph)] = engine.graph
        with h5py.File(weights) as file:
            for each in engine.arrays:
                data = _laid_out(file[each.name][()], each).tobytes()
                content[each.offset : each.offset + len(data)] = data
    except ValueError as error:
        raise ModelFolderError(f"{ENGINE} and {WEIGHTS} in {folder} do not fit together: {error}") from None
    return content


def _laid_out(array: np.ndarray, place: PlacedArray) -> np.ndarray:
    array = array.astype(np.float32)
    array = array.T if place.transposed else array
    return int8_rows(array)[0] if place.dtype == "int8" else array


def _placed(values: Any) -> PlacedArray:
    placed = PlacedArray(*values)
    kinds = tuple(map(type, placed))
    if kinds != (str, bool, str, int) or placed.dtype not in ("float32", "int8"):
        raise ValueError(f"expected name, transposed, dtype and offset of an array; got {values!r}")
    return placed
