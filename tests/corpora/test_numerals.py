"""The list of numbers and times of day in words."""

from itertools import permutations

import pytest

from keras_attn.corpora.numerals import numerals, spelled


@pytest.mark.parametrize(
    ("language", "number", "word"),
    [
        ("en", 40, "forty"),
        ("en", 91, "ninety-one"),
        ("de", 21, "einundzwanzig"),
        ("de", 37, "siebenunddreißig"),
        ("es", 16, "dieciséis"),
        ("es", 22, "veintidós"),
        ("es", 31, "treinta y uno"),
        ("fr", 21, "vingt et un"),
        ("fr", 71, "soixante et onze"),
        ("fr", 77, "soixante-dix-sept"),
        ("fr", 80, "quatre-vingts"),
        ("fr", 81, "quatre-vingt-un"),
        ("fr", 99, "quatre-vingt-dix-neuf"),
    ],
)
def test_a_number_is_spelled_as_in_the_language(language, number, word):
    assert spelled(number, language) == word


@pytest.mark.parametrize("language", ("de", "en", "es", "fr"))
def test_no_two_numbers_have_one_word(language):
    assert len({spelled(number, language) for number in range(1, 100)}) == 99


@pytest.mark.parametrize(
    ("languages", "line", "said"),
    [
        (("en", "es"), "I am thirty-one years old.", "Tengo treinta y un años."),
        (("en", "es"), "It costs twenty-one euros.", "Cuesta veintiún euros."),
        (("es", "fr"), "Él tiene ochenta años.", "Il a quatre-vingts ans."),
        (("de", "en"), "Es kostet zweihundert Euro.", "It costs two hundred euros."),
        (("fr", "de"), "soixante-douze", "Zweiundsiebzig."),
        (("en", "fr"), "I'm thirty two.", "J'ai trente-deux ans."),
        (("en", "de"), "It's half past seven.", "Es ist halb acht."),
        (("de", "es"), "Es ist halb eins.", "Son las doce y media."),
        (("de", "fr"), "Wir essen um ein Uhr.", "Nous mangeons à une heure."),
        (("es", "en"), "Es la una menos cuarto.", "It's a quarter to one."),
        (("fr", "es"), "Le train part à midi et demi.", "El tren sale a las doce y media."),
    ],
)
def test_both_sides_say_the_same_number_or_time(languages, line, said):
    assert (line, said) in numerals(*languages)


@pytest.mark.parametrize(("source", "target"), tuple(permutations(("de", "en", "es", "fr"), 2)))
def test_every_line_has_one_translation(source, target):
    found = numerals(source, target)
    assert len(dict(found)) == len(found) > 1000
    assert not any("{" in side for pair in found for side in pair)


def test_a_language_without_a_list_has_no_numerals():
    assert numerals("en", "pl") == numerals("pl", "en") == []
