"""Makes a `.tflite` smaller without changing what it computes, by removing what the converter duplicates or does not need."""

from collections import defaultdict
from copy import copy

import numpy as np
from ai_edge_litert import schema_py_generated as schema

from keras_attn.export.sharing import share_graphs

_WORTH = 1024  # size of a constant in bytes; an operator takes a fifth of that
_DTYPES = {schema.TensorType.INT32: np.int32, schema.TensorType.FLOAT32: np.float32}


def compact(model: schema.ModelT) -> None:
    """Changes a parsed model in place: shares equal graphs, replaces simple constants by operators, removes tensor names."""
    _share_scales(model)
    share_graphs(model)
    _compute_constants(model)
    _forget_names(model)


def _share_scales(model: schema.ModelT) -> None:
    """A product with the rows of a lookup table takes their scales from where the lookup has them, see `int8_embedding`.

    The matrix then has the scale 1, and an operator multiplies the products by the scales. In a matrix, each scale takes 12 bytes.
    """
    for graph in model.subgraphs:
        for place, operator in reversed(list(enumerate(graph.operators))):
            if _is_plain_product(operator):
                table = graph.tensors[operator.inputs[1]].quantization
                if (number := _constant_like(model, table.scale)) is not None:
                    table.scale, table.zeroPoint = np.ones(1, np.float32), np.zeros(1, np.int64)
                    _multiply(model, graph, place, number)


def _constant_like(model: schema.ModelT, scales: np.ndarray | None) -> int | None:
    """The constant with these numbers. The converter computes scales anew, so they may be rounded differently."""
    if scales is None or 4 * len(scales) < _WORTH:
        return None
    for number, buffer in enumerate(model.buffers):
        fits = buffer.data is not None and len(buffer.data) == 4 * len(scales)
        if fits and np.allclose(buffer.data.view(np.float32), scales, rtol=1e-6, atol=0):
            return number
    return None


def _is_plain_product(operator: schema.OperatorT) -> bool:
    options = operator.builtinOptions
    return (  # without activation or bias
        isinstance(options, schema.FullyConnectedOptionsT)
        and options.fusedActivationFunction == schema.ActivationFunctionType.NONE
        and not any(bias >= 0 for bias in operator.inputs[2:])
    )


def _multiply(model: schema.ModelT, graph: schema.SubGraphT, place: int, number: int) -> None:
    """Multiplies the output of an operator by a float32 constant, one number a column."""
    products, scales = copy(graph.tensors[graph.operators[place].outputs[0]]), schema.TensorT()
    scales.buffer, scales.shape, scales.type = number, products.shape[-1:], schema.TensorType.FLOAT32
    graph.tensors = [*graph.tensors, products, scales]
    operator = schema.OperatorT()
    operator.opcodeIndex = _opcode(model, schema.BuiltinOperator.MUL)
    operator.inputs = np.array([len(graph.tensors) - 2, len(graph.tensors) - 1], np.int32)
    operator.outputs = graph.operators[place].outputs
    operator.builtinOptionsType, operator.builtinOptions = (
        schema.BuiltinOptions.MulOptions,
        schema.MulOptionsT(),
    )
    graph.operators[place].outputs = operator.inputs[:1]
    graph.operators = [*graph.operators[: place + 1], operator, *graph.operators[place + 1 :]]


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
