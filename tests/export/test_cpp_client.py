"""The client in `export/cpp`, built as its README says and compared with the Python client."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from keras_attn.corpora.phrasebook import generate
from keras_attn.export.litert import export_litert

ROOT = Path(__file__).parents[2]
CPP = ROOT / "export" / "cpp"
MODEL = ROOT / "saved_models" / "tatoeba-en-es-litert" / "model.tflite"
ODD = [
    "",
    "   ",
    "I love 😀.",
    "👩‍👩‍👧‍👦",
    "a\tb\x00c\x7f",
    "Ｆｕｌｌ ｗｉｄｔｈ, ﬁne",
    "e\u0301te\u0301 \u2028 \u202e",
    "Ελληνικά и русский 漢字",
    "Is it\rtrue?\r",
    "¿?",
    "x" * 300,
    "no " * 60,
    "where is the station " * 40,
    "😀" * 200,
]
BROKEN = [
    b"\xff",
    b"bad \xff\xfe byte \xe2\x82",
    b"\xed\xa0\x80 surrogate",
    b"\xc0\x80",
    b"caf\xe9",
    b"\xf0\x9f\x98",
]

MAIN_OF_ALL = """
int main(int, char** arguments) {
  for (const auto& each : Translator(arguments[1]).translate(arguments[2]))
    std::cout << each.score << "\\t" << each.truncated << "\\t" << each.unknown << "\\t" << each.text << "\\n";
}
"""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        shutil.which("g++") is None, reason="there is no g++ here to build the C++ client with"
    ),
]


def build(folder, source, *options):
    """The program that the README's two lines make of `source`."""
    lines = re.findall(r"^(?:litert=|g\+\+).*$", (CPP / "README.md").read_text(encoding="utf-8"), re.M)
    assert len(lines) == 2
    (folder / "translator.cpp").write_text(source)
    script = "\n".join(["set -e", *lines]).replace("g++", " ".join(["g++", *options]))
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    subprocess.run(["bash", "-c", script], cwd=folder, env=os.environ | {"PATH": path}, check=True)
    return folder / "translator"


@pytest.fixture(scope="module")
def translator(tmp_path_factory):
    source = (CPP / "translator.cpp").read_text(encoding="utf-8")
    return build(tmp_path_factory.mktemp("cpp"), source, "-Wall", "-Wextra", "-Werror")


@pytest.fixture(scope="module")
def all_translations(tmp_path_factory):
    """A program with a `main` of its own, which prints all translations of a text."""
    source, _ = (CPP / "translator.cpp").read_text(encoding="utf-8").split("int main(")
    return build(tmp_path_factory.mktemp("all"), source + MAIN_OF_ALL)


def run(program, file, lines):
    """The answers to lines of bytes, and its warnings."""
    text = b"".join(line + b"\n" for line in lines)
    done = subprocess.run([program, file], input=text, capture_output=True, check=True, timeout=300)
    answers = done.stdout.decode().split("\n")
    assert answers.pop() == ""
    return answers, [
        line for line in done.stderr.decode(errors="replace").splitlines() if line.startswith("Warning: ")
    ]


def test_it_says_what_the_python_client_says(translator, python_client):
    lines = [*(pair.source for pair in generate(46, split="test")), *ODD]
    expected = [python_client(MODEL)(line) for line in lines]
    answers, warnings = run(translator, MODEL, [line.encode() for line in lines])
    assert answers == [each.text for each in expected]
    assert len(lines) == 60 and len(set(answers)) > 40
    cut = [number for number, each in enumerate(expected, start=1) if each.truncated]
    unknown = [number for number, each in enumerate(expected, start=1) if each.unknown]
    assert [line for line in warnings if "longer than the file takes" in line] == [
        f"Warning: line {number} is longer than the file takes; its end is missing" for number in cut
    ]
    assert [line for line in warnings if "not in the vocabulary" in line] == [
        f"Warning: line {number} has something that is not in the vocabulary" for number in unknown
    ]
    assert cut and unknown


def test_bytes_that_are_not_utf8_go_into_the_file_as_they_are(translator, python_client):
    client = python_client(MODEL)
    expected = []
    for line in BROKEN:
        given = np.full(
            client.signatures["translate_text"].get_input_details()["text"]["shape"], -1, np.int32
        )
        given[0, : len(line)] = list(line)
        found = client.signatures["translate_text"](text=given)
        expected.append(bytes(found["text"][0, : found["lengths"][0]].tolist()).decode())
    answers, warnings = run(translator, MODEL, BROKEN)
    assert answers == expected
    assert len(warnings) == len(BROKEN)  # each has something unknown


def test_a_beam_gives_its_translations_best_first(all_translations, python_client, beam_of_three):
    for text in ("3 1 4", "", "Ω 9", "3 " * 5000):
        done = subprocess.run(
            [all_translations, beam_of_three, text], capture_output=True, text=True, check=True, timeout=120
        )
        found = [line.split("\t") for line in done.stdout.splitlines()]
        expected = python_client(beam_of_three).nbest(text)
        assert [each[1:] for each in found] == [
            [str(int(each.truncated)), str(int(each.unknown)), each.text] for each in expected
        ]
        assert [float(each[0]) for each in found] == pytest.approx(
            [each.score for each in expected], abs=1e-4
        )


def test_a_file_of_any_source_length_works(translator, python_client, digit_speller, tmp_path):
    export_litert(digit_speller, tmp_path / "digits", source_length=16, padded=False)
    lines = ["3 1 4 1 5 9", "3", "", "2 7"]
    answers, _ = run(translator, tmp_path / "digits" / "model.tflite", [line.encode() for line in lines])
    client = python_client(tmp_path / "digits" / "model.tflite")
    assert answers == [client(line).text for line in lines] and answers[1] == "three"


@pytest.mark.parametrize("content", [None, b"", b"not a model"], ids=["missing", "empty", "other"])
def test_a_file_of_another_kind_is_refused(translator, tmp_path, content):
    if content is not None:
        (tmp_path / "model.tflite").write_bytes(content)
    done = subprocess.run(
        [translator, tmp_path / "model.tflite"], input=b"", capture_output=True, timeout=120
    )
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode().splitlines()[-1].startswith("Error: ")


def test_a_call_without_a_file_says_what_was_expected(translator):
    done = subprocess.run([translator], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (2, "Error: expected one argument, the .tflite\n")
