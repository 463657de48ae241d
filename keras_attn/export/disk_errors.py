"""TensorFlow writes files itself, and raises its own errors if that fails."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import tensorflow as tf


@contextmanager
def as_os_errors(path: str | Path) -> Iterator[None]:
    """For blocks in which TensorFlow writes: turns its errors into an OSError that names `path`, as for every other file."""
    try:
        yield
    except tf.errors.OpError as error:
        reason = error.message.partition("\n")[0].rpartition("; ")[2]
        raise OSError(f"cannot write {path}: {reason}") from None
