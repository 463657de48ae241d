"""The models in `saved_models/`, and how an installed package finds them."""

import tomllib
from pathlib import Path

import pytest

from keras_attn import packaged

ROOT = Path(__file__).resolve().parents[1]


def test_an_unknown_name_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match="no packaged model 'tatoeba-xx-yy'; there are: "):
        packaged.folder("tatoeba-xx-yy")


def test_the_wheel_holds_every_package_and_the_packaged_models():
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    found = {path.parent.relative_to(ROOT) for path in (ROOT / "keras_attn").rglob("__init__.py")}
    assert listed == sorted({".".join(path.parts) for path in found} | {"keras_attn.saved_models"})
