"""Reads text files line by line.

Only "\\n" ends a line. `str.splitlines` also breaks at U+2028, U+0085 and others, which occur inside sentences of crawled corpora;
every pair after such a break would be misaligned.
"""

import codecs
import glob
import gzip
import math
import zlib
from collections.abc import Iterator
from pathlib import Path

MAX_LINE_BYTES = 1 << 20
_UNCHECKED, _MOST_RATIO = 1 << 20, 100  # bytes, and the largest allowed compression ratio


class CorpusError(ValueError):
    """An unusable corpus; the message names the file, the line if there is one, and what to do."""


def files_of(pattern: str | Path) -> list[Path]:
    """The file of that name, or the files that match `*`, `?` and `[...]` in it, sorted by name.

    Raises:
        CorpusError: the pattern matches no file.
    """
    path = Path(pattern)
    if path.exists() or not glob.has_magic(str(pattern)):
        return [path]
    files = sorted(map(Path, glob.glob(str(pattern))))
    if not files:
        raise CorpusError(f"no file matches {pattern}")
    return files


def iter_lines(path: Path) -> Iterator[str]:
    """The lines of a UTF-8 file, plain or `.gz`, without line ends and without a byte order mark.

    Raises:
        CorpusError: the file is missing, unreadable or empty; a line is not UTF-8 or is endless (the message says which); or a
            `.gz` unpacks to far more than text would.
    """
    number = size = 0
    limit = _UNCHECKED if path.suffix == ".gz" else math.inf
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as stream:
            while line := stream.readline(MAX_LINE_BYTES + 1):
                number += 1
                size += len(line)
                if len(line) > MAX_LINE_BYTES:
                    raise CorpusError(
                        f"{path}:{number}: a line of more than {MAX_LINE_BYTES:,} bytes: is this text, with one sentence per line?"
                    )
                if size > limit and size > (limit := _MOST_RATIO * stream.fileobj.tell()):
                    raise CorpusError(
                        f"{path} unpacks to more than {_MOST_RATIO} times its size: is this text? Unpack it yourself to use it"
                    )
                yield decode_line(line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line, path, number)
    except FileNotFoundError:
        where = "" if Path(path).is_absolute() else f" in {Path.cwd()}"
        raise CorpusError(f"{path} does not exist{where}") from None
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise CorpusError(f"{path} is not a complete gzip file: {error}") from None
    except OSError as error:
        raise CorpusError(f"cannot read {path}: {error.strerror}") from None
    if not number:
        raise CorpusError(f"{path} is empty")


def decode_line(line: bytes, name: str | Path, number: int) -> str:
    """A line of bytes as text; `name` and `number` stand for it in the message.

    Raises:
        CorpusError: it is not UTF-8.
    """
    try:
        return line.removesuffix(b"\n").removesuffix(b"\r").decode("utf-8")
    except UnicodeDecodeError as error:
        likely = "UTF-16" if line.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "WINDOWS-1252"
        raise CorpusError(
            f"{name}:{number}: byte {error.start + 1} of the line is not UTF-8 ({error.reason}); "
            f"convert the file first, for example with iconv -f {likely} -t UTF-8 if that is its encoding"
        ) from None
