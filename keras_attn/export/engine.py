"""Makes the engine of a model folder, see `storage.engine_file`.

Its signatures go from ids to hypotheses, with the weights as constants:

    beam_K_of_N    source int32 [N, S], any S; limits int32 [N]; n_best int32 [], see `search.beam` -> tokens int32 [N, K, L],
                   lengths int32 [N, K], log_probs float32 [N, K], scores float32 [N, K], as `search.Hypotheses`

There is one signature for each K, 1 and the model's beam size, and each N of `SIZES`.
"""

import dataclasses
import struct
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import tensorflow as tf
from ai_edge_litert import schema_py_generated as schema

from keras_attn.config import Beam
from keras_attn.export.compaction import compact
from keras_attn.export.conversion import convert
from keras_attn.export.id_signatures import Signature
from keras_attn.export.int8_embedding import int8_embeddings
from keras_attn.export.packing import packed, parsed
from keras_attn.export.search_graph import constant_weights
from keras_attn.export.sharing import share_buffers
from keras_attn.export.subject import Subject, load_subject
from keras_attn.inference.litert_engine import LiteRTEngine
from keras_attn.inference.translator import Translator
from keras_attn.models.compiled_search import CompiledSearch
from keras_attn.models.seq2seq import Embeddings
from keras_attn.storage.engine_file import EngineFile, PlacedArray, int8_rows, write_engine
from keras_attn.storage.folder_files import WEIGHTS, file_of

# Sentences at once. Larger batches waste more steps on sentences that have ended.
SIZES = {"float32": (1, 16), "int8": (8,)}
_WORTH = 1024  # number of elements: smaller constants stay in the graph
_ALIGNED = 64  # bytes
_SOMEWHERE = 1 << 62  # a placeholder offset until the length of the graph is known
_OFFSET_FIELD = 6  # position in the vtable of a buffer


class EngineError(ValueError):
    """A model for which an engine cannot translate as Keras does; the message says why."""


def make_engine(folder: str | Path, translator: Translator | None = None) -> None:
    """Makes the engine of a model folder and saves it there.

    Args:
        folder: a complete model folder.
        translator: its content, if already loaded.

    Raises:
        EngineError: LiteRT cannot run the model, or its float32 translations differ from those of Keras.
        OSError: the folder cannot be written.
    """
    try:
        engines = _engines(folder, load_subject(translator or folder))
    except ValueError as error:  # from the conversion, from TensorFlow's tracing, or from LiteRT
        raise EngineError(str(error)) from error
    write_engine(folder, engines)


def _engines(folder: str | Path, subject: Subject) -> dict[str, EngineFile]:
    """By precision, checked."""
    embeddings = {"float32": subject.model.embeddings, "int8": int8_embeddings(subject.model)}
    converted = {
        precision: convert(_signatures(subject, each, SIZES[precision]), precision)
        for precision, each in embeddings.items()
    }
    with h5py.File(file_of(folder, WEIGHTS)) as file:
        arrays = _arrays(file)
    about = {"max_length": subject.longest_target, "search": dataclasses.asdict(Beam.of(subject.search))}
    engines = {
        precision: _without_weights(model, arrays, {**about, "sizes": SIZES[precision]})
        for precision, model in converted.items()
    }
    _check(subject, LiteRTEngine(folder, engines["float32"], isolated=False))
    return engines


def _signatures(subject: Subject, embeddings: Embeddings, sizes: tuple[int, ...]) -> dict[str, Signature]:
    chosen = Beam.of(subject.search)
    methods = {
        beam_size: dataclasses.replace(chosen, beam_size=beam_size) for beam_size in (1, chosen.beam_size)
    }
    return {
        f"beam_{beam_size}_of_{size}": _traced(subject, embeddings, method, size)
        for beam_size, method in methods.items()
        for size in sizes
    }


def _traced(subject: Subject, embeddings: Embeddings, method: Beam, size: int) -> Signature:
    def search(source: tf.Tensor, limits: tf.Tensor, n_best: tf.Tensor) -> dict[str, tf.Tensor]:
        with constant_weights(subject.model):
            found = subject.model.search(
                source,
                method,
                max_length=subject.longest_target,
                limits=limits,
                n_best=n_best,
                embeddings=embeddings,
            )
        return {name: tensor for name, tensor in found._asdict().items() if tensor is not None}

    return tf.function(search, autograph=False).get_concrete_function(
        source=tf.TensorSpec([size, None], tf.int32, "source"),
        limits=tf.TensorSpec([size], tf.int32, "limits"),
        n_best=tf.TensorSpec([], tf.int32, "n_best"),
    )


def _arrays(file: h5py.File) -> dict[str, np.ndarray]:
    """The weights that are large enough to move out of the graph, by name."""
    found: dict[str, np.ndarray] = {}

    def note(name: str, item: h5py.Group | h5py.Dataset) -> None:
        if isinstance(item, h5py.Dataset) and item.size >= _WORTH:
            found[name] = item[()].astype(np.float32)

    file.visititems(note)
    return found


def _without_weights(model: bytes, arrays: dict[str, np.ndarray], about: dict[str, Any]) -> EngineFile:
    """Removes constants that equal a weight or its transpose, in float32 or in int8 rows."""
    graphs = parsed(model)
    share_buffers(graphs)
    found = []
    for number, buffer in enumerate(graphs.buffers):
        if buffer.data is not None and len(buffer.data) >= _WORTH:
            uses = [
                tensor for graph in graphs.subgraphs for tensor in graph.tensors if tensor.buffer == number
            ]
            if place := _place(bytes(buffer.data), uses, arrays):
                found.append((buffer, place))
    compact(graphs)
    numbers = {id(buffer): number for number, buffer in enumerate(graphs.buffers)}
    return _laid_out(graphs, {numbers[id(buffer)]: place for buffer, place in found}, about)


def _place(data: bytes, uses: list[schema.TensorT], arrays: dict[str, np.ndarray]) -> PlacedArray | None:
    kinds = {tensor.type for tensor in uses}
    for name, array in arrays.items():
        for transposed in (False, True):
            if transposed and array.ndim != 2:
                continue
            matrix = array.T if transposed else array
            if kinds == {schema.TensorType.FLOAT32} and matrix.tobytes() == data:
                return PlacedArray(name, transposed, "float32", 0)
            if kinds == {schema.TensorType.INT8} and matrix.ndim == 2 and matrix.size == len(data):
                rows, scales = int8_rows(matrix)
                theirs = np.frombuffer(data, np.int8).reshape(rows.shape)
                # The converter rounds scales differently, so they are replaced by ours.
                if np.abs(rows.astype(np.int16) - theirs).max() <= 1 and _rescaled(uses, scales):
                    return PlacedArray(name, transposed, "int8", 0)
    return None


def _rescaled(uses: list[schema.TensorT], scales: np.ndarray) -> bool:
    """Gives all uses of a matrix the scales of its rows; returns False if one of them has another kind of scales."""
    tables = [
        each.quantization
        for each in uses
        if each.quantization is not None and each.quantization.scale is not None
    ]
    if any(len(table.scale) != len(scales) or table.quantizedDimension != 0 for table in tables):
        return False
    for table in tables:
        table.scale = scales.astype(np.float32)
    return True


def _laid_out(graphs: schema.ModelT, places: dict[int, PlacedArray], about: dict[str, Any]) -> EngineFile:
    """The graph with these constants placed after its end, one after the other."""
    sizes = {number: len(graphs.buffers[number].data) for number in places}
    for number, size in sizes.items():
        buffer = graphs.buffers[number]
        buffer.data, buffer.size = None, size
        buffer.offset = _SOMEWHERE + number  # each its own: equal tables would be written once
    graph = bytearray(packed(graphs))
    offset, arrays = _aligned(len(graph)), []
    for number, place in places.items():
        table = schema.Model.GetRootAs(graph, 0).Buffers(number)._tab
        struct.pack_into("<Q", graph, table.Pos + table.Offset(_OFFSET_FIELD), offset)
        arrays.append(place._replace(offset=offset))
        offset = _aligned(offset + sizes[number])
    return EngineFile(bytes(graph), tuple(arrays), about)


def _aligned(offset: int) -> int:
    return -(-offset // _ALIGNED) * _ALIGNED


def _check(subject: Subject, engine: LiteRTEngine) -> None:
    """Compares searches of Keras and the engine.

    Raises:
        EngineError: the results differ by more than rounding.
    """
    source = subject.random_sources(max(SIZES["float32"]))
    limits = np.minimum(2 * np.count_nonzero(source, axis=1), subject.longest_target).astype(np.int32)
    method = Beam.of(subject.search)
    ours = CompiledSearch(subject.model)(source, method, subject.longest_target, limits=limits)
    rows = [row[row != 0].tolist() for row in source]
    theirs = engine.search(rows, method, limits=limits.tolist())
    same = (ours.tokens[:, 0] == theirs.tokens[:, 0]).all(axis=1)
    close = np.abs(ours.scores[:, 0] - theirs.scores[:, 0]) < 1e-2
    if not (same | close).all():
        raise EngineError("LiteRT and Keras find different translations")
