import math

import pytest

from keras_attn.inference.translator import Translator

pytestmark = pytest.mark.slow


def test_every_pair_gives_its_log_probability(run, model_folder, pair_files, tiny_trained):
    source, target = pair_files
    result = run("score", model_folder, source, target)
    lines = [path.read_text().splitlines() for path in pair_files]
    assert result.exit_code == 0
    assert [float(line) for line in result.stdout.splitlines()] == pytest.approx(
        Translator.from_trained(tiny_trained).score(*lines), abs=1e-3
    )


def test_word_scores_make_the_log_probability(run, model_folder, pair_files):
    result = run("score", model_folder, *pair_files, "--word-scores")
    for line, target in zip(result.stdout.splitlines(), pair_files[1].read_text().splitlines(), strict=True):
        log_prob, words = line.split("\t")
        probabilities = [float(p) for p in words.split()]
        assert len(probabilities) == len(target.split()) + 1
        if min(probabilities) > 0.01:  # four places tell enough of it
            assert sum(map(math.log, probabilities)) == pytest.approx(float(log_prob), abs=0.05)


def test_files_of_different_lengths_are_a_mistake(run, model_folder, pair_files):
    source, target = pair_files
    target.write_text("un chat\n")
    result = run("score", model_folder, source, target)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"{source} has 10 lines but {target} has 1" in result.stderr


def test_a_file_that_is_not_utf8_is_named_with_its_line(run, model_folder, pair_files):
    source, target = pair_files
    source.write_bytes(b"the cat\nthe d\xffg\n")
    result = run("score", model_folder, source, target)
    assert result.exit_code == 2
    assert f"{source}:2" in result.stderr and result.stderr.count("\n") == 1
