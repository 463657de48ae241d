"""Parses a `.tflite`, and converts a parsed one back to bytes, in which equal parts are stored once."""

from typing import Any

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema


class _Buffer(schema.BufferT):
    """A buffer with data aligned to 16 bytes, as the runtime's kernels expect; the generated class does not do this."""

    def Pack(self, builder: flatbuffers.Builder) -> int:
        data = None
        if self.data is not None and len(self.data):
            content = bytes(self.data)
            builder.StartVector(1, len(content), 16)
            builder.head -= len(content)
            builder.Bytes[builder.head : builder.head + len(content)] = content
            data = builder.EndVector()
        schema.BufferStart(builder)
        if data is not None:
            schema.BufferAddData(builder, data)
        schema.BufferAddOffset(builder, self.offset)
        schema.BufferAddSize(builder, self.size)
        return schema.BufferEnd(builder)


class _Builder(flatbuffers.Builder):
    """Writes equal vectors of numbers once, and equal tables, which have equal fields, once.

    Much in a `.tflite` is equal. Every use of a weight repeats its scales and zero points, and every tensor that a graph computes
    is described in a table of its own.
    """

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self._written: dict[tuple, int] = {}  # offsets by content
        self._fields: list[Any] = []  # of the table that is being written

    def CreateNumpyVector(self, x: np.ndarray) -> int:
        content = x.dtype.str, x.tobytes()
        if content not in self._written:
            self._written[content] = super().CreateNumpyVector(x)
        return self._written[content]

    def StartObject(self, numfields: int) -> None:
        super().StartObject(numfields)
        self._fields = [numfields]

    def PrependSlot(self, flags: Any, o: int, x: Any, d: Any) -> None:
        super().PrependSlot(flags, o, x, d)
        self._fields.append((o, flags, repr(flags.py_type(x))))  # 0.0 and -0.0 are two

    def PrependUOffsetTRelativeSlot(self, o: int, x: int, d: int) -> None:
        super().PrependUOffsetTRelativeSlot(o, x, d)
        self._fields.append((o, x))

    def EndObject(self) -> int:
        content = tuple(self._fields)
        if content in self._written:
            self.head = len(self.Bytes) - self.objectEnd  # as it was before this table
            self.current_vtable, self.nested = None, False
        else:
            self._written[content] = super().EndObject()
        return self._written[content]


def parsed(content: bytes) -> schema.ModelT:
    """The `.tflite` as objects that may be changed, each buffer with its data, also where the data follow the graphs."""
    model = schema.ModelT.InitFromPackedBuf(content, 0)
    for buffer in model.buffers:
        if buffer.offset > 1:  # 1 is the converter's placeholder
            buffer.data = np.frombuffer(content, np.uint8, buffer.size, buffer.offset)
            buffer.offset = buffer.size = 0
    return model


def packed(model: schema.ModelT) -> bytes:
    """The bytes of the `.tflite`; its buffers are left packable."""
    model.buffers = [_aligned(buffer) for buffer in model.buffers]
    builder = _Builder(1 << 20)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def _aligned(buffer: schema.BufferT) -> _Buffer:
    aligned = _Buffer()
    aligned.data, aligned.offset, aligned.size = buffer.data, buffer.offset, buffer.size
    return aligned
