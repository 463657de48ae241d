"""`.tflite` files that no export wrote: damaged graphs, and what a ZIP archive behind them can hold."""

import hashlib
import io
import json
import zipfile
from collections.abc import Iterator, Mapping

import numpy as np
from ai_edge_litert import schema_py_generated as schema
from damage import damaged
from texts import hostile_jsons

GIB = 1 << 30


def hostile_litert(good: bytes) -> Iterator[tuple[str, bytes]]:
    """Named variants of a good `.tflite`, which comes first."""
    graphs, files = _parts(good)
    about = json.loads(files["model.json"])
    yield "good", good
    yield "without a sum", _tflite(graphs, files)
    yield "a wrong sum", _tflite(graphs, {**files, "graphs.sha256": b"0" * 64})
    yield "a sum of ten megabytes", _tflite(graphs, {**files, "graphs.sha256": b"0" * 10_000_000})
    for name, data in damaged(good, cuts=10, flips=30):
        yield f"{name} with its sum", data
    for name, data in damaged(graphs, cuts=8, flips=80, places=structure(graphs), seed=2):
        yield f"{name} of the graphs and no sum", _tflite(data, files)
        if "flipped" in name and len(data) % 2:
            yield (
                f"{name} of the graphs and a sum of it",
                _tflite(data, {**files, "graphs.sha256": _sum(data)}),
            )
    yield "other operators of the graphs and no sum", _tflite(with_other_operators(graphs), files)
    for name, data in hostile_jsons(about):
        yield f"a description with {name}", _tflite(graphs, {**files, "model.json": data})
    for name, change in _DESCRIPTIONS.items():
        changed = {**about, **change}
        yield (
            f"a description with {name}",
            _tflite(graphs, {**files, "model.json": json.dumps(changed).encode()}),
        )
    for name in files:
        yield f"no {name}", _tflite(graphs, {key: data for key, data in files.items() if key != name})
        yield f"a bomb as {name}", _tflite(graphs, {**files, name: b" " * (GIB // 4)})
        yield f"{name} twice", _tflite(graphs, files, again=name)
    yield (
        "ten thousand files",
        _tflite(graphs, {**files, **{f"file {number}": b"" for number in range(10_000)}}),
    )
    yield "a name that leads elsewhere", _tflite(graphs, {**files, "../../../tmp/owned": b"owned"})
    yield "an archive and no graphs", _tflite(b"", files)
    whole = _tflite(graphs, files)
    yield from _damaged_archives(whole, len(graphs))
    for name, number, size in (
        ("an encrypted file", 8, 2),
        ("another method", 10, 2),
        ("a size of 4 GiB", 24, 4),
    ):
        yield name, _in_directory(whole, number, b"\xff" * size)


def structure(graphs: bytes) -> list[int]:
    """The places that hold no weights: those of a flatbuffer's tables."""
    model = schema.Model.GetRootAs(graphs, 0)
    start = np.frombuffer(graphs, np.uint8).__array_interface__["data"][0]
    free = np.ones(len(graphs), bool)
    for number in range(model.BuffersLength()):
        data = model.Buffers(number).DataAsNumpy()
        if isinstance(data, np.ndarray) and len(data) > 64:
            place = data.__array_interface__["data"][0] - start
            free[place : place + len(data)] = False
    return np.flatnonzero(free).tolist()


def with_other_operators(graphs: bytes) -> bytes:
    """Splits, which need options, in the place of sigmoids, which have none. LiteRT 2.3 crashes on them (SIGSEGV)."""
    model = schema.Model.GetRootAs(graphs, 0)
    codes = [model.OperatorCodes(number).BuiltinCode() for number in range(model.OperatorCodesLength())]
    split, changed = codes.index(schema.BuiltinOperator.SPLIT), bytearray(graphs)
    for subgraph in map(model.Subgraphs, range(model.SubgraphsLength())):
        for operator in map(subgraph.Operators, range(subgraph.OperatorsLength())):
            if codes[operator.OpcodeIndex()] == schema.BuiltinOperator.LOGISTIC:
                place = operator._tab.Pos + operator._tab.Offset(4)  # the first field: the number of its code
                changed[place : place + 4] = split.to_bytes(4, "little")
    assert changed != graphs
    return bytes(changed)


def without_sum(good: bytes) -> bytes:
    """The same file as an older version wrote it."""
    return _tflite(*_parts(good))


def _parts(good: bytes) -> tuple[bytes, dict[str, bytes]]:
    """The graphs, and the files without the sum."""
    with zipfile.ZipFile(io.BytesIO(good)) as archive:
        graphs = good[: min(info.header_offset for info in archive.infolist())]
        return graphs, {name: archive.read(name) for name in archive.namelist() if name != "graphs.sha256"}


def _tflite(graphs: bytes, files: Mapping[str, bytes], again: str | None = None) -> bytes:
    stream = io.BytesIO(graphs)
    with zipfile.ZipFile(stream, "a") as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED, compresslevel=1)
        if again:
            archive.writestr(zipfile.ZipInfo(again), b"again")
    return stream.getvalue()


def _sum(data: bytes) -> bytes:
    return hashlib.sha256(data).hexdigest().encode()


def _damaged_archives(whole: bytes, start: int) -> Iterator[tuple[str, bytes]]:
    for name, data in damaged(whole[start:], cuts=6, flips=40, seed=3):
        yield f"an archive, {name}", whole[:start] + data


def _in_directory(whole: bytes, place: int, change: bytes) -> bytes:
    """Changes a field of the archive's first entry in its directory."""
    entry = whole.index(b"PK\x01\x02")
    return whole[: entry + place] + change + whole[entry + place + len(change) :]


_DESCRIPTIONS = {
    "a source of 10 ** 12 ids": {"source_length": 10**12},
    "a source of 99,999 ids": {"source_length": 99_999},
    "a source of no ids": {"source_length": 0},
    "a source of any length": {"source_length": None},
    "a source of any length up to 10 ** 12": {"source_length": None, "search": {"max_source_length": 10**12}},
    "special ids that are none": {"special_ids": {"pad": -1, "bos": 10**9, "eos": 10**9}},
    "special ids of text": {"special_ids": {"pad": "a", "bos": "b", "eos": "c"}},
    "signatures that are none": {"signatures": {"translate": {}, "nothing": {}}},
    "a signature that is a number": {"signatures": {"translate": 7}},
    "a signature with another dtype": {"signatures": {"translate": {"inputs": {"source": {"dtype": "S9"}}}}},
    "a vocabulary of no pieces": {"vocab_sizes": {"source": 0, "target": 0}},
    "a vocabulary of 10 ** 12 pieces": {"vocab_sizes": {"source": 10**12, "target": 10**12}},
}
