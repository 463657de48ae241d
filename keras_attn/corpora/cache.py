"""The folder for files that can be recreated: downloads, and corpora as ids."""

import os
from pathlib import Path


def cache_folder() -> Path:
    """`KERAS_ATTN_CACHE`, else `$XDG_CACHE_HOME/keras_attn`, else `~/.cache/keras_attn`.

    Raises:
        OSError: none of them is set, and the user has no home folder.
    """
    if folder := os.environ.get("KERAS_ATTN_CACHE"):
        return Path(folder)
    if folder := os.environ.get("XDG_CACHE_HOME"):
        return Path(folder, "keras_attn")
    try:
        return Path.home() / ".cache" / "keras_attn"
    except RuntimeError:
        raise OSError(
            "there is no home folder for a cache: set KERAS_ATTN_CACHE to a writable folder"
        ) from None
