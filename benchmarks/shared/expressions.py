"""Everyday expressions and single words, as people type them, names told, numbers, times and words of everyday life: the share that
comes out right.
"""

import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from statistics import fmean

from keras_attn.corpora.days import DAYS, MONTHS
from keras_attn.corpora.numerals import counted, spelled, times_of_day
from keras_attn.corpora.people import FEMALE_RELATIVES, MALE_RELATIVES, PROFESSIONS
from keras_attn.corpora.phrase_table import rows
from keras_attn.corpora.places import LANGUAGES, PLACES
from keras_attn.corpora.things import GOODS, THINGS, the_seen

_AROUND = re.compile(r"^[\s¡¿\"'(«„“]+|[\s.,!?…\"')»“”]+$")

_WORDS = {
    "place": PLACES,
    "language": LANGUAGES,
    "day": DAYS,
    "month": MONTHS,
    "thing": THINGS,
    "goods": GOODS,
    "profession": PROFESSIONS,
    "male relative": MALE_RELATIVES,
    "female relative": FEMALE_RELATIVES,
}
_FUNCTION_WORDS = re.compile(
    r"^(?:(?:in|im|en|à|au|aux|the|an?|der|die|das|den|el|la|los|une?|des|du|de) |l')+"
)

Translate = Callable[[list[str]], list[str]]
Asked = list[tuple[str, set[str]]]  # a line, and what is right as an answer, plain
Value = int | tuple[int, int]  # a number, or an hour and the quarters after it


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
    forms = {
        form: number
        for number in range(2, 100)  # one is an article as well
        for form in (spelled(number, target), counted(number, target), str(number))
    }
    asked = [
        (each[source].format(counted(number, source)), number)
        for each in table["sentence"]
        for number in table["numbers"]
    ]
    return _share_said(translate, asked, forms)


def times_right(translate: Translate, source: str, target: str) -> float:
    """In per cent, of all sentences with each quarter of an hour: that time stands in the translation, in words or as 7:30, and no other."""
    quarters = [(hour, quarter) for hour in range(1, 13) for quarter in range(4)]
    forms = {f"{hour}:{15 * quarter:02}": (hour, quarter) for hour, quarter in quarters}
    forms |= {"noon": (12, 0)} | {spelled(hour, target): (hour, 0) for hour in range(2, 13)}  # "at seven"
    forms |= {
        f"{spelled(hour, target)} {spelled(15 * quarter, target)}": (hour, quarter)  # "seven thirty"
        for hour, quarter in quarters
        if quarter
    }
    forms |= {
        times_of_day(hour, target)[quarter].removeprefix("a "): (hour, quarter) for hour, quarter in quarters
    }
    asked = [
        (each[source].format(times_of_day(hour, source)[quarter]), (hour, quarter))
        for each in _table("numerals.toml")["told"]
        for hour, quarter in quarters
    ]
    return _share_said(translate, asked, forms)


def everyday_words_right(translate: Translate, source: str, target: str) -> float:
    """In per cent, of all sentences with each word of the lists: one of the ways to say it stands in the translation.

    For a profession, that of a man or of a woman; the article or preposition before a word does not matter.
    """
    asked = []
    for each in _table("everyday_words.toml")["sentence"]:
        for _, ours, theirs in rows(_WORDS[each["with"]], source, target):
            word = the_seen(ours[0], source) if each["with"] == "thing" else ours[0].split(", ")[0]
            right = {form.lower() for said in theirs for form in said.split(", ")}
            asked.append((each[source].format(word), {_FUNCTION_WORDS.sub("", form) for form in right}))
    answers = translate([line for line, _ in asked])
    return 100 * fmean(
        any(re.search(rf"\b{re.escape(form)}\b", answer.lower()) for form in right)
        for answer, (_, right) in zip(answers, asked, strict=True)
    )


def single_words_right(translate: Translate, source: str, target: str) -> float:
    """In per cent, of a hundred common words, alone, without a capital or a mark: the answer is a word for it and nothing else."""
    asked = rows(_table("single_words.toml")["words"], source, target)
    answers = translate([ours[0].lower() for _, ours, _ in asked])
    return 100 * fmean(
        _FUNCTION_WORDS.sub("", _plain(answer)) in map(str.lower, theirs)
        for answer, (_, _, theirs) in zip(answers, asked, strict=True)
    )


def _share_said(translate: Translate, asked: list[tuple[str, Value]], forms: dict[str, Value]) -> float:
    """In per cent, of the lines whose answer has one of the forms, the right one."""
    forms = {form.lower().replace("-", " "): value for form, value in forms.items()}
    longest_first = "|".join(sorted(map(re.escape, forms), key=len, reverse=True))
    answers = (answer.lower().replace("-", " ") for answer in translate([line for line, _ in asked]))
    return 100 * fmean(
        [forms[form] for form in re.findall(rf"(?<!\w)(?:{longest_first})(?!\w)", answer)] == [value]
        for answer, (_, value) in zip(answers, asked, strict=True)
    )


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
