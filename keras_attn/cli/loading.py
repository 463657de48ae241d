"""Loads what takes seconds, once the arguments are known to be right."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

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
    with _silent_stderr():
        import tensorflow  # noqa: F401
        import tensorflow_text  # noqa: F401


@contextmanager
def _silent_stderr() -> Iterator[None]:
    """The file descriptor, which C++ writes to, not `sys.stderr`."""
    if sys.stderr is None:  # closed: there is nobody to be silent to
        yield
        return
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)
