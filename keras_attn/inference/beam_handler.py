"""Apache Beam: `RunInference(TranslationHandler("runs/en-de"))`. Needs `keras-attn[beam]`."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from apache_beam.ml.inference.base import ModelHandler, PredictionResult

from keras_attn.inference.bulk import BulkTranslator

_BOUNDARIES = [32, 64, 96, 128, 192, 256, 512]  # characters


class TranslationHandler(ModelHandler[str, PredictionResult, BulkTranslator]):
    """Translates lines; wrap it in `KeyedModelHandler` for lines with keys.

    Args:
        folder, options: as for `BulkTranslator`.
        max_batch_size: lines in a batch; the last one of a bundle has fewer.
        max_batch_duration_secs: for streams, whose bundles are small. Lines of several bundles are batched together, those of
            about equal length, and a line waits so long for others. Beam's `FnApiRunner` then keeps one worker busy at a time.
            `None`: a batch is taken from one bundle.

    A prediction's `inference` is the translation of its `example`.
    """

    def __init__(
        self,
        folder: str | Path,
        *,
        max_batch_size: int = 1024,
        max_batch_duration_secs: int | None = None,
        **options: Any,
    ) -> None:
        super().__init__(
            min_batch_size=max_batch_size,  # Beam would start with small batches, whose lines differ more in length
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
