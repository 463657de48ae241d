"""Translates text with a `.tflite` that `keras-attn export --format litert` wrote. No keras_attn, no TensorFlow:

    pip install ai-edge-litert numpy sentencepiece
    python litert_translator.py model.tflite < in.txt > out.txt
    python litert_translator.py model.tflite --stream < in.txt

The file holds all there is: the graphs, their description and the vocabularies. It may be a stranger's: sums and sizes are checked
before it is used.
"""

import argparse
import hashlib
import json
import os
import re
import sys
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from ai_edge_litert.interpreter import Interpreter
from sentencepiece import SentencePieceProcessor

SUMS, GRAPHS_SUM = "SHA256SUMS", "graphs.sha256"  # beside the file, as `sha256sum` writes them; and in it
MOST_BYTES = {
    ".json": 1 << 20,
    ".spm": 1 << 24,
    ".sha256": 64,
}  # of the files in a `.tflite`, which may be a stranger's
LONGEST = 100_000  # ids of a source


class Translation(NamedTuple):
    """One translation.

    Attributes:
        text: the translation.
        score: its log-probability, in nats, over the length penalty of the file.
        truncated: whether the input was longer than the file takes, so that its end is missing.
    """

    text: str
    score: float
    truncated: bool


class Alignment(NamedTuple):
    """A translation with the sub-words it is made of, and where the model looked.

    Attributes:
        source: sub-words of the input, the end of the sentence included.
        target: sub-words of the translation, its end included unless it was cut at its limit.
        weights: float32 `[target, source]`; row t is the attention that produced target[t] and sums to one.
    """

    translation: Translation
    source: list[str]
    target: list[str]
    weights: np.ndarray


class Translator:
    """A translator in one file; not to be used by two threads at once.

    Args:
        path: the `.tflite`.
        num_threads: threads of the interpreter.

    Raises:
        ValueError, OSError: the file is missing, damaged, or not one that `keras-attn export` wrote.

    Example:

    >>> translate = Translator("model.tflite")
    >>> translate("A small dog runs across the grass.").text
    'Ein kleiner Hund läuft über das Gras.'
    """

    def __init__(self, path: str, num_threads: int = 1) -> None:
        try:
            with zipfile.ZipFile(path) as archive:
                check_sums(path, archive)
                self.about = description(archive)
                vocabularies = self.about["vocabularies"]
                self._source, self._target = (
                    SentencePieceProcessor(model_proto=file_in(archive, vocabularies[side]))
                    for side in ("source", "target")
                )
            self._interpreter = Interpreter(str(path), num_threads=num_threads)
            self.signatures = {
                name: self._interpreter.get_signature_runner(name)
                for name in self._interpreter.get_signature_list()
            }
        except zipfile.BadZipFile:
            raise ValueError(
                f"{path} is not a .tflite that `keras-attn export` wrote: it holds no vocabulary"
            ) from None
        except (ValueError, RuntimeError) as error:  # the latter of damaged graphs and vocabularies
            raise ValueError(f"{path} cannot be used: {error}") from None
        if self.about["source_length"] is None:
            self._run_the_longest_source()

    def __call__(self, text: str) -> Translation:
        """The best translation."""
        return self.nbest(text)[0]

    def nbest(self, text: str) -> list[Translation]:
        """All translations that the search ends with, best first: one, or as many as the file's beam."""
        found = self._run("translate", self._ids(text))
        rows = zip(found["ids"], found["lengths"], found["scores"], strict=True)
        return [
            Translation(self._text(ids[:length]), float(score), bool(found["truncated"][0]))
            for place, (ids, length, score) in enumerate(rows)
            if length or not place
        ]

    def stream(self, text: str) -> Iterator[str]:
        """The translation by greedy search as it grows, word by word; the last one is complete."""
        special = self.about["special_ids"]
        state = self._run("encode", self._ids(text))
        limit = int(state.pop("limit")[0])
        del state["truncated"]
        produced, token = [], special["bos"]
        while len(produced) < limit:
            found = self.signatures["step"](token=np.array([token], np.int32), **state)
            log_probs = found.pop("log_probs")[0]
            log_probs[[special["pad"], special["bos"]]] = -np.inf
            token = int(log_probs.argmax())
            if token == special["eos"]:
                break
            produced.append(token)
            state.update((name, tensor) for name, tensor in found.items() if name in state)
            yield self._text(produced)

    def align(self, text: str) -> Alignment:
        """The best translation, its sub-words and its attention.

        Raises:
            ValueError: the model has no attention.
        """
        if "align" not in self.signatures:
            raise ValueError("this model has no attention, so there is nothing to align by")
        ids = self._ids(text)
        found = self._run("align", ids)
        length, target = int(found["lengths"][0]), found["ids"][0]
        read = ids if length else []
        translation = Translation(
            self._text(target[:length]), float(found["scores"][0]), bool(found["truncated"][0])
        )
        return Alignment(
            translation,
            [self._source.id_to_piece(i) for i in read],
            [self._target.id_to_piece(int(i)) for i in target[:length]],
            found["weights"][0, :length, : len(read)],
        )

    def _ids(self, text: str) -> list[int]:
        """Source ids as the file takes them; of longer input, as many as there is room for."""
        ids = [*self._source.encode(text), self.about["special_ids"]["eos"]]
        return ids[: self.about["source_length"] or self.about["search"]["max_source_length"] + 1]

    def _run(self, signature: str, ids: list[int]) -> dict[str, np.ndarray]:
        source = np.full(
            (1, self.about["source_length"] or len(ids)), self.about["special_ids"]["pad"], np.int32
        )
        source[0, : len(ids)] = ids
        return self.signatures[signature](source=source)

    def _text(self, ids: np.ndarray | list[int]) -> str:
        """The text of ids, without control characters, which a stranger's vocabulary might tell a terminal."""
        return re.sub(r"[\x00-\x1f\x7f-\x9f]", " ", self._target.decode([int(i) for i in ids]))

    def _run_the_longest_source(self) -> None:
        """Once, so that no later source is longer: after one that is, LiteRT's kernels (2.3) may give wrong numbers."""
        words = self.about["search"]["max_source_length"] - 1
        ids = [4 + i % (self.about["vocab_sizes"]["source"] - 4) for i in range(words)]
        for signature in self.signatures.keys() - {"step"}:
            self._run(signature, [*ids, self.about["special_ids"]["eos"]])


def check_sums(path: str, archive: zipfile.ZipFile) -> None:
    """Compares a `.tflite` with its SHA-256: that beside it, or that of its graphs in it. Warns where there is none.

    Raises:
        ValueError: they differ.
    """
    beside = os.path.join(os.path.dirname(path), SUMS)
    with open(path, "rb") as file:
        if expected := sum_beside(beside, os.path.basename(path)):
            found = hashlib.file_digest(file, "sha256").hexdigest()
        elif GRAPHS_SUM in archive.namelist():
            expected = file_in(archive, GRAPHS_SUM).decode(errors="replace")
            graphs = file.read(min(info.header_offset for info in archive.infolist()))
            found = hashlib.sha256(graphs).hexdigest()
        else:
            print(f"Warning: {one_line(path)} has no SHA-256, so damage may go unnoticed", file=sys.stderr)
            return
    if found != expected:
        raise ValueError("it is damaged or was changed: its SHA-256 is another. Get it again")


def sum_beside(path: str, name: str) -> str | None:
    """What a `SHA256SUMS` says of a file; `None`: nothing, or there is none."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = file.read(1 << 16).splitlines()
    except FileNotFoundError:
        return None
    return next((line[:64] for line in lines if line[66:] == name), None)


def file_in(archive: zipfile.ZipFile, name: str) -> bytes:
    """A file in a `.tflite`, not larger than one of its kind has reason to be, whatever the archive says.

    Raises:
        ValueError: it is larger, damaged or not there.
    """
    most = MOST_BYTES.get(os.path.splitext(name)[1], 0)
    try:
        with archive.open(name) as file:
            data = file.read(most + 1)
    # The last two: a method that Python does not know, and a password.
    except (KeyError, zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise ValueError(f"{name} in it is damaged or missing: {error}") from None
    if len(data) > most:
        raise ValueError(f"{name} in it is larger than {most} bytes")
    return data


def description(archive: zipfile.ZipFile) -> dict[str, Any]:
    """The `model.json` in a `.tflite`.

    Raises:
        ValueError: it is not what `keras-attn export` writes.
    """
    try:
        about = json.loads(file_in(archive, "model.json"))
        numbers = [about["special_ids"][name] for name in ("pad", "bos", "eos")]
        lengths = [about["source_length"] or LONGEST, about["search"]["max_source_length"]]
        names = [about["vocabularies"][side] for side in ("source", "target")]
        size = about["vocab_sizes"]["source"]
        whole = all(type(number) is int for number in [*numbers, *lengths, size]) and size > 4
        if (
            whole
            and all(2 <= length <= LONGEST for length in lengths)
            and all(type(each) is str for each in names)
        ):
            return about
    except (KeyError, TypeError, RecursionError):
        pass
    raise ValueError("the model.json in it does not describe a model of text")


def one_line(message: str) -> str:
    """A message for a terminal, which must not do what a stranger's file tells it to."""
    return "".join(each if each.isprintable() else "\ufffd" for each in " ".join(message.split()))


def utf8_lines(stream: BinaryIO) -> Iterator[str]:
    """The lines of a stream, which end at "\\n" alone; bytes that are not UTF-8 are replaced, with a warning by line number."""
    for number, line in enumerate(stream, start=1):
        text = line.removesuffix(b"\n")
        try:
            decoded = text.decode("utf-8")
        except UnicodeDecodeError as error:
            print(f"Warning: line {number}: byte {error.start + 1} is not UTF-8; replaced", file=sys.stderr)
            decoded = text.decode("utf-8", errors="replace")
        yield decoded


def answer(translator: Translator, line: str, stream: bool) -> None:
    """Prints the translation of a line; with `stream` word by word, each time over what was there."""
    if not stream:
        print(translator(line).text, flush=True)
        return
    for text in translator.stream(line):
        print(f"\r{text}", end="", flush=True)
    print(flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="Translates the lines of standard input.")
    parser.add_argument("model", help="a .tflite that `keras-attn export --format litert` wrote")
    parser.add_argument("--stream", action="store_true", help="show words as they are found")
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    if sys.stdin is None:  # closed: there is nothing to translate
        return
    try:
        translator = Translator(arguments.model, arguments.threads)
        sys.stdout.reconfigure(encoding="utf-8")
        for line in utf8_lines(sys.stdin.buffer):
            answer(translator, line, arguments.stream)
    # Nobody reads the answers any more; Python itself would complain of it while it ends.
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError, LookupError, RuntimeError) as error:  # the last two of a stranger's graphs
        print(f"Error: {one_line(str(error))}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
