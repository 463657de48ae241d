"""The words of the lists, alone."""

from itertools import permutations

import pytest

from keras_attn.corpora.listed_words import listed_words


@pytest.mark.parametrize(
    ("languages", "line", "said"),
    [
        (("en", "de"), "Pharmacy.", "Apotheke."),
        (("fr", "de"), "Brosse à dents.", "Zahnbürste."),
        (("es", "en"), "Jabón.", "Soap."),
        (("de", "fr"), "Öl.", "Huile."),
        (("en", "fr"), "Tuesday.", "Mardi."),
        (("fr", "es"), "Août.", "Agosto."),
        (("es", "de"), "Sobrina.", "Nichte."),
        (("de", "en"), "Klempnerin.", "Plumber."),
        (("en", "es"), "Waitress.", "Camarera."),
        (("en", "de"), "Engineer.", "Ingenieur."),
        (("en", "de"), "Switzerland.", "Schweiz."),
        (("fr", "es"), "Écosse.", "Escocia."),
        (("es", "fr"), "Egipto.", "Égypte."),
    ],
)
def test_both_sides_say_the_same_without_an_article(languages, line, said):
    assert (line, said) in listed_words(*languages)


@pytest.mark.parametrize(("source", "target"), tuple(permutations(("de", "en", "es", "fr"), 2)))
def test_every_word_stands_once(source, target):
    found = listed_words(source, target)
    assert len(dict(found)) == len(found) > 400
    assert not any(
        side.startswith(("Der ", "Die ", "El ", "La ", "Une ", "A ", "De l'"))
        for pair in found
        for side in pair
    )


def test_a_place_whose_name_changes_with_its_article_is_left_out():
    assert not any("Vereinigte" in said or "Niederlande" in said for _, said in listed_words("en", "de"))


def test_a_language_without_a_list_has_no_words():
    assert listed_words("en", "pl") == listed_words("pl", "en") == []
