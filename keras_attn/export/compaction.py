"""Makes a `.tflite` smaller without changing what it computes, by removing what the converter duplicates or does not need."""

from collections import defaultdict
from typing import Any

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema

from keras_attn.export.sharing import share_graphs

_WORTH = 1024  # size of a constant in bytes; an operator takes a fifth of that
_DTYPES = {schema.TensorType.INT32: np.int32, schema.TensorType.FLOAT32: np.float32}


def compact(model: schema.ModelT) -> None:
    """Changes a parsed model in place: shares what is equal, replaces simple constants by operators, removes tensor names.

    Then it is good for nothing but packing.
    """
    share_graphs(model)
    _share_scales(model)
    _compute_constants(model)
    _forget_names(model)
    _share_tables(model)


class _Once:
    """A table that is written once, however many refer to it."""

    def __init__(self, table: Any) -> None:
        self._table, self._offset = table, None

    def Pack(self, builder: flatbuffers.Builder) -> int:
        if self._offset is None:
            self._offset = self._table.Pack(builder)
        return self._offset


class _Scales:
    """Quantisation parameters whose zero points, one per row, are those of all weights with the same number of rows."""

    def __init__(self, table: schema.QuantizationParametersT, zero_points: dict[bytes, int]) -> None:
        self._table, self._zero_points = table, zero_points

    def Pack(self, builder: flatbuffers.Builder) -> int:
        if self._table.scale is None:
            return self._table.Pack(builder)
        table, zeros = self._table, bytes(self._table.zeroPoint)
        scale = builder.CreateNumpyVector(table.scale)
        if zeros not in self._zero_points:
            self._zero_points[zeros] = builder.CreateNumpyVector(table.zeroPoint)
        schema.QuantizationParametersStart(builder)
        schema.QuantizationParametersAddScale(builder, scale)
        schema.QuantizationParametersAddZeroPoint(builder, self._zero_points[zeros])
        schema.QuantizationParametersAddQuantizedDimension(builder, table.quantizedDimension)
        return schema.QuantizationParametersEnd(builder)


def _share_scales(model: schema.ModelT) -> None:
    """Every use of a weight repeats its scales and zero points; they are stored once."""
    shared: dict[bytes, _Once] = {}
    zero_points: dict[bytes, int] = {}
    for tensor in (tensor for graph in model.subgraphs for tensor in graph.tensors):
        if tensor.quantization is not None:
            alone = flatbuffers.Builder(1024)
            alone.Finish(tensor.quantization.Pack(alone))
            tensor.quantization = shared.setdefault(
                bytes(alone.Output()), _Once(_Scales(tensor.quantization, zero_points))
            )


def _compute_constants(model: schema.ModelT) -> None:
    """Replaces constants that repeat one number, such as the initial buffers of loops, and ranges 0, 1, 2, ... by operators.

    The operators run once per call.

    Constants that a loop's body reads stay, because there the operators would run at every step.
    """
    users = defaultdict(list)
    for index, graph in enumerate(model.subgraphs):
        for place, tensor in enumerate(graph.tensors):
            users[tensor.buffer].append((index, place))
    loops = _graphs_in_loops(model)
    for number, buffer in enumerate(model.buffers):
        uses, size = users[number], 0 if buffer.data is None else len(buffer.data)
        kinds = {model.subgraphs[index].tensors[place].type for index, place in uses}
        if size < _WORTH or len(kinds) != 1 or not kinds < set(_DTYPES) or any(i in loops for i, _ in uses):
            continue
        kind = kinds.pop()
        values = np.frombuffer(bytes(buffer.data), _DTYPES[kind])
        steps = np.unique(np.diff(values))
        flat = all(len(model.subgraphs[index].tensors[place].shape) == 1 for index, place in uses)
        if len(steps) != 1 or (steps[0] and (kind != schema.TensorType.INT32 or not flat)):
            continue
        buffer.data = None
        for index, place in uses:
            graph = model.subgraphs[index]
            if steps[0]:
                end = values[-1] + steps[0]
                _compute(model, graph, place, schema.BuiltinOperator.RANGE, [values[0], end, steps[0]])
            else:
                shape = np.array(graph.tensors[place].shape, np.int32)
                _compute(model, graph, place, schema.BuiltinOperator.FILL, [shape, values[0]])


def _graphs_in_loops(model: schema.ModelT) -> set[int]:
    options = (operator.builtinOptions for graph in model.subgraphs for operator in graph.operators)
    whiles = [each for each in options if isinstance(each, schema.WhileOptionsT)]
    return {index for each in whiles for index in (each.condSubgraphIndex, each.bodySubgraphIndex)}


def _compute(
    model: schema.ModelT, graph: schema.SubGraphT, place: int, builtin: int, inputs: list[np.ndarray]
) -> None:
    """Lets an operator make the tensor at `place`, before all others."""
    operator = schema.OperatorT()
    operator.opcodeIndex = _opcode(model, builtin)
    kinds = {np.dtype(dtype): kind for kind, dtype in _DTYPES.items()}
    operator.inputs = [_constant(model, graph, value, kinds[value.dtype]) for value in inputs]
    operator.outputs = [place]
    is_range = builtin == schema.BuiltinOperator.RANGE
    operator.builtinOptionsType = (
        schema.BuiltinOptions.RangeOptions if is_range else schema.BuiltinOptions.FillOptions
    )
    operator.builtinOptions = schema.RangeOptionsT() if is_range else schema.FillOptionsT()
    graph.operators = [operator, *graph.operators]


def _constant(model: schema.ModelT, graph: schema.SubGraphT, value: np.ndarray, dtype: int) -> int:
    buffer, tensor = schema.BufferT(), schema.TensorT()
    buffer.data = np.frombuffer(value.tobytes(), np.uint8)
    tensor.buffer, tensor.shape = len(model.buffers), list(np.shape(value))
    tensor.type = dtype
    model.buffers = [*model.buffers, buffer]
    graph.tensors = [*graph.tensors, tensor]
    return len(graph.tensors) - 1


def _opcode(model: schema.ModelT, builtin: int) -> int:
    for index, code in enumerate(model.operatorCodes):
        if max(code.builtinCode, code.deprecatedBuiltinCode) == builtin:
            return index
    code = schema.OperatorCodeT()
    code.builtinCode = code.deprecatedBuiltinCode = builtin
    model.operatorCodes = [*model.operatorCodes, code]
    return len(model.operatorCodes) - 1


def _forget_names(model: schema.ModelT) -> None:
    """Removes the names of tensors inside the graphs. They say where in Keras a tensor came from, in 0.5 % of the file."""
    for graph in model.subgraphs:
        outside = {*graph.inputs, *graph.outputs}
        for i, tensor in enumerate(graph.tensors):
            tensor.name = tensor.name if i in outside else None


def _share_tables(model: schema.ModelT) -> None:
    """Describes equal tensors, of which a graph has many (all numbers of the same type and shape), and equal options once."""
    shared: dict[tuple, _Once] = {}
    for graph in model.subgraphs:
        graph.tensors = [shared.setdefault(_content(tensor), _Once(tensor)) for tensor in graph.tensors]
        for operator in graph.operators:
            if (options := operator.builtinOptions) is not None:
                operator.builtinOptions = shared.setdefault(_content(options), _Once(options))


def _content(table: Any) -> tuple:
    """What the table says. Quantisation is shared before, so it is known by its identity."""
    fields = (
        tuple(value) if isinstance(value, (list, np.ndarray)) else value for value in vars(table).values()
    )
    return type(table), *fields
