"""The list of places and languages."""

from itertools import permutations

import pytest

from keras_attn.corpora.places import from_where, places


@pytest.mark.parametrize(
    ("languages", "line", "said"),
    [
        (("en", "es"), "They live in Switzerland.", "Ellos viven en Suiza."),
        (("en", "de"), "She works in the USA.", "Sie arbeitet in den Vereinigten Staaten."),
        (("de", "fr"), "Ich komme aus der Türkei.", "Je viens de Turquie."),
        (("es", "fr"), "Soy del Reino Unido.", "Je viens du Royaume-Uni."),
        (("fr", "es"), "Il vient des Pays-Bas.", "Él es de los Países Bajos."),
        (("en", "fr"), "She is from Egypt.", "Elle vient d'Égypte."),
        (("fr", "en"), "Ma femme vient d'Athènes.", "My wife is from Athens."),
        (("en", "fr"), "Do you speak Portuguese?", "Parlez-vous portugais ?"),
        (("es", "en"), "El libro está escrito en finlandés.", "The book is written in Finnish."),
    ],
)
def test_both_sides_name_the_same_place_or_language(languages, line, said):
    assert (line, said) in places(*languages)


@pytest.mark.parametrize(
    ("language", "where", "whence"),
    [
        ("en", "in the Czech Republic", "from the Czech Republic"),
        ("de", "in der Schweiz", "aus der Schweiz"),
        ("de", "im Vereinigten Königreich", "aus dem Vereinigten Königreich"),
        ("es", "en el Reino Unido", "del Reino Unido"),
        ("es", "en los Países Bajos", "de los Países Bajos"),
        ("fr", "en Autriche", "d'Autriche"),
        ("fr", "en Hongrie", "de Hongrie"),
        ("fr", "au Pérou", "du Pérou"),
        ("fr", "aux États-Unis", "des États-Unis"),
        ("fr", "à Rome", "de Rome"),
    ],
)
def test_where_one_is_from_follows_from_where_one_is(language, where, whence):
    assert from_where(where, language) == whence


@pytest.mark.parametrize(("source", "target"), tuple(permutations(("de", "en", "es", "fr"), 2)))
def test_every_line_has_one_translation(source, target):
    found = places(source, target)
    assert len(dict(found)) == len(found) > 1000
    assert not any("{" in side for pair in found for side in pair)


def test_a_language_without_a_list_has_no_places():
    assert places("en", "pl") == places("pl", "en") == []
