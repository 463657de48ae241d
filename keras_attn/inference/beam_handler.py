"""Apache Beam: `RunInference(TranslationHandler("runs/en-de"))`. Needs `keras-attn[beam]`."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from apache_beam.ml.inference.base import ModelHandler, PredictionResult

from keras_attn.inference.bulk import BulkTranslator

_BOUNDARIES = [32, 64, 96, 128, 192, 256, 512]  # characters


class TranslationHandler(ModelHandler[str, PredictionResult, BulkTranslator]):
    """Translates lines; wrap it in `KeyedModelHandler` for lines with keys. Lines of about equal length are batched together.

    Args:
        folder, options: as for `BulkTranslator`.
        max_batch_size: the most lines in a batch.
        max_batch_duration_secs: how long a line waits for others of its length.

    A prediction's `inference` is the translation of its `example`.
    """

    def __init__(
        self,
        folder: str | Path,
        *,
        max_batch_size: int = 256,
        max_batch_duration_secs: int = 10,
        **options: Any,
    ) -> None:
        super().__init__(
            min_batch_size=16,
            max_batch_size=max_batch_size,
            max_batch_duration_secs=max_batch_duration_secs,
            batch_length_fn=len,
            batch_bucket_boundaries=_BOUNDARIES,
        )
        self._translator = BulkTranslator(folder, **options)

    def load_model(self) -> BulkTranslator:
        """Loads the model for a worker."""
        self._translator.load()
        return self._translator

    def run_inference(
        self, batch: Sequence[str], model: BulkTranslator, inference_args: dict[str, Any] | None = None
    ) -> Iterable[PredictionResult]:
        """The translation of each line."""
        translations = model.translate(np.array(batch, dtype=object))
        return [PredictionResult(line, text) for line, text in zip(batch, translations, strict=True)]
