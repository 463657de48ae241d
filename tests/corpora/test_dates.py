import datetime
import re

import pytest

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
    ],
    ids=["dots: day, month", "slashes: month, day"],
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


def test_the_named_corpus_is_read_in_one_direction():
    assert load_corpus("dates", "written", "iso", "dev").target[0] == generate(1, split="dev")[0].target
    with pytest.raises(CorpusError, match="dates are read, not written"):
        load_corpus("dates", "iso", "written", "dev")
