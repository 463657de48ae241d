"""The Kotlin client of `export/android`, unchanged, on a desktop JVM and LiteRT's C library (`jvm/`)."""

import json
import shutil
import subprocess
from pathlib import Path

import ai_edge_litert
import pytest

from keras_attn.corpora.phrasebook import generate

JVM = Path(__file__).with_name("jvm")
MODEL = Path(__file__).parents[2] / "saved_models" / "tatoeba-en-es-litert" / "model.tflite"
ODD = ["", "I love 😀.", "a\tb\x00c", "Ｆｕｌｌ ｗｉｄｔｈ", "\ud800 alone", "no " * 60, "😀" * 200]

MISSING = [program for program in ("g++", "javac", "kotlinc") if shutil.which(program) is None]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        bool(MISSING), reason=f"to build the Kotlin client for a JVM there is no {', '.join(MISSING)} here"
    ),
]


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("jvm")
    subprocess.run([JVM / "build.sh", folder, ai_edge_litert.__path__[0]], check=True, timeout=600)
    return folder / "run"


def said(program, file, lines, tmp_path):
    (tmp_path / "texts.json").write_text(json.dumps(lines))
    done = subprocess.run(
        [program, file, tmp_path / "texts.json"], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_it_says_what_the_python_client_says(program, python_client, tmp_path):
    lines = [*(pair.source for pair in generate(13, split="test")), *ODD]
    client = python_client(MODEL)
    found = said(program, MODEL, lines, tmp_path)
    for line, each in zip(lines, found, strict=True):
        for (text, score, *flags), expected in zip(each["translations"], client.nbest(line), strict=True):
            assert (text, flags) == (expected.text, [expected.truncated, expected.unknown])
            assert score == pytest.approx(expected.score, abs=1e-4)
        assert each["stream"] == list(client.stream(line))
    assert len(lines) == 20


def test_a_beam_gives_its_translations_best_first(program, python_client, beam_of_three, tmp_path):
    lines = ["3 1 4", "Ω 9", ""]
    client = python_client(beam_of_three)
    for line, each in zip(lines, said(program, beam_of_three, lines, tmp_path), strict=True):
        assert [[text, *flags] for text, _, *flags in each["translations"]] == [
            [text, *flags] for text, _, *flags in client.nbest(line)
        ]
