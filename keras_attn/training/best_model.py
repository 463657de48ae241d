"""Saves the best model so far in the training folder."""

from pathlib import Path
from typing import Any

from keras_attn.storage.model_folder import TrainedModel, save_model


def save_best_model(folder: Path, trained: TrainedModel, metrics: dict[str, Any]) -> None:
    """Replaces the folder's model.

    Args:
        folder: the training folder.
        trained: the model, with the weights to save.
        metrics: their scores; the number of parameters is added.

    Raises:
        OSError: the folder cannot be written, or is full; the old model stays.
    """
    save_model(folder, trained, {**metrics, "parameters": trained.model.count_params()})
