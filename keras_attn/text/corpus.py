"""Reads parallel text files as sentence pairs, into memory or left in their files."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, compress, zip_longest
from pathlib import Path
from typing import NamedTuple, TypeAlias

from keras_attn.text.line_files import CorpusError, decode_line, files_of, iter_lines
from keras_attn.text.links import Links, parse_links

MAX_CHARS = 2000


class FileLines:
    """One side of a corpus that stays in its files; every loop over it reads them again.

    Args:
        read: starts reading all lines.
        kept: 1 for every line that belongs to the corpus, else 0.
    """

    def __init__(self, read: Callable[[], Iterator[str]], kept: bytearray) -> None:
        self._read = read
        self._kept = kept
        self._count = sum(kept)

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[str]:
        return compress(self._read(), self._kept)


Lines: TypeAlias = list[str] | FileLines


@dataclass(frozen=True)
class Corpus:
    """Parallel lines: `target[i]` is the translation of `source[i]`.

    Attributes:
        source: lines of the source language, none of them empty; a list from `read_pairs`, only an iterable from `open_pairs`.
        target: lines of the target language, in the same form.
        dropped: how many pairs were left out because a side was empty or longer than the character limit.
        links: which words of each pair belong together, words as in `str.split()`; None: unknown.
    """

    source: Lines
    target: Lines
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

    A name with `*`, `?` or `[...]` stands for all matching files, sorted by name. Pairs with a side that is empty or longer than
    `max_chars` characters are left out and counted in `dropped`. `links` is a file for `read_links`, with a line for every pair,
    including those left out.

    Raises:
        CorpusError: a file is missing, unreadable, empty or not UTF-8; two files differ in their number of lines;
            a `.tsv` line does not have exactly two columns; the links do not fit the pairs; or no pair is left.
    """
    source, target = zip(*_Files.of(paths).pairs(), strict=True)
    corpus = keep_usable(source, target, max_chars, read_links(links, source, target) if links else None)
    _check_some_left(paths, len(corpus), corpus.dropped, max_chars)
    return corpus


def read_parallel(source: str | Path, target: str | Path) -> Corpus:
    """All lines of two files whose n-th lines belong together, empty and long ones, too.

    Raises:
        CorpusError: a file is missing, unreadable, not UTF-8 or a `.tsv`, or they differ in their number of lines.
    """
    if tables := list(filter(_is_table, (source, target))):
        raise CorpusError(
            f"{tables[0]} has both sides: expected one file of sources and one of targets. Write them with cut -f1 and cut -f2"
        )
    pairs = list(_side_by_side(Path(source), Path(target)))
    return Corpus([line for line, _ in pairs], [line for _, line in pairs])


def open_pairs(paths: Sequence[str | Path], max_chars: int = MAX_CHARS) -> Corpus:
    """The same pairs as from `read_pairs`, checked but left in their files: memory holds only one byte per pair.

    Raises:
        CorpusError: as `read_pairs`, or a file is a pipe, which can be read only once.
    """
    files = _Files.of(paths)
    for path in files.all():
        if path.exists() and not path.is_file():
            raise CorpusError(
                f"{path} is not a file: training reads its pairs more than once. Write them to a file first"
            )
    kept = bytearray(_is_usable(pair, max_chars) for pair in files.pairs())
    source, target = (FileLines(lambda side=side: files.side(side), kept) for side in range(2))
    dropped = len(kept) - len(source)
    _check_some_left(paths, len(source), dropped, max_chars)
    return Corpus(source, target, dropped)


def read_lines(path: str | Path) -> list[str]:
    """All lines of a file; raises what `iter_lines` raises."""
    return list(iter_lines(Path(path)))


def read_links(path: str | Path, source: Sequence[str], target: Sequence[str]) -> list[Links]:
    """Reads which words of each pair belong together: one line per pair such as `0-0 1-2`, source-target; plain or `.gz`.

    Words are those of `str.split()`, counted from 0. An empty line is a pair without links. Possible links, `1p2`, are ignored.

    Raises:
        CorpusError: what `read_lines` raises; the numbers of lines and pairs differ; a line contains something else, or the number
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
        lines.pop()  # what follows the last line end is not a line
    return [decode_line(line, name, number) for number, line in enumerate(lines, start=1)]


def keep_usable(
    source: Sequence[str],
    target: Sequence[str],
    max_chars: int = MAX_CHARS,
    links: Sequence[Links] | None = None,
) -> Corpus:
    """Leaves out and counts the pairs with an empty or too long side."""
    kept = [_is_usable(pair, max_chars) for pair in zip(source, target, strict=True)]
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


def _is_usable(pair: tuple[str, str], max_chars: int) -> bool:
    return all(line.strip() and len(line) <= max_chars for line in pair)


def _check_some_left(paths: Sequence[str | Path], left: int, dropped: int, max_chars: int) -> None:
    if not left:
        raise CorpusError(
            f"{paths[0]} has no usable pair: all {dropped} have an empty side "
            f"or one of more than {max_chars} characters"
        )


def _is_table(path: str | Path) -> bool:
    return str(path).endswith((".tsv", ".tsv.gz"))


class _Files(NamedTuple):
    """The files of a corpus: one list for each side, or two-column files."""

    sides: tuple[list[Path], list[Path]] | None
    tables: list[Path]

    @classmethod
    def of(cls, paths: Sequence[str | Path]) -> "_Files":
        tables = list(filter(_is_table, paths))
        if len(paths) == 1 and tables:
            return cls(None, files_of(paths[0]))
        if len(paths) != 2 or tables:
            given = ", ".join(map(str, paths)) or "nothing"
            raise CorpusError(
                "expected two text files (source, target) or one .tsv file with a tab between its two columns; a name such as "
                f"part-*.tsv stands for many. Received: {given}"
            )
        source, target = map(files_of, paths)
        if len(source) != len(target):
            raise CorpusError(
                f"{paths[0]} is {len(source)} files but {paths[1]} is {len(target)}: "
                "file n of one side must hold the translations of file n of the other"
            )
        return cls((source, target), [])

    def all(self) -> list[Path]:
        return self.tables if self.sides is None else [*self.sides[0], *self.sides[1]]

    def pairs(self) -> Iterator[tuple[str, str]]:
        """All pairs, including unusable ones."""
        if self.sides is None:
            return chain.from_iterable(map(_columns, self.tables))
        return chain.from_iterable(map(_side_by_side, *self.sides))

    def side(self, number: int) -> Iterator[str]:
        """All lines of the source, 0, or the target, 1."""
        if self.sides is None:
            return (pair[number] for pair in self.pairs())
        return chain.from_iterable(map(iter_lines, self.sides[number]))


def _columns(path: Path) -> Iterator[tuple[str, str]]:
    """Both columns of a `.tsv` file; a blank line is a pair of empty lines."""
    for number, line in enumerate(iter_lines(path), start=1):
        fields = line.split("\t") if line.strip() else ["", ""]
        if len(fields) != 2:
            raise CorpusError(
                f"{path}:{number}: expected two columns, source TAB target; found {len(fields)}. "
                "Take two of them with cut -f1,2, or use two text files if the sentences themselves contain tabs"
            )
        yield fields[0], fields[1]


def _side_by_side(source: Path, target: Path) -> Iterator[tuple[str, str]]:
    lines = iter_lines(source), iter_lines(target)
    for number, pair in enumerate(zip_longest(*lines)):
        if None in pair:
            counts = [
                number + (line is not None) + sum(1 for _ in rest)
                for line, rest in zip(pair, lines, strict=True)
            ]
            raise CorpusError(
                f"{source} has {counts[0]} lines but {target} has {counts[1]}: "
                "line n of one file must be the translation of line n of the other"
            )
        yield pair
