"""The package's layers: imports run downwards only, and what must be light or run on every backend stays so."""

import ast
import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

import keras_attn

PACKAGE = Path(keras_attn.__file__).parent
# Lowest first. Names of one line do not import one another.
ORDER = [
    {"special_ids", "files", "bounded", "silence"},
    {"compilation", "config"},
    {"layers", "search", "text"},
    {"corpora", "models"},
    {"data", "storage"},
    {"inference"},
    {"alignment", "evaluation"},
    {"export"},
    {"training"},
    {"cli"},
]
RANK = {name: rank for rank, names in enumerate(ORDER) for name in names}
BACKENDS = {"tensorflow", "tensorflow_text", "jax", "torch"}
TOP = {"__init__", "__main__"}


def modules():
    """Of every module: its dotted name below the package, and its syntax tree."""
    for path in sorted(PACKAGE.rglob("*.py")):
        name = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
        yield name, ast.parse(path.read_text(encoding="utf-8"))


def imported(tree, inside_functions=True):
    """The dotted names a tree imports."""
    nodes = [tree]
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports hide where a name comes from"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif inside_functions or not (isinstance(node, ast.FunctionDef) or is_for_type_checkers(node)):
            nodes.extend(ast.iter_child_nodes(node))


def is_for_type_checkers(node):
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def backends_in(names):
    return {name.split(".")[0] for name in names} & BACKENDS


def test_every_part_of_the_package_has_its_place():
    found = {name.split(".")[0] for name, _ in modules()} - TOP
    assert found <= RANK.keys() and len(found) >= 5


def test_imports_run_downwards_only():
    upward = []
    for name, tree in modules():
        here = name.split(".")[0]
        if here in TOP:
            continue
        for target in imported(tree):
            package, _, rest = target.partition(".")
            there = rest.split(".")[0]
            if package == "keras_attn" and there not in (here, "__version__") and RANK[there] >= RANK[here]:
                upward.append(f"{name} imports {target}")
    assert upward == []


def test_models_and_search_know_nothing_of_text():
    free = ("models.", "search.", "layers.")
    names = [target for name, tree in modules() if name.startswith(free) for target in imported(tree)]
    assert names and not [target for target in names if target.startswith("keras_attn.text")]


def test_only_the_loops_over_time_know_backends_apart():
    free = ("layers.", "search.", "models.", "training.losses")
    found = {name: backends_in(imported(tree)) for name, tree in modules() if name.startswith(free)}
    assert found.pop("layers.time_loop") == {"tensorflow", "jax"}
    assert found.pop("layers.jax_loop") == {"jax"}  # which is imported by the other where it is needed
    assert len(found) > 15 and set().union(*found.values()) == set()


@pytest.mark.parametrize("part", ["layers", "text", "evaluation", "cli", "config"])
def test_no_backend_is_imported_before_it_is_needed(part):
    heavy = {
        name: backends_in(imported(tree, inside_functions=False))
        for name, tree in modules()
        if name.split(".")[0] == part
    }
    heavy.pop("layers.jax_loop", None)  # the next test
    assert heavy and {name for name, found in heavy.items() if found} == set()


def test_the_loop_that_needs_jax_is_imported_only_where_it_runs():
    importers = {
        name: "keras_attn.layers.jax_loop" in imported(tree, inside_functions=False)
        for name, tree in modules()
    }
    assert len(importers) > 100 and not any(importers.values())


@pytest.mark.skipif(
    importlib.util.find_spec("keras_attn.cli.main") is None, reason="there is no command line yet"
)
def test_the_command_line_starts_without_tensorflow_or_keras():
    code = "import sys, keras_attn.cli.main; print([m for m in ('tensorflow', 'keras') if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
