"""The JSON description of an export. It is checked when it is read, because it may be untrusted."""

import dataclasses
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from keras_attn.bounded import read_json
from keras_attn.config import SearchConfig
from keras_attn.files import write_json
from keras_attn.special_ids import EOS_ID
from keras_attn.storage.checksums import SUMS, check_files, sums_of, write_sums

LITERT_DESCRIPTION = "model.json"
SAVED_MODEL_DESCRIPTION = (
    "assets.extra/model.json"  # TensorFlow reserves this folder of a SavedModel for other programs
)
MODEL = "model.tflite"
_LONGEST = 100_000  # the most ids of a source


def search_description(settings: SearchConfig) -> dict[str, Any]:
    """The search of an export, for its JSON file."""
    described = dataclasses.asdict(settings)
    return {key: value for key, value in described.items() if key != "batch_size"}


def write_description(folder: Path, name: str, values: dict[str, Any]) -> None:
    """Writes the JSON file `name`, and the SHA-256 of all files in the folder; call it last."""
    write_json(folder / name, values)
    write_sums(folder, sums_of(folder, files_in(folder)))


def read_description(folder: Path, name: str) -> dict[str, Any]:
    """Reads the JSON file.

    Raises:
        ValueError: the file is missing, or is not the description of an export.
    """
    try:
        values = read_json(folder / name)
        if isinstance(values.get("keras_attn_export"), str):
            return values
        reason = "it does not say its kind"
    except (OSError, ValueError) as error:
        reason = str(error)
    raise ValueError(
        f"{folder / name} does not describe an export ({reason}): expected a folder that `keras-attn export` wrote"
    )


def check_sums(folder: Path, names: Iterable[str]) -> None:
    """Compares files of an export with their SHA-256; warns if there are no checksums.

    Raises:
        ValueError: a file is missing, is a link, differs or has no checksum.
        OSError: a file cannot be read.
    """
    files = {name: folder / name for name in names}
    for name, path in files.items():
        if path.is_symlink():
            raise ValueError(f"{path} is a link, which is not followed: copy the file itself there")
        if not path.is_file():
            raise ValueError(f"{folder} is not a complete export: it has no {name}")
    check_files(folder / SUMS, files)


def files_in(folder: Path) -> list[str]:
    """The files of an export, relative to its folder, without the checksums."""
    names = (path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir())
    return [name for name in names if name != SUMS]


def read_litert_description(folder: Path, signature: str) -> dict[str, Any]:
    """The checked description of a `.tflite`, after verifying that its files are unchanged.

    Args:
        folder: the export.
        signature: the signature to be run.

    Raises:
        ValueError: the folder is not such an export, or a file is damaged.
        OSError: a file cannot be read.
    """
    description = read_description(folder, LITERT_DESCRIPTION)
    signatures = description.get("signatures")
    if not isinstance(signatures, dict):
        raise _unusable(folder, "signatures", "names with what each takes")
    if signature not in signatures:
        raise ValueError(
            f"{folder} has no signature {signature!r}, but {', '.join(signatures)}: a model without vocabularies runs in "
            "LiteRTModel; exports of older versions must be exported again"
        )
    (_check_text if signature == "translate_text" else _check_ids)(folder, description)
    check_sums(folder, [LITERT_DESCRIPTION, MODEL])
    return description


def _check_text(folder: Path, description: dict[str, Any]) -> None:
    """Checks the values that a client of text uses."""
    shape = _value(description, "signatures", "translate_text", "inputs", "text", "shape")
    whole = isinstance(shape, list) and len(shape) == 2 and all(type(size) is int for size in shape)
    if not whole or shape[0] != 1 or not 0 < shape[1] <= 8 * _LONGEST:
        raise _unusable(folder, "signatures.translate_text.inputs.text.shape", "1 and a number of bytes")


def _check_ids(folder: Path, description: dict[str, Any]) -> None:
    """Checks the values that a client of ids uses."""
    dtype = _value(description, "signatures", "translate", "inputs", "source", "dtype")
    if dtype not in ("int32", "float32"):
        raise _unusable(folder, "signatures.translate.inputs.source.dtype", "int32 or float32")
    lengths = {
        "source_length": description.get("source_length") or _LONGEST,  # None: any
        "search.max_source_length": _value(description, "search", "max_source_length"),
    }
    for name, length in lengths.items():
        if type(length) is not int or not 2 <= length <= _LONGEST:
            raise _unusable(folder, name, f"a number from 2 to {_LONGEST}")
    size = _value(description, "vocab_sizes", "source")
    if dtype == "int32" and (type(size) is not int or size <= EOS_ID + 1):
        raise _unusable(folder, "vocab_sizes.source", "the size of a vocabulary")


def _value(values: Any, *path: str) -> Any:
    """The value at a path of names, `None` if there is none."""
    for name in path:
        values = values.get(name) if isinstance(values, dict) else None
    return values


def _unusable(folder: Path, name: str, expected: str) -> ValueError:
    return ValueError(f"{folder / LITERT_DESCRIPTION} is not usable: expected {expected} as {name}")
