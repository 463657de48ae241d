"""One folder holds everything needed to translate, and nothing from the machine it was trained on.

    config.toml         the whole configuration, defaults included; of data files only the names
    source.spm          SentencePiece vocabulary of the source language
    target.spm          that of the target language; the same bytes when the vocabulary is joint
    model.weights.h5    the weights, for any Keras backend
    metrics.json        what is known about the quality of these weights
    format.json         {"format": 1, "keras_attn": "0.1.0"}: which versions can read the folder
    SHA256SUMS          of each of these, see `checksums`

Whatever else lies there (a training's checkpoint and logs, exported models) stays when a model is saved.

A save can be killed at any moment and leaves the old model or the new one, never a mixture: the files are first written to
`.saving/`, `SHA256SUMS` last, and then put in place one by one. From the moment that `.saving/SHA256SUMS` exists the new
model counts: what is still in there is read from there, and the next save puts it in place.

A folder may be a stranger's. Sums and sizes are compared before anything is allocated, and nothing outside the folder is read.
"""

import dataclasses
import glob
import io
import os
import shutil
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from keras_attn import config as configs
from keras_attn.bounded import read_bytes, read_json
from keras_attn.config import Config, DataConfig
from keras_attn.files import write_bytes, write_json, write_text
from keras_attn.storage.checksums import (
    SUMS,
    ChecksumError,
    check_files,
    digest,
    read_sums,
    sums_of,
    write_sums,
)
from keras_attn.storage.sizes import check_search, check_weights
from keras_attn.storage.weights_file import array_sizes
from keras_attn.text.tokenizer import Tokenizer
from keras_attn.text.vocabulary_checks import MOST_BYTES

if TYPE_CHECKING:
    import keras

    from keras_attn.models.seq2seq import Seq2Seq

FORMAT = 1
CONFIG, SOURCE, TARGET, WEIGHTS = "config.toml", "source.spm", "target.spm", "model.weights.h5"
METRICS, FORMAT_FILE = "metrics.json", "format.json"
FILES = (CONFIG, SOURCE, TARGET, WEIGHTS, METRICS, FORMAT_FILE)
_SAVING = ".saving"


class ModelFolderError(ValueError):
    """A folder that no model can be loaded from; the message says what is wrong with it and what to do."""


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
    saving = Path(folder, _SAVING)
    _finish_saving(Path(folder))
    saving.mkdir(parents=True)
    write_text(saving / CONFIG, configs.to_toml(_without_paths(trained.config)))
    write_bytes(saving / SOURCE, trained.source_tokenizer.model_proto)
    write_bytes(saving / TARGET, trained.target_tokenizer.model_proto)
    _save_weights(trained.model, saving / WEIGHTS, precision)
    write_json(saving / METRICS, metrics or {})
    write_json(saving / FORMAT_FILE, {"format": FORMAT, "keras_attn": version("keras-attn")})
    write_sums(saving, sums_of(saving, FILES))
    _finish_saving(Path(folder))


def load_model(folder: str | Path) -> TrainedModel:
    """Builds the model that a folder describes and loads its weights. Warns where the folder has no `SHA256SUMS`.

    Raises:
        ModelFolderError: a file is missing, broken or not the one that was written, the weights or vocabularies do not fit the
            configuration, or a newer version wrote the folder.
        FileNotFoundError: there is no such folder.
    """
    config = load_config(folder)
    _check_sums(folder)
    source = _load_tokenizer(folder, SOURCE, config.model.source_vocab_size)
    target = _load_tokenizer(folder, TARGET, config.model.target_vocab_size)
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
        return configs.from_tables(configs.without_unused(configs.load_tables(_file(folder, CONFIG))))
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
        name: tuple(_inside(folder, path) for path in getattr(data, name))
        for name in ("train", "dev", "test")
    }
    return dataclasses.replace(data, **splits, links=_inside(folder, data.links) if data.links else "")


def load_metrics(folder: str | Path) -> dict[str, Any]:
    """What `metrics.json` holds.

    Raises:
        ModelFolderError, FileNotFoundError: as `load_model`.
    """
    check_model_folder(folder)
    return _read_json(folder, METRICS)


def update_metrics(folder: str | Path, metrics: dict[str, Any]) -> None:
    """Adds to `metrics.json`; a name that is there already gets the new value.

    Raises:
        ModelFolderError, FileNotFoundError: as `load_model`.
        OSError: the folder cannot be written.
    """
    _replace_file(Path(folder), METRICS, write_json, {**load_metrics(folder), **metrics})


def update_config(folder: str | Path, **sections: Any) -> None:
    """Replaces sections of `config.toml`, by name; the weights stay, so `model` and `tokenizer` are not to be among them.

    Raises:
        ModelFolderError, FileNotFoundError: as `load_model`.
        OSError: the folder cannot be written.
    """
    before = load_config(folder)
    config = dataclasses.replace(before, **sections)
    if config != before:
        _replace_file(Path(folder), CONFIG, write_text, configs.to_toml(config))


def check_model_folder(folder: str | Path) -> None:
    """Checks, without loading Keras, that a folder holds the files of a model that this version can read.

    Raises:
        ModelFolderError, FileNotFoundError: as `load_model`.
    """
    if not Path(folder).is_dir():
        raise FileNotFoundError(f"no model folder at {folder}")
    for name in FILES:
        if not _file(folder, name).is_file():
            raise ModelFolderError(
                f"{folder} is not a model folder: it has no {name}. Expected {', '.join(FILES)}, as `keras-attn train` writes them"
            )
        _inside(folder, _file(folder, name))
    written = _read_json(folder, FORMAT_FILE)
    if not isinstance(written.get("format"), int):
        raise ModelFolderError(f"{Path(folder, FORMAT_FILE)} does not say which format the folder has")
    if written["format"] > FORMAT:
        raise ModelFolderError(
            f"{folder} was written by keras-attn {written.get('keras_attn')} in format {written['format']}; "
            f"keras-attn {version('keras-attn')} reads formats up to {FORMAT}. "
            f"Install keras-attn {written.get('keras_attn')} or newer"
        )


def _replace_file(folder: Path, name: str, write: Callable[[Path, Any], None], content: Any) -> None:
    """Writes one file of a model anew, and its sum; the sums of the others stay what they were."""
    saving = folder / _SAVING
    _finish_saving(folder)
    known = read_sums(folder / SUMS) if (folder / SUMS).exists() else sums_of(folder, FILES)
    write(saving / name, content)
    write_sums(saving, {**known, name: digest(saving / name)})
    _finish_saving(folder)


def _finish_saving(folder: Path) -> None:
    """Puts a complete save in place, `SHA256SUMS` last; throws away what a killed one left unfinished."""
    saving = folder / _SAVING
    if (saving / SUMS).exists():
        for name in (*FILES, SUMS):
            if (saving / name).exists():
                os.replace(saving / name, folder / name)
    shutil.rmtree(saving, ignore_errors=True)


def _file(folder: str | Path, name: str) -> Path:
    """Where a file of the model lies: still in a complete save, or in place."""
    saving = Path(folder, _SAVING)
    pending = (saving / SUMS).exists() and (saving / name).exists()
    return saving / name if pending else Path(folder, name)


def _inside(folder: str | Path, path: str | Path) -> str:
    """A path, taken from the folder, that does not lead out of it: not by its name, as a link, or by what a pattern matches."""
    joined = Path(folder, path)
    for each in (joined, *map(Path, glob.glob(str(joined)))):
        if not each.resolve().is_relative_to(Path(folder).resolve()):
            raise ModelFolderError(
                f"{folder} refers to a file outside of it, which is not read: {path}. Put the file itself there, or name it"
            )
    return str(joined)


def _check_sums(folder: str | Path) -> None:
    try:
        check_files(_file(folder, SUMS), {name: _file(folder, name) for name in FILES})
    except ChecksumError as error:
        raise ModelFolderError(str(error)) from None


def _without_paths(config: Config) -> Config:
    data = config.data
    splits = {"train": data.train, "dev": data.dev, "test": data.test}
    names = {split: tuple(PurePath(path).name for path in paths) for split, paths in splits.items()}
    data = dataclasses.replace(data, **names, links=PurePath(data.links).name)
    return dataclasses.replace(config, data=data)


def _check_sizes(folder: str | Path, config: Config) -> None:
    """Before anything is allocated."""
    weights = Path(folder, WEIGHTS)
    try:
        check_search(config.search)
    except ValueError as error:
        raise ModelFolderError(f"{Path(folder, CONFIG)} is not usable: {error}") from None
    try:
        sizes = array_sizes(_file(folder, WEIGHTS))
    except ValueError as error:
        raise ModelFolderError(f"{weights} is broken: {error}") from None
    try:
        check_weights(config.model, sizes)
    except ValueError as error:
        raise ModelFolderError(f"{weights} does not fit {CONFIG}: {error}") from None


def _load_tokenizer(folder: str | Path, name: str, vocab_size: int) -> Tokenizer:
    try:
        tokenizer = Tokenizer(read_bytes(_file(folder, name), MOST_BYTES))
    except ValueError as error:
        raise ModelFolderError(f"{Path(folder, name)} is broken: {error}") from None
    if tokenizer.vocab_size != vocab_size:
        raise ModelFolderError(
            f"{Path(folder, name)} has {tokenizer.vocab_size} pieces, but the model in {CONFIG} was built for {vocab_size}: "
            "the files are not of one model"
        )
    return tokenizer


class _Memory(io.BytesIO):
    """A file of weights in memory: a disk that runs full under HDF5's own writes ends the process (SIGSEGV)."""

    def __str__(self) -> str:
        return WEIGHTS  # Keras writes to names of this kind alone


def _save_weights(model: "keras.Model", path: Path, precision: str) -> None:
    """The weights alone: Keras would write the state of a compiled model's optimizer beside them, twice their size.

    And always the same file of the same weights: Keras writes the model's name, which it numbers through a process.
    """
    import keras

    weights = _Memory()
    keras.Model(model.inputs, model.outputs, name="model").save_weights(weights)
    write_bytes(path, (_halved(weights) if precision == "float16" else weights).getbuffer())


def _halved(whole: io.BytesIO) -> io.BytesIO:
    """A copy of the weights in float16, compressed; the names stay."""
    import h5py

    half = io.BytesIO()

    with h5py.File(whole) as source, h5py.File(half, "w") as target:

        def copy(name: str, item: "h5py.Group | h5py.Dataset") -> None:
            if isinstance(item, h5py.Group):
                copied = target.require_group(name)
            else:
                large = item.size > 10_000  # below, the tables of a compressed array take more than they save
                options = {"compression": "gzip", "shuffle": True} if large else {}
                copied = target.create_dataset(name, data=item[()].astype("float16"), **options)
            copied.attrs.update(item.attrs)

        target.attrs.update(source.attrs)
        source.visititems(copy)
    return half


def _load_weights(model: "keras.Model", folder: str | Path) -> None:
    try:
        model.load_weights(_file(folder, WEIGHTS))
    except (ValueError, KeyError) as error:
        raise ModelFolderError(
            f"{Path(folder, WEIGHTS)} does not fit {CONFIG}: the files are not of one model ({_first_line(error)})"
        ) from None
    except Exception as error:  # h5py raises whatever its library stumbles over
        raise ModelFolderError(f"{Path(folder, WEIGHTS)} is broken: {_first_line(error)}") from None


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]


def _read_json(folder: str | Path, name: str) -> dict[str, Any]:
    try:
        return read_json(_file(folder, name))
    except ValueError as error:
        raise ModelFolderError(str(error)) from None
