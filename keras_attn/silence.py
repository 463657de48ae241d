"""Keeps libraries from writing to the terminal behind Python's back."""

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_LOCK = threading.RLock()  # two threads would put aside each other's descriptors, and lose the first


@contextmanager
def silent_stderr() -> Iterator[None]:
    """Silences the file descriptor to which C++ writes its log lines; errors still raise exceptions."""
    if sys.stderr is None:  # closed, so there is nothing to silence
        yield
        return
    with _LOCK:
        kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
        try:
            os.dup2(nowhere, 2)
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)
            os.close(nowhere)
