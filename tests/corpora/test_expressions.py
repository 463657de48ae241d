"""The list of everyday expressions."""

from itertools import permutations

import pytest

from keras_attn.corpora.expressions import expressions

LANGUAGES = ("de", "en", "es", "fr")


@pytest.mark.parametrize(("source", "target"), tuple(permutations(LANGUAGES, 2)))
def test_every_expression_stands_on_both_sides_with_a_capital_and_a_final_mark(source, target):
    found = expressions(source, target)
    assert len(found) > 120
    for side in zip(*found, strict=True):
        assert all(form.lstrip("¡¿")[0].isupper() and form[-1] in ".!?" for form in side)
    assert all(ours.endswith("?") == theirs.endswith("?") for ours, theirs in found)


@pytest.mark.parametrize("language", LANGUAGES)
def test_questions_and_exclamations_in_spanish_have_both_marks(language):
    if language != "es":
        said = [form for _, form in expressions(language, "es")]
        assert all(form.count("¿") == form.count("?") and form.count("¡") == form.count("!") for form in said)


def test_all_forms_of_an_expression_have_one_translation():
    found = dict(reversed(expressions("en", "fr")))
    assert found["Goodbye."] == found["Bye."] == found["Farewell."] == "Au revoir."


def test_the_better_translation_of_a_form_with_two_comes_first():
    assert next(target for source, target in expressions("fr", "en") if source == "Bonjour.") == "Hello."


def test_a_language_without_a_list_has_no_expressions():
    assert expressions("en", "pl") == expressions("pl", "en") == []
