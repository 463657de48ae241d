"""Everyday expressions, as people type them, how they tell their names, and numbers in words: the share that comes out right."""

import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from statistics import fmean

from keras_attn.corpora.numerals import counted, spelled

_AROUND = re.compile(r"^[\s¡¿\"'(«„“]+|[\s.,!?…\"')»“”]+$")

Translate = Callable[[list[str]], list[str]]
Asked = list[tuple[str, set[str]]]  # a line, and what is right as an answer, plain


def expressions_right(translate: Translate, source: str, target: str) -> float:
    """In per cent, of all expressions in all ways to write them. Capitals and marks around an answer do not matter."""
    return _share_right(
        translate,
        [
            (line, {_plain(form) for form in each[target]})
            for each in _table("expressions.toml")["expression"]
            for line in _ways(each[source][0], source)
        ],
    )


def introductions_right(translate: Translate, source: str, target: str) -> float:
    """In per cent, of all sentences with each of some names."""
    table = _table("introductions.toml")
    return _share_right(
        translate,
        [
            (each[source][0].format(name), {_plain(form.format(name)) for form in each[target]})
            for each in table["sentence"]
            for name in table["names"]
        ],
    )


def numerals_right(translate: Translate, source: str, target: str) -> float:
    """In per cent, of all sentences with each of some numbers: that number stands in the translation, in words or digits, and no other."""
    table = _table("numerals.toml")
    asked = [
        (each[source].format(counted(number, source)), number)
        for each in table["sentence"]
        for number in table["numbers"]
    ]
    answers = translate([line for line, _ in asked])
    return 100 * fmean(
        _numbers_in(answer, target) == [number] for answer, (_, number) in zip(answers, asked, strict=True)
    )


def _numbers_in(text: str, language: str) -> list[int]:
    """From two to 99; one is an article as well."""
    forms = {
        form.replace("-", " "): number
        for number in range(2, 100)
        for form in (spelled(number, language), counted(number, language), str(number))
    }
    longest_first = "|".join(sorted(forms, key=len, reverse=True))
    return [
        forms[form]
        for form in re.findall(rf"(?<!\w)(?:{longest_first})(?!\w)", text.lower().replace("-", " "))
    ]


def _table(name: str) -> dict:
    return tomllib.loads(Path(__file__).with_name(name).read_text(encoding="utf-8"))


def _share_right(translate: Translate, asked: Asked) -> float:
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
