import math

import keras
import numpy as np
import pytest

from keras_attn.training.losses import AttentionCrossEntropy, SmoothedCrossEntropy, TokenCount


def value_of(loss, targets, logits, weight=None):
    return float(loss(np.asarray(targets, "int32"), logits, sample_weight=weight))


@pytest.fixture
def logits():
    return np.random.default_rng(1).normal(size=(2, 3, 5)).astype("float32")


TARGETS = [[1, 4, 0], [2, 2, 3]]


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.6])
def test_loss_is_the_equation_averaged_over_real_tokens(logits, smoothing):
    weight = np.array([[1, 1, 0], [1, 0, 0]], "float32")
    total = 0.0
    for b, t in ((0, 0), (0, 1), (1, 0)):
        normalizer = sum(math.exp(logits[b, t, v]) for v in range(5))
        for v in range(5):
            q = (1 - smoothing) * (v == TARGETS[b][t]) + smoothing / 5
            total -= q * math.log(math.exp(logits[b, t, v]) / normalizer)
    assert value_of(SmoothedCrossEntropy(smoothing), TARGETS, logits, weight) == pytest.approx(
        total / 3, rel=1e-5
    )


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_padding_cannot_change_the_loss(logits, smoothing):
    loss = SmoothedCrossEntropy(smoothing)
    alone = value_of(loss, TARGETS, logits, np.ones((2, 3), "float32"))
    padded_logits = np.concatenate([logits, np.full((2, 4, 5), 7.5, "float32")], axis=1)
    padded_targets = np.pad(TARGETS, [(0, 0), (0, 4)])
    weight = np.pad(np.ones((2, 3), "float32"), [(0, 0), (0, 4)])
    assert value_of(loss, padded_targets, padded_logits, weight) == pytest.approx(alone, rel=1e-6)


def test_a_batch_of_padding_alone_has_no_loss(logits):
    assert value_of(SmoothedCrossEntropy(0.1), TARGETS, logits, np.zeros((2, 3), "float32")) == 0.0


def test_uniform_logits_cost_the_logarithm_of_the_vocabulary():
    loss = value_of(SmoothedCrossEntropy(0.3), [[0, 6]], np.zeros((1, 2, 8), "float32"))
    assert loss == pytest.approx(math.log(8))


def test_smoothing_makes_certainty_expensive():
    certain = np.array([[[0.0, 100.0, 0.0, 0.0]]], "float32")  # the other three words lose 100 each
    assert value_of(SmoothedCrossEntropy(0.0), [[1]], certain) == 0.0
    assert value_of(SmoothedCrossEntropy(0.1), [[1]], certain) == pytest.approx(0.1 * 3 / 4 * 100)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_low_precision_logits_are_summed_in_float32(dtype):
    logits = keras.ops.cast(np.zeros((1, 1, 4096), "float32"), dtype)
    loss = SmoothedCrossEntropy(0.1)(np.array([[7]]), logits)
    assert keras.backend.standardize_dtype(loss.dtype) == "float32"
    assert float(loss) == pytest.approx(math.log(4096), rel=1e-6)  # 8.3125 in bfloat16


@pytest.mark.parametrize("smoothing", [-0.1, 1.0])
def test_smoothing_out_of_range_is_refused(smoothing):
    with pytest.raises(ValueError, match=f"and below 1. Received: {smoothing}"):
        SmoothedCrossEntropy(smoothing)


def test_loss_and_metric_survive_serialisation(logits):
    for thing in (SmoothedCrossEntropy(0.25), AttentionCrossEntropy(), TokenCount(passes=2)):
        again = keras.saving.deserialize_keras_object(keras.saving.serialize_keras_object(thing))
        assert again.get_config() == thing.get_config()


def test_fit_counts_the_real_tokens_of_all_batches_and_averages_their_losses(tiny_model, batch):
    tiny_model.compile("sgd", SmoothedCrossEntropy(0.1), weighted_metrics=[TokenCount()])
    tiny_model.optimizer.learning_rate = 0.0
    logs = tiny_model.fit((batch for _ in range(4)), steps_per_epoch=4, verbose=0, shuffle=False).history
    inputs, targets, weight = batch
    assert logs["tokens"] == [4 * (6 + 4 + 2)]
    expected = value_of(SmoothedCrossEntropy(0.1), targets, tiny_model(inputs), weight)
    assert logs["loss"] == [pytest.approx(expected, rel=1e-6)]


def test_tokens_are_counted_since_the_last_reset_and_all_of_them_without_weights():
    count, targets = TokenCount(), np.ones((2, 3), "int32")
    count.update_state(targets, None)
    count.update_state(targets, None, sample_weight=np.array([[1, 1, 0], [1, 0, 0]]))
    assert float(count.result()) == 6 + 3
    count.reset_state()
    count.update_state(targets, None, sample_weight=np.array([[1, 0, 0], [0, 0, 0]]))
    assert float(count.result()) == 1


def test_a_pair_that_a_batch_holds_twice_counts_once():
    count = TokenCount(passes=2)
    count.update_state(
        np.ones((4, 3), "int32"), None, sample_weight=np.array([[1, 1, 0]] * 2 + [[1, 0, 0]] * 2)
    )
    assert float(count.result()) == 2 + 1


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_a_step_of_gradient_descent_follows_the_gradient_of_the_equation(smoothing):
    targets, weight = np.array([[2, 0, 1]], "int32"), np.array([[1, 1, 0]], "float32")
    table = keras.layers.Embedding(
        3, 4
    )  # three positions, four words: the logits themselves are what is trained
    model = keras.Sequential([keras.Input((3,), dtype="int32"), table])
    model.compile(keras.optimizers.SGD(1.0), SmoothedCrossEntropy(smoothing))
    table.set_weights([np.random.default_rng(2).normal(size=(3, 4))])
    (before,) = table.get_weights()
    model.train_on_batch(np.array([[0, 1, 2]]), targets, weight)
    (after,) = table.get_weights()
    for t, count in enumerate([1, 1, 0]):
        softmax = np.exp(before[t]) / np.exp(before[t]).sum()
        q = (1 - smoothing) * np.eye(4)[targets[0, t]] + smoothing / 4
        np.testing.assert_allclose(before[t] - after[t], count * (softmax - q) / 2, atol=1e-6)


def test_logits_far_apart_do_not_overflow():
    logits = keras.ops.convert_to_tensor([[[3e4, -3e4, 0.0]]])
    assert value_of(SmoothedCrossEntropy(0.0), [[1]], logits) == pytest.approx(6e4)


# Two sentences of three target and four source positions. The first target's last token is padding.
REFERENCE = np.array(
    [
        [[1, 0, 0, 0], [0, 0.5, 0.5, 0], [0, 0, 0, 0]],
        [[0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0]],
    ],
    "float32",
)
LINKED = REFERENCE.sum(axis=-1)


@pytest.fixture
def attention():
    weights = np.random.default_rng(3).uniform(0.1, 1, (2, 3, 4)).astype("float32")
    return weights / weights.sum(axis=-1, keepdims=True)


def guidance(reference, weights, linked):
    return float(AttentionCrossEntropy()(reference, weights, sample_weight=linked))


def test_guidance_is_the_equation_averaged_over_the_tokens_with_links(attention):
    total, tokens = 0.0, 0
    for b in range(2):
        for t in range(3):
            tokens += any(REFERENCE[b, t, s] > 0 for s in range(4))
            for s in range(4):
                total -= REFERENCE[b, t, s] * math.log(attention[b, t, s])
    assert tokens == 3
    assert guidance(REFERENCE, attention, LINKED) == pytest.approx(total / 3, rel=1e-6)


def test_attention_at_tokens_without_links_is_free(attention):
    other = attention.copy()
    other[0, 2], other[1, 0], other[1, 2] = [1, 0, 0, 0], [0, 0.2, 0.3, 0.5], [0, 0, 0, 0]
    assert guidance(REFERENCE, other, LINKED) == guidance(REFERENCE, attention, LINKED)


def test_padding_cannot_change_the_guidance(attention):
    padding = [(0, 1), (0, 2), (0, 3)]  # a pair, target and source positions
    padded = [np.pad(x, padding) for x in (REFERENCE, attention)]
    padded[1][:, 3:] = 0.7  # whatever a model attends to there
    alone = guidance(REFERENCE, attention, LINKED)
    assert guidance(*padded, np.pad(LINKED, padding[:2])) == pytest.approx(alone, rel=1e-6)


def test_a_batch_without_links_guides_nothing(attention):
    assert guidance(np.zeros_like(REFERENCE), attention, np.zeros_like(LINKED)) == 0.0


def test_a_link_without_any_weight_is_expensive_but_finite():
    weights = np.array([[[1.0, 0.0]]], "float32")
    assert guidance([[[0.0, 1.0]]], weights, [[1.0]]) == pytest.approx(-math.log(1e-20))


@pytest.mark.parametrize("gap", [0.0, 3.0, 30.0])
def test_a_step_of_guidance_follows_softmax_minus_reference(gap):
    """However far the attention is from the link: a weight of e^-30 is not yet one that counts as 1e-20."""
    scores = keras.layers.Embedding(1, 3)  # one target token, three source positions
    weights = keras.layers.Softmax()(scores(inputs := keras.Input((1,), dtype="int32")))
    model = keras.Model(inputs, weights)
    model.compile(keras.optimizers.SGD(1.0), AttentionCrossEntropy())
    scores.set_weights([np.array([[gap, 0.0, 0.0]])])
    model.train_on_batch(np.array([[0]]), np.array([[[0, 0.5, 0.5]]], "float32"), np.array([[1.0]]))
    softmax = np.exp([gap, 0, 0]) / np.exp([gap, 0, 0]).sum()
    (after,) = scores.get_weights()
    np.testing.assert_allclose([[gap, 0, 0]] - after, [softmax - [0, 0.5, 0.5]], atol=1e-5)
