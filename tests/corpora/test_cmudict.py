import os

import pytest

from keras_attn.corpora.cmudict import SPLITS, entries, split_of, without_stress
from keras_attn.corpora.named import load_corpus
from keras_attn.text.corpus import CorpusError

LINES = [
    "aalborg AO1 L B AO0 R G # place, danish",
    "read R EH1 D",
    "read(2) R IY1 D",
    "record R AH0 K AO1 R D",
    "record(2) R EH1 K ER0 D",
    "record(3) R IH0 K AO1 R D",
    "the DH AH0",
    "the(2) DH AH1",
    "the(3) DH IY0",
]


def of_all_splits(*, stress):
    return [entry for split in SPLITS for entry in entries(LINES, split, stress=stress)]


def test_a_remark_is_no_phoneme():
    assert ("aalborg", "AO1 L B AO0 R G") in of_all_splits(stress=True)


def test_a_word_has_all_of_its_pronunciations():
    assert [entry.pronunciation for entry in of_all_splits(stress=True) if entry.word == "read"] == [
        "R EH1 D",
        "R IY1 D",
    ]


def test_pronunciations_that_differ_in_stress_alone_are_one_without_it():
    assert [entry.pronunciation for entry in of_all_splits(stress=False) if entry.word == "the"] == [
        "DH AH",
        "DH IY",
    ]


def test_stress_is_the_digit_behind_a_vowel():
    assert without_stress("AH0 D AE1 P T") == "AH D AE P T"


def test_one_word_in_twenty_is_of_test_and_one_of_dev():
    splits = [split_of(f"word{i}") for i in range(20_000)]
    assert 900 < splits.count("test") < 1100 and 900 < splits.count("dev") < 1100


def test_all_pronunciations_of_a_word_are_in_one_split():
    words = [{entry.word for entry in entries(LINES, split, stress=True)} for split in SPLITS]
    assert sum(map(len, words)) == len(set.union(*words)) == 4


def test_the_dictionary_is_read_as_it_is_published():
    if "KERAS_ATTN_DATA" not in os.environ:
        pytest.skip("set KERAS_ATTN_DATA to the folder of the corpora")
    corpus = load_corpus("cmudict", "en", "phones", "test")
    assert len(set(corpus.source)) == 6526
    assert ("aaron", "EH R AH N") in zip(corpus.source, corpus.target, strict=True)


def test_sounds_are_not_spelled():
    with pytest.raises(CorpusError, match=r"cmudict is read from source_language 'en'"):
        load_corpus("cmudict", "arpabet", "phones", "test")
