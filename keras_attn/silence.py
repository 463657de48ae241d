"""Keeps libraries from writing to the terminal behind Python's back."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def silent_stderr() -> Iterator[None]:
    """Silences the file descriptor to which C++ writes its log lines; errors still raise exceptions."""
    if sys.stderr is None:  # closed, so there is nothing to silence
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
