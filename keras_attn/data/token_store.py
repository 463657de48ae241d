"""A corpus as ids on disk: tokenised once, and memory-mapped from then on.

A store is a folder of flat files in the cache. Its name is a checksum of the sentence pairs, the vocabularies and the longest
length, so a resumed run finds it, and so does another run on the same pairs. However large the corpus is, memory holds only a few
bytes per pair.
"""

import contextlib
import dataclasses
import hashlib
import os
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path

import numpy as np

from keras_attn.corpora.cache import cache_folder
from keras_attn.files import locked, new_file
from keras_attn.text.corpus import Corpus, CorpusError
from keras_attn.text.ragged import Ragged, offsets_of
from keras_attn.text.tokenizer import Tokenizer

_FORMAT = b"keras_attn token store 2\n"
_CHUNK = 4096  # pairs tokenised at a time
_SIDES = ("source", "target")


@dataclasses.dataclass(frozen=True)
class TokenStore:
    """The pairs of a corpus with at least one and not too many sub-words on both sides.

    Attributes:
        source, target: their ids, without BOS and EOS.
        kept: bool `[pairs of the corpus]`, which pairs these are.
    """

    source: Ragged
    target: Ragged
    kept: np.ndarray


def token_store(
    corpus: Corpus, source_tokenizer: Tokenizer, target_tokenizer: Tokenizer, *, max_length: int
) -> TokenStore:
    """The store of a corpus, which is made if there is none.

    Args:
        corpus: the sentence pairs.
        source_tokenizer, target_tokenizer: their vocabularies.
        max_length: the most sub-words on a side.

    Raises:
        CorpusError: no pair is short enough.
        OSError: the cache cannot be written.
    """
    tokenizers = source_tokenizer, target_tokenizer
    folder = cache_folder() / "tokens" / _key(corpus, tokenizers, max_length)
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(locked(folder, wait=True))
        except OSError as error:
            raise OSError(
                f"cannot write {folder}: {error.strerror}. Set KERAS_ATTN_CACHE to a writable folder"
            ) from None
        store = _load(folder)
        if store is None:
            _write(folder, corpus, tokenizers, max_length)
            store = _load(folder)
    return store


def _key(corpus: Corpus, tokenizers: tuple[Tokenizer, Tokenizer], max_length: int) -> str:
    checksum = hashlib.sha256(_FORMAT + f"{max_length}\n".encode())
    for tokenizer in tokenizers:
        checksum.update(hashlib.sha256(tokenizer.model_proto).digest())
    for source, target in zip(corpus.source, corpus.target, strict=True):  # either may contain any character
        checksum.update(f"{len(source)} {len(target)} {source}{target}".encode("utf-8", errors="replace"))
    return checksum.hexdigest()[:32]


def _load(folder: Path) -> TokenStore | None:
    """The store, or None if it is missing or damaged. `kept.npy` is written last and shows that it is complete."""
    try:
        kept = np.load(folder / "kept.npy", mmap_mode="r")
        sides = [_load_side(folder, side) for side in _SIDES]
    except (OSError, ValueError, EOFError):
        return None
    whole = all(
        len(side) == np.count_nonzero(kept) and side.offsets[-1] == len(side.values) for side in sides
    )
    return TokenStore(*sides, kept) if whole else None


def _load_side(folder: Path, side: str) -> Ragged:
    return Ragged(*(np.load(folder / f"{side}.{part}.npy", mmap_mode="r") for part in ("ids", "offsets")))


def _write(folder: Path, corpus: Corpus, tokenizers: tuple[Tokenizer, Tokenizer], max_length: int) -> None:
    lengths: tuple[list[np.ndarray], ...] = ([], [])
    kept = []
    with contextlib.ExitStack() as stack:
        files = [
            stack.enter_context(_GrowingArray.at(folder / f"{side}.ids.npy", _dtype_of(tokenizer)))
            for side, tokenizer in zip(_SIDES, tokenizers, strict=True)
        ]
        for chunk in _tokenised(corpus, tokenizers):
            fits = np.logical_and(*((row > 0) & (row <= max_length) for _, row in chunk))
            kept.append(fits)
            for side, (ids, row_lengths) in enumerate(chunk):
                files[side].append(ids[np.repeat(fits, row_lengths)])
                lengths[side].append(row_lengths[fits])
        if not any(map(np.any, kept)):
            raise CorpusError(
                f"none of the {len(corpus)} pairs has from 1 to {max_length} sub-words on both sides: raise data.max_length or "
                "shorten the lines, if they have more"
            )
    arrays = {f"{side}.offsets": offsets_of(np.concatenate(lengths[i])) for i, side in enumerate(_SIDES)}
    for name, array in (arrays | {"kept": np.concatenate(kept)}).items():
        with new_file(folder / f"{name}.npy") as part, part.open("wb") as stream:
            np.save(stream, array)


def _tokenised(
    corpus: Corpus, tokenizers: tuple[Tokenizer, Tokenizer]
) -> Iterator[list[tuple[np.ndarray, np.ndarray]]]:
    """For chunks of the pairs and for each side: the ids of all lines, int32, and their number per line. Uses all cores."""
    threads = os.cpu_count() or 1
    pairs = zip(corpus.source, corpus.target, strict=True)
    while chunk := list(islice(pairs, _CHUNK)):
        sides = zip(*chunk, strict=True)
        rows = [tokenizer.encode(lines, threads) for tokenizer, lines in zip(tokenizers, sides, strict=True)]
        yield [_flat(side) for side in rows]


def _flat(rows: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    return np.fromiter(chain.from_iterable(rows), np.int32), np.fromiter(map(len, rows), np.int64)


class _GrowingArray:
    """A one-dimensional `.npy` file that is written in pieces; its header with the length is completed at the end."""

    def __init__(self, stream, dtype: np.dtype) -> None:
        self._stream, self._dtype, self._length = stream, dtype, 0
        self._write_header()

    @classmethod
    @contextlib.contextmanager
    def at(cls, path: Path, dtype: np.dtype) -> Iterator["_GrowingArray"]:
        with new_file(path) as part, part.open("wb") as stream:
            array = cls(stream, dtype)
            yield array
            array._write_header()

    def append(self, values: np.ndarray) -> None:
        self._stream.write(values.astype(self._dtype).tobytes())
        self._length += len(values)

    def _write_header(self) -> None:
        self._stream.seek(0)
        header = {"descr": self._dtype.str, "fortran_order": False, "shape": (self._length,)}
        np.lib.format.write_array_header_1_0(self._stream, header)


def _dtype_of(tokenizer: Tokenizer) -> np.dtype:
    return np.dtype("<u2" if tokenizer.vocab_size <= 1 << 16 else "<i4")
