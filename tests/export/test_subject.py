"""What an export is made of: a model, its search and its vocabularies."""

import dataclasses

import keras
import numpy as np
import pytest

from keras_attn.config import SearchConfig
from keras_attn.export.subject import load_subject
from keras_attn.special_ids import EOS_ID, UNK_ID

layers = keras.layers


def with_search(trained, **options):
    search = dataclasses.replace(trained.config.search, **options)
    return dataclasses.replace(trained, config=dataclasses.replace(trained.config, search=search))


@pytest.mark.parametrize(("asked", "got"), [(None, 20), (16, 16), (20, 20), (64, 20)])
def test_an_export_takes_no_longer_source_than_its_model(tiny_trained, asked, got):
    subject = load_subject(with_search(tiny_trained, max_source_length=20), max_source_length=asked)
    assert subject.search.max_source_length == got


@pytest.mark.parametrize(("asked", "got"), [(None, 3), (1, 1), (5, 5)])
def test_the_beam_is_the_models_own_unless_told(tiny_trained, asked, got):
    subject = load_subject(tiny_trained, beam_size=asked)
    assert subject.search == dataclasses.replace(tiny_trained.config.search, beam_size=got)


@pytest.mark.parametrize(("beam_size", "penalty"), [(1, 0.0), (2, 0.2)])
def test_greedy_search_has_no_coverage_penalty(tiny_trained, beam_size, penalty):
    subject = load_subject(with_search(tiny_trained, coverage_penalty=0.2), beam_size=beam_size)
    assert subject.search.coverage_penalty == penalty


def test_a_model_with_vocabularies_keeps_them_apart(tiny_trained):
    subject = load_subject(tiny_trained)
    assert subject.source_tokenizer.model_proto == tiny_trained.source_tokenizer.model_proto
    assert subject.target_tokenizer.model_proto == tiny_trained.target_tokenizer.model_proto
    assert subject.languages == ("en", "fr")
    assert subject.wordless_ids == tiny_trained.source_tokenizer.wordless_ids


def test_a_bare_model_has_the_usual_search_but_for_its_lengths_and_no_words_but_its_ids(tiny_trained):
    subject = load_subject(tiny_trained.model)
    usual = SearchConfig()
    assert subject.search == dataclasses.replace(
        usual, min_length=0, max_length_factor=0.0, max_length_extra=10_000
    )
    assert (subject.translator, subject.languages, subject.attribution) == (None, ("source", "target"), "")
    assert subject.wordless_ids == {0, UNK_ID, 2, EOS_ID}


def test_random_sources_are_sentences_of_the_vocabulary_and_always_the_same(tiny_trained):
    subject = load_subject(tiny_trained)
    sources = subject.random_sources(400)
    np.testing.assert_array_equal(sources, subject.random_sources(400))
    assert sources.shape == (400, 16) and sources.dtype == np.int32
    for row in sources.tolist():
        end = row.index(EOS_ID)
        assert end >= 1 and not any(row[end + 1 :])
        assert all(EOS_ID < word < subject.source_vocab_size for word in row[:end])
    lengths = np.count_nonzero(sources, axis=1)
    assert (lengths.min(), lengths.max()) == (2, 16)
    assert sources.max() == subject.source_vocab_size - 1


def test_random_sources_are_no_longer_than_the_model_reads(tiny_trained):
    assert load_subject(with_search(tiny_trained, max_source_length=5)).random_sources(50).shape == (50, 5)
