"""`.tflite` files of strangers: each translates or is an error in words, in the package and in the Python client."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from batch import counts, in_place, outcomes, write_all
from damage import damaged
from litert import hostile_litert, without_sum
from texts import hostile_jsons

from keras_attn.storage.checksums import SUMS

pytestmark = pytest.mark.slow

# LiteRT runs these graphs unchecked, and some crash it. The client runs them in a copy of its process, which it has on Linux alone.
GRAPHS = "of the graphs"
LINUX = sys.platform == "linux"

CLIENT = """
import io, os, tempfile
sys.path.insert(0, {client!r})
import litert_translator

def read(path):
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        status = run(path, out.fileno(), errors.fileno())
        out.seek(0), errors.seek(0)
        out, errors = out.read().decode(), errors.read().decode().splitlines()
    if status:
        said = [line for line in errors if not line.startswith("INFO: ")]
        assert status == 2 and said[-1].startswith("Error: ") and all(map(str.isprintable, said)), said
        raise ValueError(said[-1])
    assert out.replace("\\n", "").replace("\\r", "").isprintable(), out
    return out

def run(path, *files):
    # With files as its output: it is the copy of this process that writes.
    sys.argv = ["litert_translator.py", str(path), *{options!r}]
    sys.stdin = io.TextIOWrapper(io.BytesIO(b"the cat\\n\\xff\\nthe dog sees a green house\\n"))
    ours = [os.dup(number) for number in (1, 2)]
    for number, file in enumerate(files, start=1):
        os.dup2(file, number)
    try:
        litert_translator.main()
    except SystemExit as end:
        return end.code
    finally:
        sys.stdout.flush()
        for number, file in enumerate(ours, start=1):
            os.dup2(file, number)
            os.close(file)
"""

LOOK = """
import warnings
warnings.simplefilter("ignore")
from keras_attn.export.runner import LiteRTTranslator

def look():
    return LiteRTTranslator(FOLDER)(["the cat", "\\xff", ""])
"""


@pytest.fixture(scope="module")
def export(tmp_path_factory, tiny_trained):
    from keras_attn.export.litert import export_litert

    folder = tmp_path_factory.mktemp("hostile") / "export"
    export_litert(tiny_trained, folder, precision="int8", source_length=8, max_length=8)
    (folder / SUMS).unlink()
    return folder


@pytest.fixture(scope="module")
def files(export, tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    return write_all(folder, hostile_litert((export / "model.tflite").read_bytes()), ".tflite")


def client(*options):
    return CLIENT.format(client=str(Path(__file__).parents[2] / "export" / "python"), options=options)


@pytest.mark.parametrize("options", [(), ("--stream",)], ids=["whole", "stream"])
def test_the_client_answers_or_refuses_hostile_files(files, options):
    assert len(files) > 300
    _, refused = counts(files, client(*options), may_crash=None if LINUX else GRAPHS)
    assert refused > 100


@pytest.mark.skipif(not LINUX, reason="elsewhere the client has no copy of its process")
def test_the_client_refuses_a_file_that_crashes_litert(files):
    (crashing,) = (path for path in files if "other operators" in path.name)
    ((kind, what),) = outcomes([crashing], client()).values()
    assert kind == "refused"
    assert what == f"Error: {crashing} cannot be used: it crashes LiteRT, or was killed (SIGSEGV)"


def test_the_package_answers_or_refuses_hostile_graphs(export, files):
    graphs = [path for path in files if "description" not in path.name and "archive" not in path.name]
    said = outcomes(graphs, in_place(export, "model.tflite", LOOK))
    assert said.pop(graphs[0].name)[0] == "read"
    (crashed,) = (what for name, what in said.items() if "other operators" in name)
    path = export / "model.tflite"
    assert crashed[0] == "refused" and crashed[1].startswith(f"{path} cannot be run: it crashes LiteRT")
    assert sum(kind == "refused" for kind, _ in said.values()) > 30


def test_the_package_answers_or_refuses_hostile_descriptions(export, tmp_path):
    good = json.loads((export / "model.json").read_text())
    paths = write_all(tmp_path, hostile_jsons(good), ".json")
    _, refused = counts(paths, in_place(export, "model.json", LOOK))
    assert refused > 30


def test_no_flipped_bit_of_a_file_with_its_sum_changes_a_translation(export, tmp_path):
    good = (export / "model.tflite").read_bytes()
    variants = [("good", good), *(each for each in damaged(good, cuts=1, flips=120) if "flipped" in each[0])]
    said = outcomes(write_all(tmp_path, variants, ".tflite"), client())
    (answer,) = {what for kind, what in said.values() if kind == "read"}
    assert answer.count("\n") == 3
    assert sum(kind == "refused" for kind, _ in said.values()) > 110


def test_a_sum_beside_the_file_is_compared_first(export, tmp_path):
    content = (export / "model.tflite").read_bytes()
    (tmp_path / "model.tflite").write_bytes(content)
    (tmp_path / "other.tflite").write_bytes(content)
    (tmp_path / SUMS).write_text(f"{'0' * 64}  model.tflite\n")
    said = outcomes([tmp_path / "model.tflite", tmp_path / "other.tflite"], client())
    assert said["model.tflite"][0] == "refused" and "its SHA-256 is another" in said["model.tflite"][1]
    assert said["other.tflite"][0] == "read"


def test_an_old_file_without_a_sum_is_read_with_a_warning(export, tmp_path):
    (tmp_path / "model.tflite").write_bytes(without_sum((export / "model.tflite").read_bytes()))
    program = Path(__file__).parents[2] / "export" / "python" / "litert_translator.py"
    run = subprocess.run(
        [sys.executable, program, tmp_path / "model.tflite"],
        input="the cat\n",
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0
    assert f"Warning: {tmp_path / 'model.tflite'} has no SHA-256, so damage may go unnoticed" in run.stderr
