from types import SimpleNamespace

import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_attn.export.int8_embedding import Int8Embedding, int8_embeddings
from keras_attn.models.seq2seq import Embeddings


@pytest.fixture
def layer():
    layer = keras.layers.ReversibleEmbedding(5, 3)
    layer.build()
    layer.set_weights(
        [np.array([[0, 0, 0], [1, -2, 0.5], [1e-3, 2e-3, 3e-3], [100, 1, -7], [-1, -1, 1]], "float32")]
    )
    return layer


def test_each_row_is_right_to_half_a_step_of_its_own_scale(layer):
    rows = Int8Embedding(layer)(tf.range(5)).numpy()
    table = layer.get_weights()[0]
    half_steps = np.abs(table).max(axis=1, keepdims=True) / 127 / 2
    assert np.all(np.abs(rows - table) <= half_steps * 1.0001)


def test_a_row_of_zeros_stays_zero_and_is_divided_by_nothing(layer):
    with np.errstate(all="raise"):
        embedding = Int8Embedding(layer)
    assert not embedding(tf.constant([0])).numpy().any()


def test_the_output_matrix_is_the_looked_up_table(layer):
    embedding = Int8Embedding(layer)
    np.testing.assert_allclose(embedding(tf.eye(3), reverse=True).numpy().T, embedding(tf.range(5)).numpy())


def test_ids_may_have_any_shape(layer):
    assert Int8Embedding(layer)(tf.constant([[1, 2], [3, 4]])).shape == (2, 2, 3)


def test_each_side_has_the_rows_of_its_own_table(tiny_trained):
    model = tiny_trained.model
    made = int8_embeddings(model)
    for found, layer in zip(made, (model.source_embedding, model.target_embedding), strict=True):
        (table,) = layer.get_weights()
        steps = np.abs(table).max(axis=1, keepdims=True) / 127
        assert np.all(np.abs(found(tf.range(len(table))).numpy() - table) <= steps)


def test_a_table_that_both_sides_share_stays_one(layer):
    shared = int8_embeddings(SimpleNamespace(embeddings=Embeddings(layer, layer)))
    assert shared.source is shared.target


def test_a_model_that_reads_numbers_has_no_table_for_them(layer):
    made = int8_embeddings(SimpleNamespace(embeddings=Embeddings(None, layer)))
    assert made.source is None and isinstance(made.target, Int8Embedding)


def test_an_embedding_that_does_more_than_look_up_rows_stays(layer):
    class Scaled(keras.layers.ReversibleEmbedding):
        def call(self, inputs, reverse=False):
            return super().call(inputs, reverse=reverse) * 4

    scaled = Scaled(5, 3)
    made = int8_embeddings(SimpleNamespace(embeddings=Embeddings(scaled, layer)))
    assert made.source is scaled and isinstance(made.target, Int8Embedding)
