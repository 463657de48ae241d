"""An export's folder replaces nothing but an earlier export of its kind."""

import contextlib
import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from keras_attn import files
from keras_attn.config import SearchConfig

LITERT_DESCRIPTION = "model.json"
SAVED_MODEL_DESCRIPTION = "assets.extra/model.json"  # TensorFlow leaves this folder of a SavedModel to others


@contextlib.contextmanager
def new_folder(output: str | Path, description: str) -> Iterator[Path]:
    """A folder to write an export to, put in the place of `output` when the `with` block ends without an error.

    Args:
        output: where the export is to be; its parents are made. There may be an earlier export, which stays until the new one
            is complete, or an empty folder.
        description: the JSON file, relative to the folder, by which an earlier export is known.

    Raises:
        FileExistsError: `output` is something else.
        OSError: the folder cannot be written, or another export to it is going on.
    """
    output = Path(output).absolute()
    _refuse_to_replace(output, description)
    with files.new_folder(output) as folder:
        yield folder


def write_description(path: Path, values: dict[str, Any]) -> None:
    """Writes the JSON file that tells what an export is."""
    files.write_json(path, values)


def search_description(settings: SearchConfig) -> dict[str, Any]:
    """How an export searches, for its JSON file."""
    return {key: value for key, value in dataclasses.asdict(settings).items() if key != "batch_size"}


def read_description(path: Path) -> dict[str, Any]:
    """Reads it again.

    Raises:
        ValueError: no such file, or it is not the description of an export.
    """
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        if "keras_attn_export" in values:
            return values
    except (OSError, ValueError, TypeError):
        pass
    raise ValueError(f"{path} does not describe an export: expected a folder that `keras-attn export` wrote")


def _refuse_to_replace(output: Path, description: str) -> None:
    if not output.exists() or (output.is_dir() and not any(output.iterdir())):
        return
    try:
        read_description(output / description)
    except ValueError:
        raise FileExistsError(
            f"{output} exists and is not an earlier export of this kind: expected a new name. Remove it or choose another"
        ) from None
