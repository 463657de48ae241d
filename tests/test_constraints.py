"""`constraints.txt` says of every package, those that others bring along included, which version was tested."""

import re
import tomllib
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
LINES = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
PINS = dict(line.partition("==")[::2] for line in LINES)


def asked_for():
    """What the project's own files ask for, extras, the build and the Python client included."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())
    extras = declared["project"]["optional-dependencies"].values()
    client = (ROOT / "export" / "python" / "requirements.txt").read_text().splitlines()
    lists = [declared["build-system"]["requires"], declared["project"]["dependencies"], client, *extras]
    return [Requirement(line) for each in lists for line in each if not line.startswith(("keras-attn[", "#"))]


def brought_along(requirement, seen):
    """The names of a package and of all that it needs on this machine, where it is installed."""
    extras = ["", *requirement.extras]
    wanted = requirement.marker is None or any(requirement.marker.evaluate({"extra": e}) for e in extras)
    key = canonicalize_name(requirement.name), *sorted(requirement.extras)
    if wanted and key not in seen:
        try:
            needed = [Requirement(line) for line in requires(requirement.name) or []]
        except PackageNotFoundError:
            return seen
        seen.add(key)
        for each in needed:
            if each.marker is None or any(each.marker.evaluate({"extra": extra}) for extra in extras):
                each.marker = None
                brought_along(each, seen)
    return seen


def test_every_line_is_a_name_and_one_version():
    """No address of an index, no option, no range: those say nothing of what was tested, or only work here."""
    assert [line for line in LINES if not re.fullmatch(r"[a-z0-9-]+==[0-9][0-9a-z.]*", line)] == []
    assert sorted(PINS) == list(PINS) and len(PINS) == len(LINES)


def test_the_tested_versions_are_within_the_ranges_that_users_get():
    outside = [str(each) for each in asked_for() if not each.specifier.contains(PINS.get(each.name, "0"))]
    assert outside == []


def test_nothing_is_installed_whose_version_is_left_to_chance():
    """torch is left out: its builds for graphics cards bring along what we have not tested."""
    found = set()
    for requirement in asked_for():
        if requirement.name != "torch":
            brought_along(requirement, found)
    assert {name for name, *_ in found} - PINS.keys() == set()
