"""The signatures for text, as TensorFlow runs them, of a model that reads less than its file has room for."""

import dataclasses

import numpy as np
import pytest
import tensorflow as tf

from keras_attn.export.subject import load_subject
from keras_attn.export.text_signatures import text_signatures
from keras_attn.special_ids import EOS_ID

LIMIT, PLACES, MOST = 6, 16, 8  # source ids that the model reads; that there is room for; target ids


@pytest.fixture(scope="module")
def signatures(tiny_trained):
    """Over a `translate` that says nothing."""
    search = dataclasses.replace(tiny_trained.config.search, max_source_length=LIMIT)
    config = dataclasses.replace(tiny_trained.config, search=search)

    def translate(*, source):
        return {"ids": tf.zeros([1, MOST], tf.int32), "scores": tf.zeros([1])}

    spec = tf.TensorSpec([1, PLACES], tf.int32, "source")
    translate = tf.function(translate, autograph=False).get_concrete_function(source=spec)
    subject = load_subject(dataclasses.replace(tiny_trained, config=config))
    return text_signatures(subject, translate, source_length=PLACES, max_length=MOST)


def test_there_is_room_for_eight_bytes_per_source_id(signatures):
    for name in ("tokenize", "translate_text"):
        _, inputs = signatures[name].structured_input_signature
        assert inputs["text"].shape.as_list() == [1, 8 * PLACES]


@pytest.mark.parametrize(("words", "length", "truncated"), [(1, 1, 0), (5, 5, 0), (6, 5, 1), (12, 5, 1)])
def test_text_is_cut_at_the_limit_of_the_model_and_flagged(
    signatures, tiny_trained, words, length, truncated
):
    line = " ".join(["a"] * words)
    (ids,) = tiny_trained.source_tokenizer.encode([line])
    assert len(ids) == words
    text = np.full([1, 8 * PLACES], -1, np.int32)
    text[0, : len(line)] = list(line.encode())
    found = {name: tensor.numpy() for name, tensor in signatures["tokenize"](text=tf.constant(text)).items()}
    assert found["ids"][0].tolist() == [*ids[:length], EOS_ID, *[0] * (PLACES - length - 1)]
    assert (found["length"].tolist(), found["truncated"].tolist()) == ([length], [truncated])
    assert signatures["translate_text"](text=tf.constant(text))["truncated"].numpy().tolist() == [truncated]
