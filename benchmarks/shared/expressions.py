"""Everyday expressions, as people type them, and the share that a translator answers rightly."""

import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from statistics import fmean

_AROUND = re.compile(r"^[\s¡¿\"'(«„“]+|[\s.,!?…\"')»“”]+$")


def share_right(translate: Callable[[list[str]], list[str]], source: str, target: str) -> float:
    """In per cent, of all expressions in all ways to write them. Capitals and marks around an answer do not matter."""
    table = tomllib.loads(Path(__file__).with_name("expressions.toml").read_text(encoding="utf-8"))[
        "expression"
    ]
    asked = [
        (line, {_plain(form) for form in each[target]})
        for each in table
        for line in _ways(each[source][0], source)
    ]
    answers = translate([line for line, _ in asked])
    return 100 * fmean(_plain(answer) in right for answer, (_, right) in zip(answers, asked, strict=True))


def _ways(said: str, language: str) -> list[str]:
    """With a capital and a mark, small and without one, in capitals, and with an exclamation mark unless it is a question."""
    bare = _AROUND.sub("", said)
    ways = [said if "?" in said else f"{said}.", bare.lower(), bare.upper()]
    loud = {"es": f"¡{bare}!", "fr": f"{bare} !"}.get(language, f"{bare}!")
    return ways if "?" in said else [*ways, loud]


def _plain(text: str) -> str:
    return _AROUND.sub("", text.replace("\u202f", " ").replace("’", "'").lower())
