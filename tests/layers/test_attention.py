"""What holds for every attention layer, whatever its score."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_attn.layers import (
    BahdanauAttention,
    CoverageAttention,
    LocalMonotonicAttention,
    LocalPredictiveAttention,
    LuongAttention,
    LuongMonotonicAttention,
    MonotonicAttention,
    ParallelAttention,
)

B, T, S, WIDTH = 3, 4, 6, 6

LAYERS = {
    "bahdanau": lambda **kw: BahdanauAttention(7, **kw),
    "bahdanau_normalize": lambda **kw: BahdanauAttention(7, normalize=True, **kw),
    "dot": lambda **kw: LuongAttention("dot", use_scale=True, **kw),
    "general": lambda **kw: LuongAttention("general", **kw),
    "concat": lambda **kw: LuongAttention("concat", **kw),
}
OTHERS = {  # whose weights are no plain softmax of the scores of one query
    "coverage": lambda **kw: CoverageAttention(7, **kw),
    "local-m": lambda **kw: LocalMonotonicAttention("dot", window=2, **kw),
    "local-p": lambda **kw: LocalPredictiveAttention("general", window=2, **kw),
    "monotonic": lambda **kw: MonotonicAttention(7, initial_bias=1.0, **kw),
    "monotonic_soft": lambda **kw: MonotonicAttention(7, False, inference="soft", **kw),
    "luong_monotonic": lambda **kw: LuongMonotonicAttention("general", initial_bias=1.0, **kw),
}
PARALLEL = {
    "parallel": lambda dropout=0.0, **kw: ParallelAttention(
        [BahdanauAttention(7, dropout=dropout), CoverageAttention(5, dropout=dropout)], **kw
    ),
}
HEADS = {  # whose context is no sum with one weight for all features
    "bahdanau_heads": lambda **kw: BahdanauAttention(6, normalize=True, num_heads=2, **kw),
    "general_heads": lambda **kw: LuongAttention("general", num_heads=3, **kw),
    "concat_heads": lambda **kw: LuongAttention("concat", num_heads=2, **kw),
}


def for_each(*kinds):
    layers = {name: make for kind in kinds for name, make in kind.items()}
    return pytest.mark.parametrize("make", layers.values(), ids=layers.keys())


one_head = for_each(LAYERS, OTHERS)
softmax_layer = for_each(LAYERS, HEADS)
every_layer = for_each(LAYERS, HEADS, OTHERS, PARALLEL)

random = np.random.default_rng(1)
QUERY = random.normal(size=(B, T, WIDTH)).astype("float32")
VALUE = random.normal(size=(B, S, WIDTH)).astype("float32")
MASK = np.arange(S) < np.array([[6], [4], [1]])


def run(layer, *args, **kwargs):
    """Context and weights as arrays."""
    return [ops.convert_to_numpy(x) for x in layer(*args, return_attention_scores=True, **kwargs)]


@softmax_layer
def test_weights_sum_to_one_and_are_zero_at_padding(make):
    _, weights = run(make(), QUERY, VALUE, value_mask=MASK)
    np.testing.assert_allclose(weights.sum(-1), 1.0, rtol=1e-5)
    assert (weights.transpose(1, 0, 2)[:, ~MASK] == 0).all()


@one_head
def test_the_context_is_the_weighted_sum_of_the_values(make):
    context, weights = run(make(), QUERY, VALUE, value_mask=MASK)
    expected = np.zeros_like(QUERY)
    for b in range(B):
        for t in range(T):
            for s in range(S):
                expected[b, t] += weights[b, t, s] * VALUE[b, s]
    np.testing.assert_allclose(context, expected, atol=1e-5)


@every_layer
def test_a_sentence_of_padding_alone_gives_zeros(make):
    mask = MASK.copy()
    mask[1] = False
    context, weights = run(make(), QUERY, VALUE, value_mask=mask)
    assert (weights[1] == 0).all() and (context[1] == 0).all()
    assert np.isfinite(context).all()


@every_layer
def test_padding_cannot_change_the_context(make):
    layer = make()
    context, weights = run(layer, QUERY, VALUE, value_mask=MASK)
    other = np.where(MASK[..., None], VALUE, 100.0).astype("float32")
    longer = np.concatenate([other, 7 * VALUE], axis=1)
    longer_mask = np.concatenate([MASK, np.zeros_like(MASK)], axis=1)
    other_context, other_weights = run(layer, QUERY, longer, value_mask=longer_mask)
    np.testing.assert_allclose(other_context, context, atol=1e-5)
    np.testing.assert_allclose(other_weights[..., :S], weights, atol=1e-5)


@softmax_layer
def test_permuting_the_memory_permutes_the_weights_and_keeps_the_context(make):
    layer, order = make(), [3, 5, 0, 1, 4, 2]
    context, weights = run(layer, QUERY, VALUE, value_mask=MASK)
    other_context, other_weights = run(layer, QUERY, VALUE[:, order], value_mask=MASK[:, order])
    np.testing.assert_allclose(other_weights, weights[..., order], atol=1e-5)
    np.testing.assert_allclose(other_context, context, atol=1e-5)


@softmax_layer
def test_a_sentence_and_a_query_do_not_see_their_neighbours(make):
    layer = make()
    context, _ = run(layer, QUERY, VALUE, value_mask=MASK)
    alone, _ = run(layer, QUERY[2:, 1:2], VALUE[2:], value_mask=MASK[2:])
    np.testing.assert_allclose(alone[0, 0], context[2, 1], atol=1e-5)


@every_layer
def test_masked_queries_give_zeros_and_leave_the_others_alone(make):
    layer = make()
    query_mask = np.arange(T) < np.array([[4], [2], [0]])
    context, weights = run(layer, QUERY, VALUE, value_mask=MASK)
    masked_context, masked_weights = run(layer, QUERY, VALUE, query_mask=query_mask, value_mask=MASK)
    np.testing.assert_allclose(masked_weights, weights * query_mask[..., None], atol=1e-6)
    np.testing.assert_allclose(masked_context, context * query_mask[..., None], atol=1e-5)


@softmax_layer
def test_the_query_mask_alone_is_enough(make):
    query_mask = np.arange(T) < np.array([[4], [2], [0]])
    _, weights = run(make(), QUERY, VALUE, query_mask=query_mask)
    np.testing.assert_allclose(weights.sum(-1), query_mask, rtol=1e-5)


@every_layer
def test_keys_at_hand_give_the_same_as_keys_made_inside(make):
    layer = make()
    expected = run(layer, QUERY, VALUE, value_mask=MASK)
    found = run(layer, QUERY, VALUE, key=layer.project_keys(VALUE), value_mask=MASK)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_array_equal(a, b)


def by_steps(layer):
    """Contexts and weights of one query after the other."""
    key, carry = layer.project_keys(VALUE), first_carry(layer)
    found = []
    for t in range(T):
        context, weights, carry = layer.step(QUERY[:, t : t + 1], VALUE, key, MASK, carry)
        found.append((context, weights))
    return [
        np.concatenate([ops.convert_to_numpy(x) for x in column], axis=1)
        for column in zip(*found, strict=True)
    ]


def first_carry(layer):
    return keras.tree.map_structure(lambda x: ops.expand_dims(x, 1), layer.first_carry(VALUE))


@every_layer
def test_a_decoders_steps_and_one_call_over_all_queries_give_the_same_numbers(make):
    layer = make()
    expected = run(layer, QUERY, VALUE, value_mask=MASK)
    for a, b in zip(by_steps(layer), expected, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-5)


@every_layer
def test_the_queries_of_one_step_do_not_see_one_another(make):
    layer = make()
    layer.build(QUERY.shape, VALUE.shape)
    key, carry = layer.project_keys(VALUE), first_carry(layer)
    repeated = keras.tree.map_structure(lambda x: ops.repeat(x, T, axis=1), carry)
    context, weights, _ = layer.step(QUERY, VALUE, key, MASK, repeated)
    for t in range(T):
        alone = layer.step(QUERY[:, t : t + 1], VALUE, key, MASK, carry)
        for a, b in zip((context, weights), alone[:2], strict=True):
            expected = ops.convert_to_numpy(a)[:, t : t + 1]
            np.testing.assert_allclose(expected, ops.convert_to_numpy(b), atol=1e-5)


@every_layer
def test_the_width_of_the_context_is_what_the_layer_says(make):
    layer = make()
    assert layer(QUERY, VALUE).shape[-1] == layer.context_width(WIDTH)


@every_layer
def test_keras_fills_both_masks_from_embeddings(make):
    embed = keras.layers.Embedding(9, WIDTH, mask_zero=True)
    query_ids, value_ids = np.array([[5, 1, 0]]), np.array([[3, 7, 0, 0]])
    layer = make()
    output = layer(embed(query_ids), embed(value_ids))
    plain = [ops.convert_to_tensor(ops.convert_to_numpy(embed(ids))) for ids in (query_ids, value_ids)]
    expected = layer(*plain, query_mask=query_ids != 0, value_mask=value_ids != 0)
    np.testing.assert_allclose(ops.convert_to_numpy(output), ops.convert_to_numpy(expected), atol=1e-6)
    np.testing.assert_array_equal(ops.convert_to_numpy(output._keras_mask), query_ids != 0)


@every_layer
def test_a_functional_model_can_return_the_weights(make):
    query, value = keras.Input((None, WIDTH)), keras.Input((None, WIDTH))
    layer = make()
    context, weights = layer(query, value, return_attention_scores=True)
    assert context.shape == (None, None, layer.context_width(WIDTH)) and len(weights.shape) == 3
    found = keras.Model([query, value], [context, weights])([QUERY, VALUE])
    for a, b in zip(found, run(layer, QUERY, VALUE), strict=True):
        np.testing.assert_allclose(ops.convert_to_numpy(a), b, atol=1e-6)


@every_layer
def test_mixed_precision_gives_half_contexts_and_float32_weights(make, mixed_float16):
    context, weights = run(make(), QUERY, VALUE, value_mask=MASK)
    assert context.dtype == np.float16 and weights.dtype == np.float32


@every_layer
def test_a_step_in_mixed_precision_does_the_same_without_keras_casting_its_arguments(make, mixed_float16):
    layer = make()
    expected = run(layer, QUERY[:, :1], VALUE, value_mask=MASK)
    context, weights, _ = layer.step(QUERY[:, :1], VALUE, layer.project_keys(VALUE), MASK, first_carry(layer))
    for found, wanted in zip((context, weights), expected, strict=True):
        found = ops.convert_to_numpy(found)
        assert found.dtype == wanted.dtype
        np.testing.assert_allclose(found, wanted, atol=2e-3)


@softmax_layer
def test_mixed_precision_takes_the_softmax_in_float32(make, mixed_float16):
    _, weights = run(make(), QUERY, VALUE, value_mask=MASK)
    np.testing.assert_allclose(weights.sum(-1), 1.0, rtol=1e-5)  # of float16 weights the sum is 1e-3 off


@every_layer
def test_a_saved_layer_gives_the_same_numbers(make, tmp_path):
    query, value = keras.Input((None, WIDTH)), keras.Input((None, WIDTH))
    model = keras.Model([query, value], make(dropout=0.25)(query, value))
    for weight in model.weights:  # none keeps its start value
        weight.assign(np.random.default_rng(2).normal(size=weight.shape))
    model.save(tmp_path / "model.keras")
    loaded = keras.models.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(
        ops.convert_to_numpy(loaded([QUERY, VALUE])), ops.convert_to_numpy(model([QUERY, VALUE]))
    )


@every_layer
def test_a_config_makes_the_same_layer(make):
    layer = make(dropout=0.25, name="anything")
    assert type(layer).from_config(layer.get_config()).get_config() == layer.get_config()


@every_layer
def test_dropout_is_for_training_alone(make):
    layer = make(dropout=0.5)
    plain, _ = run(layer, QUERY, VALUE)
    np.testing.assert_array_equal(run(layer, QUERY, VALUE, training=False)[0], plain)
    assert np.abs(run(layer, QUERY, VALUE, training=True)[0] - plain).max() > 0.1


def test_dropout_returns_weights_undropped():
    layer = BahdanauAttention(7, dropout=0.5)
    _, plain = run(layer, QUERY, VALUE)
    _, weights = run(layer, QUERY, VALUE, training=True)
    np.testing.assert_array_equal(weights, plain)


def test_dropout_does_not_change_the_mean_context():
    layer = LuongAttention("dot", dropout=0.3)
    query, value = np.repeat(QUERY[:1], 4000, axis=0), np.repeat(VALUE[:1], 4000, axis=0)
    plain, _ = run(layer, QUERY[:1], VALUE[:1])
    mean = run(layer, query, value, training=True)[0].mean(0)
    np.testing.assert_allclose(mean, plain[0], atol=0.08)  # about five standard errors


@every_layer
def test_gradients_are_finite_with_padding_and_none_reaches_it(make, gradients):
    layer, mask = make(), MASK.copy()
    mask[1] = False
    layer(QUERY, VALUE)

    def loss(query, value):
        return ops.sum(ops.square(layer(query, value, value_mask=mask)))

    for_query, for_value = gradients(loss, QUERY, VALUE)
    assert np.isfinite(for_query).all() and np.isfinite(for_value).all()
    assert (for_value[~mask] == 0).all() and (for_value[mask] != 0).any()


@every_layer
def test_gradients_are_those_of_small_differences(make, gradients):
    layer = make()

    def loss(query, value):
        return ops.sum(ops.sin(layer(query, value, value_mask=MASK[1:2])))

    arrays = [QUERY[1:2, :2], VALUE[1:2]]
    layer(*arrays)
    for which, gradient in enumerate(gradients(loss, *arrays)):
        for place in [(0, 0, 0), (0, 1, 2), (0, 1, 4)]:
            ends = []
            for h in (1e-2, -1e-2):
                moved = [array.copy() for array in arrays]
                moved[which][place] += h
                ends.append(float(ops.convert_to_numpy(loss(*moved))))
            np.testing.assert_allclose(gradient[place], (ends[0] - ends[1]) / 2e-2, atol=2e-3)


@pytest.mark.parametrize("name", [name for name in LAYERS if name != "dot"])
def test_keys_of_a_layer_without_weights_are_refused(name):
    with pytest.raises(ValueError, match=r"no weights yet: call it once, or `build\(query_shape"):
        LAYERS[name]().project_keys(VALUE)


@every_layer
def test_a_query_without_an_axis_of_positions_is_refused_with_what_to_do(make):
    with pytest.raises(
        ValueError, match=r"query must be \(batch, queries, query width\).*`query\[:, None\]`"
    ):
        make()(QUERY[:, 0], VALUE)
    with pytest.raises(ValueError, match=r"value must be \(batch, positions, width\)"):
        make()(QUERY, VALUE[:, 0])


@every_layer
@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"query": QUERY[:1]}, r"value must be .*, here \(1, None, None\).*Received: \(3, 6, 6\)"),
        ({"query": QUERY[:, :0]}, r"query must be .* at least one of each.*Received: \(3, 0, 6\)"),
        ({"value": VALUE[:, :0]}, r"value must be .* at least one of each.*Received: \(3, 0, 6\)"),
        (
            {"value_mask": MASK[:, None] & np.ones((B, T, 1), bool)},
            r"value_mask must be \(batch, positions\)",
        ),
        (
            {"value_mask": MASK[:, :5]},
            r"value_mask .*, here \(3, 6\).*Received: \(3, 5\)\. A mask has one entry",
        ),
        ({"value_mask": MASK[:1]}, r"value_mask .*Received: \(1, 6\)"),
        (
            {"query_mask": MASK[:, :1]},
            r"query_mask must be \(batch, queries\), here \(3, 4\).*Received: \(3, 1\)",
        ),
    ],
    ids=["batch", "no query", "no position", "mask of pairs", "short mask", "mask of one", "query mask"],
)
def test_shapes_that_do_not_fit_together_are_refused(make, changed, message):
    with pytest.raises(ValueError, match=message):
        make()(**{"query": QUERY, "value": VALUE, **changed})


@one_head
def test_keys_of_another_shape_are_refused_with_what_to_pass(make):
    layer = make()
    layer(QUERY, VALUE)
    key = ops.convert_to_numpy(layer.project_keys(VALUE))
    for other in (key[..., :3], key[:, :2], key[:1], key[:, 0]):
        with pytest.raises(
            ValueError, match=r"key must be \(batch, positions, key width\).*`project_keys\(value\)`"
        ):
            layer(QUERY, VALUE, key=other)
