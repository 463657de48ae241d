"""The list of sentences that travellers say and that people try first."""

import os
import re
from itertools import permutations

import pytest

from keras_attn.config import DataConfig
from keras_attn.corpora.common_sentences import common_sentences
from keras_attn.corpora.expressions import expressions
from keras_attn.data.splits import split_corpus

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


@pytest.mark.skipif(
    not os.environ.get("KERAS_ATTN_DATA"), reason="set KERAS_ATTN_DATA to the folder of the corpora"
)
@pytest.mark.parametrize("split", ["dev", "test"])
@pytest.mark.parametrize("language", ["de", "es", "fr"])
def test_no_sentence_is_one_of_those_that_scores_are_made_with(language, split):
    corpus = split_corpus(DataConfig(corpus="tatoeba", source_language="en", target_language=language), split)
    for lines, forms in (
        (corpus.source, common_sentences("en", language)),
        (corpus.target, common_sentences(language, "en")),
    ):
        assert not {form.lower() for form, _ in forms} & {line.lower() for line in lines}
