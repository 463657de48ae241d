import dataclasses
import json
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest

from keras_attn.config import DataConfig
from keras_attn.models.build import build_seq2seq
from keras_attn.storage import model_folder as folders
from keras_attn.storage.model_folder import (
    FILES,
    ModelFolderError,
    check_model_folder,
    load_metrics,
    load_model,
    save_model,
    update_metrics,
)
from keras_attn.text.tokenizer import Tokenizer, train_tokenizer


def values(trained):
    return trained.model.get_weights()


def same_weights(one, other):
    return all(np.array_equal(a, b) for a, b in zip(values(one), values(other), strict=True))


@pytest.fixture(scope="module")
def other_trained(tiny_trained):
    """Another model: wider, so that its weights fit no other configuration than its own."""
    config = dataclasses.replace(
        tiny_trained.config, model=dataclasses.replace(tiny_trained.config.model, decoder_units=12)
    )
    return dataclasses.replace(tiny_trained, config=config, model=build_seq2seq(config.model))


def test_a_reloaded_model_gives_the_same_floats(tiny_trained, model_folder):
    inputs = [np.array([[5, 6, 7, 3], [8, 3, 0, 0]]), np.array([[2, 9, 10], [2, 11, 12]])]
    loaded = load_model(model_folder)
    assert np.array_equal(loaded.model(inputs), tiny_trained.model(inputs))


def test_a_reloaded_model_has_its_configuration_and_vocabularies(tiny_trained, model_folder):
    loaded = load_model(model_folder)
    assert loaded.config == tiny_trained.config
    assert loaded.source_tokenizer.model_proto == tiny_trained.source_tokenizer.model_proto
    assert loaded.target_tokenizer.model_proto == tiny_trained.target_tokenizer.model_proto


def test_a_folder_copied_elsewhere_loads_without_the_first(tiny_trained, model_folder, tmp_path):
    copy = shutil.move(model_folder, tmp_path / "far" / "away")
    assert same_weights(load_model(copy), tiny_trained)


def test_a_folder_holds_its_six_files_and_nothing_else(model_folder):
    assert sorted(path.name for path in model_folder.iterdir()) == sorted(FILES)


def test_no_path_of_the_training_machine_is_kept(tiny_trained, tmp_path):
    files = {"train": ("/home/me/corpus/train.en", "/home/me/corpus/train.de"), "dev": ("../dev.tsv",)}
    data = DataConfig(**files, test=("/test.tsv",), links="/home/me/train.links")
    config = dataclasses.replace(tiny_trained.config, data=data)
    save_model(tmp_path / "model", dataclasses.replace(tiny_trained, config=config))
    kept = load_model(tmp_path / "model").config.data
    assert (kept.train, kept.dev, kept.test) == (("train.en", "train.de"), ("dev.tsv",), ("test.tsv",))
    assert kept.links == "train.links"


def test_saving_keeps_what_else_lies_in_the_folder(tiny_trained, model_folder):
    (model_folder / "checkpoint").mkdir()
    (model_folder / "checkpoint" / "state").write_text("half way")
    (model_folder / "log.csv").write_text("step,loss\n")
    save_model(model_folder, tiny_trained)
    assert (model_folder / "checkpoint" / "state").read_text() == "half way"
    assert (model_folder / "log.csv").read_text() == "step,loss\n"


def test_saving_replaces_another_model_and_its_metrics(other_trained, model_folder):
    update_metrics(model_folder, {"bleu": 30.0})
    save_model(model_folder, other_trained, {"chrf": 50.0})
    assert same_weights(load_model(model_folder), other_trained)
    assert load_metrics(model_folder) == {"chrf": 50.0}


class Killed(BaseException):
    """What no `except Exception` catches, as a kill."""


# Six files are written aside, `format.json` last; then the six are put in place.
@pytest.mark.parametrize("moment", [0, 1, 5, 6, 7, 11, 12])
def test_a_save_killed_at_any_moment_leaves_one_whole_model(
    moment, tiny_trained, other_trained, model_folder, monkeypatch
):
    replace, calls = os.replace, []

    def replace_or_die(*paths):
        if len(calls) == moment:
            raise Killed
        calls.append(paths)
        replace(*paths)

    with monkeypatch.context() as patch:
        patch.setattr("os.replace", replace_or_die)
        try:
            save_model(model_folder, other_trained)
        except Killed:
            killed = True
        else:
            killed = False
    expected = tiny_trained if moment < 6 else other_trained
    assert killed == (moment < 12)
    assert same_weights(load_model(model_folder), expected)


def test_a_save_killed_while_it_writes_leaves_the_old_model(
    tiny_trained, other_trained, model_folder, monkeypatch
):
    def die(model, path, precision):
        path.write_bytes(b"half of the weights")
        raise Killed

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(folders, "_save_weights", die)
        save_model(model_folder, other_trained)
    assert same_weights(load_model(model_folder), tiny_trained)
    save_model(model_folder, other_trained)  # and the next save is not disturbed
    assert same_weights(load_model(model_folder), other_trained)
    assert sorted(path.name for path in model_folder.iterdir()) == sorted(FILES)


def test_metrics_are_merged_into_what_is_there(model_folder):
    update_metrics(model_folder, {"dev": {"bleu": 30.0}, "steps": 100})
    update_metrics(model_folder, {"test": {"bleu": 29.0}, "steps": 200})
    assert load_metrics(model_folder) == {"dev": {"bleu": 30.0}, "test": {"bleu": 29.0}, "steps": 200}


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no model folder at .*nowhere"):
        load_model(tmp_path / "nowhere")


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_is_named(name, model_folder):
    (model_folder / name).unlink()
    with pytest.raises(ModelFolderError, match=f"is not a model folder: it has no {name}"):
        load_model(model_folder)


def test_a_folder_of_a_newer_format_says_which_version_reads_it(model_folder):
    (model_folder / "format.json").write_text(json.dumps({"format": 2, "keras_attn": "3.1.0"}))
    with pytest.raises(ModelFolderError, match=r"Install keras-attn 3\.1\.0 or newer"):
        load_model(model_folder)


def test_a_folder_of_an_older_version_without_a_newer_key_loads(model_folder, tiny_trained):
    path = model_folder / "config.toml"
    lines = path.read_text().splitlines()
    path.write_text("\n".join(line for line in lines if not line.startswith("tensorboard")))
    assert load_model(model_folder).config == tiny_trained.config


def test_weights_of_another_model_are_refused(other_trained, model_folder, tmp_path):
    save_model(tmp_path / "other", other_trained)
    shutil.copy(tmp_path / "other" / "model.weights.h5", model_folder)
    with pytest.raises(ModelFolderError, match=r"model\.weights\.h5 does not fit config\.toml"):
        load_model(model_folder)


def test_weights_of_a_model_with_other_layers_are_refused(attentionless_trained, model_folder, tmp_path):
    save_model(tmp_path / "other", attentionless_trained)
    shutil.copy(tmp_path / "other" / "model.weights.h5", model_folder)
    with pytest.raises(ModelFolderError, match=r"model\.weights\.h5 does not fit config\.toml"):
        load_model(model_folder)


@pytest.mark.parametrize("content", [b"", b"no weights", None])
def test_broken_weights_are_refused(content, model_folder):
    path = model_folder / "model.weights.h5"
    path.write_bytes(path.read_bytes()[:2000] if content is None else content)
    with pytest.raises(ModelFolderError, match=r"model\.weights\.h5 is broken"):
        load_model(model_folder)


@pytest.mark.parametrize("name", ["source.spm", "target.spm"])
def test_a_broken_vocabulary_is_named(name, model_folder):
    (model_folder / name).write_bytes(b"no vocabulary")
    with pytest.raises(ModelFolderError, match=f"{name} is broken: not a SentencePiece model"):
        load_model(model_folder)


def test_a_vocabulary_of_another_size_is_refused(model_folder, source_lines):
    smaller = Tokenizer((model_folder / "source.spm").read_bytes()).vocab_size - 5
    (model_folder / "source.spm").write_bytes(train_tokenizer(source_lines, smaller).model_proto)
    with pytest.raises(ModelFolderError, match="the files are not of one model"):
        load_model(model_folder)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("config.toml", "[model]\nunits = 3\n", "config.toml is not usable: unknown key model.units"),
        ("config.toml", "", "config.toml is not usable: The model needs the sizes"),
        ("format.json", "{", "format.json is not valid JSON"),
        ("format.json", "[]", "format.json does not hold a JSON object"),
        ("format.json", "{}", "format.json does not say which format"),
    ],
)
def test_a_broken_file_is_named(name, content, message, model_folder):
    (model_folder / name).write_text(content)
    with pytest.raises(ModelFolderError, match=message):
        load_model(model_folder)


def test_checking_a_folder_needs_no_keras(model_folder):
    code = (
        "import sys; from keras_attn.storage.model_folder import check_model_folder; "
        f"check_model_folder({str(model_folder)!r}); sys.exit('keras' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
    check_model_folder(model_folder)


def test_the_state_of_the_optimizer_is_not_saved(tiny_trained, tmp_path):
    model = tiny_trained.model
    save_model(tmp_path / "plain", tiny_trained)
    model.compile("adam", "mse")
    model.optimizer.build(model.trainable_variables)
    save_model(tmp_path / "compiled", tiny_trained)
    plain, compiled = (
        (tmp_path / name / "model.weights.h5").stat().st_size for name in ("plain", "compiled")
    )
    assert compiled == plain
