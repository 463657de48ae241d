import csv
import dataclasses

from keras_attn.training.history import Round, tokens_per_second, write_csv


def rounds_with(*bleus):
    return [Round(10 * (i + 1), 1.0, 2.0, 0.001, bleu, 5.0, 300, 2.0) for i, bleu in enumerate(bleus)]


def test_speed_is_all_tokens_over_all_seconds():
    assert tokens_per_second(rounds_with(1.0, 2.0)) == 150.0
    first, second = rounds_with(1.0, 2.0)
    slow = dataclasses.replace(second, tokens=900, seconds=10.0)
    assert tokens_per_second([first, slow]) == 1200 / 12


def test_the_log_keeps_six_digits(tmp_path):
    write_csv(tmp_path / "log.csv", rounds_with(12.3456))
    assert "12.3456" in (tmp_path / "log.csv").read_text()


def test_the_log_leaves_open_what_an_older_version_did_not_measure(tmp_path):
    write_csv(tmp_path / "log.csv", rounds_with(12.3456))
    header, line = (tmp_path / "log.csv").read_text().splitlines()
    assert dict(zip(header.split(","), line.split(","), strict=True)) == {
        **{"step": "10", "epoch": "1", "loss": "2", "learning_rate": "0.001", "dev_bleu": "12.3456"},
        **{"dev_perplexity": "5", "tokens": "300", "seconds": "2"},
        **dict.fromkeys(("dev_chrf", "dev_exact", "dev_cer", "dev_wer", "dev_seconds"), ""),
    }


def test_log_has_a_line_a_round_and_replaces_what_was_there(tmp_path):
    write_csv(tmp_path / "log.csv", rounds_with(1.0, 2.0, 3.0))
    write_csv(tmp_path / "log.csv", rounds_with(1.0, 2.5))
    with (tmp_path / "log.csv").open(newline="") as stream:
        lines = list(csv.DictReader(stream))
    assert [(line["step"], line["dev_bleu"]) for line in lines] == [("10", "1"), ("20", "2.5")]
