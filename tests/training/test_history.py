import csv

from keras_attn.training.history import Round, tokens_per_second, write_csv


def rounds_with(*bleus):
    return [Round(10 * (i + 1), 1.0, 2.0, 0.001, bleu, 5.0, 300, 2.0) for i, bleu in enumerate(bleus)]


def test_speed_is_all_tokens_over_all_seconds():
    assert tokens_per_second(rounds_with(1.0, 2.0)) == 150.0


def test_the_log_keeps_six_digits(tmp_path):
    write_csv(tmp_path / "log.csv", rounds_with(12.3456))
    assert "12.3456" in (tmp_path / "log.csv").read_text()


def test_log_has_a_line_a_round_and_replaces_what_was_there(tmp_path):
    write_csv(tmp_path / "log.csv", rounds_with(1.0, 2.0, 3.0))
    write_csv(tmp_path / "log.csv", rounds_with(1.0, 2.5))
    with (tmp_path / "log.csv").open(newline="") as stream:
        lines = list(csv.DictReader(stream))
    assert [(line["step"], line["dev_bleu"]) for line in lines] == [("10", "1"), ("20", "2.5")]
