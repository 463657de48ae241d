import keras
import numpy as np
import pytest
from keras import ops

from keras_attn.layers import (
    AttentionDecoder,
    BahdanauAttention,
    LocalMonotonicAttention,
    LuongAttention,
    ParallelAttention,
)

B, T, S, Q, D = 2, 3, 5, 4, 6

random = np.random.default_rng(1)
QUERY = random.normal(size=(B, T, Q)).astype("float32")
VALUE = random.normal(size=(B, S, D)).astype("float32")
MASK = np.arange(S) < np.array([[5], [3]])


def side_by_side():
    return [BahdanauAttention(7), LuongAttention("general"), LocalMonotonicAttention("general", window=1)]


def run(layer):
    found = layer(QUERY, VALUE, value_mask=MASK, return_attention_scores=True)
    return [ops.convert_to_numpy(x) for x in found]


def test_the_contexts_stand_side_by_side_and_the_weights_are_the_mean():
    attentions = side_by_side()
    context, weights = run(ParallelAttention(attentions))
    contexts, all_weights = zip(*map(run, attentions), strict=True)
    np.testing.assert_allclose(context, np.concatenate(contexts, axis=-1), atol=1e-6)
    np.testing.assert_allclose(weights, np.mean(all_weights, axis=0), atol=1e-6)


def test_the_width_of_the_context_is_the_sum_of_the_widths():
    inner = ParallelAttention([LuongAttention("general"), LuongAttention("general")])
    assert ParallelAttention([BahdanauAttention(7), inner]).context_width(D) == 3 * D


def test_each_attention_has_its_own_key_and_its_own_carry():
    layer = ParallelAttention(side_by_side())
    layer.build(QUERY.shape, VALUE.shape)
    keys, carries = layer.project_keys(VALUE), layer.first_carry(VALUE)
    for attention, key, carry in zip(layer.attentions, keys, carries, strict=True):
        alone = attention.project_keys(VALUE)
        np.testing.assert_array_equal(ops.convert_to_numpy(key), ops.convert_to_numpy(alone))
        keras.tree.assert_same_structure(carry, attention.first_carry(VALUE))


def test_the_cell_and_the_readout_are_as_wide_as_all_contexts():
    decoder = AttentionDecoder(8, ParallelAttention(side_by_side()), readout="linear", readout_units=9)
    outputs = decoder(random.normal(size=(B, T, 2)).astype("float32"), VALUE)
    assert decoder.feed_projection.kernel.shape == (3 * D, 3 * 8)
    assert decoder.readout.layer.kernel.shape == (8 + 3 * D, 9)
    assert outputs.shape == (B, T, 9)


def test_no_attentions_are_refused():
    with pytest.raises(ValueError, match=r"at least one attention\. Received: \[\]"):
        ParallelAttention([])
