"""Every public name stands in the reference, with a docstring that says what its arguments are."""

import importlib
import inspect
import re

import pytest
from blocks import ROOT

PACKAGES = ("keras_attn", "keras_attn.layers", "keras_attn.models", "keras_attn.search", "keras_attn.config")
REFERENCE = sorted((ROOT / "docs/reference").glob("*.md"))
SHOWN = [name for page in REFERENCE for name in re.findall(r"^::: (\S+)$", page.read_text(), re.M)]
NOT_DESCRIBED = {
    "self",
    "cls",
    "args",
    "kwargs",
    "name",
    "dtype",
    "trainable",
}  # the last three are Keras' own


def resolve(path):
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)


def described(documented):
    """The names in front of a colon under Args, Attributes and so on."""
    lines = re.findall(r"^\s+((?:[\w*]+, )*[\w*]+)(?: \(.*?\))?: ", inspect.getdoc(documented) or "", re.M)
    return {name.strip("* ") for line in lines for name in line.split(",")}


def arguments(documented):
    call = documented.__init__ if inspect.isclass(documented) else documented
    return set(inspect.signature(call).parameters) - NOT_DESCRIBED


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_stands_in_the_reference(package):
    module = importlib.import_module(package)
    public = [getattr(module, name) for name in module.__all__ if name != "__version__"]
    shown = [resolve(path) for path in SHOWN]
    assert [each for each in public if not any(each is other for other in shown)] == []


@pytest.mark.parametrize("path", SHOWN)
def test_every_name_in_the_reference_has_a_docstring(path):
    assert len(inspect.getdoc(resolve(path)) or "") > 20


TAKES_ARGUMENTS = [
    path
    for path in SHOWN
    if path.startswith(("keras_attn.layers.", "keras_attn.models.", "keras_attn.export."))
    and callable(resolve(path))
]


@pytest.mark.parametrize("path", TAKES_ARGUMENTS)
def test_every_argument_of_a_layer_model_or_export_is_described(path):
    documented = resolve(path)
    assert arguments(documented) - described(documented) == set()


@pytest.mark.parametrize("page", ["bahdanau", "luong", "jurafsky_martin", "cs224n", "any_encoder"])
def test_the_equations_of_a_paper_are_those_of_the_layers(page):
    """Word for word: what the page shows is what a docstring says."""
    from keras_attn import AttentionDecoder, BahdanauAttention, Bridge, LuongAttention
    from keras_attn.layers.readout import Readout

    told = " ".join(
        inspect.getdoc(each).replace("`", "")
        for each in (AttentionDecoder, BahdanauAttention, LuongAttention, Readout, Bridge)
    )
    (equations,) = re.findall(r"```text\n(.*?)```", (ROOT / f"docs/how/{page}.md").read_text(), re.S)
    assert [line for line in equations.splitlines() if line not in told] == []
