"""Writes files and folders completely or not at all; everything else writes through this module.

The content goes to `NAME.part` next to the file (`.NAME.part` next to the folder), is flushed to the disk and then replaces the old
one. A program that is killed, runs out of disk space or loses power half-way leaves the old one unchanged.
"""

import contextlib
import ctypes
import fcntl
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

_HERE, _EXCHANGE = -100, 2  # constants of Linux' renameat2: AT_FDCWD, RENAME_EXCHANGE


def part_of(path: Path) -> Path:
    """Where a file is written before it is renamed: `NAME.part` next to it."""
    return path.with_name(f"{path.name}.part")


@contextlib.contextmanager
def new_file(path: Path) -> Iterator[Path]:
    """For files that a library writes: `with new_file(path) as part:` write `part`, which replaces `path` when the block ends.

    Args:
        path: the file to write or replace; its folder is made if it is missing.

    Yields:
        The path to write. If the block fails, it is removed and the old file stays.

    Raises:
        OSError: the file cannot be written; the message names `path`.
    """
    part = part_of(path)
    try:
        with _naming(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            yield part
            put_in_place(part, path)
    finally:
        with contextlib.suppress(OSError):
            part.unlink()


def put_in_place(written: Path, path: Path) -> None:
    """Renames a complete file once all of it is on the disk; replaces any file of that name."""
    _flush(written)
    os.replace(written, path)


def give_second_name(path: Path, other: Path) -> None:
    """Links a file to a second name, replacing any file of that name; copies it on file systems without links.

    Raises:
        OSError: as `new_file`.
    """
    with new_file(other) as part:
        part.unlink(missing_ok=True)  # left behind by a killed program
        try:
            os.link(path, part)
        except OSError:
            shutil.copyfile(path, part)


def write_bytes(path: Path, data: bytes | memoryview) -> None:
    """Writes or replaces a file; raises what `new_file` raises."""
    with new_file(path) as part:
        part.write_bytes(data)


def write_text(path: Path, text: str) -> None:
    """Writes or replaces a UTF-8 file with unchanged line ends; raises what `new_file` raises."""
    write_bytes(path, text.encode())


def write_json(path: Path, values: Mapping[str, Any]) -> None:
    """Writes or replaces a human-readable JSON file; raises what `new_file` raises."""
    write_text(path, json.dumps(values, indent=2, ensure_ascii=False) + "\n")


@contextlib.contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """A folder to fill: `with new_folder(path) as part:` fill `part`, which replaces `path` when the block ends.

    On Linux, `path` is either unchanged or complete at every moment. Elsewhere it may be missing for a moment between two renames.
    Leftovers of a killed program are removed, and a replacement that was killed between the two is undone.

    Args:
        path: the folder to make or replace; its parents are made if they are missing.

    Yields:
        The folder to fill. If the block fails, it is removed and the old one stays.

    Raises:
        OSError: the folder cannot be written, another program is writing it, or it is the current one; the message names `path`.
    """
    if path.exists() and path.samefile(os.curdir):  # a shell in it would be left in a folder that is gone
        raise OSError(f"{path} is the current folder, which cannot be replaced: name another one")
    aside = path.with_name(f".{path.name}.part")
    new, old = aside / "new", aside / "old"
    with contextlib.ExitStack() as stack:
        with _naming(path):
            try:
                stack.enter_context(locked(aside))
            except BlockingIOError:
                raise OSError("another program is writing it. Wait until it ends") from None
            if old.exists() and not path.exists():
                os.rename(old, path)
            stack.callback(shutil.rmtree, aside, ignore_errors=True)
            shutil.rmtree(old, ignore_errors=True)
            shutil.rmtree(new, ignore_errors=True)
            new.mkdir()
        yield new
        with _naming(path):
            for each in (*new.rglob("*"), new):
                _flush(each)
            _exchange(new, path)


@contextlib.contextmanager
def locked(folder: Path, *, wait: bool = False) -> Iterator[None]:
    """Locks a folder against other programs that ask for the lock. A killed program leaves no lock behind.

    Args:
        folder: made if it does not exist; removed at the end if it is empty.
        wait: whether to wait for a program that has the lock.

    Raises:
        BlockingIOError: another program has the lock, and `wait` is False.
        OSError: the folder cannot be made.
    """
    while (handle := _lock(folder, wait)) is None:
        pass
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            folder.rmdir()
        os.close(handle)


def _lock(folder: Path, wait: bool) -> int | None:
    """A locked handle of the folder; `None` if another program has removed the folder meanwhile."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        handle = os.open(folder, os.O_RDONLY)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        if os.path.samestat(os.fstat(handle), os.stat(folder)):
            return handle
    except FileNotFoundError:
        pass
    except BaseException:
        os.close(handle)
        raise
    os.close(handle)
    return None


@contextlib.contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Turns a system error into one that names the file or folder to be written."""
    try:
        yield
    except OSError as error:
        raise OSError(f"cannot write {path}: {error.strerror or error}") from None


def _flush(path: Path) -> None:
    """Flushes a file, or the names in a folder, to the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _exchange(new: Path, path: Path) -> None:
    """Swaps a folder with the one of the given name, if there is one. On Linux, the name exists at every moment."""
    if not path.exists():
        os.rename(new, path)
        return
    renameat2 = getattr(ctypes.CDLL(None), "renameat2", None)
    if renameat2 and renameat2(_HERE, os.fsencode(new), _HERE, os.fsencode(path), _EXCHANGE) == 0:
        return
    old = new.with_name("old")
    os.rename(path, old)
    try:
        os.rename(new, path)
    except OSError:
        os.rename(old, path)
        raise
