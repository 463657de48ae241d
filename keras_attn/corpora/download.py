"""Downloads that show their progress, resume after an interruption, and leave only complete files."""

import urllib.error
import urllib.request
from collections.abc import Callable
from http.client import HTTPException, HTTPResponse
from pathlib import Path

from keras_attn.bounded import TooLargeError
from keras_attn.files import locked, part_of, put_in_place
from keras_attn.text.corpus import CorpusError

TIMEOUT = 30  # seconds without receiving a byte
MOST_BYTES = 1 << 26  # more than ten times the largest corpus
_CHUNK = 1 << 16


def download(url: str, file: Path, intact: Callable[[Path], bool]) -> None:
    """Downloads to `file`, with a progress bar; resumes an interrupted download.

    The bytes are collected in `NAME.part` next to it, which is renamed to `file` only if `intact` says that it is complete. If
    another process is downloading the file, this one waits for it.

    Raises:
        CorpusError: the address cannot be reached, the connection broke (the part stays for the next attempt), the file cannot
            be written, or it is not the expected one or is too large (nothing stays).
    """
    try:
        with locked(file.with_name(f".{file.name}.lock"), wait=True):
            if not (file.is_file() and intact(file)):  # else another process has just downloaded it
                _fetch(url, file, intact)
    except (OSError, HTTPException) as error:
        raise CorpusError(
            f"cannot download {url} ({error}). Try again, or fetch it elsewhere and put it at {file}"
        ) from None


def _fetch(url: str, file: Path, intact: Callable[[Path], bool]) -> None:
    part = part_of(file)
    try:
        _fetch_rest(url, part)
    except TooLargeError:
        part.unlink(missing_ok=True)
        raise CorpusError(
            f"{url} sends more than {MOST_BYTES:,} bytes, which is not the file expected: nothing was kept"
        ) from None
    if not intact(part):
        part.unlink()
        raise CorpusError(f"{file.name} from {url} has a wrong checksum (SHA-256) and was removed. Try again")
    put_in_place(part, file)


def _fetch_rest(url: str, part: Path) -> None:
    have = part.stat().st_size if part.exists() else 0
    _check(have)
    request = urllib.request.Request(url, headers={"Range": f"bytes={have}-"} if have else {})
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT) as response:
            _save(response, part, have if response.status == 206 else 0)
    except urllib.error.HTTPError as error:
        if error.code != 416:  # there are no more bytes: it was already complete
            raise


def _save(response: HTTPResponse, part: Path, have: int) -> None:
    from tqdm import tqdm

    length = response.headers.get("Content-Length")
    total = have + int(length) if length and length.isdecimal() else None
    _check(total or 0)
    bar = tqdm(total=total, initial=have, unit="B", unit_scale=True, desc=part.stem)
    with bar, part.open("ab" if have else "wb") as stream:
        while chunk := response.read(_CHUNK):
            stream.write(chunk)
            bar.update(len(chunk))
            _check(stream.tell())
    if total is not None and part.stat().st_size < total:
        raise ConnectionError(f"the connection broke after {part.stat().st_size} of {total} bytes")


def _check(size: int) -> None:
    if size > MOST_BYTES:
        raise TooLargeError
