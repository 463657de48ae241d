"""A model folder: everything needed to translate, and nothing from the machine on which it was trained.

    config.toml         the whole configuration, defaults included; only the names of data files
    source.spm          SentencePiece vocabulary of the source language
    target.spm          that of the target language; the same bytes if the vocabulary is joint
    model.weights.h5    the weights, for any Keras backend
    metrics.json        the scores of these weights
    format.json         {"format": 2, "keras_attn": "0.1.0"}: which versions can read the folder
    engine.zip          the search for LiteRT, for programs without TensorFlow; optional, see `engine_file`
    SHA256SUMS          the checksums of all these, see `checksums`

Anything else in the folder (checkpoint and logs of a training run, exported models) stays when a model is saved; see
`folder_files`.

A folder may be untrusted. Checksums and sizes are checked before anything is allocated, and nothing outside the folder is read.
"""

import dataclasses
import warnings
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
    SOURCE,
    TARGET,
    WEIGHTS,
    ModelFolderError,
    check_folder_sums,
    check_model_folder,
    file_of,
    inside,
    new_files,
    of_one_save,
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
    """A model from `build_seq2seq`, with its configuration and its vocabularies."""

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
        metrics: the content of `metrics.json`; nothing of an earlier model stays.
        precision: how weights are stored, `"float32"` or, at half the size, `"float16"`; they are loaded as float32.

    Raises:
        TypeError: not a `TrainedModel`.
        OSError: the folder cannot be written.
    """
    if not isinstance(trained, TrainedModel):
        raise TypeError(
            "save_model takes a TrainedModel: the model with its config and its vocabularies, as from load_model. "
            f"Received: {trained!r:.80}"
        )
    with new_files(Path(folder)) as saving:
        write_text(saving / CONFIG, configs.to_toml(_without_paths(trained.config)))
        write_bytes(saving / SOURCE, trained.source_tokenizer.model_proto)
        write_bytes(saving / TARGET, trained.target_tokenizer.model_proto)
        write_weights(trained.model, saving / WEIGHTS, precision)
        write_json(saving / METRICS, metrics or {})
        write_json(saving / FORMAT_FILE, {"format": FORMAT, "keras_attn": version("keras-attn")})
        write_sums(saving, sums_of(saving, FILES))


@of_one_save
def load_model(folder: str | Path) -> TrainedModel:
    """Builds the model that a folder describes and loads its weights.

    Warns if the folder has no `SHA256SUMS`, and of a model that copies in format 1.

    Raises:
        ModelFolderError: a file is missing, broken or has changed, the weights or vocabularies do not fit the configuration, or the
            folder was written by a newer version.
        FileNotFoundError: there is no such folder.
    """
    config = load_config(folder)
    check_folder_sums(folder)
    source, target = load_tokenizers(folder, config)
    _check_sizes(folder, config)
    if config.model.copy and read_values(folder, FORMAT_FILE)["format"] < 2:
        warnings.warn(
            f"{folder} was trained when the end of a sentence could be copied like its words, so its translations may not end. "
            "Train it for one more epoch: `keras-attn train CONFIG NEW_FOLDER --from` this folder",
            stacklevel=2,
        )
    from keras_attn.models.build import build_seq2seq

    try:
        model = build_seq2seq(config.model)
    except ValueError as error:
        raise ModelFolderError(f"{Path(folder, CONFIG)} is not usable: {error}") from None
    _load_weights(model, folder)
    return TrainedModel(config, source, target, model)


@of_one_save
def load_config(folder: str | Path) -> Config:
    """The configuration of the folder's model, without loading Keras.

    Raises:
        ModelFolderError, FileNotFoundError: as `load_model`.
    """
    check_model_folder(folder)
    try:
        return configs.from_tables(configs.without_unused(configs.load_tables(file_of(folder, CONFIG))))
    except ValueError as error:
        raise ModelFolderError(f"{Path(folder, CONFIG)} is not usable: {error}") from None


@of_one_save
def load_data_config(folder: str | Path) -> DataConfig:
    """The `[data]` section of the folder's config, with the paths of its files, which must be inside the folder.

    Raises:
        ModelFolderError: it names a file elsewhere; or as for `load_model`.
        FileNotFoundError: as `load_model`.
    """
    data = load_config(folder).data
    splits = {
        name: tuple(inside(folder, path) for path in getattr(data, name)) for name in ("train", "dev", "test")
    }
    return dataclasses.replace(data, **splits, links=inside(folder, data.links) if data.links else "")


@of_one_save
def load_metrics(folder: str | Path) -> dict[str, Any]:
    """The content of `metrics.json`.

    Raises:
        ModelFolderError, FileNotFoundError: as `load_model`.
    """
    check_model_folder(folder)
    return read_values(folder, METRICS)


def update_metrics(folder: str | Path, metrics: dict[str, Any]) -> None:
    """Adds to `metrics.json`; existing names get the new values.

    Raises:
        ModelFolderError, FileNotFoundError: as `load_model`.
        OSError: the folder cannot be written.
    """
    check_model_folder(folder)
    replace_file(Path(folder), METRICS, lambda path: write_json(path, {**load_metrics(folder), **metrics}))


def update_config(folder: str | Path, **sections: Any) -> None:
    """Replaces sections of `config.toml`, by name. The weights stay, so `model` and `tokenizer` must not be among them.

    Raises:
        ModelFolderError, FileNotFoundError: as `load_model`.
        OSError: the folder cannot be written.
    """

    def changed() -> Config:
        return dataclasses.replace(load_config(folder), **sections)

    if changed() != load_config(folder):
        replace_file(Path(folder), CONFIG, lambda path: write_text(path, configs.to_toml(changed())))


def _without_paths(config: Config) -> Config:
    data = config.data
    splits = {"train": data.train, "dev": data.dev, "test": data.test}
    names = {split: tuple(PurePath(path).name for path in paths) for split, paths in splits.items()}
    data = dataclasses.replace(data, **names, links=PurePath(data.links).name)
    return dataclasses.replace(config, data=data)


def load_tokenizers(folder: str | Path, config: Config) -> tuple[Tokenizer, Tokenizer]:
    """The vocabularies of source and target, without loading Keras.

    Raises:
        ModelFolderError: one is broken or does not belong to the model that the config describes.
    """
    sizes = {SOURCE: config.model.source_vocab_size, TARGET: config.model.target_vocab_size}
    source, target = (_load_tokenizer(folder, name, size) for name, size in sizes.items())
    return source, target


def _check_sizes(folder: str | Path, config: Config) -> None:
    """Checks sizes before anything is allocated."""
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
            "the files belong to different models"
        )
    return tokenizer


def _load_weights(model: "keras.Model", folder: str | Path) -> None:
    try:
        model.load_weights(file_of(folder, WEIGHTS))
    except (ValueError, KeyError) as error:
        raise ModelFolderError(
            f"{Path(folder, WEIGHTS)} does not fit {CONFIG}: the files belong to different models ({_first_line(error)})"
        ) from None
    except Exception as error:  # h5py can raise almost anything here
        raise ModelFolderError(f"{Path(folder, WEIGHTS)} is broken: {_first_line(error)}") from None


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
