"""Translates with an exported `.tflite`, as a client would: text -> ids, the file, ids -> text."""

import itertools
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from keras_attn.export.output_folder import LITERT_DESCRIPTION, read_description
from keras_attn.text.special_tokens import EOS_ID, PAD_ID
from keras_attn.text.tokenizer import Tokenizer

MODEL = "model.tflite"


class LiteRTTranslator:
    """What `export_litert` wrote, behind one call.

    Args:
        folder: the export's folder.
        num_threads: threads of the interpreter.

    Raises:
        ValueError, OSError: the folder is no export, or a file is missing or broken.

    Example:

    >>> translator = LiteRTTranslator("export/en-de")
    >>> translator(["A small dog runs across the grass."])
    ['Ein kleiner Hund läuft über das Gras.']
    """

    def __init__(self, folder: str | Path, num_threads: int = 1) -> None:
        from ai_edge_litert.interpreter import Interpreter

        folder = Path(folder)
        self.description = read_description(folder / LITERT_DESCRIPTION)
        vocabularies = self.description["vocabularies"]
        self.source_tokenizer = Tokenizer((folder / vocabularies["source"]).read_bytes())
        self.target_tokenizer = Tokenizer((folder / vocabularies["target"]).read_bytes())
        self._interpreter = Interpreter(str(folder / MODEL), num_threads=num_threads)
        self._run = self._interpreter.get_signature_runner("translate")
        if self.description["source_length"] is None:
            self._run_the_longest_source()

    def __call__(self, lines: Sequence[str]) -> list[str]:
        """The translation of each line; a line without any sub-word, such as "", gives ""."""
        return self.decode([self.translate_ids(ids)[0] for ids in self.encode(lines)])

    def encode(self, lines: Sequence[str]) -> list[list[int]]:
        """Source ids of each line, EOS at the end; longer input than the export takes is cut."""
        most = self.description["search"]["max_source_length"] - 1
        return [[*ids[:most], EOS_ID] for ids in self.source_tokenizer.encode(lines)]

    def decode(self, ids: Sequence[Sequence[int]]) -> list[str]:
        """Text of each sequence of target ids."""
        return self.target_tokenizer.decode(ids)

    def translate_ids(self, ids: Sequence[int]) -> tuple[list[int], float]:
        """Source ids, EOS at the end, to target ids, with EOS unless the translation was cut at its limit, and score.

        Raises:
            ValueError: more ids than the export's fixed source length.
        """
        length = self.description["source_length"]
        if length is not None and len(ids) > length:
            raise ValueError(f"this export takes at most {length} source ids, EOS included; got {len(ids)}")
        source = np.full((1, len(ids) if length is None else length), PAD_ID, np.int32)
        source[0, : len(ids)] = ids
        found = self._run(source=source)
        return found["ids"][0, : found["lengths"][0]].tolist(), float(found["scores"][0])

    def _run_the_longest_source(self) -> None:
        """Once, so that no later source is longer: after one that is, LiteRT's XNNPACK kernels (2.3) may give wrong numbers.

        They did for a sentence in one of a hundred interpreters. A fixed source length knows no such thing.
        """
        words = itertools.cycle(range(EOS_ID + 1, self.source_tokenizer.vocab_size))
        self.translate_ids(
            [*itertools.islice(words, self.description["search"]["max_source_length"] - 1), EOS_ID]
        )
