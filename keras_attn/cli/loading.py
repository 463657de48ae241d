"""Loads what takes seconds, once the arguments are known to be right."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from keras_attn.cli import messages
from keras_attn.silence import silent_stderr
from keras_attn.storage import packaged
from keras_attn.storage.model_folder import check_model_folder

if TYPE_CHECKING:
    from keras_attn.inference.translator import Translator


class _ModelFolder(click.Path):
    """A model folder, or the name of a packaged model where no folder has it."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value in packaged.names() and not Path(value).exists():
            value = str(packaged.folder(value))
        return super().convert(value, param, ctx)


MODEL = _ModelFolder(exists=True, file_okay=False)


def load_translator(folder: str, *others: str) -> "Translator":
    """Loads a model folder, or several as an ensemble; raises what `load_model` raises, what can be told without Keras at once."""
    for each in (folder, *others):
        check_model_folder(each)
    load_tensorflow()
    from keras_attn.inference.translator import Translator

    return Translator.load(folder, *others)


def load_tensorflow() -> None:
    """Imports TensorFlow and tensorflow-text without the log lines that their C++ side writes whatever the log level."""
    with silent_stderr():
        import tensorflow  # noqa: F401
        import tensorflow_text  # noqa: F401


def add_engine(folder: str | Path) -> None:
    """Makes the engine of a model folder, by which `translate` needs no Keras, or says why there is none."""
    import keras

    if keras.backend.backend() != "tensorflow":
        messages.warning(
            f"{folder} gets no engine: that takes Keras on TensorFlow, and it runs on {keras.backend.backend()}. "
            "`KERAS_BACKEND=tensorflow keras-attn pack` makes a copy that has one"
        )
        return
    from keras_attn.export.engine import EngineError, make_engine

    try:
        make_engine(folder)
    except EngineError as error:
        messages.warning(f"{folder} gets no engine, and is translated with Keras: {error}")
