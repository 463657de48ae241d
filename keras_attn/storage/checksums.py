"""SHA-256 checksums of the files of a model folder or an export, in `SHA256SUMS` next to them (also for `sha256sum -c`).

They show whether files have changed since they were written, but not who wrote them: whoever can change the files can also change
the checksums.
"""

import hashlib
import re
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path

from keras_attn.bounded import read_bytes
from keras_attn.files import write_text

SUMS = "SHA256SUMS"
MOST_BYTES = 1 << 16
_LINE = re.compile(r"([0-9a-f]{64}) [ *]([^\0\n]+)")


class ChecksumError(ValueError):
    """A file that has changed since its checksum was written; the message names it and says what to do."""


def digest(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def write_sums(folder: Path, sums: Mapping[str, str]) -> None:
    """Writes the digests of files, by their names below the folder.

    Raises:
        OSError: the folder cannot be written.
    """
    write_text(folder / SUMS, "".join(f"{sums[name]}  {name}\n" for name in sorted(sums)))


def read_sums(path: Path) -> dict[str, str]:
    """Reads the digests. The names are untrusted and must only be compared.

    Raises:
        ChecksumError: the file contains something else.
        OSError: it cannot be read.
    """
    try:
        lines = read_bytes(path, MOST_BYTES).decode("utf-8").splitlines()
    except ValueError:
        lines = [""]
    found = [_LINE.fullmatch(line) for line in lines]
    if not all(found):
        raise ChecksumError(f"{path} is not a list of SHA-256 checksums and file names: get it again")
    return {match[2]: match[1] for match in found}


def check_files(sums: Path, files: Mapping[str, Path]) -> None:
    """Compares files with their checksums; warns if there are none.

    Args:
        sums: the `SHA256SUMS`.
        files: the files that are about to be read, by their names in it. No other file is opened, whatever it names.

    Raises:
        ChecksumError: a file differs or has no checksum.
        OSError: a file cannot be read.
    """
    if not sums.is_file():
        warnings.warn(
            f"{sums.parent} has no {SUMS}, so damage to its files may go unnoticed: an older keras-attn wrote it",
            stacklevel=3,
        )
        return
    known = read_sums(sums)
    for name, path in files.items():
        if name not in known:
            raise ChecksumError(
                f"{sums} has no line for {name}, so the files do not belong together. Get the folder again"
            )
        if not path.is_file():
            raise ChecksumError(f"{path} is missing, although {sums} lists it. Get the folder again")
        if digest(path) != known[name]:
            raise ChecksumError(
                f"{path} is damaged or was changed: its SHA-256 is not the one in {SUMS}. Get it again, or delete {SUMS} if the "
                "change is yours"
            )


def sums_of(folder: Path, names: Iterable[str]) -> dict[str, str]:
    """The digests of a folder's files, by name."""
    return {name: digest(folder / name) for name in names}
