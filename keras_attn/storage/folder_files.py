"""The files of a model folder: their names, where they lie while a save is under way, and how one is replaced.

A save can be killed at any moment and leaves the old model or the new one, never a mixture: the files are first written to
`.saving/`, `SHA256SUMS` last, and then put in place one by one. From the moment that `.saving/SHA256SUMS` exists the new
model counts: what is still in there is read from there, and the next save puts it in place.
"""

import glob
import os
import shutil
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from keras_attn.bounded import read_json
from keras_attn.storage.checksums import (
    SUMS,
    ChecksumError,
    check_files,
    digest,
    read_sums,
    sums_of,
    write_sums,
)

FORMAT = 1
CONFIG, SOURCE, TARGET, WEIGHTS = "config.toml", "source.spm", "target.spm", "model.weights.h5"
METRICS, FORMAT_FILE = "metrics.json", "format.json"
FILES = (CONFIG, SOURCE, TARGET, WEIGHTS, METRICS, FORMAT_FILE)
ENGINE = "engine.zip"  # a folder may do without
SAVING = ".saving"


class ModelFolderError(ValueError):
    """A folder that no model can be loaded from; the message says what is wrong with it and what to do."""


def check_model_folder(folder: str | Path) -> None:
    """Checks, without loading Keras, that a folder holds the files of a model that this version can read.

    Raises:
        ModelFolderError, FileNotFoundError: as `load_model`.
    """
    if not Path(folder).is_dir():
        raise FileNotFoundError(f"no model folder at {folder}")
    for name in FILES:
        if not file_of(folder, name).is_file():
            raise ModelFolderError(
                f"{folder} is not a model folder: it has no {name}. Expected {', '.join(FILES)}, as `keras-attn train` writes them"
            )
        inside(folder, file_of(folder, name))
    written = read_values(folder, FORMAT_FILE)
    if not isinstance(written.get("format"), int):
        raise ModelFolderError(f"{Path(folder, FORMAT_FILE)} does not say which format the folder has")
    if written["format"] > FORMAT:
        raise ModelFolderError(
            f"{folder} was written by keras-attn {written.get('keras_attn')} in format {written['format']}; "
            f"keras-attn {version('keras-attn')} reads formats up to {FORMAT}. "
            f"Install keras-attn {written.get('keras_attn')} or newer"
        )


def replace_file(folder: Path, name: str, write: Callable[[Path, Any], None], content: Any) -> None:
    """Writes one file of a model anew, and its sum; the sums of the others stay what they were."""
    saving = folder / SAVING
    finish_saving(folder)
    known = read_sums(folder / SUMS) if (folder / SUMS).exists() else sums_of(folder, FILES)
    write(saving / name, content)
    write_sums(saving, {**known, name: digest(saving / name)})
    finish_saving(folder)


def finish_saving(folder: Path) -> None:
    """Puts a complete save in place, `SHA256SUMS` last; throws away what a killed one left unfinished."""
    saving = folder / SAVING
    if (saving / SUMS).exists():
        if ENGINE not in read_sums(saving / SUMS):  # one that is there belongs to other weights
            (folder / ENGINE).unlink(missing_ok=True)
        for name in (*FILES, ENGINE, SUMS):
            if (saving / name).exists():
                os.replace(saving / name, folder / name)
    shutil.rmtree(saving, ignore_errors=True)


def file_of(folder: str | Path, name: str) -> Path:
    """Where a file of the model lies: still in a complete save, or in place."""
    saving = Path(folder, SAVING)
    pending = (saving / SUMS).exists() and (saving / name).exists()
    return saving / name if pending else Path(folder, name)


def inside(folder: str | Path, path: str | Path) -> str:
    """A path, taken from the folder, that does not lead out of it: not by its name, as a link, or by what a pattern matches."""
    joined = Path(folder, path)
    for each in (joined, *map(Path, glob.glob(str(joined)))):
        if not each.resolve().is_relative_to(Path(folder).resolve()):
            raise ModelFolderError(
                f"{folder} refers to a file outside of it, which is not read: {path}. Put the file itself there, or name it"
            )
    return str(joined)


def check_folder_sums(folder: str | Path, *others: str) -> None:
    """Compares the files of a model, and `others`, with their sums; warns where the folder has none.

    Raises:
        ModelFolderError: a file is not the one that was written.
    """
    try:
        check_files(file_of(folder, SUMS), {name: file_of(folder, name) for name in (*FILES, *others)})
    except ChecksumError as error:
        raise ModelFolderError(str(error)) from None


def known_sums(folder: str | Path) -> dict[str, str]:
    """What `SHA256SUMS` says, by file name; nothing where there is none.

    Raises:
        ModelFolderError: it holds something else.
    """
    sums = file_of(folder, SUMS)
    try:
        return read_sums(sums) if sums.is_file() else {}
    except ChecksumError as error:
        raise ModelFolderError(str(error)) from None


def read_values(folder: str | Path, name: str) -> dict[str, Any]:
    """The JSON object in a file of the model.

    Raises:
        ModelFolderError: it holds something else.
    """
    try:
        return read_json(file_of(folder, name))
    except ValueError as error:
        raise ModelFolderError(str(error)) from None
