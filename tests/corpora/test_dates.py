import datetime
import re

import pytest

from keras_attn.corpora import dates
from keras_attn.corpora.dates import SPLITS, generate
from keras_attn.corpora.named import load_corpus
from keras_attn.text.corpus import CorpusError


def test_every_target_is_a_date_of_the_two_centuries():
    years = [datetime.date.fromisoformat(pair.target).year for pair in generate(2000)]
    assert 1900 <= min(years) < 1910 and 2090 < max(years) <= 2099


def test_nothing_that_can_be_written_means_two_dates():
    """Whatever the case of its letters."""
    meanings = {}
    for split in SPLITS:
        for pair in generate(20_000, split=split):
            meanings.setdefault(pair.source.casefold(), set()).add(pair.target)
    assert [source for source, dates in meanings.items() if len(dates) > 1] == []


def test_no_date_of_a_split_is_in_another():
    train, dev, test = ({pair.target for pair in generate(3000, split=split)} for split in SPLITS)
    assert not train & dev and not train & test and not dev & test


def test_a_larger_size_begins_with_the_pairs_of_a_smaller_one():
    assert generate(200, seed=3)[:50] == generate(50, seed=3)
    assert generate(50, seed=3) != generate(50, seed=4)


@pytest.mark.parametrize(
    ("pattern", "order"),
    [
        (r"(\d+)\.\s?(\d+)\.\s?\d+", (8, 5)),
        (r"(\d+)/(\d+)/\d+", (5, 8)),
        (r"\d{4}[-/]?(\d\d)[-/]?(\d\d)", (5, 8)),
    ],
    ids=["dots: day, month", "slashes: month, day", "the year first: month, day"],
)
def test_digits_stand_in_the_order_that_their_marks_say(pattern, order):
    pairs = [(re.fullmatch(pattern, pair.source), pair.target) for pair in generate(3000)]
    pairs = [(match, target) for match, target in pairs if match and len(match[1]) < 3]
    assert len(pairs) > 100
    for match, target in pairs:
        assert [int(match[1]), int(match[2])] == [int(target[at : at + 2]) for at in order]


def test_a_year_of_two_digits_is_one_of_1970_to_2069():
    years = [
        (int(match[1]), int(pair.target[:4]))
        for pair in generate(3000)
        if (match := re.fullmatch(r"\d{1,2}\D+\d+\D+(\d\d)", pair.source))
    ]
    assert len(years) > 50
    assert all(1970 <= year < 2070 and year % 100 == short for short, year in years)


def test_the_names_of_weekdays_and_months_are_those_of_the_date():
    """The names of no two languages contradict each other."""
    weekdays, months = (
        {
            name.lower(): number
            for language in dates._LANGUAGES.values()
            for number, name in enumerate(getattr(language, names).split())
        }
        for names in ("weekdays", "months")
    )
    counts = {"weekdays": 0, "months": 0}
    for pair in generate(3000):
        date = datetime.date.fromisoformat(pair.target)
        for word in re.findall(r"\w+", pair.source.lower()):
            if word in weekdays:
                assert weekdays[word] == date.weekday(), pair
                counts["weekdays"] += 1
            if word in months:
                assert months[word] == date.month - 1, pair
                counts["months"] += 1
    assert min(counts.values()) > 300


def test_a_month_is_shortened_to_letters_that_no_other_month_begins_with():
    for language in dates._LANGUAGES.values():
        months = language.months.split()
        short = [dates._short(month, months) for month in months]
        assert len(set(short)) == 12
        assert all(month.startswith(each) for month, each in zip(months, short, strict=True))
        assert {len(each) for each in short} <= {3, 4}
        assert short.count("juin") == short.count("juil") == ("juin" in months)


def test_ordinals_end_as_they_are_spoken():
    endings = {1: "st", 21: "st", 31: "st", 2: "nd", 22: "nd", 3: "rd", 23: "rd"}
    english, german, french, spanish, italian, dutch = (
        language.ordinal for language in dates._LANGUAGES.values()
    )
    for day in range(1, 32):
        assert english(day) == f"{day}{endings.get(day, 'th')}"
        assert french(day) == ("1er" if day == 1 else f"{day}")
        assert italian(day) == ("1º" if day == 1 else f"{day}")
        assert german(day) == spanish(day) == dutch(day) == f"{day}"


def test_one_date_in_ten_is_of_dev_and_one_of_test():
    splits = [dates._split_of(datetime.date.fromordinal(day)) for day in range(700_000, 720_000)]
    assert 1800 < splits.count("dev") < 2200 and 1800 < splits.count("test") < 2200
    assert splits.count("train") == 20_000 - splits.count("dev") - splits.count("test")


def test_the_first_dates_of_the_splits_stay_those_that_models_were_scored_on():
    assert [generate(1, split=split)[0].source for split in SPLITS] == [
        "23 juin. 2083",
        "1 de abril de 2038",
        "Freitag, 26. Juli 1968",
    ]


@pytest.mark.parametrize(
    "written",
    ["1st", "22nd", "13th", "1er", "juil.", "juin.", "MÄRZ", "miércoles", "zaterdag", "1º"],
)
def test_people_write_what_their_language_has(written):
    assert any(written in pair.source for pair in generate(20_000))


@pytest.mark.parametrize("size", [0, 100_001])
def test_a_size_that_cannot_be_is_refused(size):
    with pytest.raises(ValueError, match="size must be from 1 to 100000"):
        generate(size)


def test_a_size_may_be_the_largest(monkeypatch):
    monkeypatch.setattr(dates, "MAX_SIZE", 5)
    assert len(generate(5)) == 5
    with pytest.raises(ValueError, match="size must be from 1 to 5"):
        generate(6)


def test_an_unknown_split_is_refused():
    with pytest.raises(ValueError, match=r"one of train, dev, test\. Received: 'valid'"):
        generate(10, split="valid")


@pytest.mark.parametrize(("split", "size"), [("train", 20_000), ("dev", 1000), ("test", 5000)])
def test_the_named_corpus_has_its_sizes(split, size):
    assert load_corpus("dates", "written", "iso", split).source == [
        pair.source for pair in generate(size, split=split)
    ]


def test_the_named_corpus_is_read_in_one_direction():
    assert load_corpus("dates", "written", "iso", "dev").target[0] == generate(1, split="dev")[0].target
    with pytest.raises(CorpusError, match="dates are read, not written"):
        load_corpus("dates", "iso", "written", "dev")
