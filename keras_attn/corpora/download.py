"""Downloads that show their progress, go on where they stopped, and leave only whole files behind."""

import urllib.error
import urllib.request
from collections.abc import Callable
from http.client import HTTPException, HTTPResponse
from pathlib import Path

from keras_attn.bounded import TooLargeError
from keras_attn.files import part_of, put_in_place
from keras_attn.text.corpus import CorpusError

TIMEOUT = 30  # seconds without a byte
MOST_BYTES = 1 << 26  # ten times the largest corpus and more
_CHUNK = 1 << 16


def download(url: str, file: Path, intact: Callable[[Path], bool]) -> None:
    """Downloads to `file`, with a progress bar; an interrupted download goes on where it stopped.

    The bytes gather in `NAME.part` beside it, which takes the name `file` only when `intact` says that it is whole.

    Raises:
        CorpusError: the address cannot be reached, the connection broke (the part stays, for the next try), or the
            file is not the one expected, or is larger than any (nothing stays).
    """
    part = part_of(file)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        _fetch_rest(url, part)
    except (OSError, HTTPException) as error:
        raise CorpusError(
            f"cannot download {url} ({error}). Try again, or fetch it elsewhere and put it at {file}"
        ) from None
    except TooLargeError:
        part.unlink(missing_ok=True)
        raise CorpusError(
            f"{url} sends more than {MOST_BYTES:,} bytes, which is not the file expected: nothing of it was kept"
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
        if error.code != 416:  # nothing follows what is there: it was whole already
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
