"""A smaller `.tflite` that computes the same: what the converter writes more than once, or writes without need, is left out."""

from collections import defaultdict

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema

from keras_attn.export.sharing import share_graphs

_WORTH = 4096  # bytes of zeros


def compact(model: schema.ModelT) -> None:
    """Changes a parsed model in place: graphs and scales are shared, zeros are made by an operator, tensors lose their names."""
    share_graphs(model)
    _share_scales(model)
    _fill_zeros(model)
    _forget_names(model)


class _Scales:
    """What the numbers of a quantised weight mean, written once: every use of a weight repeats its scales and zero points, one a
    row, and all weights of as many rows have the same zero points."""

    def __init__(self, table: schema.QuantizationParametersT, zero_points: dict[bytes, int]) -> None:
        self._table, self._zero_points, self._offset = table, zero_points, None

    def Pack(self, builder: flatbuffers.Builder) -> int:
        if self._offset is None:
            self._offset = self._pack(builder) if self._table.scale is not None else self._table.Pack(builder)
        return self._offset

    def _pack(self, builder: flatbuffers.Builder) -> int:
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
    shared: dict[bytes, _Scales] = {}
    zero_points: dict[bytes, int] = {}
    for tensor in (tensor for graph in model.subgraphs for tensor in graph.tensors):
        if tensor.quantization is not None:
            alone = flatbuffers.Builder(1024)
            alone.Finish(tensor.quantization.Pack(alone))
            tensor.quantization = shared.setdefault(
                bytes(alone.Output()), _Scales(tensor.quantization, zero_points)
            )


def _fill_zeros(model: schema.ModelT) -> None:
    """Buffers that loops begin with are constants of zeros, a fiftieth of a file: FILL makes them, once a call.

    Zeros that a loop's own body reads stay, for there it would make them at every step.
    """
    users = defaultdict(list)
    for index, graph in enumerate(model.subgraphs):
        for place, tensor in enumerate(graph.tensors):
            users[tensor.buffer].append((index, place))
    outer = {signature.subgraphIndex for signature in model.signatureDefs}
    for number, buffer in enumerate(model.buffers):
        zeros = buffer.data is not None and len(buffer.data) >= _WORTH and not np.any(buffer.data)
        uses = users[number]
        if zeros and all(
            index in outer and model.subgraphs[index].tensors[place].type == schema.TensorType.FLOAT32
            for index, place in uses
        ):
            buffer.data = None
            for index, place in uses:
                _fill(model, model.subgraphs[index], place)


def _fill(model: schema.ModelT, graph: schema.SubGraphT, place: int) -> None:
    """Lets an operator make the tensor at `place` of zeros."""
    shape = np.array(graph.tensors[place].shape, np.int32)
    operator = schema.OperatorT()
    operator.opcodeIndex = _opcode(model, schema.BuiltinOperator.FILL)
    operator.inputs = [
        _constant(model, graph, shape, schema.TensorType.INT32),
        _constant(model, graph, np.float32(0), schema.TensorType.FLOAT32),
    ]
    operator.outputs = [place]
    operator.builtinOptionsType = schema.BuiltinOptions.FillOptions
    operator.builtinOptions = schema.FillOptionsT()
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
    """Of tensors inside the graphs: they say where in Keras a number came from, in half a percent of the file."""
    for graph in model.subgraphs:
        outside = {*graph.inputs, *graph.outputs}
        for i, tensor in enumerate(graph.tensors):
            tensor.name = tensor.name if i in outside else None
