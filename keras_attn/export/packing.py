"""Parses a `.tflite`, and converts a parsed one back to bytes."""

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
    builder = flatbuffers.Builder(1 << 20)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def _aligned(buffer: schema.BufferT) -> _Buffer:
    aligned = _Buffer()
    aligned.data, aligned.offset, aligned.size = buffer.data, buffer.offset, buffer.size
    return aligned
