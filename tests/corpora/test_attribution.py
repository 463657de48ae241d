import pytest

from keras_attn.corpora.attribution import attribution


def test_a_model_that_learned_from_tatoeba_names_it_and_its_licence():
    text = attribution("tatoeba")
    assert "https://tatoeba.org" in text and "manythings.org/anki" in text and "CC BY 2.0 FR" in text


def test_a_model_that_learned_from_cmudict_names_it_and_its_licence():
    text = attribution("cmudict")
    assert "Carnegie Mellon University" in text and "BSD" in text and "NOTICE" in text


@pytest.mark.parametrize("corpus", ["", "phrasebook", "multi30k", "dates"])
def test_other_corpora_ask_for_nothing(corpus):
    assert attribution(corpus) == ""
