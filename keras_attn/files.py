"""The one way to write a file: whole, or not at all.

The content goes to `NAME.part` beside the file, is flushed to the disk and then takes the file's place. A program that is killed,
runs out of disk or loses power half-way leaves the old file as it was.
"""

import contextlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any


def part_of(path: Path) -> Path:
    """Where a file gathers before it takes its name: `NAME.part` beside it."""
    return path.with_name(f"{path.name}.part")


@contextlib.contextmanager
def new_file(path: Path) -> Iterator[Path]:
    """For what only a library can write: `with new_file(path) as part:` write `part`, which replaces `path` when the block ends.

    Args:
        path: the file to write or to replace; its folder is made if it is missing.

    Yields:
        The path to write to. If the block fails, it is removed and the old file stays.

    Raises:
        OSError: the file cannot be written; the message names `path`.
    """
    part = part_of(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield part
        put_in_place(part, path)
    except OSError as error:
        raise OSError(f"cannot write {path}: {error.strerror or error}") from None
    finally:
        with contextlib.suppress(OSError):
            part.unlink()


def put_in_place(written: Path, path: Path) -> None:
    """Gives a complete file its name, once all of it is on the disk; replaces what had the name before."""
    handle = os.open(written, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
    os.replace(written, path)


def give_second_name(path: Path, other: Path) -> None:
    """Gives a file another name as well, replacing what had it; on file systems where a file has one name, it is copied.

    Raises:
        OSError: as `new_file`.
    """
    with new_file(other) as part:
        part.unlink(missing_ok=True)  # left by a program that was killed
        try:
            os.link(path, part)
        except OSError:
            shutil.copyfile(path, part)


def write_bytes(path: Path, data: bytes) -> None:
    """Writes or replaces a file; raises what `new_file` raises."""
    with new_file(path) as part:
        part.write_bytes(data)


def write_text(path: Path, text: str) -> None:
    """Writes or replaces a UTF-8 file, line ends as they are; raises what `new_file` raises."""
    write_bytes(path, text.encode())


def write_json(path: Path, values: Mapping[str, Any]) -> None:
    """Writes or replaces a file of JSON for people to read; raises what `new_file` raises."""
    write_text(path, json.dumps(values, indent=2, ensure_ascii=False) + "\n")
