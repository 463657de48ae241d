import json

import pytest

from keras_attn.inference.translator import Translator
from keras_attn.storage.engine_file import has_engine
from keras_attn.storage.model_folder import load_config, load_metrics

pytestmark = pytest.mark.slow

CONFIG = """
[data]
train = ["ten.en", "ten.fr"]
dev = ["ten.en", "ten.fr"]

[tokenizer]
vocab_size = 50

[model]
embedding_dim = 4
encoder_units = 4
decoder_units = 4
attention_units = 4
readout_units = 4

[training]
epochs = 30
"""


def test_training_makes_a_folder_that_translates(run, pair_files, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config.toml").write_text(CONFIG)
    result = run("train", "config.toml", "run", "--set", "training.epochs=1")
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout) == load_metrics("run")
    assert len(Translator.load("run")(["the cat"], beam_size=1)) == 1


def test_a_model_that_cannot_have_an_engine_is_trained_all_the_same(run, pair_files, tmp_path, monkeypatch):
    def refuse(*_):
        raise ValueError("a loop\nthat TensorFlow cannot trace")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("keras_attn.export.engine.convert", refuse)
    (tmp_path / "config.toml").write_text(CONFIG)
    result = run("train", "config.toml", "run", "--set", "training.epochs=1")
    assert result.exit_code == 0
    assert json.loads(result.stdout) == load_metrics("run")
    assert "run gets no engine" in result.stderr and "a loop that TensorFlow cannot trace" in result.stderr
    assert not has_engine("run")


def test_files_that_are_not_there_are_a_mistake(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config.toml").write_text(CONFIG)
    result = run("train", "config.toml", "run")
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1 and "ten.en does not exist" in result.stderr


def test_distilling_makes_a_folder_that_translates_without_keras(run, pair_files, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config.toml").write_text(CONFIG)
    result = run(
        "distill", "config.toml", "run", "--set", "training.epochs=1", "--student", "model.decoder_units=6"
    )
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout) == load_metrics("run")
    assert load_config("run").model.decoder_units == 6
    assert has_engine("run")
