"""Translates text with a `.tflite` that `keras-attn export --format litert` wrote. No keras_attn, no TensorFlow, no tokenizer:

    pip install ai-edge-litert numpy
    python litert_translator.py model.tflite < in.txt > out.txt
    python litert_translator.py model.tflite --stream < in.txt

The file holds all there is, and takes and gives text as its bytes in UTF-8. It may be a stranger's: its sum is checked before it is
used, and on Linux this program, but not `Translator`, survives a file that crashes LiteRT.
"""

import argparse
import ctypes
import hashlib
import os
import re
import signal
import sys
import traceback
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import BinaryIO, NamedTuple

import numpy as np
from ai_edge_litert.interpreter import Interpreter

PAD, BOS, EOS = 0, 2, 3  # in every file
UTF_16 = (b"\xff\xfe", b"\xfe\xff")  # how it begins
CONTROL_CHARACTERS = r"[\x00-\x1f\x7f-\x9f\u2028\u2029]"
NO_TRANSLATION = -1e9  # the score where a beam ended with fewer translations than it has places

SUMS, GRAPHS_SUM = "SHA256SUMS", "graphs.sha256"  # beside the file, as `sha256sum` writes them; and in it
MOST_BYTES = {GRAPHS_SUM: 64}  # of the files in a `.tflite` that are read


class Translation(NamedTuple):
    """One translation.

    Attributes:
        text: the translation.
        score: its log-probability, in nats, over the length penalty of the file.
        truncated: whether the input was longer than the file takes, so that its end is missing.
        unknown: whether there is something in the input that the vocabulary does not know.
    """

    text: str
    score: float
    truncated: bool
    unknown: bool


class Alignment(NamedTuple):
    """A translation with the sub-words it is made of, and where the model looked.

    Attributes:
        source: sub-words of the input as they stand in it, with the spaces before them; then "</s>", the end.
        target: sub-words of the translation; "</s>" is the last unless it was cut at its limit.
        weights: float32 `[target, source]`; row t is the attention that produced target[t] and sums to one.
    """

    translation: Translation
    source: list[str]
    target: list[str]
    weights: np.ndarray


class Translator:
    """A translator in one file; not to be used by two threads at once.

    Args:
        path: the `.tflite`, or the folder of the export.
        num_threads: threads of the interpreter.

    Raises:
        ValueError, OSError: the file is missing, damaged, or not one that `keras-attn export` wrote of a model with vocabularies.

    Example:

    >>> translate = Translator("model.tflite")
    >>> translate("A small dog runs across the grass.").text
    'Ein kleiner Hund läuft über das Gras.'
    """

    def __init__(self, path: str, num_threads: int = 1) -> None:
        if os.path.isdir(path):
            path = os.path.join(path, "model.tflite")
        try:
            with zipfile.ZipFile(path) as archive:
                check_sums(path, archive)
            self._interpreter = Interpreter(str(path), num_threads=num_threads)
            names = self._interpreter.get_signature_list()
            self.signatures = {name: self._interpreter.get_signature_runner(name) for name in names}
        except zipfile.BadZipFile:
            raise ValueError(f"{path} is not a .tflite that `keras-attn export` wrote") from None
        except (ValueError, RuntimeError) as error:  # the latter of damaged graphs
            raise ValueError(f"{path} cannot be used: {error}") from None
        if "translate_text" not in names:
            raise ValueError(
                f"{path} takes no text: expected a file that this version of `keras-attn export` wrote"
            )
        self._text_shape = self._shape("translate_text", "text")
        self._ids_shape = self._shape("detokenize", "ids")

    def __call__(self, text: str) -> Translation:
        """The best translation."""
        return self.nbest(text)[0]

    def nbest(self, text: str) -> list[Translation]:
        """All translations that the search ends with, best first: one, or as many as the file's beam."""
        found = self.signatures["translate_text"](text=self._bytes(text))
        flags = bool(found["truncated"][0]), bool(found["unknown"][0])
        rows = zip(found["text"], found["lengths"], found["scores"], strict=True)
        return [
            Translation(_string(codes[:length]), float(score), *flags)
            for codes, length, score in rows
            if score > NO_TRANSLATION
        ]

    def stream(self, text: str) -> Iterator[str]:
        """The translation by greedy search as it grows, word by word; the last one is complete.

        It knows neither `no_repeat_ngram` nor `keep_numbers`.
        """
        state = self.signatures["encode"](source=self.signatures["tokenize"](text=self._bytes(text))["ids"])
        limit = int(state.pop("limit")[0])
        del state["truncated"]
        produced, token = [], BOS
        while len(produced) < limit:
            found = self.signatures["step"](token=np.array([token], np.int32), **state)
            log_probs = found.pop("log_probs")[0]
            log_probs[[PAD, BOS]] = -np.inf
            token = int(log_probs.argmax())
            if token == EOS:
                break
            produced.append(token)
            state.update((name, tensor) for name, tensor in found.items() if name in state)
            yield self._join(produced)[0]

    def align(self, text: str) -> Alignment:
        """The best translation, its sub-words and its attention.

        Raises:
            ValueError: the model has no attention.
        """
        if "align" not in self.signatures:
            raise ValueError("this model has no attention, so there is nothing to align by")
        read = self.signatures["tokenize"](text=self._bytes(text))
        found = self.signatures["align"](source=read["ids"])
        target = found["ids"][0, : found["lengths"][0]].tolist()
        said, target_parts = self._join(target)
        flags = bool(read["truncated"][0]), bool(read["unknown"][0])
        translation = Translation(said, float(found["scores"][0]), *flags)
        if not target:
            return Alignment(translation, [], [], np.zeros([0, 0], np.float32))
        utf8 = _utf8(text)[: self._text_shape[1] - 1]  # no more is read
        *starts, unread = read["starts"][0, : read["length"][0] + 1].tolist()
        # Of a text with too many sub-words, the file tells where the first that it does not read begins.
        end = unread if translation.truncated and unread > starts[-1] else len(utf8)
        parts = zip(starts, [*starts[1:], end], strict=True)
        source = [utf8[start:end].decode(errors="ignore") for start, end in parts]
        return Alignment(
            translation,
            [*source, "</s>"],
            target_parts,
            found["weights"][0, : len(target), : len(source) + 1],
        )

    def _shape(self, signature: str, name: str) -> list[int]:
        return self.signatures[signature].get_input_details()[name]["shape"]

    def _bytes(self, text: str) -> np.ndarray:
        """As much of a text as the file takes: bytes, then -1. One that leaves no -1 counts as longer."""
        given = np.full(self._text_shape, -1, np.int32)
        utf8 = _utf8(text)[: given.size]
        given[0, : len(utf8)] = list(utf8)
        return given

    def _join(self, ids: list[int]) -> tuple[str, list[str]]:
        """The text of target ids, in one line, and the part of it that each of them is."""
        given = np.full(self._ids_shape, PAD, np.int32)
        given[0, : len(ids)] = ids
        found = self.signatures["detokenize"](ids=given)
        codes, ends = found["text"][0], [0, *found["ends"][0, : len(ids)].tolist()]
        parts = [
            "</s>" if token == EOS else _string(codes[start:end])
            for token, start, end in zip(ids, ends, ends[1:], strict=False)
        ]
        return _string(codes[: ends[-1]]), parts


def _utf8(text: str) -> bytes:
    """A lone surrogate, which UTF-8 cannot hold, counts as a question mark."""
    return text.encode("utf-8", errors="replace")


def _string(codes: np.ndarray) -> str:
    """Text without control characters, which a stranger's file might tell a terminal."""
    return re.sub(CONTROL_CHARACTERS, " ", bytes(codes.astype(np.uint8)).decode("utf-8", errors="replace"))


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
    most = MOST_BYTES[name]
    try:
        with archive.open(name) as file:
            data = file.read(most + 1)
    # The last two: a method that Python does not know, and a password.
    except (KeyError, zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise ValueError(f"{name} in it is damaged or missing: {error}") from None
    if len(data) > most:
        raise ValueError(f"{name} in it is larger than {most} bytes")
    return data


def one_line(message: str) -> str:
    """A message for a terminal, which must not do what a stranger's file tells it to."""
    return "".join(each if each.isprintable() else "\ufffd" for each in " ".join(message.split()))


def utf8_lines(stream: BinaryIO) -> Iterator[str]:
    """The lines of a stream, which end at "\\n" alone; bytes that are not UTF-8 are replaced, with a warning by line number.

    Raises:
        ValueError: the text is UTF-16.
    """
    for number, line in enumerate(stream, start=1):
        if number == 1 and line.startswith(UTF_16):
            raise ValueError(
                "the text is UTF-16: save it as UTF-8, or convert it with iconv -f UTF-16 -t UTF-8"
            )
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


def translate_lines(path: str, num_threads: int, stream: bool) -> int:
    """Translates standard input, and gives the exit status."""
    try:
        translator = Translator(path, num_threads)
        sys.stdout.reconfigure(encoding="utf-8")
        for line in utf8_lines(sys.stdin.buffer):
            answer(translator, line, stream)
    # Nobody reads the answers any more; Python itself would complain of it while it ends.
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError, LookupError, RuntimeError) as error:  # the last two of a stranger's graphs
        print(f"Error: {one_line(str(error))}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


def in_a_copy(run: Callable[[], int]) -> int:
    """Runs something in a copy of this process and gives its exit status; below zero, the signal that ended it.

    LiteRT does not check the graphs that it runs. A damaged one may crash it.
    """
    child = os.fork()
    if child == 0:
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: it does not outlive this process
        status = 1
        try:
            status = run()
            sys.stdout.flush()
        except Exception:
            traceback.print_exc()
        finally:
            os._exit(status)
    before = {
        signal.SIGINT: signal.signal(signal.SIGINT, signal.SIG_IGN),  # the terminal sends it to both
        signal.SIGTERM: signal.signal(signal.SIGTERM, lambda *_: os.kill(child, signal.SIGTERM)),
    }
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    for number, handler in before.items():
        if handler is not None:  # one that Python did not install
            signal.signal(number, handler)
    return status


def _threads(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 1024:
        raise argparse.ArgumentTypeError(f"expected a number from 1 to 1024, got {text!r}")
    return int(text)


def main() -> None:
    parser = argparse.ArgumentParser(description="Translates the lines of standard input.")
    parser.add_argument("model", help="a .tflite that `keras-attn export --format litert` wrote")
    parser.add_argument("--stream", action="store_true", help="show words as they are found")
    parser.add_argument("--threads", type=_threads, default=1, metavar="N")
    arguments = parser.parse_args()
    if sys.stdin is None:  # closed: there is nothing to translate
        return

    def run() -> int:
        return translate_lines(arguments.model, arguments.threads, arguments.stream)

    status = in_a_copy(run) if sys.platform == "linux" else run()
    if status == -signal.SIGTERM:  # which was passed on to the copy
        sys.exit(128 + signal.SIGTERM)
    if status < 0:
        reason = f"it crashes LiteRT, or was killed ({signal.Signals(-status).name})"
        print(f"Error: {one_line(arguments.model)} cannot be used: {reason}", file=sys.stderr)
    sys.exit(2 if status < 0 else status)


if __name__ == "__main__":
    main()
