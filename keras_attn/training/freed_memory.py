"""Memory that a training step frees stays with the process, for the next step."""

import contextlib
import ctypes
import platform

_TRIM_THRESHOLD, _MMAP_MAX = -1, -4  # of glibc's malloc.h
_NEVER, _NONE = -1, 0


def keep_freed_memory() -> None:
    """Tells glibc to give no freed memory back to the system, for the rest of this process. Elsewhere it does nothing.

    A step frees some gigabytes, in tensors of up to 50 MB: by default glibc gives them back, and the next step gets them page by
    page, zeroed. On some machines that doubles the time of a step (`benchmarks/log/training_speed.md`). The process keeps as much
    as it has ever used at once.
    """
    if platform.libc_ver()[0] == "glibc":
        with contextlib.suppress(OSError, AttributeError):  # a process without the usual libc
            mallopt = ctypes.CDLL(None).mallopt
            mallopt(_MMAP_MAX, _NONE)
            mallopt(_TRIM_THRESHOLD, _NEVER)
