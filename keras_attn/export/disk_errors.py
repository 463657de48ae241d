"""TensorFlow writes files itself, and says in errors of its own that it could not."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import tensorflow as tf


@contextmanager
def as_os_errors(path: str | Path) -> Iterator[None]:
    """For blocks that have TensorFlow write: what fails is an OSError that names `path`, as with every other file."""
    try:
        yield
    except tf.errors.OpError as error:
        reason = error.message.partition("\n")[0].rpartition("; ")[2]
        raise OSError(f"cannot write {path}: {reason}") from None
