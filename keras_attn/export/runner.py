"""Translates with an exported `.tflite`, as a client would: text or ids in, text or ids out."""

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from keras_attn.export.description import MODEL, read_litert_description
from keras_attn.inference.graphs import Arrays, load_graphs
from keras_attn.special_ids import EOS_ID, PAD_ID, check_source_ids
from keras_attn.text.framing import check_lines


class LiteRTModel:
    """Runs a `.tflite` from `export_litert`, from numbers to ids.

    Args:
        folder: the export's folder.
        num_threads: threads of the interpreter.
        isolated: whether a process of its own runs the graph: LiteRT does not check graphs, and a damaged one may crash it. `False`
            is for files of your own; it saves 0.3 s of loading and 0.1 ms for each call.

    Raises:
        ValueError, OSError: the folder is not an export, or a file is missing or broken.
    """

    def __init__(self, folder: str | Path, num_threads: int = 1, *, isolated: bool = True) -> None:
        self.description = read_litert_description(Path(folder), "translate")
        self._source = self.description["signatures"]["translate"]["inputs"]["source"]
        self._run = _Signature(Path(folder), "translate", num_threads, isolated, **self._first_inputs())

    def translate_ids(self, source: Sequence[int] | np.ndarray) -> tuple[list[int], float]:
        """Translates source ids, with EOS at the end, or other input of the model, to target ids and a score.

        The target ends with EOS unless it was cut at its limit.

        Raises:
            ValueError: not one source of the model's shape; more ids than the export's fixed source length, an id that is not in
                the vocabulary, or padding before one.
        """
        source = self._checked(source)
        length = self.description["source_length"]
        if source.ndim == 1 and length is not None:
            if len(source) > length:
                raise ValueError(
                    f"this export takes at most {length} source ids, EOS included; got {len(source)}"
                )
            source = np.pad(source, (0, length - len(source)), constant_values=PAD_ID)
        outputs = self._run(source=source[None])
        return outputs["ids"][0, : outputs["lengths"][0]].tolist(), float(outputs["scores"][0])

    def _checked(self, source: Sequence[int] | np.ndarray) -> np.ndarray:
        """One source as an array of the file's dtype."""
        source, reads_ids = np.asarray(source), self._source["dtype"] == "int32"
        shape = self._source["shape"][1:]
        fits = source.ndim == len(shape) and (
            reads_ids or all(want in (None, size) for want, size in zip(shape, source.shape, strict=True))
        )
        numbers = np.issubdtype(source.dtype, np.integer if reads_ids else np.number) or not source.size
        if not (fits and numbers):
            wanted = "the ids of one source, such as [7, 5, 3]" if reads_ids else f"numbers of shape {shape}"
            raise ValueError(f"expected {wanted}; got shape {source.shape} and dtype {source.dtype}")
        if reads_ids and source.size:
            check_source_ids(source, self.description["vocab_sizes"]["source"])
        return source.astype(self._source["dtype"])

    def _first_inputs(self) -> Arrays:
        """The longest source, or nothing where it makes no difference.

        After a source longer than all before, LiteRT's XNNPACK kernels (2.3) may compute wrong numbers. They did so for a sentence
        in one of a hundred interpreters. Files with a fixed source length are not affected.
        """
        if self._source["dtype"] != "int32" or self.description["source_length"] is not None:
            return {}
        words = itertools.cycle(range(EOS_ID + 1, self.description["vocab_sizes"]["source"]))
        most = self.description["search"]["max_source_length"]
        return {"source": np.array([[*itertools.islice(words, most - 1), EOS_ID]], np.int32)}


class TextTranslation(NamedTuple):
    """One translation.

    Attributes:
        text: the translation.
        score: its log-probability, in nats, divided by the file's length penalty.
        truncated: whether the source was too long for the file, so that its end is missing.
        unknown: whether the source contains something that the vocabulary does not know.
    """

    text: str
    score: float
    truncated: bool
    unknown: bool


class LiteRTTranslator:
    """Runs a `.tflite` from `export_litert` with vocabularies: text in, text out.

    Args:
        folder: the export's folder.
        num_threads: threads of the interpreter.
        isolated: whether a process of its own runs the graph: LiteRT does not check graphs, and a damaged one may crash it. `False`
            is for files of your own; it saves 0.3 s of loading and 0.1 ms for each call.

    Raises:
        ValueError, OSError: the folder is not such an export, or a file is missing or broken.

    Example:

    >>> translator = LiteRTTranslator("export/en-de")
    >>> translator(["A small dog runs across the grass."])
    ['Ein kleiner Hund läuft über das Gras.']
    """

    def __init__(self, folder: str | Path, num_threads: int = 1, *, isolated: bool = True) -> None:
        self.description = read_litert_description(Path(folder), "translate_text")
        self._run = _Signature(Path(folder), "translate_text", num_threads, isolated)
        described = self.description["signatures"]["translate_text"]["inputs"]["text"]
        self._shape = described["shape"]

    def __call__(self, lines: Sequence[str]) -> list[str]:
        """The translation of each line; a line without any known sub-word, such as "", gives ""."""
        check_lines(lines)
        return [self.translate(line).text for line in lines]

    def translate(self, line: str) -> TextTranslation:
        """The best translation; a lone surrogate in the line, which UTF-8 cannot encode, counts as a question mark."""
        text = np.full(self._shape, -1, np.int32)
        utf8 = np.frombuffer(line.encode("utf-8", errors="replace"), np.uint8)[: text.size]
        text[0, : utf8.size] = utf8
        outputs = self._run(text=text)
        said = outputs["text"][0, : outputs["lengths"][0]].astype(np.uint8).tobytes()
        flags = (bool(outputs[name][0]) for name in ("truncated", "unknown"))
        return TextTranslation(said.decode("utf-8"), float(outputs["scores"][0]), *flags)


class _Signature:
    """A signature of the folder's `.tflite`; ValueErrors name the file."""

    def __init__(
        self, folder: Path, name: str, num_threads: int, isolated: bool, **inputs: np.ndarray
    ) -> None:
        self._path, self._name = folder / MODEL, name
        self._graphs = load_graphs(self._path.read_bytes(), isolated=isolated, num_threads=num_threads)
        try:
            self._graphs.open(name, **inputs)
        except ValueError as error:
            raise ValueError(f"{self._path} cannot be loaded: {error}") from None

    def __call__(self, **inputs: np.ndarray) -> Arrays:
        try:
            return self._graphs.run(self._name, **inputs)
        except ValueError as error:
            raise ValueError(f"{self._path} cannot be run: {error}") from None
