import json

import pytest

pytestmark = pytest.mark.slow


@pytest.fixture
def sixty_lines(tmp_path, source_lines):
    path = tmp_path / "sixty.en"
    path.write_text("".join(f"{line}\n" for line in source_lines[:60]))
    return path


def test_a_saved_model_lands_in_the_folder_and_is_compared_with_the_model(run, model_folder, sixty_lines):
    result = run("export", model_folder, "--format", "saved-model", "--beam-size", 1, "--source", sixty_lines)
    assert result.exit_code == 0, result.stderr
    where, compared, bleu = result.stdout.splitlines()
    assert where == str(model_folder / "saved-model")
    assert "of 60 translations equal those of Keras" in compared and bleu.startswith("BLEU ")
    assert (model_folder / "saved-model" / "saved_model.pb").is_file()


def test_a_litert_file_lands_where_it_is_told(run, model_folder, tmp_path):
    output = tmp_path / "phone"
    options = ["--format", "litert", "--precision", "int8", "--source-length", 8, "--output", output]
    result = run("export", model_folder, *options)
    assert result.exit_code == 0, result.stderr
    assert result.stdout == f"{output}\n"
    assert "not compared with the model: no files for the dev split" in result.stderr
    assert (output / "model.tflite").is_file()


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
