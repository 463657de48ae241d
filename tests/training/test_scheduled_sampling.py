import keras
import numpy as np
import pytest
from keras import ops

from keras_attn.config import ConfigError, from_tables
from keras_attn.models.build import build_seq2seq
from keras_attn.storage.model_folder import load_model
from keras_attn.training.checkpoint import load_checkpoint
from keras_attn.training.fit import train
from keras_attn.training.scheduled_sampling import OwnWords, with_own_words

SOURCE = np.array([[5, 6, 7, 3], [8, 3, 0, 0]], "int32")
TARGET_IN = np.array([[2, 4, 5, 6, 7, 8], [2, 9, 4, 0, 0, 0]], "int32")


@pytest.fixture
def model():
    """Which says one word after another with hardly a doubt: after word w comes w + 1, and after 11, 4."""
    widths = dict.fromkeys(
        ("embedding_dim", "encoder_units", "decoder_units", "attention_units", "readout_units"), 12
    )
    config = {"source_vocab_size": 12, "target_vocab_size": 12, **widths}
    model = build_seq2seq(from_tables({"model": config}).model)
    keras.utils.set_random_seed(3)
    return model


def own_words(model, share, steps=1, started=True):
    layer = OwnWords(model, share, steps)
    if started:
        layer.step.assign(steps)
    return layer


def test_words_stay_where_nothing_is_trained(model):
    np.testing.assert_array_equal(own_words(model, 1.0)(TARGET_IN, SOURCE, training=False), TARGET_IN)


def test_bos_and_padding_stay_and_all_else_is_drawn(model):
    mixed = ops.convert_to_numpy(own_words(model, 1.0)(TARGET_IN, SOURCE, training=True))
    fixed = (TARGET_IN == 2) | (TARGET_IN == 0)
    np.testing.assert_array_equal(mixed[fixed], TARGET_IN[fixed])
    assert mixed.dtype == np.int32 and (mixed >= 0).all() and (mixed < 12).all()
    assert (mixed != TARGET_IN).any()


def test_own_words_are_drawn_from_what_the_model_says_after_those_before(model):
    """A sure model's own words are its greedy translation, whatever the target."""
    for weight in model.trainable_variables:
        weight.assign(np.random.default_rng(4).normal(size=weight.shape))
    output = model.output_layer
    output.kernel.assign(output.kernel * 200)
    mixed = ops.convert_to_numpy(own_words(model, 1.0)(TARGET_IN[:1], SOURCE[:1], training=True))[0]
    encoded = model.encode(SOURCE[:1])
    state, word, expected = encoded.state, np.array([2], "int32"), [2]
    for _ in range(5):
        log_probs, state, _ = model.step(ops.convert_to_tensor(word), encoded, state)
        log_probs = ops.where(np.isin(np.arange(12), (0, 2)), -1e9, log_probs)  # neither is a word
        word = ops.convert_to_numpy(ops.argmax(log_probs, axis=-1)).astype("int32")
        expected.append(int(word[0]))
    assert mixed.tolist() == expected


def test_a_word_is_drawn_as_often_as_it_is_probable(model):
    count = 4000
    encoded = model.encode(SOURCE[:1])
    log_probs, _, _ = model.step(ops.convert_to_tensor(np.array([2], "int32")), encoded, encoded.state)
    layer = own_words(model, 1.0)
    mixed = layer(
        np.repeat([[2, 4]], count, 0).astype("int32"), np.repeat(SOURCE[:1], count, 0), training=True
    )
    counts = np.bincount(ops.convert_to_numpy(mixed)[:, 1], minlength=12) / count
    expected = np.exp(ops.convert_to_numpy(log_probs))[0] * ~np.isin(np.arange(12), (0, 2))
    np.testing.assert_allclose(counts, expected / expected.sum(), atol=0.03)


def test_what_is_said_behind_a_replaced_word_has_nothing_to_do_with_its_being_replaced(model):
    """Here the model says every word but 9 alike, and the target has none but 9."""
    model.output_layer.kernel.assign(0 * model.output_layer.kernel)
    model.output_layer.bias.assign([-50.0 if word == 9 else 0.0 for word in range(12)])
    target_in = np.full((200, 41), 9, "int32")
    target_in[:, 0] = 2
    mixed = own_words(model, 0.5)(target_in, np.repeat(SOURCE[:1], 200, 0), training=True)
    mixed = ops.convert_to_numpy(mixed)
    behind = mixed[:, 2:][(mixed[:, 1:-1] != 9) & (mixed[:, 2:] != 9)]
    shares = np.bincount(behind, minlength=12) / len(behind)
    np.testing.assert_allclose(shares, ~np.isin(np.arange(12), (0, 2, 9)) / 9, atol=0.04)


@pytest.mark.parametrize(("step", "expected"), [(0, 0.0), (50, 0.2), (100, 0.4), (300, 0.4)])
def test_the_share_grows_in_a_straight_line(model, step, expected):
    """Of targets of a word that the model never says, what is left is the target's own."""
    model.output_layer.bias.assign([-50.0 if word == 9 else 0.0 for word in range(12)])
    target_in = np.full((200, 21), 9, "int32")
    target_in[:, 0] = 2
    layer = OwnWords(model, 0.4, 100)
    layer.step.assign(step)
    mixed = ops.convert_to_numpy(layer(target_in, np.repeat(SOURCE[:1], 200, 0), training=True))
    assert (mixed[:, 1:] != 9).mean() == pytest.approx(expected, abs=0.03)
    assert float(layer.step.value) == step + 1


def test_what_is_fitted_shares_its_weights_and_learns(model):
    fitted = with_own_words(model, 0.5, 4)
    fitted.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    before = [ops.convert_to_numpy(weight.value) for weight in model.trainable_variables]
    fitted.fit([SOURCE, TARGET_IN], np.roll(TARGET_IN, -1, axis=1), epochs=4, verbose=0)
    assert all(
        (ops.convert_to_numpy(weight.value) != old).any()
        for weight, old in zip(model.trainable_variables, before, strict=True)
    )
    assert [id(w) for w in fitted.trainable_variables] == [id(w) for w in model.trainable_variables]


@pytest.mark.slow
def test_a_training_goes_on_as_if_it_had_not_been_stopped(recipe, tmp_path):
    class Stop(keras.callbacks.Callback):
        def on_epoch_end(self, epoch, logs=None):
            self.model.stop_training = True

    config = recipe(scheduled_sampling=0.5, epochs=3, evaluate_every=8)
    train(config, tmp_path / "at once")
    for _ in range(3):
        train(config, tmp_path / "in parts", callbacks=[Stop()])
    one, other = (load_checkpoint(tmp_path / name) for name in ("at once", "in parts"))
    assert other[0].finished
    for (name, value), (_, again) in zip(one[1], other[1], strict=True):
        np.testing.assert_array_equal(value, again, err_msg=name)
    assert not [
        weight.path for weight in load_model(tmp_path / "at once").model.weights if "own_words" in weight.path
    ]


def test_a_share_is_from_0_to_1(recipe, tmp_path):
    with pytest.raises(ConfigError, match="scheduled_sampling is a share of the words"):
        train(recipe(scheduled_sampling=1.5), tmp_path)


def test_r_drop_is_refused_because_its_passes_would_read_different_words(recipe, tmp_path):
    with pytest.raises(ConfigError, match=r"training\.r_drop compares two passes over the same words"):
        train(recipe(scheduled_sampling=0.5, r_drop=1.0), tmp_path)


def test_padding_and_the_beginning_are_never_drawn(model):
    model.output_layer.bias.assign([9.0, 0, 9.0, *[0] * 9])
    mixed = own_words(model, 1.0)(
        np.repeat(TARGET_IN[:1], 50, 0), np.repeat(SOURCE[:1], 50, 0), training=True
    )
    assert not np.isin(ops.convert_to_numpy(mixed)[:, 1:], (0, 2)).any()


def test_float16_scales_the_loss(recipe, tmp_path):
    scaled = []

    class Look(keras.callbacks.Callback):
        def on_train_begin(self, logs=None):
            scaled.append(isinstance(self.model.optimizer, keras.optimizers.LossScaleOptimizer))
            self.model.stop_training = True

    for share in (0.0, 0.5):
        config = recipe(scheduled_sampling=share, mixed_precision="mixed_float16", evaluate_every=1)
        train(config, tmp_path / f"{share}", callbacks=[Look()])
    assert scaled == [True, True]
