"""Stores equal loops, branches and constants only once, even across signatures.

Graphs with shapes that depend on the input are not shared: a graph in LiteRT has only one size at a time, and each caller expects
its own.
"""

from collections.abc import Callable, Iterable

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema

# The operator options that name another graph.
_GRAPHS_OF = {
    schema.WhileOptionsT: ("condSubgraphIndex", "bodySubgraphIndex"),
    schema.IfOptionsT: ("thenSubgraphIndex", "elseSubgraphIndex"),
}


def share_graphs(model: schema.ModelT) -> None:
    """Changes a parsed model in place."""
    share_buffers(model)
    signatures = {signature.subgraphIndex for signature in model.signatureDefs}
    for index, graph in enumerate(model.subgraphs):
        if index not in signatures:
            graph.name = ""
            _renumber(graph)
    while _share_equal_graphs(model):  # graphs that differed only in the graphs they named may now be equal
        pass


def share_buffers(model: schema.ModelT) -> None:
    """Stores each content once, in place. Buffer 0 is the empty buffer of computed tensors."""
    first: dict[bytes, int] = {b"": 0}
    kept, new = [model.buffers[0]], {}
    for index, buffer in enumerate(model.buffers):
        content = b"" if buffer.data is None else bytes(buffer.data)
        if content not in first:
            first[content] = len(kept)
            kept.append(buffer)
        new[index] = first[content]
    for tensor in (tensor for graph in model.subgraphs for tensor in graph.tensors):
        tensor.buffer = new[tensor.buffer]
    for metadata in model.metadata or []:
        metadata.buffer = new[metadata.buffer]
    model.buffers = kept


def _renumber(graph: schema.SubGraphT) -> None:
    """Sorts a graph's tensors by first use, and removes their names."""
    used = [
        graph.inputs,
        *(side for each in graph.operators for side in (each.inputs, each.outputs)),
        graph.outputs,
    ]
    order = list(dict.fromkeys(int(tensor) for side in used for tensor in side if tensor >= 0))
    new = {tensor: place for place, tensor in enumerate(order)} | {-1: -1}  # -1: none is given

    def renumbered(tensors: Iterable[int]) -> np.ndarray:
        return np.array([new[int(tensor)] for tensor in tensors], np.int32)

    graph.tensors = [graph.tensors[tensor] for tensor in order]
    graph.inputs, graph.outputs = renumbered(graph.inputs), renumbered(graph.outputs)
    for operator in graph.operators:
        operator.inputs, operator.outputs = renumbered(operator.inputs), renumbered(operator.outputs)
    for tensor in graph.tensors:
        tensor.name = None


def _share_equal_graphs(model: schema.ModelT) -> bool:
    """Keeps only the first of equal graphs; returns whether there were any."""
    first: dict[bytes, int] = {}
    kept, new = [], {}
    for index, graph in enumerate(model.subgraphs):
        content = _packed(graph)
        if content in first and _has_fixed_shapes(graph):
            new[index] = first[content]
            continue
        first[content] = new[index] = len(kept)
        kept.append(graph)
    shared = len(kept) < len(model.subgraphs)
    model.subgraphs = kept
    _rename_graphs(model, new.__getitem__)
    return shared


def _rename_graphs(model: schema.ModelT, new: Callable[[int], int]) -> None:
    for signature in model.signatureDefs:
        signature.subgraphIndex = new(signature.subgraphIndex)
    for options, names in _references(model.subgraphs):
        for name in names:
            setattr(options, name, new(getattr(options, name)))


def _references(graphs: Iterable[schema.SubGraphT]) -> Iterable[tuple[object, tuple[str, ...]]]:
    for graph in graphs:
        for operator in graph.operators:
            names = _GRAPHS_OF.get(type(operator.builtinOptions))
            if names:
                yield operator.builtinOptions, names


def _has_fixed_shapes(graph: schema.SubGraphT) -> bool:
    return not any(
        -1 in tensor.shapeSignature for tensor in graph.tensors if tensor.shapeSignature is not None
    )


def _packed(graph: schema.SubGraphT) -> bytes:
    builder = flatbuffers.Builder(4096)
    builder.Finish(graph.Pack(builder))
    return bytes(builder.Output())
