"""Translates columns of tables: one picklable object for Ray Data, Spark and Beam, and for everything else that maps batches."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from keras_attn.inference.lite_translator import lite_translator
from keras_attn.storage import packaged

if TYPE_CHECKING:
    from keras_attn.inference.lite_translator import LiteTranslator
    from keras_attn.inference.translator import Translator


class BulkTranslator:
    """Maps `{"text": array of str, ...}` to the same with a column of translations.

    It loads its model when it is first called, so a pickled one is small, and each process loads its own.

    Args:
        folder: a model folder that every process can read, or the name of a packaged model.
        engine: "auto", "litert", "int8" (the fastest, with nearly the same translations) or "keras".
        source: the column to translate.
        target: the column to add.
        beam_size: hypotheses kept at every position. `None`: the model's own.
        options: see `Options`.

    Raises:
        ValueError: there is no such engine.

    Example:

    >>> ray.data.read_text("en.txt").map_batches(BulkTranslator("tatoeba-en-es"), concurrency=2)
    """

    def __init__(
        self,
        folder: str | Path,
        *,
        engine: str = "auto",
        source: str = "text",
        target: str = "translation",
        beam_size: int | None = None,
        **options: Any,
    ) -> None:
        is_name = str(folder) in packaged.names() and not Path(folder).exists()
        self.folder = str(folder) if is_name else str(Path(folder).resolve())
        self.engine, self.source, self.target = engine, source, target
        self.beam_size, self.options = beam_size, options
        self._translator: Translator | LiteTranslator | None = None

    def __call__(self, batch: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """The batch with the translations of its texts, an array of str.

        Raises:
            ValueError: there is no such column, or something in it is no text; or the model cannot be used.
        """
        if self.source not in batch:
            raise ValueError(
                f"expected a column {self.source!r} of text; got {', '.join(map(repr, batch)) or 'none'}"
            )
        return {**batch, self.target: self.translate(batch[self.source])}

    def translate(self, texts: np.ndarray) -> np.ndarray:
        """The translation of each text, an array of str."""
        lines = np.asarray(texts, dtype=object).tolist()
        for number, line in enumerate(lines):
            if not isinstance(line, str):
                raise ValueError(f"expected text; got {line!r} in row {number} of the batch")
        if self._translator is None:
            self._translator = self._load()
        translations = self._translator(lines, self.beam_size, **self.options) if lines else []
        return np.array(translations, dtype=object)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_translator": None}

    def _load(self) -> "Translator | LiteTranslator":
        folder = packaged.folder(self.folder) if self.folder in packaged.names() else self.folder
        if lite := lite_translator(folder, self.engine, self.beam_size, self.options):
            return lite
        from keras_attn.inference.translator import Translator

        return Translator.load(folder)
