import json
import types

import pytest

from keras_attn import config as configs
from keras_attn.inference.translator import Translator
from keras_attn.storage.engine_file import has_engine
from keras_attn.storage.model_folder import load_config, load_metrics
from keras_attn.training.start import Start

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


@pytest.fixture
def asked(tmp_path, monkeypatch):
    """What reaches `train` and `distill`, which do nothing else here: `.given` and `.options`. `.engines` are folders."""
    asked = types.SimpleNamespace(engines=[])

    def do(*given, **options):
        asked.given, asked.options = given, options
        return {"dev_bleu": 1.5, "of": "señal"}

    monkeypatch.chdir(tmp_path)
    (tmp_path / "config.toml").write_text(CONFIG)
    monkeypatch.setattr("keras_attn.training.fit.train", do)
    monkeypatch.setattr("keras_attn.training.distillation.distill", do)
    for command in ("train", "distill"):
        monkeypatch.setattr(f"keras_attn.cli.{command}.add_engine", asked.engines.append)
    return asked


def test_a_training_gets_every_option(run, asked, model_folder):
    options = ["--set", "training.epochs=2", "--set", "training.epochs=3", "--set", "model.cell=lstm"]
    options += ["--devices", 2, "--from", model_folder, "--new-vocabulary"]
    result = run("train", "config.toml", "new", *options)
    assert result.stdout == '{\n  "dev_bleu": 1.5,\n  "of": "señal"\n}\n'
    overrides = ["training.epochs=3", "model.cell=lstm", "training.devices=2"]
    assert asked.given == (configs.load("config.toml", overrides, start=load_config(model_folder)), "new")
    assert asked.options == {"start": Start(str(model_folder), new_vocabulary=True)}
    assert asked.engines == ["new"]
    run("train", "config.toml", "new", "--from", model_folder)
    assert asked.options == {"start": Start(str(model_folder), new_vocabulary=False)}


def test_a_training_without_options_is_that_of_the_config(run, asked):
    assert run("train", "config.toml", "new").exit_code == 0
    assert (asked.given, asked.options) == ((configs.load("config.toml"), "new"), {"start": None})


def test_a_distillation_gets_every_option(run, asked):
    options = ["--rounds", 2, "--teachers", 3, "--set", "training.epochs=2", "--set", "model.cell=lstm"]
    choices = ["--student", "model.decoder_units=6", "--student", "training.epochs=4"]
    result = run("distill", "config.toml", "new", *options, *choices)
    assert result.stdout == '{\n  "dev_bleu": 1.5,\n  "of": "señal"\n}\n'
    teachers = configs.load("config.toml", ["training.epochs=2", "model.cell=lstm"])
    student = configs.override(teachers, ["model.decoder_units=6", "training.epochs=4"])
    assert asked.given == (teachers, "new")
    assert asked.options == {"rounds": 2, "teachers": 3, "student": student}
    assert asked.engines == ["new"]


def test_a_distillation_has_one_round_of_one_teacher_and_a_student_like_it_unless_it_is_told(run, asked):
    assert run("distill", "config.toml", "new").exit_code == 0
    assert asked.options == {"rounds": 1, "teachers": 1, "student": configs.load("config.toml")}


@pytest.mark.parametrize(
    "options", [["train", "--devices", 0], ["distill", "--rounds", 0], ["distill", "--teachers", 0]]
)
def test_numbers_are_1_at_least(run, asked, options):
    command, *rest = options
    result = run(command, "config.toml", "new", *rest)
    assert result.exit_code == 2 and "0 is not in the range x>=1" in result.stderr
