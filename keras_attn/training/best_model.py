"""The best model so far, in the training's own folder."""

from pathlib import Path
from typing import Any

from keras_attn.storage.model_folder import TrainedModel, save_model
from keras_attn.training.checkpoint import check_space, size_of

_OVERHEAD = 1 << 20  # bytes of a model folder beside weights and vocabularies


def save_best_model(folder: Path, trained: TrainedModel, metrics: dict[str, Any]) -> None:
    """Replaces the folder's model.

    Args:
        folder: the training's folder.
        trained: the model, with the weights to keep.
        metrics: what is known about them; the number of parameters is added.

    Raises:
        OSError: the folder cannot be written, or is full; the old model stays.
    """
    vocabularies = trained.source_tokenizer.model_proto, trained.target_tokenizer.model_proto
    size = size_of(trained.model.weights) + sum(map(len, vocabularies)) + _OVERHEAD
    # When the disk runs full while HDF5 writes, the process can crash.
    check_space(folder, size)
    save_model(folder, trained, {**metrics, "parameters": trained.model.count_params()})
