"""The list of sentences that travellers say and that people try first."""

import re
from itertools import permutations

import pytest

from keras_attn.corpora.common_sentences import common_sentences
from keras_attn.corpora.expressions import expressions

LANGUAGES = ("de", "en", "es", "fr")


@pytest.mark.parametrize(("source", "target"), tuple(permutations(LANGUAGES, 2)))
def test_both_sides_are_whole_sentences_of_one_kind_without_digits(source, target):
    found = common_sentences(source, target)
    assert len(found) > 90
    for ours, theirs in found:
        for side in (ours, theirs):
            assert side.lstrip("¡¿")[0].isupper() and side[-1] in ".!?" and not re.search(r"\d", side)
        assert ours.endswith("?") == theirs.endswith("?")


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_form_stands_twice_or_is_an_everyday_expression_as_well(language):
    other = "en" if language != "en" else "fr"
    forms = [form for form, _ in common_sentences(language, other)]
    assert len(set(forms)) == len(forms)
    assert not set(forms) & {form for form, _ in expressions(language, other)}


def test_all_forms_of_a_sentence_have_one_translation():
    found = dict(common_sentences("es", "de"))
    assert found["Estoy perdido."] == found["Me he perdido."] == "Ich habe mich verlaufen."


def test_a_language_without_a_list_has_no_sentences():
    assert common_sentences("en", "pl") == common_sentences("pl", "en") == []
