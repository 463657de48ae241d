"""Generated dates as people write them in six languages, with ISO 8601: `"le 3 avril 1987"` is `"1987-04-03"`.

No format is ambiguous: with dots the day comes first, with slashes the month, as in the United States, and a year at the beginning
is followed by the month. A year of two digits is between 1970 and 2069. Capitalisation varies.

The hash of a date chooses its split: no form of a date in "test" occurs in "train".
"""

import datetime
import random
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Split = Literal["train", "dev", "test"]
SPLITS: tuple[Split, ...] = ("train", "dev", "test")
MAX_SIZE = 100_000  # each split has several times this many
_FIRST, _LAST = (datetime.date(year, *day).toordinal() for year, day in ((1900, (1, 1)), (2099, (12, 31))))
_SHORT_YEARS = range(1970, 2070)


@dataclass(frozen=True)
class Language:
    """The names of months and of weekdays from Monday on, and the formats of dates.

    Formats have the fields `day`, `ordinal`, `month`, `short` (its first three or four letters), `year` and `weekday`.
    """

    months: str
    weekdays: str
    ways: tuple[str, ...]
    ordinal: Callable[[int], str] = str


@dataclass(frozen=True)
class DatePair:
    """A date as written, and in ISO 8601."""

    source: str
    target: str


def generate(size: int, seed: int = 0, split: Split = "train") -> list[DatePair]:
    """`size` different written dates of a split.

    The same arguments give the same pairs in every process, and a larger `size` starts with the pairs of a smaller one.

    Raises:
        ValueError: an unknown split, or a size below 1 or above `MAX_SIZE`.
    """
    if split not in SPLITS:
        raise ValueError(f"split must be one of {', '.join(SPLITS)}. Received: {split!r}.")
    if not 1 <= size <= MAX_SIZE:
        raise ValueError(f"size must be from 1 to {MAX_SIZE}. Received: {size}.")
    draws = random.Random(seed)
    pairs: dict[str, DatePair] = {}  # by source
    while len(pairs) < size:
        date = datetime.date.fromordinal(draws.randint(_FIRST, _LAST))
        source = _write(date, draws)
        if _split_of(date) == split:
            pairs.setdefault(source, DatePair(source, date.isoformat()))
    return list(pairs.values())


def months(language: str) -> list[str]:
    """The names of the twelve months in a language such as "en", and no names for a language that has no dates here."""
    return _LANGUAGES[language].months.split() if language in _LANGUAGES else []


def _split_of(date: datetime.date) -> Split:
    """One date in ten belongs to dev, one in ten to test."""
    return {0: "dev", 1: "test"}.get(zlib.crc32(date.isoformat().encode()) % 10, "train")


def _write(date: datetime.date, draws: random.Random) -> str:
    if draws.random() < 0.25:
        return _in_digits(date, draws)
    language = draws.choice(tuple(_LANGUAGES.values()))
    names = language.months.split()
    month = names[date.month - 1]
    text = draws.choice(language.ways).format(
        day=date.day,
        ordinal=language.ordinal(date.day),
        month=month,
        short=_short(month, names),
        year=date.year,
        weekday=language.weekdays.split()[date.weekday()],
    )
    return draws.choice((str, str, str.lower, str.upper))(text)


def _short(month: str, months: list[str]) -> str:
    """Its first three letters, or four if two months share the first three: French juin and juillet."""
    return month[: 4 if sum(other[:3] == month[:3] for other in months) > 1 else 3]


def _in_digits(date: datetime.date, draws: random.Random) -> str:
    years = [date.year]
    if date.year in _SHORT_YEARS:
        years.append(f"{date.year % 100:02}")
    return draws.choice(_DIGITS).format(
        day=date.day, month=date.month, year=draws.choice(years), full=date.year
    )


def english_ordinal(day: int) -> str:
    """1st, 2nd, 3rd, 4th, ..., for a number below 101."""
    ending = "th" if day in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return f"{day}{ending}"


_DIGITS = (
    "{day}.{month}.{year}",
    "{day:02}.{month:02}.{year}",
    "{day}. {month}. {year}",
    "{month}/{day}/{year}",
    "{month:02}/{day:02}/{year}",
    "{full}-{month:02}-{day:02}",
    "{full}/{month:02}/{day:02}",
    "{full}{month:02}{day:02}",
)
_LANGUAGES = {
    "en": Language(
        "January February March April May June July August September October November December",
        "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
        (
            "{month} {day}, {year}",
            "{month} {ordinal}, {year}",
            "{day} {month} {year}",
            "the {ordinal} of {month}, {year}",
            "{weekday}, {month} {day}, {year}",
            "{short} {day}, {year}",
            "{day} {short} {year}",
        ),
        english_ordinal,
    ),
    "de": Language(
        "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
        "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag",
        (
            "{day}. {month} {year}",
            "{weekday}, {day}. {month} {year}",
            "am {day}. {month} {year}",
            "{day}. {short}. {year}",
        ),
    ),
    "fr": Language(
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        "lundi mardi mercredi jeudi vendredi samedi dimanche",
        (
            "{ordinal} {month} {year}",
            "le {ordinal} {month} {year}",
            "{weekday} {ordinal} {month} {year}",
            "{ordinal} {short}. {year}",
        ),
        lambda day: "1er" if day == 1 else str(day),
    ),
    "es": Language(
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        "lunes martes miércoles jueves viernes sábado domingo",
        (
            "{day} de {month} de {year}",
            "el {day} de {month} de {year}",
            "{weekday}, {day} de {month} de {year}",
            "{day} {short} {year}",
        ),
    ),
    "it": Language(
        "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
        "lunedì martedì mercoledì giovedì venerdì sabato domenica",
        (
            "{ordinal} {month} {year}",
            "{weekday} {ordinal} {month} {year}",
            "il {ordinal} {month} {year}",
            "{day} {short} {year}",
        ),
        lambda day: "1º" if day == 1 else str(day),
    ),
    "nl": Language(
        "januari februari maart april mei juni juli augustus september oktober november december",
        "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
        ("{day} {month} {year}", "{weekday} {day} {month} {year}", "{day} {short}. {year}"),
    ),
}
