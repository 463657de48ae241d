"""The list of professions, nationalities and relatives."""

from itertools import permutations

import pytest

from keras_attn.corpora.people import men_and_women, people


@pytest.mark.parametrize(
    ("languages", "line", "said"),
    [
        (("en", "de"), "He is an engineer.", "Er ist Ingenieur."),
        (("en", "de"), "She is an engineer.", "Sie ist Ingenieurin."),
        (("en", "es"), "She works as a waitress.", "Ella trabaja de camarera."),
        (("fr", "en"), "Il veut devenir pompier.", "He wants to be a firefighter."),
        (("es", "fr"), "Mi padre es dentista.", "Mon père est dentiste."),
        (("en", "de"), "My wife is Swiss.", "Meine Frau ist Schweizerin."),
        (("fr", "es"), "Mon père est allemand.", "Mi padre es alemán."),
        (("en", "fr"), "This is my nephew.", "C'est mon neveu."),
        (("de", "es"), "Kennen Sie meine Schwägerin?", "¿Conoces a mi cuñada?"),
    ],
)
def test_both_sides_name_the_same_person(languages, line, said):
    assert (line, said) in people(*languages)


def test_a_word_alone_is_for_men_and_women():
    assert men_and_women([("a judge", "Richter, Richterin")]) == [
        (("a judge", "Richter"), ("a judge", "Richterin"))
    ]


@pytest.mark.parametrize(("source", "target"), tuple(permutations(("de", "en", "es", "fr"), 2)))
def test_every_line_has_one_translation(source, target):
    found = people(source, target)
    assert len(dict(found)) == len(found) > 300
    assert not any("{" in side or "," in side for pair in found for side in pair)


def test_a_language_without_a_list_has_no_people():
    assert people("en", "pl") == people("pl", "en") == []
