import dataclasses

import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_attn.export.search_graph import constant_weights, search_graph
from keras_attn.export.subject import load_subject
from keras_attn.inference.translator import Translator
from keras_attn.special_ids import EOS_ID

pytestmark = pytest.mark.filterwarnings("ignore:.*softmax over axis -1.*This axis has size 1")


def translate(trained, source, beam_size=1, **settings):
    settings = dataclasses.replace(trained.config.search, beam_size=beam_size, **settings)
    source = np.array(source, "int32")
    longest = settings.max_source_length
    found = search_graph(trained.model, source, settings=settings, max_length=longest)
    return [tensor[:, 0].numpy() for tensor in (found.tokens, found.lengths, found.scores)]


@pytest.mark.parametrize("beam_size", [1, 3])
def test_the_graph_says_what_the_translator_says(tiny_trained, source_lines, beam_size):
    (expected,) = Translator.from_trained(tiny_trained).translate(source_lines[:1], beam_size=beam_size)
    ids, lengths, scores = translate(tiny_trained, [expected.source_ids], beam_size)
    assert tuple(ids[0, : lengths[0]]) == expected.target_ids
    assert scores[0] == pytest.approx(expected.score, abs=1e-5)


@pytest.mark.parametrize("beam_size", [1, 3])
def test_columns_of_padding_change_nothing(tiny_trained, beam_size):
    plain = translate(tiny_trained, [[9, 5, 7, EOS_ID]], beam_size)
    padded = translate(tiny_trained, [[9, 5, 7, EOS_ID, 0, 0, 0]], beam_size)
    for a, b in zip(plain, padded, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("beam_size", [1, 3])
@pytest.mark.parametrize("source", [[], [EOS_ID], [0, 0], [EOS_ID, 0]])
def test_a_source_without_words_translates_to_nothing(tiny_trained, source, beam_size):
    ids, lengths, scores = translate(tiny_trained, [source], beam_size)
    assert not ids.any()
    assert (lengths[0], scores[0]) == (0, 0)


def test_no_sentence_at_all_is_no_error(tiny_trained):
    ids, lengths, scores = translate(tiny_trained, np.zeros((0, 4)))
    assert len(ids) == len(lengths) == len(scores) == 0


def test_a_translation_stops_at_the_limit_of_its_source(tiny_trained):
    _, lengths, _ = translate(
        tiny_trained, [[9, EOS_ID, 0], [9, 5, EOS_ID]], max_length_factor=1.0, max_length_extra=1
    )
    assert lengths[0] <= 2
    assert lengths[1] <= 3


def test_there_is_always_room_for_the_fewest_tokens(tiny_trained):
    settings = dataclasses.replace(tiny_trained.config.search, max_length_factor=0.0, max_length_extra=0)
    assert settings.length_limit(7) == 2


def test_a_traced_graph_keeps_the_weights_it_was_traced_with():
    model = keras.Sequential([keras.layers.Dense(1, use_bias=False, kernel_initializer="ones")])
    model.build((None, 2))

    @tf.function(input_signature=[tf.TensorSpec([1, 2])])
    def function(x):
        with constant_weights(model):
            return model(x)

    function.get_concrete_function()
    model.set_weights([np.zeros((2, 1), "float32")])
    assert function(tf.ones((1, 2))).numpy().item() == 2


def test_a_beam_without_hypotheses_is_refused(tiny_trained):
    with pytest.raises(ValueError, match="beam_size must be at least 1"):
        load_subject(tiny_trained, beam_size=0)


def test_another_backend_is_refused_by_name(tiny_trained, monkeypatch):
    monkeypatch.setattr(keras.backend, "backend", lambda: "jax")
    with pytest.raises(ValueError, match=r"Keras runs on jax: set KERAS_BACKEND=tensorflow"):
        load_subject(tiny_trained)


@pytest.mark.parametrize("beam_size", [1, 3])
def test_constraints_hold_in_the_graph(tiny_trained, beam_size):
    source = [[9, 5, 7, EOS_ID], [9, 5, EOS_ID, 0]]
    constraints = {"min_length": 12, "no_repeat_ngram": 1}
    ids, lengths, _ = translate(tiny_trained, source, beam_size, **constraints)
    for row, length in zip(ids, lengths, strict=True):
        assert length == 12 == len(set(row[:length].tolist()))
