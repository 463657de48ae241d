import os
import subprocess

import pytest

from keras_attn.storage import packaged
from keras_attn.storage.model_folder import load_metrics, update_metrics

pytestmark = pytest.mark.slow


def test_scores_are_printed_with_their_signatures_and_kept(run, model_folder, pair_files):
    update_metrics(model_folder, {"steps": 7})
    source, reference = pair_files
    result = run("evaluate", model_folder, "--source", source, "--reference", reference, "--beam-size", 2)
    assert result.exit_code == 0
    greedy, bleu, chrf, errors, beam, *_ = result.stdout.splitlines()
    assert (greedy, beam) == ("greedy search", "beam size 2, length penalty 1, coverage penalty 0")
    assert bleu.startswith("BLEU ") and "nrefs:1|case:mixed" in bleu
    assert chrf.startswith("chrF2 ") and "nrefs:1|case:mixed" in chrf
    assert errors.startswith("exact ") and "nrefs:1|sources:" in errors
    metrics = load_metrics(model_folder)
    assert metrics.keys() == {"steps", "ten.en_greedy", "ten.en_beam_2"}
    assert f"BLEU  {metrics['ten.en_greedy']['bleu']:5.1f}" in bleu
    assert result.stderr == "translating 10 lines of ten.en\n"


def test_the_metrics_of_an_ensemble_s_models_stay_as_they_are(run, model_folder, pair_files):
    update_metrics(model_folder, {"steps": 7})
    source, reference = pair_files
    files = ["--source", source, "--reference", reference]
    result = run("evaluate", model_folder, model_folder, *files, "--beam-size", 1)
    assert result.exit_code == 0 and "BLEU " in result.stdout
    assert load_metrics(model_folder) == {"steps": 7}


def test_the_metrics_of_a_packaged_model_stay_as_they_are(run, model_folder, pair_files, monkeypatch):
    monkeypatch.setattr(packaged, "_home", lambda: model_folder.parent)
    source, reference = pair_files
    files = ["--source", source, "--reference", reference]
    result = run("evaluate", model_folder.name, *files, "--beam-size", 1)
    assert result.exit_code == 0 and "BLEU " in result.stdout
    assert load_metrics(model_folder) == {}


def test_scores_that_cannot_be_saved_are_printed_all_the_same(run, model_folder, pair_files):
    (model_folder / ".lock").write_text("a file where saving wants a folder")
    source, reference = pair_files
    files = ["--source", source, "--reference", reference]
    result = run("evaluate", model_folder, *files, "--beam-size", 1)
    assert result.exit_code == 0 and "BLEU " in result.stdout
    assert f"Warning: the scores are not saved in {model_folder}: File exists" in result.stderr
    assert load_metrics(model_folder) == {}


def test_a_file_may_have_a_name_that_is_not_utf_8(run, model_folder, pair_files):
    source, reference = pair_files
    named = source.rename(source.with_name(os.fsdecode(b"ten\xff.en")))
    files = ["--source", named, "--reference", reference]
    assert run("evaluate", model_folder, *files, "--beam-size", 1).exit_code == 0
    assert load_metrics(model_folder).keys() == {"ten\N{REPLACEMENT CHARACTER}.en_greedy"}


def test_a_reference_may_be_one_of_several(run, model_folder, pair_files):
    source, reference = pair_files
    references = ["--reference", reference, "--reference", reference]
    result = run("evaluate", model_folder, "--source", source, *references, "--beam-size", 1)
    assert result.exit_code == 0
    assert "nrefs:2|case:mixed" in result.stdout


def test_a_source_may_come_through_a_pipe_and_have_several_references(
    console_script, model_folder, pair_files
):
    source, reference = pair_files
    command = [console_script, "evaluate", model_folder, "--source", "/dev/stdin", "--beam-size", "1"]
    command += ["--reference", reference] * 2
    result = subprocess.run(command, stdin=source.open("rb"), capture_output=True, text=True)
    assert "nrefs:2|case:mixed" in result.stdout, result.stderr


@pytest.fixture
def asked(monkeypatch):
    """What reaches the evaluation, which does nothing else here."""
    asked = []

    def evaluate(*given, more_references):
        asked[:] = [*given, more_references]
        return iter(())

    monkeypatch.setattr("keras_attn.cli.evaluate.load_translator", lambda *folders: folders)
    monkeypatch.setattr("keras_attn.evaluation.evaluate.evaluate", evaluate)
    return asked


def test_files_and_a_beam_reach_the_evaluation_in_their_order(run, model_folder, pair_files, asked, tmp_path):
    (tmp_path / "more.fr").write_text("autre\n" * 10)
    (tmp_path / "tok.fr").write_text("tok\n" * 10)
    source, reference = pair_files
    files = ["--source", source, "--reference", reference, "--reference", tmp_path / "more.fr"]
    files += ["--tokenized-reference", tmp_path / "tok.fr"]
    assert run("evaluate", model_folder, *files, "--beam-size", 4).exit_code == 0
    lines = [path.read_text().splitlines() for path in pair_files]
    assert asked == [(str(model_folder),), *lines, 4, ["tok"] * 10, [["autre"] * 10]]


@pytest.mark.parametrize("tokenized", [False, True])
def test_a_split_and_its_tokenized_reference_reach_the_evaluation(
    run, model_folder, pair_files, asked, tmp_path, tokenized
):
    lines = [path.read_text().splitlines() for path in pair_files]
    for path, name in zip(pair_files, ("test.en", "test.fr"), strict=True):
        path.rename(model_folder / name)
    (tmp_path / "tok.fr").write_text("tok\n" * 10)
    options = ["--tokenized-reference", tmp_path / "tok.fr"] if tokenized else []
    result = run("evaluate", model_folder, "--split", "test", *options)
    assert result.stderr == "translating 10 lines of test\n"
    assert asked == [(str(model_folder),), *lines, None, ["tok"] * 10 if tokenized else None, []]


def test_the_test_split_is_taken_if_nothing_is_named(run, model_folder, pair_files):
    source, target = pair_files
    # Of the files it was trained on a folder keeps no more than the names, and looks for them in itself alone.
    source.rename(model_folder / "test.en"), target.rename(model_folder / "test.fr")
    result = run("evaluate", model_folder, "--beam-size", 1)
    assert result.exit_code == 0
    assert load_metrics(model_folder).keys() == {"test_greedy"}


def test_a_tokenized_reference_gives_a_second_pair_of_scores(run, model_folder, pair_files):
    source, reference = pair_files
    files = ["--source", source, "--reference", reference, "--tokenized-reference", reference]
    result = run("evaluate", model_folder, *files, "--beam-size", 1)
    assert result.stdout.count("BLEU ") == 2
    assert "moses:lc.norm.tok.fr" in result.stdout
    assert (
        "moses:lc.norm.tok.fr" in load_metrics(model_folder)["ten.en_greedy"]["tokenized"]["bleu_signature"]
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--source", "SOURCE"], "--source and --reference go together"),
        (["--source", "SOURCE", "--reference", "TARGET", "--split", "dev"], "exclude each other"),
        (["--split", "dev"], "no files for the dev split"),
        (["--split", "tset"], "unknown split: 'tset'"),
        (
            ["--split", "test"],
            "test.en does not exist: a model folder does not hold the files that its model was trained on. Name the files to",
        ),
    ],
)
def test_what_cannot_be_evaluated_is_a_mistake(
    arguments, message, run, model_folder, pair_files, monkeypatch
):
    monkeypatch.chdir(model_folder)
    names = dict(zip(["SOURCE", "TARGET"], pair_files, strict=True))
    result = run("evaluate", model_folder, *[names.get(argument, argument) for argument in arguments])
    assert result.exit_code == 2
    assert message in result.stderr and result.stderr.count("\n") == 1
    assert load_metrics(model_folder) == {}
