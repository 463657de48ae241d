import functools
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from keras_attn.cli.main import main
from keras_attn.inference.translator import Translator

KERAS_ATTN = Path(sys.executable).with_name("keras-attn")  # the installed console script


@pytest.fixture
def run():
    """Runs the command in this process: `.exit_code`, `.stdout`, `.stderr`."""

    def run(*arguments, stdin=b""):
        return CliRunner().invoke(main, [str(argument) for argument in arguments], input=stdin)

    return run


@pytest.fixture(scope="module")
def loaded_once():
    """A command finds what an earlier one has loaded from the same folder and compiled, so no test may change that folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Translator, "load", functools.cache(Translator.load))
        yield


@pytest.fixture
def console_script():
    """The installed command's path."""
    return KERAS_ATTN


@pytest.fixture
def start_script():
    """Starts the installed command, with pipes to its `.stdin`, `.stdout` and `.stderr`."""

    def start_script(*arguments):
        # Without what JAX, if it is there, puts into this process's environment.
        environment = {name: value for name, value in os.environ.items() if name != "TF_CPP_MIN_LOG_LEVEL"}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen(
            [KERAS_ATTN, *map(str, arguments)], **pipes, env=environment, preexec_fn=_heed_interrupts
        )

    return start_script


def _heed_interrupts():
    """A child of a background job would inherit that Ctrl-C is ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.fixture
def run_script(start_script):
    """Runs it to its end: `.returncode`, `.stdout`, `.stderr`."""

    def run_script(*arguments, stdin=b""):
        with start_script(*arguments) as process:
            stdout, stderr = process.communicate(stdin, timeout=120)
        return subprocess.CompletedProcess(arguments, process.returncode, stdout, stderr)

    return run_script


@pytest.fixture
def pair_files(tmp_path, source_lines, target_lines):
    """Ten lines of the source language and of the target language."""
    source, target = tmp_path / "ten.en", tmp_path / "ten.fr"
    source.write_text("".join(f"{line}\n" for line in source_lines[:10]))
    target.write_text("".join(f"{line}\n" for line in target_lines[:10]))
    return source, target


@pytest.fixture
def noted(monkeypatch):
    """Replaces a function, by its dotted name, by one that only notes what it is called with."""

    def noted(name, returns=None):
        calls = []

        def note(*arguments, **options):
            calls.append((arguments, options))
            return returns

        monkeypatch.setattr(name, note)
        return calls

    return noted
