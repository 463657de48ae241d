"""Corpora that are no text, or text that is no corpus: gzip files, two-column tables and the archive of a named corpus."""

import gzip
import io
import zipfile
from collections.abc import Iterator

from damage import damaged

MIB = 1 << 20
PAIRS = b"".join(b"the cat %d\tle chat %d\n" % (number, number) for number in range(50))


def hostile_gzips() -> Iterator[tuple[str, bytes]]:
    """Named gzip files, the first one good."""
    good = gzip.compress(PAIRS, mtime=0)
    yield "good", good
    yield from damaged(good, cuts=8, flips=30)
    yield "plain text", PAIRS
    yield "nothing packed", gzip.compress(b"")
    for name, megabyte in {
        "zeros": b"\0" * MIB,
        "line ends": b"\n" * MIB,
        "one letter": b"a" * MIB,
        "pairs": PAIRS * 1000,
    }.items():
        yield f"a gigabyte of {name}", gzip.compress(megabyte) * 1024
    yield "packed twice", gzip.compress(good)
    for number, claim in {
        4: "a comment without an end",
        8: "a name without an end",
        16: "flags",
        255: "all flags",
    }.items():
        yield claim, good[:3] + bytes([number]) + good[4:]
    yield "another method", good[:2] + b"\x07" + good[3:]
    yield "a wrong length", good[:-4] + b"\xff\xff\xff\xff"
    yield "a wrong checksum", good[:-8] + b"\0\0\0\0" + good[-4:]


def hostile_tables() -> Iterator[tuple[str, bytes]]:
    """Named two-column tables, the first one good."""
    yield "good", PAIRS
    yield from damaged(PAIRS, cuts=4, flips=20)
    for name, lines in {
        "one column": b"the cat\n",
        "three columns": b"a\tb\tc\n",
        "a thousand columns": b"\t" * 1000 + b"\n",
        "tabs alone": b"\t\n" * 50,
        "blank lines": b"\n" * 50,
        "spaces": b"  \t  \n",
        "an empty side": b"the cat\t\n",
        "line ends of Windows": b"the cat\tle chat\r\n",
        "line ends of old": b"the cat\tle chat\rthe dog\tle chien",
        "line ends of Unicode": "the\u2028cat\tle\u0085chat\n".encode(),
        "a NUL": b"the\0cat\tle chat\n",
        "a terminal's escapes": b"\x1b[2J\tle chat\n",
        "a column more, with escapes": b"\x1b[2J\t\x1b]0;a\x07\tb\n",
        "a byte order mark": b"\xef\xbb\xbfthe cat\tle chat\n",
        "UTF-16": "the cat\tle chat\n".encode("utf-16"),
        "Latin-1": "the cat\tl'\xe9t\xe9\n".encode("latin-1"),
        "a surrogate": b"the cat\t\xed\xa0\x80\n",
        "a side of 3,000 characters": b"a" * 3000 + b"\tb\n",
        "a line of 20 megabytes": b"a" * 20_000_000 + b"\tb\n",
        "20 megabytes of tabs": b"\t" * 20_000_000,
    }.items():
        yield name, lines
        yield f"pairs, then {name}", PAIRS + lines


def hostile_zips() -> Iterator[tuple[str, bytes]]:
    """Named archives in place of Tatoeba's, none of them good."""
    text = "spa-eng/spa.txt"
    other = _zip({text: PAIRS})
    yield "another text", other
    yield from damaged(other, cuts=4, flips=20)
    yield "plain text", PAIRS
    yield "no files", _zip({})
    yield "another file", _zip({"../spa.txt": PAIRS})
    yield "a gigabyte of zeros", _zip({text: bytes(1 << 30)})
    yield "many files", _zip({f"{number}": b"" for number in range(20_000)})
    central = other.rindex(b"PK\x01\x02")
    for name, place in {
        "a password": 8,
        "another method": 10,
        "a wrong checksum": 16,
        "a wrong size": 24,
    }.items():
        yield name, other[: central + place] + b"\x63" + other[central + place + 1 :]
    yield "an archive in an archive", _zip({text: other})


def _zip(files: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return stream.getvalue()
