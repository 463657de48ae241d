"""Translates columns of tables, with a picklable object for Ray Data, Spark, Beam and anything else that maps batches."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from keras_attn.inference.lite_translator import lite_translator
from keras_attn.inference.options import ENGINES, check, check_texts_only
from keras_attn.storage import packaged
from keras_attn.text.framing import check_lines

if TYPE_CHECKING:
    from keras_attn.inference.lite_translator import LiteTranslator
    from keras_attn.inference.translator import Translator


class BulkTranslator:
    """Adds a column of translations to a batch `{"text": array of str, ...}`.

    It loads its model on the first call, so a pickled object is small, and each process loads its own model.

    Args:
        folder: a model folder that every process can read, or the name of a packaged model.
        engine: "auto", "litert", "int8" (the fastest, with nearly the same translations) or "keras".
        source: the column to translate.
        target: the column to add.
        beam_size: hypotheses kept at every position. `None`: the model's own.
        options: see `Options`.

    Raises:
        ValueError, TypeError: an unknown engine or option.

    Examples, with Ray Data and with Spark; for Beam see `beam_handler`:

    >>> table.map_batches(BulkTranslator, fn_constructor_args=("runs/en-de",), concurrency=2, batch_size=1024)
    >>> udf = predict_batch_udf(BulkTranslator("runs/en-de").make_predict_fn, return_type=StringType(), batch_size=1024)
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
        if engine not in ENGINES:
            raise ValueError(f"engine must be one of {', '.join(ENGINES)}. Received: {engine!r}")
        check(options)
        check_texts_only(options)
        self.folder = str(folder if packaged.is_name(folder) else Path(folder).resolve())
        self.engine, self.source, self.target = engine, source, target
        self.beam_size, self.options = beam_size, options
        self._translator: Translator | LiteTranslator | None = None

    def __call__(self, batch: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """The batch with the translations of its texts, an array of str.

        Raises:
            ValueError: there is no such column, it contains something other than text, or the model cannot be used.
        """
        if self.source not in batch:
            raise ValueError(
                f"expected a column {self.source!r} of text; got {', '.join(map(repr, batch)) or 'none'}"
            )
        return {**batch, self.target: self.translate(batch[self.source])}

    def translate(self, texts: np.ndarray) -> np.ndarray:
        """The translation of each text, an array of str."""
        lines = np.asarray(texts, dtype=object).tolist()
        check_lines(lines, name="the batch")
        self.load()
        translations = self._translator(lines, self.beam_size, **self.options) if lines else []
        return np.array(translations, dtype=object)

    def make_predict_fn(self) -> Callable[[np.ndarray], np.ndarray]:
        """Spark's `predict_batch_udf` calls this once per Python worker: it loads the model and returns `translate`."""
        self.load()
        return self.translate

    def load(self) -> None:
        """Loads the model unless it is already loaded.

        Raises:
            ValueError: the model cannot be used.
            FileNotFoundError: there is no such folder.
        """
        if self._translator is not None:
            return
        folder = packaged.folder(self.folder) if self.folder in packaged.names() else self.folder
        self._translator = lite_translator(folder, self.engine, self.beam_size, self.options)
        if self._translator is None:
            from keras_attn.inference.translator import Translator

            self._translator = Translator.load(folder)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_translator": None}
