"""Translates with the engine of a model folder, without importing TensorFlow or Keras."""

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack

from keras_attn.inference.litert_engine import LiteRTEngine
from keras_attn.inference.options import Options, check, check_texts_only, method_of
from keras_attn.inference.text_search import TextSearch
from keras_attn.inference.translation import Translation
from keras_attn.storage import packaged
from keras_attn.storage.engine_file import read_engine
from keras_attn.storage.model_folder import load_config, load_tokenizers
from keras_attn.text.framing import check_lines

_NOT_WITHOUT_KERAS = {"word_scores": False, "prefix": "", "glossary": {}}  # and what asks for nothing


class LiteTranslator:
    """Like `Translator`, but only for options that `refusal` accepts, and without attention weights in the results.

    In float32 it translates like a `Translator`, up to rounding. In int8 it is faster, and some sentences differ.

    Args:
        folder: a model folder with an engine.
        precision: "float32" or "int8".

    Raises:
        ValueError: the folder has no engine for its current weights and search.
        ModelFolderError, FileNotFoundError: as `load_model`.
    """

    def __init__(self, folder: str | Path, *, precision: str = "float32") -> None:
        config = load_config(folder)
        file = read_engine(folder, precision)
        if file is None:
            raise ValueError(
                f"{folder} has no engine for its weights: `keras-attn pack` makes a folder that has one"
            )
        self.search = config.search
        self._engine = LiteRTEngine(folder, file, isolated=not packaged.holds(folder))
        self._search = TextSearch(self._engine, *load_tokenizers(folder, config), self.search)

    def refusal(self, beam_size: int | None, options: Mapping[str, Any]) -> str | None:
        """Why it does not support these options, or `None` if it does.

        Raises:
            ValueError: an invalid value.
        """
        method = method_of(beam_size, options, self.search)
        if self.search.length_limit(self.search.max_source_length - 1) > self._engine.max_length:
            return "it was made for shorter translations than [search] now allows"
        for name, nothing in _NOT_WITHOUT_KERAS.items():
            value = options.get(name)
            if value is not None and (type(value) is not type(nothing) or value != nothing):
                return f"it does not support {name}"
        return self._engine.refusal(method)

    def __call__(
        self, lines: Sequence[str], beam_size: int | None = None, **options: Unpack[Options]
    ) -> list[str]:
        """The translation of each line; see `translate`."""
        check_texts_only(options)
        return [translation.text for translation in self.translate(lines, beam_size, **options)]

    def translate(
        self, lines: Sequence[str], beam_size: int | None = None, **options: Unpack[Options]
    ) -> list[Translation]:
        """The translation of each line with its sub-words and scores.

        Args:
            lines: text of the source language.
            beam_size: hypotheses kept at every position; 1 is greedy search.
            options: see `Options`.

        Raises:
            TypeError: one string instead of lines, or no sequence.
            ValueError: an invalid value, or an option that needs Keras.
        """
        check_lines(lines)
        check(options)
        if reason := self.refusal(beam_size, options):
            raise ValueError(f"this needs the engine keras: the folder's own engine cannot do it, {reason}")
        return self._search(
            lines,
            method_of(beam_size, options, self.search),
            n_best=options.get("n_best", 1),
            batch_size=options.get("batch_size"),
        )


def lite_translator(
    folder: str | Path, engine: str, beam_size: int | None, options: Mapping[str, Any]
) -> LiteTranslator | None:
    """The requested engine, ready for these options; `None`: Keras.

    Warns if a folder has an engine but the options need Keras.

    Raises:
        ValueError: "litert" or "int8" is requested but does not support the options.
        ModelFolderError, FileNotFoundError: as `load_model`.
    """
    if engine == "keras" or (engine == "auto" and read_engine(folder, "float32") is None):
        return None
    translator = LiteTranslator(folder, precision="int8" if engine == "int8" else "float32")
    if reason := translator.refusal(beam_size, options):
        if engine != "auto":
            raise ValueError(
                f"the engine {engine} of {folder} cannot do that: {reason}. Use the engine keras"
            )
        warnings.warn(
            f"translating with Keras, which takes longer to start: the engine of {folder} cannot do that, {reason}",
            stacklevel=2,
        )
        return None
    return translator
