"""Every preset as a whole model. Its layers are held to their equations in `tests/layers`."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_attn import config as configs
from keras_attn.config import ConfigError, ModelConfig
from keras_attn.config.presets import PRESETS
from keras_attn.models.build import build_seq2seq

ON_TENSORFLOW = keras.backend.backend() == "tensorflow"
SOURCE = np.array([[5, 6, 7, 8, 3], [8, 3, 0, 0, 0]], "int32")
TARGET_IN = np.array([[2, 9, 10, 4], [2, 11, 0, 0]], "int32")
SMALL = {
    "source_vocab_size": 12,
    "target_vocab_size": 12,
    "embedding_dim": 6,
    "encoder_units": 4,
    "decoder_units": 8,
    "attention_units": 5,
    "readout_units": 6,
    "attention_window": 2,
    "encoder_heads": 1,
}


def model_config(preset, **choices):
    table = {"preset": preset, **SMALL, **choices}
    return configs.from_tables(configs.without_unused({"model": table})).model


def log_softmax(logits):
    return ops.convert_to_numpy(ops.log_softmax(logits))


# What the papers say: attention and its score, cell, which state asks, what is fed back, and what the output reads.
BY_PAPER = """
rnn_encdec                none                     gru   previous  none         maxout
bahdanau2015              BahdanauAttention        gru   previous  context      maxout
normed_bahdanau           BahdanauAttention        gru   previous  context      maxout
luong2015                 LuongAttention.general   lstm  current   attentional  attentional
luong2015_dot             LuongAttention.dot       lstm  current   attentional  attentional
luong2015_concat          LuongAttention.concat    lstm  current   attentional  attentional
luong2015_no_feeding      LuongAttention.general   lstm  current   none         attentional
luong2015_local_m         LocalMonotonicAttention.general   lstm  current  attentional  attentional
luong2015_local_p         LocalPredictiveAttention.general  lstm  current  attentional  attentional
scaled_luong              LuongAttention.general   lstm  current   attentional  attentional
jurafsky_martin_dot       LuongAttention.dot       gru   previous  context      plain
jurafsky_martin_bilinear  LuongAttention.general   gru   previous  context      plain
cs224n                    LuongAttention.dot       lstm  current   none         plain
monotonic                 MonotonicAttention       gru   previous  context      maxout
coverage                  CoverageAttention        gru   previous  context      maxout
transformer_encoder       LuongAttention.general   gru   previous  context      maxout
"""
BY_PAPER = {name: choices for name, *choices in map(str.split, BY_PAPER.strip().splitlines())}


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_is_built_of_what_its_paper_says(preset):
    decoder = build_seq2seq(model_config(preset)).decoder
    attention = type(decoder.attention).__name__ if decoder.attention else "none"
    if score := getattr(decoder.attention, "score_name", None):
        attention += f".{score}"
    config = decoder.get_config()
    assert [
        attention,
        *(config[key] for key in ("cell", "query_state", "feed", "readout")),
    ] == BY_PAPER[preset]
    assert getattr(decoder.attention, "normalize", False) == (preset in ("normed_bahdanau", "monotonic"))
    assert getattr(decoder.attention, "use_scale", False) == (preset == "scaled_luong")


@pytest.mark.slow
@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_steps_as_it_was_trained(preset):
    """Its attention's state, too, passes from step to step as from position to position."""
    model = build_seq2seq(model_config(preset))
    random = np.random.default_rng(1)
    for weight in model.trainable_variables:
        weight.assign(random.normal(size=weight.shape) * 0.7)
    expected = log_softmax(model([SOURCE, TARGET_IN]))
    encoded = model.encode(SOURCE)
    state = encoded.state
    for t, tokens in enumerate(TARGET_IN.T):
        log_probs, state, weights = model.step(ops.convert_to_tensor(tokens), encoded, state)
        np.testing.assert_allclose(ops.convert_to_numpy(log_probs), expected[:, t], atol=1e-5)
        if weights is not None:
            assert (ops.convert_to_numpy(weights)[1, 2:] == 0).all()


@pytest.mark.slow
@pytest.mark.skipif(not ON_TENSORFLOW, reason="presets are trained on TensorFlow alone, to save time")
@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_can_be_trained(preset):
    model = build_seq2seq(model_config(preset))
    model.compile(
        keras.optimizers.Adam(0.05),
        keras.losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=0),
        run_eagerly=True,  # building a graph takes longer than six steps
    )
    losses = [model.train_on_batch([SOURCE, TARGET_IN], TARGET_IN) for _ in range(6)]
    assert np.isfinite(losses).all() and losses[-1] < losses[0]


def test_a_preset_sets_what_its_paper_chose():
    config = model_config("luong2015_local_p")
    assert (config.cell, config.attention, config.query_state) == ("lstm", "local-p", "current")
    assert (config.feed, config.readout) == ("attentional", "attentional")


def test_a_key_beside_the_preset_wins():
    assert model_config("luong2015", cell="gru").cell == "gru"


def test_a_preset_is_one_word_in_a_config_file(tmp_path):
    (tmp_path / "my.toml").write_text('[model]\npreset = "luong2015"\ncell = "gru"\n')
    assert configs.load(tmp_path / "my.toml").model == ModelConfig.from_preset("luong2015", cell="gru")


def test_a_preset_that_is_read_again_changes_nothing(tmp_path):
    config = configs.from_tables({"model": {"preset": "luong2015", "cell": "gru"}})
    (tmp_path / "config.toml").write_text(configs.to_toml(config))
    assert configs.load(tmp_path / "config.toml") == config


def test_overrides_are_applied_in_their_order():
    first = configs.override(configs.Config(), ["model.preset=cs224n", "model.cell=gru"]).model
    assert (first.attention_score, first.readout, first.cell) == ("dot", "plain", "gru")
    assert configs.override(configs.Config(), ["model.cell=gru", "model.preset=cs224n"]).model.cell == "lstm"


def test_the_bilinear_preset_takes_encoder_and_decoder_of_different_widths():
    choices = {"encoder_units": 5, "decoder_units": 7}
    build_seq2seq(model_config("jurafsky_martin_bilinear", **choices))
    with pytest.raises(ValueError, match=r"score='dot' needs queries and values of equal width"):
        build_seq2seq(model_config("jurafsky_martin_dot", **choices))


@pytest.mark.parametrize("name", ["bahdanau2014", 3])
def test_an_unknown_preset_is_refused_with_the_known_ones(name):
    with pytest.raises(ConfigError, match=r"model.preset takes .*'bahdanau2015'.*; got"):
        model_config(name)
