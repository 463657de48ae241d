"""`keras-attn translate` by the engine that a model folder has."""

import shutil
import signal
import subprocess
import sys

import pytest

from keras_attn.storage import packaged
from keras_attn.storage.engine_file import read_engine
from keras_attn.storage.model_folder import update_metrics

MODEL = "tatoeba-en-es"
STDIN = "".join(f"Tom has {n} books.\n" for n in range(1, 41)).encode()


@pytest.fixture
def folder(tmp_path):
    """A copy of a packaged model, which has an engine."""
    return shutil.copytree(packaged.folder(MODEL), tmp_path / "model")


def test_a_sentence_is_translated_without_tensorflow_or_keras():
    code = (
        "import sys, keras_attn.cli.main as c\n"
        "try: c.main(['translate', 'tatoeba-en-es'])\n"
        "finally: print([m for m in ('tensorflow', 'keras', 'jax', 'torch') if m in sys.modules])"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], input="Where is the station?\n", capture_output=True, text=True
    )
    assert run.stdout == "¿Dónde está la estación?\n[]\n"
    assert run.stderr == ""


def test_several_processes_keep_the_order(run):
    stdin = STDIN + b"The \xff.\n"
    alone = run("translate", MODEL, "--beam-size", 1, stdin=stdin)
    together = run("translate", MODEL, "--beam-size", 1, "--workers", 2, stdin=stdin)
    assert together.exit_code == 0, together.stderr
    assert together.stdout == alone.stdout and alone.stdout.count("\n") == 41
    assert together.stderr == alone.stderr == "Warning: line 41: byte 5 is not UTF-8; replaced\n"


def test_what_the_engine_lacks_is_refused_where_it_was_asked_for(run):
    result = run("translate", MODEL, "--engine", "int8", "--beam-size", 3, stdin=b"Hello.\n")
    assert result.exit_code == 2
    assert "it has beams of 1 and 5, not of 3. Use the engine keras" in result.stderr


@pytest.mark.slow
def test_what_the_engine_lacks_is_done_by_keras_with_a_word(run):
    result = run("translate", MODEL, "--prefix", "Me gusta", stdin=b"I like the sea.\n")
    assert result.stdout.startswith("Me gusta")
    assert "Warning: translating with Keras, which takes longer to start" in result.stderr


def test_a_damaged_engine_is_refused_before_it_runs(run, folder):
    content = bytearray((folder / "engine.zip").read_bytes())
    content[1000] ^= 1
    (folder / "engine.zip").write_bytes(content)
    result = run("translate", folder, stdin=b"Hello.\n")
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1 and "engine.zip is damaged or was changed" in result.stderr


def test_an_engine_stays_beside_new_metrics(folder):
    update_metrics(folder, {"note": 1})
    assert read_engine(folder, "float32") is not None


def test_an_engine_of_other_weights_counts_as_missing(folder, monkeypatch):
    monkeypatch.setattr("keras_attn.storage.engine_file.check_folder_sums", lambda *_: None)
    sums = (folder / "SHA256SUMS").read_text().splitlines()
    others = ["0" * 64 + line[64:] if line.endswith("model.weights.h5") else line for line in sums]
    (folder / "SHA256SUMS").write_text("\n".join(others) + "\n")
    assert read_engine(folder, "float32") is None


@pytest.mark.parametrize(("how", "status"), [("SIGINT", 130), ("SIGTERM", 128 + 15), ("SIGKILL", -9)])
def test_whoever_ends_the_command_ends_the_process_that_runs_the_engine(folder, how, status):
    translate = subprocess.Popen(
        [sys.executable, "-m", "keras_attn", "translate", folder],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # Whoever runs these tests in the background may have had all of them ignore it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    translate.stdin.write(b"Where is the station?\n")
    translate.stdin.flush()
    assert translate.stdout.readline().decode() == "¿Dónde está la estación?\n"
    translate.send_signal(signal.Signals[how])
    assert translate.wait(60) == status
    # Their ends: nobody can write any more.
    assert translate.stdout.read() == b""
    assert translate.stderr.read().strip() == b""
