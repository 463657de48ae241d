"""Translates with an exported `.tflite`, as a client would: text or ids in, text or ids out."""

import itertools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from keras_attn.export.description import MODEL, read_litert_description
from keras_attn.special_ids import EOS_ID, PAD_ID


class LiteRTModel:
    """Runs a `.tflite` from `export_litert`, from numbers to ids.

    Args:
        folder: the export's folder.
        num_threads: threads of the interpreter.

    Raises:
        ValueError, OSError: the folder is not an export, or a file is missing or broken.
    """

    def __init__(self, folder: str | Path, num_threads: int = 1) -> None:
        from ai_edge_litert.interpreter import Interpreter

        self.description = read_litert_description(Path(folder), "translate")
        self._run = _signature(Interpreter, Path(folder), "translate", num_threads)
        self._source = self.description["signatures"]["translate"]["inputs"]["source"]
        if self._source["dtype"] == "int32" and self.description["source_length"] is None:
            self._run_the_longest_source()

    def translate_ids(self, source: Sequence[int] | np.ndarray) -> tuple[list[int], float]:
        """Translates source ids, with EOS at the end, or other input of the model, to target ids and a score.

        The target ends with EOS unless it was cut at its limit.

        Raises:
            ValueError: more ids than the export's fixed source length.
        """
        source = np.asarray(source, self._source["dtype"])
        length = self.description["source_length"]
        if source.ndim == 1 and length is not None:
            if len(source) > length:
                raise ValueError(
                    f"this export takes at most {length} source ids, EOS included; got {len(source)}"
                )
            source = np.pad(source, (0, length - len(source)), constant_values=PAD_ID)
        outputs = self._run(source=source[None])
        return outputs["ids"][0, : outputs["lengths"][0]].tolist(), float(outputs["scores"][0])

    def _run_the_longest_source(self) -> None:
        """Runs the longest source once.

        After a source longer than all before, LiteRT's XNNPACK kernels (2.3) may compute wrong numbers. They did so for a sentence
        in one of a hundred interpreters. Files with a fixed source length are not affected.
        """
        words = itertools.cycle(range(EOS_ID + 1, self.description["vocab_sizes"]["source"]))
        self.translate_ids(
            [*itertools.islice(words, self.description["search"]["max_source_length"] - 1), EOS_ID]
        )


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

    Raises:
        ValueError, OSError: the folder is not such an export, or a file is missing or broken.

    Example:

    >>> translator = LiteRTTranslator("export/en-de")
    >>> translator(["A small dog runs across the grass."])
    ['Ein kleiner Hund läuft über das Gras.']
    """

    def __init__(self, folder: str | Path, num_threads: int = 1) -> None:
        from ai_edge_litert.interpreter import Interpreter

        self.description = read_litert_description(Path(folder), "translate_text")
        self._run = _signature(Interpreter, Path(folder), "translate_text", num_threads)
        described = self.description["signatures"]["translate_text"]["inputs"]["text"]
        self._text = np.empty(described["shape"], np.int32)

    def __call__(self, lines: Sequence[str]) -> list[str]:
        """The translation of each line; a line without any known sub-word, such as "", gives ""."""
        return [self.translate(line).text for line in lines]

    def translate(self, line: str) -> TextTranslation:
        """The best translation; a lone surrogate in the line, which UTF-8 cannot encode, counts as a question mark."""
        utf8 = np.frombuffer(line.encode("utf-8", errors="replace"), np.uint8)[: self._text.size]
        self._text[:] = -1
        self._text[0, : utf8.size] = utf8
        outputs = self._run(text=self._text)
        said = outputs["text"][0, : outputs["lengths"][0]].astype(np.uint8).tobytes()
        flags = (bool(outputs[name][0]) for name in ("truncated", "unknown"))
        return TextTranslation(said.decode("utf-8"), float(outputs["scores"][0]), *flags)


def _signature(load: Callable[..., Any], folder: Path, name: str, num_threads: int) -> Callable[..., Any]:
    """A signature of the folder's `.tflite`; raises ValueError if its graphs are damaged and cannot run."""
    try:
        interpreter = load(model_path=str(folder / MODEL), num_threads=num_threads)
        runner = interpreter.get_signature_runner(name)
    except RuntimeError as error:
        raise ValueError(f"{folder / MODEL} cannot be loaded: {error}") from None

    def run(**inputs: np.ndarray) -> dict[str, np.ndarray]:
        try:
            return runner(**inputs)
        except RuntimeError as error:
            raise ValueError(f"{folder / MODEL} cannot be run: {error}") from None

    return run
