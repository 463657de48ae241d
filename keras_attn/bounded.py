"""Reads untrusted files: never more than a file of that kind could need, otherwise a clear error."""

import errno
import json
import zipfile
import zlib
from pathlib import Path
from typing import Any

MOST_JSON = 1 << 20  # bytes; Python objects take about ten times as much


class TooLargeError(ValueError):
    """Untrusted input is larger than anything of its kind."""


def read_bytes(path: Path, most: int) -> bytes:
    """The content of a file of at most `most` bytes.

    Raises:
        TooLargeError: it is larger; nothing beyond that size was read.
        OSError: it cannot be read.
    """
    with path.open("rb") as stream:
        data = stream.read(most + 1)
    if len(data) > most:
        raise TooLargeError(f"{path} is larger than {most:,} bytes, the limit for such a file")
    return data


def read_json(path: Path) -> dict[str, Any]:
    """The JSON object in a file.

    Raises:
        ValueError: it contains something else, or more than a megabyte.
        OSError: it cannot be read, or is not a regular file, such as a pipe without a writer.
    """
    if not path.is_file():
        raise FileNotFoundError(errno.ENOENT, "no such file", str(path))
    return parse_json(read_bytes(path, MOST_JSON), str(path))


def parse_json(data: bytes, name: str) -> dict[str, Any]:
    """The JSON object in bytes; messages call them `name`.

    Raises:
        ValueError: they contain something else, or more than a megabyte.
    """
    if len(data) > MOST_JSON:
        raise TooLargeError(f"{name} is larger than {MOST_JSON:,} bytes, the limit for such a file")
    try:
        value = json.loads(data)
    except RecursionError:
        raise ValueError(f"{name} is nested too deeply") from None
    except ValueError as error:
        raise ValueError(f"{name} is not valid JSON: {error}") from None
    if not isinstance(value, dict):
        raise ValueError(f"{name} is not a JSON object")
    return value


def unpack_member(archive: zipfile.ZipFile, name: str, most: int) -> bytes:
    """A file in a ZIP archive, of at most `most` bytes, whatever size the archive claims.

    Raises:
        ValueError: it is larger or damaged, or the archive has no such file.
    """
    try:
        with archive.open(name) as stream:
            data = stream.read(most + 1)
    except KeyError:
        raise ValueError(f"the archive has no {name}") from None
    # The last two: an unknown compression method, and a password.
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError) as error:
        raise ValueError(f"{name} in the archive is damaged: {error}") from None
    if len(data) > most:
        raise ValueError(f"{name} in the archive is larger than {most:,} bytes, the limit for such a file")
    return data
