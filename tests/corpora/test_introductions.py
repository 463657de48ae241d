"""The list of sentences in which people tell their names."""

from itertools import permutations

import pytest

from keras_attn.corpora.introductions import introductions


@pytest.mark.parametrize(("source", "target"), tuple(permutations(("de", "en", "es", "fr"), 2)))
def test_a_name_stands_on_both_sides(source, target):
    found = introductions(source, target)
    assert len(set(found)) == len(found) >= 250
    for ours, theirs in found:
        shared = {word.strip(".?,:") for word in ours.split()[1:]} & {
            word.strip(".?,:") for word in theirs.split()
        }
        assert any(word[:1].isupper() for word in shared), (ours, theirs)
        assert ours.endswith("?") == theirs.endswith("?") and "{" not in ours + theirs


def test_all_ways_to_tell_a_name_have_one_translation_with_the_same_name():
    found = dict(introductions("en", "fr"))
    assert found["My name is Anna."] == "Je m'appelle Anna."
    told = {
        said.rpartition(" ")[0]
        for line, said in found.items()
        if line.startswith(("My name's ", "I'm called "))
    }
    assert told == {"Je m'appelle"}


def test_brothers_and_sisters_have_other_names():
    lines = [line for line, _ in introductions("de", "es")]
    brothers, sisters = (
        {line.removeprefix(start) for line in lines if line.startswith(start)}
        for start in ("Mein Bruder heißt ", "Meine Schwester heißt ")
    )
    assert len(brothers) == len(sisters) == 10 and not brothers & sisters


@pytest.mark.parametrize(
    ("start", "end", "said"),
    (("Bonjour, madame ", ".", "Guten Tag, Frau "), ("Connais-tu M. ", " ?", "Kennen Sie Herrn ")),
)
def test_people_are_spoken_to_and_of_by_surname_with_a_title_of_the_language(start, end, said):
    found = {line: answer for line, answer in introductions("fr", "de") if line.startswith(start)}
    assert len(found) == 10
    for line, answer in found.items():
        assert answer == said + line.removeprefix(start).removesuffix(end) + end.strip()


def test_a_language_without_a_list_has_no_introductions():
    assert introductions("en", "pl") == introductions("pl", "en") == []
