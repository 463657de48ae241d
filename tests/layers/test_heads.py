import keras
import numpy as np
import pytest
from keras import ops

from keras_attn.layers import BahdanauAttention, LuongAttention
from keras_attn.layers.heads import join_heads, split_heads

B, T, S, WIDTH, HEADS = 2, 3, 5, 6, 3

random = np.random.default_rng(1)
QUERY = random.normal(size=(B, T, WIDTH)).astype("float32")
VALUE = random.normal(size=(B, S, WIDTH)).astype("float32")
MASK = np.arange(S) < np.array([[5], [3]])


def run(layer, query=QUERY, value=VALUE):
    return [
        ops.convert_to_numpy(x) for x in layer(query, value, value_mask=MASK, return_attention_scores=True)
    ]


def share(x, head):
    """The features of a head: h, h + H, h + 2 H, ..."""
    return np.ascontiguousarray(x[..., head::HEADS])


def test_a_head_takes_every_hth_feature_and_joining_puts_them_back():
    split = ops.convert_to_numpy(split_heads(VALUE, HEADS))
    for head in range(HEADS):
        np.testing.assert_array_equal(split[:, head], share(VALUE, head))
    np.testing.assert_array_equal(ops.convert_to_numpy(join_heads(split)), VALUE)


def test_heads_of_a_dot_product_are_attentions_over_their_shares():
    context, weights = run(LuongAttention("dot", num_heads=HEADS))
    alone = [run(LuongAttention("dot"), share(QUERY, h), share(VALUE, h)) for h in range(HEADS)]
    for head, (context_alone, _) in enumerate(alone):
        np.testing.assert_allclose(share(context, head), context_alone, atol=1e-5)
    np.testing.assert_allclose(weights, np.mean([w for _, w in alone], axis=0), atol=1e-6)


@pytest.mark.parametrize("normalize", [False, True])
def test_heads_of_additive_attention_have_a_scoring_vector_each(normalize):
    layer = BahdanauAttention(7, normalize, num_heads=HEADS)
    layer.build(QUERY.shape, VALUE.shape)
    if normalize:
        layer.length.assign([0.5, 1.0, 2.0])
    context, weights = run(layer)
    mean = np.zeros_like(weights)
    for head in range(HEADS):
        one = BahdanauAttention(7, normalize)
        one.build(QUERY.shape, VALUE.shape)
        for ours, theirs in zip(one.weights, layer.weights, strict=True):
            per_head = len(ours.shape) < len(theirs.shape)
            ours.assign(theirs.value[..., head] if per_head else theirs.value)
        context_alone, weights_alone = run(one)
        np.testing.assert_allclose(share(context, head), share(context_alone, head), atol=1e-5)
        mean += weights_alone / HEADS
    np.testing.assert_allclose(weights, mean, atol=1e-6)


def test_heads_of_the_general_score_share_out_the_projected_memory():
    layer = LuongAttention("general", num_heads=HEADS)
    context, _ = run(layer)
    keys = ops.convert_to_numpy(layer.project_keys(VALUE))
    for head in range(HEADS):
        scores = share(QUERY, head) @ share(keys, head).transpose(0, 2, 1)
        scores = np.where(MASK[:, None], scores, -np.inf)
        weights = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
        np.testing.assert_allclose(share(context, head), weights @ share(VALUE, head), atol=1e-5)


@pytest.mark.parametrize(
    ("layer", "message"),
    [
        (
            LuongAttention("dot", num_heads=4),
            "divide the widths that it splits.*num_heads=4, query 6, value 6",
        ),
        (BahdanauAttention(8, num_heads=4), "divide the widths that it splits.*num_heads=4, value 6"),
        (BahdanauAttention(8, num_heads=0), r"an integer of at least 1\. Received: num_heads=0"),
        (BahdanauAttention(8, num_heads="2"), r"an integer of at least 1\. Received: num_heads='2'"),
    ],
)
def test_widths_that_heads_cannot_share_are_refused(layer, message):
    with pytest.raises(ValueError, match=message):
        layer(QUERY, VALUE)


@pytest.mark.parametrize("layer", [BahdanauAttention(8), LuongAttention("general")])
def test_a_value_of_unknown_width_is_refused_with_what_to_do(layer):
    with pytest.raises(
        ValueError, match=r"value must have a last axis of known size.*keras\.Input\(\(None, 128"
    ):
        layer(keras.Input((T, WIDTH)), keras.Input((None, None)))


def test_heads_survive_saving(tmp_path):
    inputs = keras.Input((T, WIDTH)), keras.Input((S, WIDTH))
    model = keras.Model(inputs, BahdanauAttention(8, num_heads=2)(*inputs))
    model.save(tmp_path / "model.keras")
    restored = keras.models.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(
        ops.convert_to_numpy(restored([QUERY, VALUE])), ops.convert_to_numpy(model([QUERY, VALUE]))
    )
