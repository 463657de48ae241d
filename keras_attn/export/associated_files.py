"""Files inside a `.tflite`, such as its description, so that the one file is enough.

This is the container of TensorFlow Lite's metadata, which Android's `MetadataExtractor` and every unzip program read: a ZIP archive
behind the flatbuffer, and in the flatbuffer an entry `TFLITE_METADATA` that describes the model and names the files.
"""

import hashlib
import io
import zipfile
from collections.abc import Iterable

import flatbuffers
from ai_edge_litert import schema_py_generated as schema

from keras_attn.export.compaction import compact
from keras_attn.export.packing import packed, parsed

GRAPHS_SUM = "graphs.sha256"
_ENTRY = "TFLITE_METADATA"
_IDENTIFIER, _PARSER = (
    b"M001",
    "1.3.0",
)  # the metadata's own format, and the oldest parser that reads these fields


def with_metadata(
    model: bytes, name: str, description: str, files: Iterable[str], *, licence: str = ""
) -> bytes:
    """Adds the metadata of a `.tflite`: a description, and the names of the files to add; see `with_files`.

    Args:
        model: the `.tflite`.
        name: the model's name, for people.
        description: the description in the metadata.
        files: the names of the files.
        licence: the model's licence, and whom to credit; "": not stated in the metadata.

    Returns:
        The `.tflite`; the same arguments give the same bytes.
    """
    written = parsed(model)
    compact(written)
    metadata = schema.MetadataT()
    metadata.name = _ENTRY
    metadata.buffer = len(written.buffers)
    content = schema.BufferT()
    content.data = _metadata(name, description, list(files), licence)
    written.buffers = [*written.buffers, content]
    written.metadata = [*(written.metadata or []), metadata]
    return packed(written)


def with_files(model: bytes, files: dict[str, bytes]) -> bytes:
    """Adds files, contents by name, to a `.tflite`, without timestamps, so that the result is reproducible.

    The archive has checksums of its own files but not of the graphs before it, so their SHA-256 is one more file, `graphs.sha256`.
    """
    stream = io.BytesIO(model)
    with zipfile.ZipFile(stream, "a") as archive:
        sums = {GRAPHS_SUM: hashlib.sha256(model).hexdigest().encode()}
        for name, content in {**files, **sums}.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED, compresslevel=9)
    return stream.getvalue()


def _metadata(name: str, description: str, files: list[str], licence: str) -> bytes:
    """A `ModelMetadata` table: name (field 0), description (1), license (5), associated_files (6), min_parser_version (7)."""
    builder = flatbuffers.Builder(1024)
    entries = []
    for file in files:
        text = builder.CreateString(file)
        builder.StartObject(5)
        builder.PrependUOffsetTRelativeSlot(0, text, 0)
        entries.append(builder.EndObject())
    builder.StartVector(4, len(entries), 4)
    for entry in reversed(entries):
        builder.PrependUOffsetTRelative(entry)
    associated = builder.EndVector()
    strings = {0: name, 1: description, 7: _PARSER} | ({5: licence} if licence else {})
    offsets = {6: associated} | {field: builder.CreateString(text) for field, text in strings.items()}
    builder.StartObject(8)
    for field in sorted(offsets):
        builder.PrependUOffsetTRelativeSlot(field, offsets[field], 0)
    builder.Finish(builder.EndObject(), _IDENTIFIER)
    return bytes(builder.Output())
