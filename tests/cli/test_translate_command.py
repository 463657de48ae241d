import math
import signal

import pytest

from keras_attn.alignment.marks import translate_marked

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("loaded_once")]

GREEDY = ["--beam-size", "1"]  # the quickest


def test_every_line_in_gives_its_line_out(run, saved_tiny_folder, translator, source_lines):
    stdin = "".join(f"{line}\n" for line in source_lines[:30]).encode()
    result = run("translate", saved_tiny_folder, "--beam-size", 1, "--batch-size", 7, stdin=stdin)
    assert result.exit_code == 0
    assert result.stdout.split("\n") == [*translator(source_lines[:30], beam_size=1), ""]
    assert result.stderr == ""


@pytest.mark.parametrize(
    ("stdin", "lines"),
    [
        (b"", 0),
        (b"\n", 1),
        (b"the cat", 1),
        (b"the cat\n", 1),
        (b"\n\nthe cat\n\n", 4),
        ("a\u2028b\x0bc\x0cd\x85e\rf\n".encode(), 1),
        (b"a\xff\xfe\n\xe2\x82\n", 2),
        (b"\x00\n", 1),
    ],
)
def test_only_line_feeds_end_lines(stdin, lines, run, saved_tiny_folder):
    result = run("translate", saved_tiny_folder, *GREEDY, stdin=stdin)
    assert result.exit_code == 0
    assert result.stdout.count("\n") == lines


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_is_refused_with_a_word_on_what_to_do(run, saved_tiny_folder, encoding):
    result = run("translate", saved_tiny_folder, *GREEDY, stdin="\ufeffthe cat\n".encode(encoding))
    assert (result.exit_code, result.stdout) == (2, "")
    assert "the text is UTF-16: save it as UTF-8" in result.stderr


def test_bytes_that_are_not_utf8_are_reported_by_line(run, saved_tiny_folder, translator):
    result = run("translate", saved_tiny_folder, *GREEDY, stdin=b"the cat\nthe d\xffg\na bird\n")
    assert result.stderr == "Warning: line 2: byte 6 is not UTF-8; replaced\n"
    texts = translator(["the cat", "the d\ufffdg", "a bird"], beam_size=1)
    assert result.stdout == "".join(f"{text}\n" for text in texts)


def test_lines_longer_than_what_is_read_at_once_stay_whole(run, saved_tiny_folder, monkeypatch, translator):
    monkeypatch.setattr("keras_attn.cli.translate.CHUNK", 5)
    result = run("translate", saved_tiny_folder, *GREEDY, stdin=b"the old dog\na\xff cat\nred")
    assert result.stdout.splitlines() == translator(["the old dog", "a\ufffd cat", "red"], beam_size=1)
    assert "line 2: byte 2" in result.stderr


def test_a_line_that_is_too_long_is_cut_with_a_warning(run, saved_tiny_folder):
    result = run("translate", saved_tiny_folder, *GREEDY, stdin=b"the cat " * 200)
    assert result.stderr.startswith("Warning: 1 of 1 lines had more than 255 sub-words")
    assert result.stdout.count("\n") == 1


def test_n_best_lists_have_number_score_and_text(run, saved_tiny_folder, translator):
    result = run("translate", saved_tiny_folder, "--n-best", 2, stdin=b"the cat\na dog\n")
    rows = [line.split("\t") for line in result.stdout.splitlines()]
    assert [row[0] for row in rows] == ["1", "1", "2", "2"]
    assert [rows[0][2], rows[2][2]] == translator(["the cat", "a dog"])
    assert float(rows[0][1]) >= float(rows[1][1])


def test_lines_are_numbered_from_the_first_to_the_last_of_a_long_input(run, saved_tiny_folder):
    lines = [b"the cat"] * 90
    lines[17] = lines[84] = b"the \xff cat"
    result = run("translate", saved_tiny_folder, *GREEDY, "--n-best", 1, stdin=b"\n".join(lines))
    assert [line.split("\t")[0] for line in result.stdout.splitlines()] == [str(i) for i in range(1, 91)]
    assert [line.split(":")[1] for line in result.stderr.splitlines()] == [" line 18", " line 85"]


def test_translations_are_what_the_options_ask_for(run, saved_tiny_folder, translator, tmp_path):
    (tmp_path / "terms.tsv").write_text("cat\tchien vert\n")
    options = [
        "--prefix",
        "un petit",
        "--min-length",
        8,
        "--no-repeat-ngram",
        2,
        "--glossary",
        tmp_path / "terms.tsv",
    ]
    result = run("translate", saved_tiny_folder, *options, stdin=b"the cat\nold dog\n")
    assert result.exit_code == 0
    first, second = result.stdout.splitlines()
    assert first.startswith("un petit") and " chien vert" in first
    assert second.startswith("un petit") and " chien vert" not in second


def test_word_scores_are_probabilities_of_the_words_and_the_end(run, saved_tiny_folder, translator):
    result = run("translate", saved_tiny_folder, *GREEDY, "--word-scores", stdin=b"the cat\n\n")
    first, empty = result.stdout.split("\n")[:2]
    text, probabilities = first.split("\t")
    (expected,) = translator.translate(["the cat"], 1, word_scores=True)
    assert text == expected.text
    assert [float(p) for p in probabilities.split()] == pytest.approx(
        [math.exp(p) for _, p in expected.words], abs=1e-4
    )
    assert empty == ""


def test_tags_are_in_the_translation(run, saved_tiny_folder, translator):
    result = run("translate", saved_tiny_folder, *GREEDY, "--tags", stdin=b"the <b>cat</b>\n")
    assert result.stdout.splitlines() == translate_marked(translator, ["the <b>cat</b>"], beam_size=1)
    assert "<b>" in result.stdout and "</b>" in result.stdout


def test_tags_of_an_n_best_list_are_a_mistake(run, saved_tiny_folder):
    result = run("translate", saved_tiny_folder, "--tags", "--n-best", 2, stdin=b"the <b>cat</b>\n")
    assert result.exit_code == 2
    assert "--tags places the tags of the best translation" in result.stderr


def test_several_folders_are_an_ensemble(run, saved_tiny_folder, translator):
    result = run("translate", saved_tiny_folder, saved_tiny_folder, *GREEDY, stdin=b"the cat\n")
    assert result.stdout.splitlines() == translator(["the cat"], beam_size=1)


def test_a_glossary_of_other_columns_is_a_mistake(run, saved_tiny_folder, tmp_path):
    (tmp_path / "terms.tsv").write_text("cat\n")
    result = run("translate", saved_tiny_folder, "--glossary", tmp_path / "terms.tsv", stdin=b"the cat\n")
    assert result.exit_code == 2
    assert "terms.tsv, line 1: expected a term, a tab and its translation" in result.stderr


def test_samples_differ_by_their_seed(run, saved_tiny_folder):
    sample = ["translate", saved_tiny_folder, "--sample", "--temperature", 2]
    one, two = (run(*sample, "--seed", seed, stdin=b"the cat\n" * 8).stdout for seed in (1, 2))
    assert one != two
    assert len(set(one.splitlines())) > 1


def test_samples_of_a_line_differ_wherever_it_stands_in_the_input(run, saved_tiny_folder):
    sample = ["translate", saved_tiny_folder, "--sample", "--temperature", 2]
    lines = run(*sample, stdin=b"the cat\n" * 32).stdout.splitlines()
    assert lines[:16] != lines[16:]  # the first block and the beginning of the second


def test_more_hypotheses_than_the_beam_keeps_are_a_mistake(run, saved_tiny_folder):
    result = run("translate", saved_tiny_folder, "--beam-size", 2, "--n-best", 3, stdin=b"the cat\n")
    assert result.exit_code == 2
    assert "n_best must be from 1 to the number of hypotheses that the search keeps, 2" in result.stderr


def test_broken_weights_are_a_mistake(run, model_folder):
    (model_folder / "model.weights.h5").write_bytes(b"")
    result = run("translate", model_folder, stdin=b"the cat\n")
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1 and "model.weights.h5 is damaged or was changed" in result.stderr


def test_a_line_is_translated_before_the_next_one_comes(start_script, saved_tiny_folder, translator):
    with start_script("translate", saved_tiny_folder, *GREEDY) as process:
        process.stdin.write("l'été\n".encode())
        process.stdin.flush()
        (text,) = translator(["l'été"], beam_size=1)
        assert process.stdout.readline().decode() == f"{text}\n"  # it would wait for ever
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=300) == 130
        assert process.stderr.read().strip() == b""  # nothing from TensorFlow, and no traceback


def test_a_reader_that_stops_is_no_error(start_script, saved_tiny_folder):
    with start_script("translate", saved_tiny_folder, *GREEDY) as process:
        process.stdout.close()
        process.stdin.write(b"the cat\n" * 100)
        process.stdin.close()
        assert process.stderr.read() == b""
