import json

import pytest

from keras_attn.evaluation.scores import corpus_scores
from keras_attn.export.description import SAVED_MODEL_DESCRIPTION
from keras_attn.inference.translator import Translator
from keras_attn.storage.model_folder import load_model

pytestmark = pytest.mark.slow


@pytest.fixture
def sixty_lines(tmp_path, source_lines):
    path = tmp_path / "sixty.en"
    path.write_text("".join(f"{line}\n" for line in source_lines[:60]))
    return path


def test_a_saved_model_lands_in_the_folder_and_is_compared_with_the_model(run, model_folder, sixty_lines):
    options = ["--format", "saved-model", "--beam-size", 1, "--max-length", 60, "--source", sixty_lines]
    result = run("export", model_folder, *options)
    assert result.exit_code == 0, result.stderr
    where, compared, bleu = result.stdout.splitlines()
    assert where == str(model_folder / "saved-model")
    assert "of 60 translations equal those of Keras" in compared and bleu.startswith("BLEU ")
    assert (model_folder / "saved-model" / "saved_model.pb").is_file()
    about = json.loads((model_folder / "saved-model" / SAVED_MODEL_DESCRIPTION).read_text())
    assert about["max_length"] == 60


def test_a_litert_file_lands_where_it_is_told(run, model_folder, tmp_path):
    output = tmp_path / "phone"
    options = ["--format", "litert", "--precision", "int8", "--source-length", 8, "--max-length", 9]
    result = run("export", model_folder, *options, "--output", output)
    assert result.exit_code == 0, result.stderr
    assert result.stdout == f"{output}\n"
    assert "not compared with the model: no files for the dev split" in result.stderr
    assert (output / "model.tflite").is_file()
    about = json.loads((output / "model.json").read_text())
    assert (about["source_length"], about["max_length"]) == (8, 9)


def test_by_default_a_litert_file_lands_in_the_model_s_folder_and_is_scored(
    run, model_folder, sixty_lines, tmp_path, target_lines
):
    reference = tmp_path / "sixty.fr"
    reference.write_text("".join(f"{line}\n" for line in target_lines[:60]))
    options = ["--format", "litert", "--source-length", 32, "--source", sixty_lines, "--reference", reference]
    result = run("export", model_folder, *options)
    assert result.exit_code == 0, result.stderr
    where, _, bleu = result.stdout.splitlines()
    assert where == str(model_folder / "litert-float32")
    assert bleu == _bleu(load_model(model_folder), sixty_lines, target_lines[:60])


def _bleu(trained, sources, references):
    """Of the model itself, which the export agrees with."""
    said = Translator.from_trained(trained)(sources.read_text().splitlines(), beam_size=1)
    scores = corpus_scores(said, references)
    return f"BLEU {scores.bleu:.2f}, Keras {scores.bleu:.2f}  {scores.bleu_signature}"


@pytest.mark.parametrize(("kind", "name"), [("litert", "litert-int8"), ("saved-model", "saved-model")])
def test_a_packaged_model_s_export_does_not_land_in_the_package(
    run, noted, tmp_path, monkeypatch, kind, name
):
    monkeypatch.chdir(tmp_path)
    to = {"litert": "keras_attn.export.litert.export_litert"}
    calls = noted(to.get(kind, "keras_attn.export.saved_model.export_saved_model"))
    noted("keras_attn.cli.export._dev_split")
    precision = ["--precision", "int8"] if kind == "litert" else []
    result = run("export", "cmudict", "--format", kind, *precision)
    assert result.exit_code == 0, result.stderr
    assert result.stdout == f"cmudict-{name}\n"
    assert calls[0][0][1] == f"cmudict-{name}"


@pytest.mark.parametrize(("limit", "expected"), [([], 256), (["--source-length", 20], 20)])
def test_a_litert_file_may_take_any_source_length(run, model_folder, tmp_path, limit, expected):
    options = ["--format", "litert", "--any-source-length", *limit, "--output", tmp_path / "phone"]
    result = run("export", model_folder, *options)
    assert result.exit_code == 0, result.stderr
    about = json.loads((tmp_path / "phone" / "model.json").read_text())
    assert (about["source_length"], about["search"]["max_source_length"]) == (None, expected)


def test_a_folder_that_is_no_export_is_not_replaced(run, model_folder, sixty_lines):
    options = ["--format", "saved-model", "--source", sixty_lines, "--output", model_folder]
    result = run("export", model_folder, *options)
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1 and "is not an earlier export" in result.stderr


def test_a_reference_needs_its_source(run, model_folder, sixty_lines):
    result = run("export", model_folder, "--format", "litert", "--reference", sixty_lines)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--reference needs --source" in result.stderr
