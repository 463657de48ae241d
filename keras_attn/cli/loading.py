"""Loads models and libraries, which takes seconds, once the arguments have been checked."""

import os
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from keras_attn.cli import messages
from keras_attn.config import DataConfig
from keras_attn.silence import silent_stderr
from keras_attn.storage import packaged
from keras_attn.storage.model_folder import check_model_folder

if TYPE_CHECKING:
    from keras_attn.inference.translator import Translator


class _ModelFolder(click.Path):
    """The path of a model folder, or of the packaged model of that name if there is no such folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        folder = packaged.locate(value)
        if not folder.exists():
            self.fail(_unknown(value, packaged.names()), param, ctx)
        return super().convert(str(folder), param, ctx)


def _unknown(value: str, names: list[str]) -> str:
    close = [name for name in names if len(value) > 1 and value.lower() in name] or get_close_matches(
        value.lower(), names, n=1
    )
    meant = f"; did you mean {close[0]!r}?" if close else "."
    text = " Text to translate comes from standard input." if " " in value else ""
    return f"there is no folder {value!r} and no packaged model of that name{meant} Packaged: {', '.join(names)}.{text}"


class _NewFolder(click.Path):
    """The path of a folder to write, which has a name: an empty one, of an unset variable, would be the current folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not value:
            self.fail("it is empty: expected the name of a folder", param, ctx)
        return super().convert(value, param, ctx)


MODEL = _ModelFolder(exists=True, file_okay=False)
NEW_FOLDER = _NewFolder(file_okay=False)


def why_missing(data: DataConfig, split: str) -> str:
    """Why the files of a split may be missing, to go on with after an error; nothing if the model did not name any."""
    named = split in ("train", "dev", "test") and getattr(data, split)
    return ": a model folder does not hold the files that its model was trained on" if named else ""


def load_translator(folder: str, *others: str) -> "Translator":
    """Loads a model folder, or several as an ensemble; raises what `load_model` raises, before importing Keras if possible."""
    for each in (folder, *others):
        check_model_folder(each)
    load_keras()
    from keras_attn.inference.translator import Translator

    return Translator.load(folder, *others)


def load_keras() -> None:
    """Imports Keras and its backend without the log lines that TensorFlow's C++ code writes at any log level."""
    try:
        with silent_stderr():
            import keras

            if keras.backend.backend() == "tensorflow":
                import tensorflow  # noqa: F401
                import tensorflow_text  # noqa: F401
    except (ImportError, ValueError) as error:
        backend = os.environ.get("KERAS_BACKEND")
        named = f"KERAS_BACKEND={backend}" if backend else "the backend that its keras.json names"
        raise click.ClickException(
            f"Keras cannot run with {named}: {error}. Install that backend, or set KERAS_BACKEND=tensorflow"
        ) from None


def add_engine(folder: str | Path, name: str | None = None) -> None:
    """Makes the engine of a model folder, so that `translate` does not need Keras, or says why it cannot.

    Args:
        folder: the model folder.
        name: what to call it in warnings, if it is not yet in its place.
    """
    import keras

    name = name or str(folder)

    if keras.backend.backend() != "tensorflow":
        messages.warning(
            f"{name} gets no engine: making one needs Keras on TensorFlow, and Keras runs on {keras.backend.backend()}. "
            "`KERAS_BACKEND=tensorflow keras-attn pack` makes a copy that has one"
        )
        return
    from keras_attn.export.engine import EngineError, make_engine

    try:
        make_engine(folder)
    except EngineError as error:
        messages.warning(f"{name} gets no engine, so `keras-attn translate` will use Keras: {error}")
