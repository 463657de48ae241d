"""Augments training pairs: other names, other numbers, other months, carelessly written sources.

A corpus of 100,000 everyday sentences has a few hundred names and numbers and hardly a line in capitals. A model trained on it
knows those names and makes up the others. But a name or a number that stands on both sides of a pair is copied, so any other could
stand there. The names of months are translated, but as there are only twelve, they can be exchanged as well. Small numbers are
mostly words: "two books" becomes "2 books" on both sides, and then another number.
"""

import random
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable
from itertools import chain
from typing import NamedTuple

from keras_attn.corpora.dates import english_ordinal, months
from keras_attn.text.corpus import Corpus

Pair = tuple[str, str]
Marks = tuple[dict[int, int], ...]  # ways to write the marks of 1,250.50

_WORD = re.compile(r"[^\W\d_]{2,}")
_NUMBER = re.compile(r"(?<![\w.,:])\d+(?:[.,:]\d+)*(?!\w)")
_ORDINAL = re.compile(r"(?<![\w.,:])(\d{1,2})(?:st|[nr]d|th)(?!\w)")
_FINAL_MARKS = re.compile(r"(?<=\w)[.!?…。！？]+$")
_PRICE = re.compile(r"[$€£] ?\d|\d ?(?:[$€£]|(?:dollar|dólar|euro)(?:e?s)?\b)", re.IGNORECASE)
# From two to twelve. One is an article as well.
_COUNTS = {
    language: {word: number for number, word in enumerate(words.split(), start=2)}
    for language, words in {
        "de": "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
        "en": "two three four five six seven eight nine ten eleven twelve",
        "es": "dos tres cuatro cinco seis siete ocho nueve diez once doce",
        "fr": "deux trois quatre cinq six sept huit neuf dix onze douze",
    }.items()
}
# A word that is no part of a larger number, as in "thirty-two", "treinta y dos" and "two hundred".
_COUNT = re.compile(
    r"(?<![\w-])(?<! y )(?<! et )[^\W\d_]+(?![\w-]| (?:hundred|thousand|mil|cents?|mille)\b)", re.IGNORECASE
)
# In whose place a number can stand, so that what is counted is more than hours, years and dollars.
_MANY = {
    language: re.compile(rf"{before}(?<!\w)(?:{many})(?!\w)", re.IGNORECASE)
    for language, (before, many) in {
        "de": (r"(?<!wie )(?<!so )(?<!zu )(?<!sehr )", "vielen?|mehreren?"),
        "en": (
            r"(?<!how )(?<!so )(?<!too )(?<!as )(?<!very )(?<!that )(?<!great )(?<!good )",
            "many|several",
        ),
        "es": ("", "much[oa]s|vari[oa]s"),
        "fr": ("", "beaucoup de|plusieurs"),
    }.items()
}
# Between two numbers. A model easily mixes up numbers of the same line.
_BETWEEN = {"de": ("oder", "bis"), "en": ("or", "to"), "es": ("o", "a"), "fr": ("ou", "à")}
_TWO_NUMBERS_SHARE = 0.2
# Numbers are rare, dates and prices rarer, so their pairs are varied more often.
_TIMES_A_NUMBER, _TIMES_A_DATE_OR_PRICE = 4, 30
_IN_A_YEAR = {
    language: re.compile(rf"(?<!\w){before}(?=(?P<year>1\d{{3}}|20\d\d)(?![\w.,:]\w))", re.IGNORECASE)
    for language, before in {"de": "(?:im jahre? )?", "en": "in ", "es": "en ", "fr": "en "}.items()
}
# A day of the year, to stand in its place. Day and month are exchanged afterwards.
_ON_A_DAY = {
    "de": ("am 2. Januar ",),
    "en": ("on January 2, ", "on January 2nd, ", "on 2 January ", "on the 2nd of January "),
    "es": ("el 2 de enero de ",),
    "fr": ("le 2 janvier ",),
}
# Of 1,250.50: as it stands, 1.250,50, and 1 250,50, which is more than one word.
_MARKS = ({}, str.maketrans(",.", ".,"))
_MARKS_WITH_A_SPACE = (*_MARKS, str.maketrans(",.", " ,"))
_CARELESS_SHARE = 0.25
_ACCENTS = dict.fromkeys(map(ord, "\u0300\u0301\u0302"))  # grave, acute, circumflex
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ß": "ss"})


def _without_accents(line: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", line).translate(_ACCENTS))


# What people leave out when they type, and in which share of the copies: apostrophes, accents, "¿" and "¡", umlauts that their
# keyboard does not have, and the capitals of German nouns, without which a word may be something else. No word is lost.
_HABITS: dict[str, tuple[tuple[Callable[[str], str], float], ...]] = {
    "de": ((str.lower, 0.25), (lambda line: line.translate(_UMLAUTS), 0.15)),
    "en": ((lambda line: re.sub(r"(?<=\w)['’](?=\w)", "", line), 0.15),),
    "es": ((lambda line: re.sub(r"[¿¡](?=\w)", "", line), 0.4), (_without_accents, 0.25)),
    "fr": ((_without_accents, 0.25),),
}


class _Stock(NamedTuple):
    """The replacements for what both sides share.

    Attributes:
        names: for each name, the names whose beginning may replace its own.
        endings: all names.
        months: for each month, in both languages, the months that may replace it.
        marks: ways to write the marks of a number.
        first_day: the smallest day that is drawn; French writes the first as *1er*, not as a number.
        between: what may stand between two numbers, in both languages.
        language: of the sources, whose writers have their own habits.
    """

    names: dict[Pair, list[Pair]]
    endings: list[str]
    months: dict[Pair, list[Pair]]
    marks: Marks
    first_day: int
    between: list[Pair]
    language: str


def with_augmentation(corpus: Corpus, copies: int, seed: int, *, languages: tuple[str, str]) -> Corpus:
    """Adds varied copies of the pairs after the pairs themselves.

    Where both sides of a pair share a name or a number, both get another one. A new name is the beginning of one name of the corpus
    and the end of another. A new number keeps its shape or, half of the time, takes another (`1250`, `1,250`, `1.250,50`, `10:45`,
    and `1 250` where the corpus has no links), and is never 1, because more than one follows. "Two" to "twelve" on both sides are
    numbers too, and stand in digits in every copy. "Many" and "several" become a number half of the time, and one number in five
    becomes two (`20 or 30`, `20 to 30`). In French, what begins with a vowel stays so: *d'avril*, but *de mars*.

    Where the source names a month and the target the same one, both get another month, and numbers of one or two digits another
    day. A day may be 5 on one side and 5th on the other. "In 1987" on both sides becomes a day of that year half of the time.

    Then one source in four is written with one word in capitals (two in five of them), in capitals, without capitals, or without
    its final punctuation; its target stays as it is. Before that, some sources lose what people often leave out: apostrophes in
    English, "¿", "¡" and accents in Spanish, accents in French, capitals and umlauts (*fuer*) in German. A copy that came out
    unchanged is left out.

    Args:
        corpus: the pairs. A name is a capitalised word that both sides of some pair share and that is hardly ever written small.
        copies: how often each pair is varied. Pairs that share a number are rare, and varied four times as often. Pairs with a
            month, with "in 1987", or with a price such as $5 or 5 dollars are rarer still, and varied 30 times as often.
        seed: the same seed gives the same pairs.
        languages: of source and target, such as `("en", "es")`. Months are exchanged if `corpora.dates` has the names in both.
            "In 1987", "many", "20 or 30" and numbers as words are known in German, English, Spanish and French. Where the corpus
            has links, no copy has other words than its pair, so the first three are left out.

    Returns:
        All pairs, in memory, with their links.
    """
    draw = random.Random(seed)
    names = _names(corpus)
    calendar = list(zip(*map(months, languages), strict=False))
    between = list(zip(*(_BETWEEN.get(language, ()) for language in languages), strict=False))
    stock = _Stock(
        names=_alike([(name, name) for name in names], languages),
        endings=names,
        months=_alike(calendar, languages),
        marks=_MARKS_WITH_A_SPACE if corpus.links is None else _MARKS,
        first_day=2 if "fr" in languages else 1,
        between=[] if corpus.links is not None else between,
        language=languages[0],
    )
    source, target = list(corpus.source), list(corpus.target)
    links = None if corpus.links is None else list(corpus.links)
    for _ in range(copies):
        for number, pair in enumerate(zip(corpus.source, corpus.target, strict=True)):
            counted = _in_digits(pair, languages)
            other = (
                counted if links is not None else _dated(_numbered(counted, languages, draw), languages, draw)
            )
            for _ in range(_times(other, stock)):
                varied = _exchanged(draw.choice((counted, other)), stock, draw)
                if varied != pair:
                    source.append(varied[0])
                    target.append(varied[1])
                    if links is not None:
                        links.append(corpus.links[number])
    return Corpus(source, target, corpus.dropped, links)


def _dated(pair: Pair, languages: tuple[str, str], draw: random.Random) -> Pair:
    """The pair with a day in the place of "in 1987", if both sides say so of the same year."""
    if not all(language in _IN_A_YEAR for language in languages):
        return pair
    found = [_IN_A_YEAR[language].search(line) for language, line in zip(languages, pair, strict=True)]
    if not all(found) or found[0]["year"] != found[1]["year"]:
        return pair
    days = [draw.choice(_ON_A_DAY[language]) for language in languages]
    source, target = (
        f"{line[: at.start()]}{day if at.start() else day[0].upper() + day[1:]}{line[at.end() :]}"
        for line, at, day in zip(pair, found, days, strict=True)
    )
    return source, target


def _numbered(pair: Pair, languages: tuple[str, str], draw: random.Random) -> Pair:
    """The pair with a number in the place of "many", if both sides say so once."""
    if not all(language in _MANY for language in languages):
        return pair
    if any(len(_MANY[language].findall(line)) != 1 for language, line in zip(languages, pair, strict=True)):
        return pair
    number = str(draw.randrange(2, 100))
    source, target = (
        _MANY[language].sub(number, line) for language, line in zip(languages, pair, strict=True)
    )
    return source, target


def _in_digits(pair: Pair, languages: tuple[str, str]) -> Pair:
    """The pair with a number from two to twelve in digits, if both sides have its word once."""
    known = [_COUNTS.get(language, {}) for language in languages]
    said = [
        Counter(counts.get(word.lower()) for word in _COUNT.findall(line))
        for line, counts in zip(pair, known, strict=True)
    ]
    shared = {number for number in said[0] if number and said[0][number] == said[1][number] == 1}

    def digits(line: str, counts: dict[str, int]) -> str:
        numbers = {word: str(number) for word, number in counts.items() if number in shared}
        return _COUNT.sub(lambda match: numbers.get(match[0].lower(), match[0]), line)

    return digits(pair[0], known[0]), digits(pair[1], known[1])


def _alike(pairs: list[Pair], languages: tuple[str, str]) -> dict[Pair, list[Pair]]:
    """Of each pair of words, those that can stand in its place. A French word decides how the one before it ends."""
    groups = defaultdict(list)
    for pair in pairs:
        groups[_beginnings(pair, languages)].append(pair)
    return {pair: groups[_beginnings(pair, languages)] for pair in pairs}


def _beginnings(pair: Pair, languages: tuple[str, str]) -> tuple[str, ...]:
    return tuple(
        _beginning(word) if language == "fr" else "" for word, language in zip(pair, languages, strict=True)
    )


def _beginning(word: str) -> str:
    """A vowel, a consonant, or h or y, which may be either: l'homme, le hibou."""
    letter = unicodedata.normalize("NFD", word.lower())[0]
    return letter if letter in "hy" else "vowel" if letter in "aeiouæœ" else "consonant"


def _times(pair: Pair, stock: _Stock) -> int:
    if _named_months(pair, stock) or (_shared_numbers(pair) and any(map(_PRICE.search, pair))):
        return _TIMES_A_DATE_OR_PRICE
    return _TIMES_A_NUMBER if _shared_numbers(pair) else 1


def _exchanged(pair: Pair, stock: _Stock, draw: random.Random) -> Pair:
    """The pair with other names, numbers and months, its source maybe carelessly written."""
    source, target = pair
    ordinals = {*_ORDINAL.findall(source), *_ORDINAL.findall(target)}
    named = _named_months(pair, stock)
    shared = [(name, name) for name in sorted(_shared(_WORD, pair))]
    others = {name[0]: _spliced(name, stock, draw) for name in shared if name in stock.names}
    others |= {
        number: _another_in_a_date(number, stock, draw)
        if named or number in ordinals
        else _another_number(number, stock.marks, draw)
        for number in _shared_numbers(pair)
    }
    exchanged = [(month, draw.choice(stock.months[month])) for month in named]
    exchanged += [
        ((number, number), _two_numbers(number, others[number], stock, draw))
        for number in ([] if named or not stock.between else _shared_numbers(pair))
        if number not in ordinals and draw.random() < _TWO_NUMBERS_SHARE
    ]
    in_source, in_target = ({old[side]: new[side] for old, new in exchanged} for side in (0, 1))
    source, target = _replaced(source, others | in_source), _replaced(target, others | in_target)
    return _careless(source, stock, draw), target


def _named_months(pair: Pair, stock: _Stock) -> list[Pair]:
    words = [_WORD.findall(line) for line in pair]
    return [month for month in stock.months if month[0] in words[0] and month[1] in words[1]]


def _shared(pattern: re.Pattern[str], pair: tuple[str, str]) -> set[str]:
    return set(pattern.findall(pair[0])) & set(pattern.findall(pair[1]))


def _shared_numbers(pair: Pair) -> list[str]:
    source, target = ({*_NUMBER.findall(line), *_ORDINAL.findall(line)} for line in pair)
    return sorted(source & target)


def _names(corpus: Corpus) -> list[str]:
    """Capitalised words that both sides of some pair share, without those that are ordinary words as well, such as No."""
    words, shared = Counter(), set()
    for pair in zip(corpus.source, corpus.target, strict=True):
        words.update(chain.from_iterable(map(_WORD.findall, pair)))
        shared |= _shared(_WORD, pair)
    return sorted(word for word in shared if word.istitle() and words[word] >= 10 * words[word.lower()])


def _spliced(name: Pair, stock: _Stock, draw: random.Random) -> str:
    (first, _), last = draw.choice(stock.names[name]), draw.choice(stock.endings)
    return first[: draw.randrange(1, len(first) + 1)] + last[draw.randrange(1, len(last)) :]


def _another_number(number: str, marks: Marks, draw: random.Random) -> str:
    if draw.random() < 0.5:
        return _of_the_same_shape(number, draw)
    whole = draw.randrange(2, 10 ** draw.randrange(1, 6))
    time = f"{whole % 24}:{draw.randrange(60):02}"
    shapes = (str(whole), f"{whole:,}", f"{whole:,}.{draw.randrange(100):02}", time)
    return draw.choice(shapes).translate(draw.choice(marks))


def _two_numbers(number: str, first: str, stock: _Stock, draw: random.Random) -> Pair:
    """The first and one more, in both languages."""
    second = _of_the_same_shape(number, draw)
    source, target = draw.choice(stock.between)
    return f"{first} {source} {second}", f"{first} {target} {second}"


def _another_in_a_date(number: str, stock: _Stock, draw: random.Random) -> str:
    return str(draw.randrange(stock.first_day, 32)) if len(number) < 3 else _of_the_same_shape(number, draw)


def _of_the_same_shape(number: str, draw: random.Random) -> str:
    digits = re.sub(r"\d", lambda _: str(draw.randrange(10)), number)
    return f"{draw.randrange(2 if len(number) == 1 else 1, 10)}{digits[1:]}"


def _replaced(line: str, others: dict[str, str]) -> str:
    line = _ORDINAL.sub(
        lambda match: english_ordinal(int(others[match[1]])) if match[1] in others else match[0], line
    )
    for pattern in (_NUMBER, _WORD):
        line = pattern.sub(lambda match: others.get(match[0], match[0]), line)
    return line


def _careless(line: str, stock: _Stock, draw: random.Random) -> str:
    for habit, share in _HABITS.get(stock.language, ()):
        if draw.random() < share:
            line = habit(line)
    return draw.choice(_CARELESS)(line, draw) if draw.random() < _CARELESS_SHARE else line


def _with_a_loud_word(line: str, draw: random.Random) -> str:
    words = [
        word.span() for word in _WORD.finditer(line) if word[0].islower()
    ]  # a name would not be the target's
    begin, end = draw.choice(words) if words else (0, 0)
    return line[:begin] + line[begin:end].upper() + line[end:]


_CARELESS = (
    lambda line, draw: line.upper(),
    lambda line, draw: line.lower(),
    lambda line, draw: _FINAL_MARKS.sub("", line),
    _with_a_loud_word,
    _with_a_loud_word,  # spelled in more sub-words than small, so the hardest to learn
)
