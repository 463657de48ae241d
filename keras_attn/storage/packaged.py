"""The trained models that come with keras_attn: `saved_models/` of a checkout, the package's own data once installed.

They travel inside the wheel, so that they are there without a network and are the ones this version was tested with.
"""

from pathlib import Path

from keras_attn.storage.model_folder import FORMAT_FILE

_PACKAGE = Path(__file__).resolve().parents[1]


def names() -> list[str]:
    """The models there are."""
    return sorted(file.parent.name for file in _home().glob(f"*/{FORMAT_FILE}"))


def folder(name: str) -> Path:
    """The model folder of a name.

    Raises:
        ValueError: there is no such model; the message names those there are.
    """
    if name not in names():
        raise ValueError(f"no packaged model {name!r}; there are: {', '.join(names()) or 'none'}")
    return _home() / name


def holds(path: str | Path) -> bool:
    """Whether a model folder is one of them."""
    return Path(path).resolve() in [_home() / name for name in names()]


def _home() -> Path:
    installed, checkout = (parent / "saved_models" for parent in (_PACKAGE, _PACKAGE.parent))
    return installed if installed.is_dir() else checkout
