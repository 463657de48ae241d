"""The trained models that come with keras_attn: `saved_models/` in a checkout, package data once installed.

They are part of the wheel, so they need no network and are the ones with which this version was tested.
"""

from pathlib import Path

from keras_attn.storage.model_folder import FORMAT_FILE

_PACKAGE = Path(__file__).resolve().parents[1]


def names() -> list[str]:
    """The names of the packaged models."""
    return sorted(file.parent.name for file in _home().glob(f"*/{FORMAT_FILE}"))


def folder(name: str) -> Path:
    """The folder of a packaged model.

    Raises:
        ValueError: there is no such model; the message lists the available ones.
    """
    if name not in names():
        raise ValueError(f"no packaged model {name!r}; available: {', '.join(names()) or 'none'}")
    return _home() / name


def is_name(model: str | Path) -> bool:
    """Whether this is the name of a packaged model, and not the path of something that exists."""
    return str(model) in names() and not Path(model).exists()


def locate(model: str | Path) -> Path:
    """The folder at that path or, if there is none, that of the packaged model of that name."""
    return folder(str(model)) if is_name(model) else Path(model)


def holds(path: str | Path) -> bool:
    """Whether a model folder is that of a packaged model."""
    return Path(path).resolve() in [_home() / name for name in names()]


def _home() -> Path:
    installed, checkout = (parent / "saved_models" for parent in (_PACKAGE, _PACKAGE.parent))
    return installed if installed.is_dir() else checkout
