"""Parallel text files to sentence pairs.

A line ends at "\\n" and nowhere else: `str.splitlines` also breaks at U+2028, U+0085 and friends, which occur inside
sentences of crawled corpora, and every pair after such a break would be misaligned.
"""

import gzip
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress
from pathlib import Path

from keras_attn.bounded import TooLargeError, unpack_gzip
from keras_attn.text.links import Links, parse_links

MAX_CHARS = 2000


class CorpusError(ValueError):
    """A corpus that cannot be used; the message names the file, the line if there is one, and what to do."""


@dataclass(frozen=True)
class Corpus:
    """Parallel lines: `source[i]` and `target[i]` say the same.

    Attributes:
        source: lines of the source language, none of them empty.
        target: lines of the target language, none of them empty.
        dropped: pairs left out because a side was empty or longer than the character limit.
        links: which words of each pair belong together, words being those of `str.split()`; None: not known.
    """

    source: list[str]
    target: list[str]
    dropped: int = 0
    links: list[Links] | None = None

    def __post_init__(self) -> None:
        if len(self.source) != len(self.target):
            raise CorpusError(f"{len(self.source)} source lines but {len(self.target)} target lines")
        if self.links is not None and len(self.links) != len(self.source):
            raise CorpusError(f"links of {len(self.links)} pairs but {len(self.source)} pairs")

    def __len__(self) -> int:
        return len(self.source)


def read_pairs(
    paths: Sequence[str | Path], max_chars: int = MAX_CHARS, links: str | Path | None = None
) -> Corpus:
    """Reads sentence pairs from `[source, target]` files or from one two-column `.tsv`, each plain or `.gz`.

    Pairs with an empty side, or one of more than `max_chars` characters, are left out and counted in `dropped`. `links` is a
    file for `read_links`, with a line for every pair, those left out included.

    Raises:
        CorpusError: a file is missing, unreadable, empty or not UTF-8; the two files differ in their number of lines;
            a `.tsv` line has not exactly two columns; the links do not fit the pairs; or no pair is left.
    """
    paths = [Path(path) for path in paths]
    tables = [path for path in paths if path.name.endswith((".tsv", ".tsv.gz"))]
    if len(paths) == 1 and tables:
        source, target = read_columns(paths[0])
    elif len(paths) == 2 and not tables:
        source, target = read_lines(paths[0]), read_lines(paths[1])
    else:
        given = ", ".join(map(str, paths)) or "nothing"
        raise CorpusError(f"expected two text files (source, target) or one .tsv file; got {given}")
    if len(source) != len(target):
        raise CorpusError(
            f"{paths[0]} has {len(source)} lines but {paths[1]} has {len(target)}: "
            "line n of one file must be the translation of line n of the other"
        )
    corpus = keep_usable(source, target, max_chars, read_links(links, source, target) if links else None)
    if not len(corpus):
        raise CorpusError(
            f"{paths[0]} holds no usable pair: all {corpus.dropped} have an empty side "
            f"or one of more than {max_chars} characters"
        )
    return corpus


def read_lines(path: str | Path) -> list[str]:
    """Reads the lines of a UTF-8 file, plain or `.gz`, without line ends and without a byte order mark.

    Raises:
        CorpusError: the file is missing, unreadable or empty, or a line is not UTF-8 (the message says which).
    """
    lines = decode_lines(_read_bytes(Path(path)), str(path))
    if not lines:
        raise CorpusError(f"{path} is empty")
    return lines


def read_columns(path: str | Path) -> tuple[list[str], list[str]]:
    """Reads both columns of a `.tsv` (or `.tsv.gz`) file; a blank line is a pair of empty lines."""
    columns = [line.split("\t") if line.strip() else ["", ""] for line in read_lines(path)]
    for number, fields in enumerate(columns, start=1):
        if len(fields) != 2:
            raise CorpusError(
                f"{path}:{number}: expected two columns, source TAB target; found {len(fields)}. "
                "If the sentences themselves hold tabs, use two text files"
            )
    source, target = zip(*columns, strict=True)
    return list(source), list(target)


def read_links(path: str | Path, source: Sequence[str], target: Sequence[str]) -> list[Links]:
    """Reads which words of each pair belong together: a line `0-0 1-2` of source-target word numbers a pair, plain or `.gz`.

    Words are those of `str.split()`, counted from 0. An empty line is a pair without links; possible links, `1p2`, are left out.

    Raises:
        CorpusError: what `read_lines` raises; there are not as many lines as pairs; a line holds something else, or the number
            of a word that its pair does not have.
    """
    lines = read_lines(path)
    if len(lines) != len(source):
        raise CorpusError(
            f"{path} has {len(lines)} lines but there are {len(source)} pairs: line n must hold the links of pair n"
        )
    rows = enumerate(zip(lines, source, target, strict=True), start=1)
    return [_parse_pair_links(f"{path}:{number}", *row) for number, row in rows]


def decode_lines(data: bytes, name: str) -> list[str]:
    """Splits UTF-8 bytes into lines; `name` stands for them in error messages."""
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    if not lines[-1]:
        lines.pop()  # what follows the last line end is no line
    return [_decode(line.removesuffix(b"\r"), name, number) for number, line in enumerate(lines, start=1)]


def keep_usable(
    source: Sequence[str],
    target: Sequence[str],
    max_chars: int = MAX_CHARS,
    links: Sequence[Links] | None = None,
) -> Corpus:
    """Leaves out, and counts, the pairs with an empty or over-long side."""
    pairs = zip(source, target, strict=True)
    kept = [all(line.strip() and len(line) <= max_chars for line in pair) for pair in pairs]
    return Corpus(
        list(compress(source, kept)),
        list(compress(target, kept)),
        dropped=kept.count(False),
        links=None if links is None else list(compress(links, kept)),
    )


def _parse_pair_links(place: str, line: str, source: str, target: str) -> Links:
    try:
        links, _ = parse_links(line)
    except ValueError as error:
        raise CorpusError(f"{place}: {error}") from None
    words = len(source.split()), len(target.split())
    for i, j in sorted(links):
        if i >= words[0] or j >= words[1]:
            raise CorpusError(
                f"{place}: link {i}-{j} is outside its pair, which has {words[0]} source and {words[1]} target words, "
                "counted from 0"
            )
    return links


def _read_bytes(path: Path) -> bytes:
    try:
        data = path.read_bytes()
        return unpack_gzip(data) if path.suffix == ".gz" else data
    except FileNotFoundError:
        raise CorpusError(f"{path} does not exist") from None
    except TooLargeError as error:
        raise CorpusError(f"{path}: {error}") from None
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise CorpusError(f"{path} is not a whole gzip file: {error}") from None
    except OSError as error:
        raise CorpusError(f"cannot read {path}: {error.strerror}") from None


def _decode(line: bytes, name: str, number: int) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise CorpusError(
            f"{name}:{number}: byte {error.start + 1} of the line is not UTF-8 ({error.reason}); "
            "convert the file first, for example with iconv"
        ) from None
