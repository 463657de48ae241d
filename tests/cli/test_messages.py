"""What a stranger wrote does nothing to the terminal that shows it in a message."""

import os
import pty
import subprocess

import pytest

from keras_attn.cli import messages
from keras_attn.cli.messages import one_line


@pytest.mark.parametrize(
    "character", ["\x00", "\x07", "\x08", "\x1b", "\x7f", "\x9b", "\u202e", "\u200b", "\ud800", "\U000e0041"]
)
def test_a_character_that_does_not_print_is_replaced(character):
    assert one_line(f"a{character}b") == "a\ufffdb"


def test_text_of_any_script_stays_as_it_is():
    text = "l'été, 日本語, עברית, 😀, e\u0301"
    assert one_line(text) == text


def test_several_lines_become_one():
    assert one_line("expected this\r\n\t got\u2028that ") == "expected this got that"


def test_a_message_says_on_stderr_what_it_is(capsys):
    messages.error("no\nfile"), messages.warning("cut"), messages.note("faster")
    assert capsys.readouterr() == ("", "Error: no file\nWarning: cut\nNote: faster\n")


def test_probabilities_are_those_of_natural_logarithms():
    assert messages.probabilities([("a", 0.0), ("b", -1.0), ("c", -20.0)]) == "1.0000 0.3679 0.0000"


def test_of_a_huge_message_the_beginning_is_shown():
    assert one_line("x" * 4000) == "x" * 4000
    assert one_line("x" * 4001) == "x" * 4000 + " ..."


def said_to_a_terminal(*command):
    """What a command writes to stderr where that is a terminal, which click would not strip of escapes."""
    outer, inner = pty.openpty()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=inner)
    os.close(inner)
    said = b""
    try:
        while some := os.read(outer, 4096):
            said += some
    except OSError:  # Linux's way of saying that the other side is closed
        pass
    os.close(outer)
    return process.wait(), said.decode()


def test_a_config_s_escapes_do_not_reach_the_terminal(console_script, tmp_path):
    (tmp_path / "config.toml").write_text(
        '[model]\ncell = "l\\u001b[2J\\u009b31m"\n"\\u001b]0;owned\\u0007" = 1\n'
    )
    for overrides in ([], ["--set", "training.ep\x1b[2Jochs=3"]):
        code, said = said_to_a_terminal(
            console_script, "train", tmp_path / "config.toml", tmp_path / "run", *overrides
        )
        assert code == 2
        assert said.startswith("Error: ") and said.removesuffix("\r\n").isprintable()


@pytest.mark.slow
@pytest.mark.parametrize("closed", ["<&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_standard_streams_are_no_traceback(console_script, model_folder, tmp_path, closed):
    (tmp_path / "lines").write_text("the cat\n")
    command = f"'{console_script}' translate '{model_folder}' --beam-size 1 < '{tmp_path / 'lines'}' {closed}"
    run = subprocess.run(["sh", "-c", command], capture_output=True, text=True)
    if "<&-" in closed:
        assert run.returncode == 2
        assert run.stderr in (
            "",
            "Error: standard input is closed: expected lines to translate. See 'keras-attn translate --help'.\n",
        )
    else:
        assert (run.returncode, run.stdout.count("\n"), run.stderr) == (0, 1, "")
