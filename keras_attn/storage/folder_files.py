"""The files of a model folder: their names, their places during a save, and how one is replaced.

A save can be killed at any moment and leaves either the old model or the new one, never a mixture. The files are first written to
`.saving/`, `SHA256SUMS` last, and then moved into place one by one. As soon as `.saving/SHA256SUMS` exists, the new model counts:
files that are still in `.saving/` are read from there, and the next save moves them into place. Programs save one after the
other: `.lock` is there while one does. Readers do not wait; they read again if another model has come (`of_one_save`).
"""

import contextlib
import functools
import glob
import os
import shutil
import time
from collections.abc import Callable, Iterator
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar

from keras_attn import files
from keras_attn.bounded import TooLargeError, read_bytes, read_json
from keras_attn.storage.checksums import (
    MOST_BYTES,
    SUMS,
    ChecksumError,
    check_files,
    digest,
    read_sums,
    sums_of,
    write_sums,
)

FORMAT = 2  # in format 1, models that copy could copy the end of a sentence, too
CONFIG, SOURCE, TARGET, WEIGHTS = "config.toml", "source.spm", "target.spm", "model.weights.h5"
METRICS, FORMAT_FILE = "metrics.json", "format.json"
FILES = (CONFIG, SOURCE, TARGET, WEIGHTS, METRICS, FORMAT_FILE)
ENGINE = "engine.zip"  # a folder may do without
SAVING, LOCK = ".saving", ".lock"
_ATTEMPTS, _PAUSE = 4, 0.05  # to read a folder while models are saved there; seconds between two

P = ParamSpec("P")
T = TypeVar("T")


class ModelFolderError(ValueError):
    """A folder from which no model can be loaded; the message says what is wrong and what to do."""


def of_one_save(read: Callable[Concatenate[str | Path, P], T]) -> Callable[Concatenate[str | Path, P], T]:
    """For a function that reads a folder: reads again if another model was saved there meanwhile."""

    @functools.wraps(read)
    def steady(folder: str | Path, *args: P.args, **kwargs: P.kwargs) -> T:
        for _ in range(_ATTEMPTS):
            before = _save_of(folder)
            try:
                found = read(folder, *args, **kwargs)
            except (OSError, ValueError):
                if before == _save_of(folder) and not before.moving:
                    raise
            else:
                if before == _save_of(folder):
                    return found
            time.sleep(_PAUSE)
        return read(folder, *args, **kwargs)

    return steady


class _Save(NamedTuple):
    sums: bytes
    moving: bool  # whether its files are being moved into place


def _save_of(folder: str | Path) -> _Save:
    sums = file_of(folder, SUMS)
    try:
        if sums.is_file():  # no pipe, which would not end
            return _Save(read_bytes(sums, MOST_BYTES), sums.parent.name == SAVING)
    except (OSError, TooLargeError):  # a save has just moved them, or they are no checksums
        pass
    return _Save(b"", False)


@of_one_save
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
    for name in (*FILES, SUMS, ENGINE):
        inside(folder, file_of(folder, name).relative_to(folder))
    written = read_values(folder, FORMAT_FILE)
    if not isinstance(written.get("format"), int):
        raise ModelFolderError(f"{Path(folder, FORMAT_FILE)} does not say which format the folder has")
    if written["format"] > FORMAT:
        by = f"keras-attn {written['keras_attn']}" if "keras_attn" in written else "a later version"
        raise ModelFolderError(
            f"{folder} was written by {by} in format {written['format']}; keras-attn {version('keras-attn')} reads formats up to "
            f"{FORMAT}. Install that version, or a newer one"
        )


@contextlib.contextmanager
def new_files(folder: Path) -> Iterator[Path]:
    """For a save: `with new_files(folder) as saving:` write files and then their checksums into `saving`.

    They are moved into place when the block ends. Waits while another program is saving.

    Raises:
        OSError: the folder cannot be written.
    """
    with files.locked(folder / LOCK, wait=True):
        _finish_saving(folder)
        saving = folder / SAVING
        saving.mkdir()
        try:
            yield saving
        except BaseException:
            if not (saving / SUMS).exists():  # such as a full disk, on which they would take space
                shutil.rmtree(saving, ignore_errors=True)
            raise
        _finish_saving(folder)


def replace_file(folder: Path, name: str, write: Callable[[Path], None]) -> None:
    """Rewrites one file of a model and its checksum; the other checksums stay.

    Args:
        folder: the model folder.
        name: the file.
        write: writes the path that it is given. No other program saves meanwhile, so what it reads in the folder stays true.
    """
    with new_files(folder) as saving:
        known = read_sums(folder / SUMS) if (folder / SUMS).exists() else sums_of(folder, FILES)
        write(saving / name)
        write_sums(saving, {**known, name: digest(saving / name)})


def _finish_saving(folder: Path) -> None:
    """Moves a complete save into place, `SHA256SUMS` last; deletes the remains of a save that was killed."""
    saving = folder / SAVING
    if (saving / SUMS).exists():
        if ENGINE not in read_sums(saving / SUMS):  # an existing one belongs to other weights
            (folder / ENGINE).unlink(missing_ok=True)
        for name in (*FILES, ENGINE, SUMS):
            if (saving / name).exists():
                os.replace(saving / name, folder / name)
    shutil.rmtree(saving, ignore_errors=True)


def file_of(folder: str | Path, name: str) -> Path:
    """The path of a file of the model: still in a complete save, or in place."""
    saving = Path(folder, SAVING)
    pending = (saving / SUMS).exists() and (saving / name).exists()
    return saving / name if pending else Path(folder, name)


def inside(folder: str | Path, path: str | Path) -> str:
    """Resolves a path in the folder; refuses one that leads out of it by its name, as a link, or through a pattern.

    Only the last part of the path may be a pattern: `*/*/*` in an untrusted folder could search the whole disk.
    """
    joined = Path(folder, path)
    if glob.has_magic(os.path.dirname(path)):
        raise ModelFolderError(
            f"{folder} refers to files in folders by a pattern, which are not read: {path}"
        )
    pattern = os.path.join(glob.escape(str(folder)), path)
    for each in chain([joined.parent, joined], map(Path, glob.iglob(pattern))):
        if not each.resolve().is_relative_to(Path(folder).resolve()):
            raise ModelFolderError(
                f"{folder} refers to a file outside of it, which is not read: {path}. Copy the file there, or name it yourself"
            )
    return str(joined)


def check_folder_sums(folder: str | Path, *others: str) -> None:
    """Compares the files of a model, and `others`, with their checksums; warns if the folder has none.

    Raises:
        ModelFolderError: a file has changed.
    """
    try:
        check_files(file_of(folder, SUMS), {name: file_of(folder, name) for name in (*FILES, *others)})
    except ChecksumError as error:
        raise ModelFolderError(str(error)) from None


def known_sums(folder: str | Path) -> dict[str, str]:
    """The content of `SHA256SUMS`, by file name; empty if there is none.

    Raises:
        ModelFolderError: it contains something else.
    """
    sums = file_of(folder, SUMS)
    try:
        return read_sums(sums) if sums.is_file() else {}
    except ChecksumError as error:
        raise ModelFolderError(str(error)) from None


def read_values(folder: str | Path, name: str) -> dict[str, Any]:
    """The JSON object in a file of the model.

    Raises:
        ModelFolderError: it contains something else.
    """
    try:
        return read_json(file_of(folder, name))
    except ValueError as error:
        raise ModelFolderError(str(error)) from None
