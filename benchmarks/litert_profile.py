"""Where the time goes in a `.tflite`, by LiteRT's own profiler.

    python benchmarks/litert_profile.py EXPORT/model.tflite SENTENCES

Translates the sentences with the signature `translate_text`, on one thread, once to warm up, once for the time and once under the
profiler, and prints the runtime's summary: milliseconds of every operator, one by one, then by kind. The profiler itself takes
time, most of all for operators of the delegate, which it lists one by one too: shares are of use, sums are not. A WHILE holds the
operators of its loop, which are listed as well.

LiteRT's Python package has no profiler; its library has, behind a C interface that is called here by ctypes (ai-edge-litert 2.3).
"""

import argparse
import ctypes
import time
from ctypes import byref, c_char_p, c_int, c_int32, c_size_t, c_uint32, c_void_p
from pathlib import Path

import ai_edge_litert
import numpy as np

SIGNATURE = "translate_text"
CPU = 1  # kLiteRtHwAcceleratorCpu
TO_WRITE = 1  # kLiteRtTensorBufferLockModeWrite
LIBRARY = ctypes.CDLL(str(Path(ai_edge_litert.__file__).parent / "libLiteRt.so"))


class Layout(ctypes.Structure):
    """LiteRtLayout: the low seven bits of the first field are the rank."""

    _fields_ = [("rank", c_uint32), ("dimensions", c_int32 * 8), ("strides", c_uint32 * 8)]


class TensorType(ctypes.Structure):
    """LiteRtRankedTensorType."""

    _fields_ = [("element", c_int), ("layout", Layout)]

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.layout.dimensions[: self.layout.rank & 0x7F])


def call(name: str, *arguments) -> None:
    """Calls a function of the library, which returns 0 if all is well."""
    status = getattr(LIBRARY, name)(*arguments)
    if status:
        raise RuntimeError(f"{name} returned {status}")


def got(name: str, *arguments, kind=c_void_p):
    """What a function writes to its last argument."""
    result = kind()
    call(name, *arguments, byref(result))
    return result


class ProfiledModel:
    """One signature of a file with one input, a row of numbers, compiled with a profiler."""

    def __init__(self, model: bytes) -> None:
        self._bytes = model  # the library reads them in place
        self._environment = got("LiteRtCreateEnvironment", 0, None)
        file = got("LiteRtCreateModelFromBuffer", self._environment, model, c_size_t(len(model)))
        self._compiled = got("LiteRtCreateCompiledModel", self._environment, file, self._options())
        self.profiler = got("LiteRtCompiledModelGetProfiler", self._compiled)
        signatures = range(got("LiteRtGetNumModelSignatures", file, kind=c_size_t).value)
        found = [got("LiteRtGetModelSignature", file, c_size_t(i)) for i in signatures]
        names = [got("LiteRtGetSignatureKey", signature, kind=c_char_p).value.decode() for signature in found]
        self._index = c_size_t(names.index(SIGNATURE))
        signature = found[self._index.value]
        self.input_type, *_ = self._types(signature, "Input")
        self._inputs = self._buffers("Input", [self.input_type])
        self._outputs = self._buffers("Output", self._types(signature, "Output"))

    def run(self, row: np.ndarray) -> None:
        address, buffer = c_void_p(), c_void_p(self._inputs[0])
        call("LiteRtLockTensorBuffer", buffer, byref(address), TO_WRITE)
        ctypes.memmove(address, row.ctypes.data, row.nbytes)
        call("LiteRtUnlockTensorBuffer", buffer)
        buffers = [x for side in (self._inputs, self._outputs) for x in (c_size_t(len(side)), side)]
        call("LiteRtRunCompiledModel", self._compiled, self._index, *buffers)

    def summary(self) -> str:
        return got("LiteRtGetProfileSummary", self.profiler, self._compiled, kind=c_char_p).value.decode()

    def _options(self) -> c_void_p:
        options = got("LiteRtCreateOptions")
        call("LiteRtSetOptionsHardwareAccelerators", options, CPU)
        self._toml = ctypes.create_string_buffer(b"enable_profiling = true\n")
        self._keep = ctypes.CFUNCTYPE(None, c_void_p)(lambda payload: None)  # nothing to free
        of_runtime = got("LiteRtCreateOpaqueOptions", b"runtime_options_string", self._toml, self._keep)
        call("LiteRtAddOpaqueOptions", options, of_runtime)
        return options

    def _types(self, signature: c_void_p, side: str) -> list[TensorType]:
        count = got(f"LiteRtGetNumSignature{side}s", signature, kind=c_size_t).value
        tensors = [
            got(f"LiteRtGetSignature{side}TensorByIndex", signature, c_size_t(i)) for i in range(count)
        ]
        return [got("LiteRtGetRankedTensorType", tensor, kind=TensorType) for tensor in tensors]

    def _buffers(self, side: str, types: list[TensorType]) -> ctypes.Array:
        buffers = []
        for i, kind in enumerate(types):
            needs = got(
                f"LiteRtGetCompiledModel{side}BufferRequirements", self._compiled, self._index, c_size_t(i)
            )
            create = "LiteRtCreateManagedTensorBufferFromRequirements"
            buffers.append(got(create, self._environment, byref(kind), needs))
        return (c_void_p * len(buffers))(*buffers)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model", help="a .tflite that `keras-attn export` wrote")
    parser.add_argument("sentences", help="a text file, one sentence per line")
    args = parser.parse_args()
    model = ProfiledModel(Path(args.model).read_bytes())
    rows = []
    for line in Path(args.sentences).read_bytes().splitlines():
        row = np.full(model.input_type.shape, -1, np.int32)
        row[0, : len(line)] = list(line[: row.size])
        rows.append(row)
    for what in ("warming up", "without the profiler", "with it"):
        if what == "with it":
            call("LiteRtStartProfiler", model.profiler)
        start = time.thread_time()
        for row in rows:
            model.run(row)
        print(f"{what}: {1e3 * (time.thread_time() - start) / len(rows):.2f} ms per sentence, mean")
    call("LiteRtStopProfiler", model.profiler)
    print(model.summary())


if __name__ == "__main__":
    main()
