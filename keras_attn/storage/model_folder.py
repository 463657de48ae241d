"""One folder holds everything needed to translate, and nothing from the machine it was trained on.

    config.toml         the whole configuration, defaults included; of data files only the names
    source.spm          SentencePiece vocabulary of the source language
    target.spm          that of the target language; the same bytes when the vocabulary is joint
    model.weights.h5    the weights, for any Keras backend
    metrics.json        what is known about the quality of these weights
    format.json         {"format": 1, "keras_attn": "0.1.0"}: which versions can read the folder
    engine.zip          the search as LiteRT runs it, for programs without TensorFlow; see `engine_file`. A folder may do without
    SHA256SUMS          of each of these, see `checksums`

Whatever else lies there (a training's checkpoint and logs, exported models) stays when a model is saved; see `folder_files`.

A folder may be a stranger's. Sums and sizes are compared before anything is allocated, and nothing outside the folder is read.
"""

import dataclasses
from importlib.metadata import version
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from keras_attn import config as configs
from keras_attn.bounded import read_bytes
from keras_attn.config import Config, DataConfig
from keras_attn.files import write_bytes, write_json, write_text
from keras_attn.storage.checksums import sums_of, write_sums
from keras_attn.storage.folder_files import (
    CONFIG,
    FILES,
    FORMAT,
    FORMAT_FILE,
    METRICS,
    SAVING,
    SOURCE,
    TARGET,
    WEIGHTS,
    ModelFolderError,
    check_folder_sums,
    check_model_folder,
    file_of,
    finish_saving,
    inside,
    read_values,
    replace_file,
)
from keras_attn.storage.sizes import check_search, check_weights
from keras_attn.storage.weights_file import array_sizes, write_weights
from keras_attn.text.tokenizer import Tokenizer
from keras_attn.text.vocabulary_checks import MOST_BYTES

if TYPE_CHECKING:
    import keras

    from keras_attn.models.seq2seq import Seq2Seq


@dataclasses.dataclass(frozen=True)
class TrainedModel:
    """A model from `build_seq2seq` with the configuration it was built from and its vocabularies."""

    config: Config
    source_tokenizer: Tokenizer
    target_tokenizer: Tokenizer
    model: "Seq2Seq"


def save_model(
    folder: str | Path,
    trained: TrainedModel,
    metrics: dict[str, Any] | None = None,
    precision: str = "float32",
) -> None:
    """Writes a model folder, or replaces the model in one.

    Args:
        folder: made if it does not exist.
        trained: what to save.
        metrics: what `metrics.json` will hold; of a model that was there before, nothing stays.
        precision: how weights are stored, `"float32"` or `"float16"`, which takes half the room; they are loaded as float32.

    Raises:
        OSError: the folder cannot be written.
    """
    saving = Path(folder, SAVING)
    finish_saving(Path(folder))
    saving.mkdir(parents=True)
    write_text(saving / CONFIG, configs.to_toml(_without_paths(trained.config)))
    write_bytes(saving / SOURCE, trained.source_tokenizer.model_proto)
    write_bytes(saving / TARGET, trained.target_tokenizer.model_proto)
    write_weights(trained.model, saving / WEIGHTS, precision)
    write_json(saving / METRICS, metrics or {})
    write_json(saving / FORMAT_FILE, {"format": FORMAT, "keras_attn": version("keras-attn")})
    write_sums(saving, sums_of(saving, FILES))
    finish_saving(Path(folder))


def load_model(folder: str | Path) -> TrainedModel:
    """Builds the model that a folder describes and loads its weights. Warns where the folder has no `SHA256SUMS`.

    Raises:
        ModelFolderError: a file is missing, broken or not the one that was written, the weights or vocabularies do not fit the
            configuration, or a newer version wrote the folder.
        FileNotFoundError: there is no such folder.
    """
    config = load_config(folder)
    check_folder_sums(folder)
    source, target = load_tokenizers(folder, config)
    _check_sizes(folder, config)
    from keras_attn.models.build import build_seq2seq

    try:
        model = build_seq2seq(config.model)
    except ValueError as error:
        raise ModelFolderError(f"{Path(folder, CONFIG)} is not usable: {error}") from None
    _load_weights(model, folder)
    return TrainedModel(config, source, target, model)


def load_config(folder: str | Path) -> Config:
    """The configuration that the folder's model was trained with, without loading Keras.

    Raises:
        ModelFolderError, FileNotFoundError: as `load_model`.
    """
    check_model_folder(folder)
    try:
        return configs.from_tables(configs.without_unused(configs.load_tables(file_of(folder, CONFIG))))
    except ValueError as error:
        raise ModelFolderError(f"{Path(folder, CONFIG)} is not usable: {error}") from None


def load_data_config(folder: str | Path) -> DataConfig:
    """What the folder's config says of its sentence pairs, the files among them as they lie in the folder, and nowhere else.

    Raises:
        ModelFolderError: it names a file elsewhere; or as `load_model`.
        FileNotFoundError: as `load_model`.
    """
    data = load_config(folder).data
    splits = {
        name: tuple(inside(folder, path) for path in getattr(data, name)) for name in ("train", "dev", "test")
    }
    return dataclasses.replace(data, **splits, links=inside(folder, data.links) if data.links else "")


def load_metrics(folder: str | Path) -> dict[str, Any]:
    """What `metrics.json` holds.

    Raises:
        ModelFolderError, FileNotFoundError: as `load_model`.
    """
    check_model_folder(folder)
    return read_values(folder, METRICS)


def update_metrics(folder: str | Path, metrics: dict[str, Any]) -> None:
    """Adds to `metrics.json`; a name that is there already gets the new value.

    Raises:
        ModelFolderError, FileNotFoundError: as `load_model`.
        OSError: the folder cannot be written.
    """
    replace_file(Path(folder), METRICS, write_json, {**load_metrics(folder), **metrics})


def update_config(folder: str | Path, **sections: Any) -> None:
    """Replaces sections of `config.toml`, by name; the weights stay, so `model` and `tokenizer` are not to be among them.

    Raises:
        ModelFolderError, FileNotFoundError: as `load_model`.
        OSError: the folder cannot be written.
    """
    before = load_config(folder)
    config = dataclasses.replace(before, **sections)
    if config != before:
        replace_file(Path(folder), CONFIG, write_text, configs.to_toml(config))


def _without_paths(config: Config) -> Config:
    data = config.data
    splits = {"train": data.train, "dev": data.dev, "test": data.test}
    names = {split: tuple(PurePath(path).name for path in paths) for split, paths in splits.items()}
    data = dataclasses.replace(data, **names, links=PurePath(data.links).name)
    return dataclasses.replace(config, data=data)


def load_tokenizers(folder: str | Path, config: Config) -> tuple[Tokenizer, Tokenizer]:
    """The vocabularies of source and target, without loading Keras.

    Raises:
        ModelFolderError: one is broken or not of the model that the config describes.
    """
    sizes = {SOURCE: config.model.source_vocab_size, TARGET: config.model.target_vocab_size}
    source, target = (_load_tokenizer(folder, name, size) for name, size in sizes.items())
    return source, target


def _check_sizes(folder: str | Path, config: Config) -> None:
    """Before anything is allocated."""
    weights = Path(folder, WEIGHTS)
    try:
        check_search(config.search)
    except ValueError as error:
        raise ModelFolderError(f"{Path(folder, CONFIG)} is not usable: {error}") from None
    try:
        sizes = array_sizes(file_of(folder, WEIGHTS))
    except ValueError as error:
        raise ModelFolderError(f"{weights} is broken: {error}") from None
    try:
        check_weights(config.model, sizes)
    except ValueError as error:
        raise ModelFolderError(f"{weights} does not fit {CONFIG}: {error}") from None


def _load_tokenizer(folder: str | Path, name: str, vocab_size: int) -> Tokenizer:
    try:
        tokenizer = Tokenizer(read_bytes(file_of(folder, name), MOST_BYTES))
    except ValueError as error:
        raise ModelFolderError(f"{Path(folder, name)} is broken: {error}") from None
    if tokenizer.vocab_size != vocab_size:
        raise ModelFolderError(
            f"{Path(folder, name)} has {tokenizer.vocab_size} pieces, but the model in {CONFIG} was built for {vocab_size}: "
            "the files are not of one model"
        )
    return tokenizer


def _load_weights(model: "keras.Model", folder: str | Path) -> None:
    try:
        model.load_weights(file_of(folder, WEIGHTS))
    except (ValueError, KeyError) as error:
        raise ModelFolderError(
            f"{Path(folder, WEIGHTS)} does not fit {CONFIG}: the files are not of one model ({_first_line(error)})"
        ) from None
    except Exception as error:  # h5py raises whatever its library stumbles over
        raise ModelFolderError(f"{Path(folder, WEIGHTS)} is broken: {_first_line(error)}") from None


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
