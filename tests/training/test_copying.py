"""Copying beside everything else that a training may ask for."""

import re

import pytest

from keras_attn import config as configs
from keras_attn.config import ConfigError
from keras_attn.inference.translator import Translator
from keras_attn.models.seq2seq import Seq2Seq
from keras_attn.storage.model_folder import load_model, save_model
from keras_attn.text.corpus import read_pairs
from keras_attn.training.checkpoint import load_checkpoint
from keras_attn.training.fit import train
from keras_attn.training.start import Start

COPYING = ["model.copy=true"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "choices",
    [
        {"label_smoothing": 0.1, "guided_alignment": 0.5, "mixed_precision": "mixed_float16"},
        {"r_drop": 2.0, "subword_sampling": 0.3},
    ],
    ids=lambda choices: ", ".join(choices),
)
def test_a_model_that_copies_is_trained_with_everything_else(recipe, pair_files, tmp_path, choices):
    links = [f"data.links={pair_files / 'train.links'}"] if "guided_alignment" in choices else []
    config = configs.override(
        recipe(epochs=12, evaluate_every=24, learning_rate=0.02, **choices), COPYING + links
    )
    train(config, tmp_path)
    first, *_, last = load_checkpoint(tmp_path)[0].rounds
    assert last.dev_perplexity < 0.8 * first.dev_perplexity
    trained = load_model(tmp_path)
    assert trained.model.copy is not None
    dev = read_pairs([pair_files / "dev.tsv"])
    lines = Translator.from_trained(trained)(dev.source, beam_size=2)
    assert len(lines) == len(dev)


@pytest.mark.parametrize("key", ["model.copy=true", "model.tied_embeddings='all'"])
def test_what_needs_a_joint_vocabulary_is_refused_without_one_before_anything_is_read(recipe, tmp_path, key):
    config = configs.override(recipe(), [key, "tokenizer.joint=false"])
    message = re.escape(key.removesuffix("=true").replace("=", " = "))
    with pytest.raises(ConfigError, match=rf"{message} needs one vocabulary .* tokenizer.joint to true"):
        train(config, tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_start_with_two_vocabularies_is_refused_before_anything_is_written(recipe, tiny_trained, tmp_path):
    save_model(tmp_path / "old", tiny_trained)
    with pytest.raises(
        ConfigError, match=r"model.copy needs one vocabulary .*/old has two: start with a new"
    ):
        train(configs.override(recipe(), COPYING), tmp_path / "run", start=Start(tmp_path / "old"))
    assert not (tmp_path / "run").exists()


def test_copying_without_attention_is_refused(recipe):
    with pytest.raises(ConfigError, match=r"model\.copy does not apply to model.attention = 'none'"):
        configs.override(recipe(), [*COPYING, "model.attention=none", "model.feed=none"])


def test_no_model_copies_unless_it_is_asked_to(tiny_trained):
    assert isinstance(tiny_trained.model, Seq2Seq) and tiny_trained.model.copy is None
