"""The folder for files that can be recreated: downloads, and corpora as ids."""

import os
from pathlib import Path


def cache_folder() -> Path:
    """`KERAS_ATTN_CACHE`, else `$XDG_CACHE_HOME/keras_attn`, else `~/.cache/keras_attn`."""
    if folder := os.environ.get("KERAS_ATTN_CACHE"):
        return Path(folder)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "keras_attn"
