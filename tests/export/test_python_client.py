"""The client in `export/python`, run as its readers run it: in a new virtual environment, from one file."""

import json
import re
import signal
import subprocess
import sys
import venv
from pathlib import Path

import numpy as np
import pytest

from keras_attn.export.litert import export_litert
from keras_attn.export.runner import LiteRTTranslator
from keras_attn.inference.translator import Translator

ROOT = Path(__file__).parents[2]
CLIENT, BENCHMARKS = ROOT / "export" / "python", ROOT / "benchmarks"
LINES = ["3 1", "", "  ", "Ω", "3 1 4 1 5 9", "a\tb\x00c", "3 " * 5000]

PROGRAM = """
import json, sys
from litert_translator import Translator

translator = Translator(sys.argv[1])
found = []
for line in json.load(sys.stdin):
    aligned = translator.align(line)
    found.append({
        "translation": translator(line),
        "nbest": translator.nbest(line),
        "stream": list(translator.stream(line)),
        "aligned": aligned.translation,
        "source": aligned.source,
        "target": aligned.target,
        "weights": aligned.weights.tolist(),
    })
json.dump({"found": found, "modules": sorted(sys.modules)}, sys.stdout)
"""


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """An interpreter with what the client's own requirements install, and nothing else."""
    folder = tmp_path_factory.mktemp("client") / "venv"
    venv.create(folder, with_pip=True)
    executable = folder / "bin" / "python"
    install = [executable, "-m", "pip", "install", "--quiet", "-r", CLIENT / "requirements.txt"]
    install += ["-c", ROOT / "constraints.txt"]
    subprocess.run(install, check=True, timeout=300)
    return executable


@pytest.fixture(scope="module", params=[True, False], ids=["fixed length", "any length"])
def exported(request, tmp_path_factory, digit_speller):
    folder = tmp_path_factory.mktemp("client") / "digits"
    export_litert(digit_speller, folder, source_length=16, padded=request.param)
    return folder


def run(python, file, lines):
    """What the client says of each line, and the modules it needed."""
    result = subprocess.run(
        [python, "-c", PROGRAM, file],
        input=json.dumps(lines),
        capture_output=True,
        text=True,
        cwd=CLIENT,
        timeout=120,
    )
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


@pytest.fixture(scope="module")
def said(python, exported, tmp_path_factory):
    """From a copy of the one file, with nothing beside it."""
    alone = tmp_path_factory.mktemp("alone") / "phone.tflite"
    alone.write_bytes((exported / "model.tflite").read_bytes())
    return run(python, alone, LINES)


def test_it_needs_neither_tensorflow_nor_keras(said):
    assert not {"tensorflow", "keras", "keras_attn", "sentencepiece"} & set(said["modules"])


def test_the_eight_lines_of_the_readme_translate(python, exported, tmp_path):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S)
    (lines,) = [block for block in blocks if "translate_text" in block]
    assert sum(bool(line.strip()) for line in lines.splitlines()) == 8
    (tmp_path / "phone").symlink_to(exported)
    program = lines.replace("A small dog runs across the grass.", "3 1")
    run = subprocess.run([python, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert run.stdout == "three one\n"


def test_it_says_what_the_export_says(said, exported):
    assert [each["translation"][0] for each in said["found"]] == LiteRTTranslator(exported)(LINES)


def test_what_the_vocabulary_does_not_know_is_said(said):
    assert [each["translation"][3] for each in said["found"]] == [
        line in ("Ω", "a\tb\x00c") for line in LINES
    ]


def test_sub_words_are_parts_of_the_text(said):
    for line, each in zip(LINES[:6], said["found"], strict=False):
        if each["source"]:
            assert "".join(each["source"][:-1]) == line
        assert "".join(part for part in each["target"] if part != "</s>") == each["aligned"][0]


def test_a_stream_grows_to_the_translation(said):
    for each in said["found"]:
        assert (each["stream"] or [""])[-1] == each["translation"][0]
    assert said["found"][0]["stream"][-1] == "three one"
    assert len(said["found"][0]["stream"]) > 1


def test_every_target_word_has_one_look_at_the_source(said):
    for each in said["found"]:
        text, score, *flags = each["aligned"]
        assert [text, *flags] == [each["translation"][0], *each["translation"][2:]]
        assert score == pytest.approx(each["translation"][1], abs=1e-5)  # another graph, rounded elsewhere
    first = said["found"][0]
    assert first["source"][-1] == first["target"][-1] == "</s>"
    assert [len(row) for row in first["weights"]] == [len(first["source"])] * len(first["target"])
    assert [sum(row) for row in first["weights"]] == pytest.approx([1.0] * len(first["target"]), abs=1e-5)


def test_a_line_without_words_gives_nothing(said):
    for each in said["found"][1:3]:
        assert each["translation"] == ["", 0.0, False, False]
        assert each["stream"] == each["source"] == each["weights"] == []


def test_input_that_was_cut_is_said_to_be_cut(said):
    assert [each["translation"][2] for each in said["found"]] == [False] * 6 + [True]


def test_a_beam_gives_its_hypotheses_best_first(python, beam_of_three, digit_speller):
    (found,) = run(python, beam_of_three, ["3 1 4"])["found"]
    (best,) = Translator.from_trained(digit_speller).translate(["3 1 4"], beam_size=3, n_best=3)
    expected = [best, *best.alternatives]
    assert [text for text, *_ in found["nbest"]] == [each.text for each in expected]
    assert [score for _, score, *_ in found["nbest"]] == pytest.approx(
        [each.score for each in expected], abs=1e-4
    )


def test_the_command_translates_lines(python, exported):
    for options in ([], ["--stream"]):
        command = [python, CLIENT / "litert_translator.py", exported / "model.tflite", *options]
        result = subprocess.run(command, input=b"3 1\n\n9\n", capture_output=True, timeout=120)
        lines = result.stdout.decode().split("\n")
        assert [line.rpartition("\r")[2] for line in lines] == ["three one", "", "nine", ""]


def test_hostile_text_ids_and_tensors_get_an_answer_or_an_error(python, exported):
    """Ten thousand are a matter of minutes: see the program. Here every kind comes once or more."""
    command = [python, BENCHMARKS / "hostile_litert.py", exported / "model.tflite", "--count", "150"]
    result = subprocess.run([*command, "--limit", "300"], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    assert re.search(r"2550 calls, \d+ refused, 0 failures", result.stdout)


@pytest.mark.parametrize("content", [None, b"", b"not a model"], ids=["missing", "empty", "other"])
def test_a_file_of_another_kind_is_refused_without_a_traceback(python, tmp_path, content):
    if content is not None:
        (tmp_path / "model.tflite").write_bytes(content)
    command = [python, CLIENT / "litert_translator.py", tmp_path / "model.tflite"]
    result = subprocess.run(command, input="", capture_output=True, text=True, timeout=120)
    assert result.returncode == 2
    assert result.stderr.startswith("Error: ")
    assert "Traceback" not in result.stderr


def test_the_folder_of_an_export_is_enough_and_utf_16_is_refused(python, beam_of_three):
    command = [python, CLIENT / "litert_translator.py", beam_of_three.parent]
    result = subprocess.run(command, input=b"3 1\n", capture_output=True, timeout=120)
    assert result.stdout == b"three one\n"
    result = subprocess.run(command, input="3 1\n".encode("utf-16"), capture_output=True, timeout=120)
    assert (result.returncode, result.stdout) == (2, b"")
    assert result.stderr.decode().endswith(
        "Error: the text is UTF-16: save it as UTF-8, or convert it with iconv -f UTF-16 -t UTF-8\n"
    )


@pytest.mark.parametrize("options", [[], ["--stream"]], ids=["whole", "stream"])
def test_bytes_that_are_not_utf8_are_replaced_and_reported_and_later_lines_are_answered(
    python, beam_of_three, options
):
    command = [python, CLIENT / "litert_translator.py", beam_of_three, *options]
    result = subprocess.run(
        command, input=b"3 1\n3\xff1\n\xff\xfe\n9\n\xe2\x82", capture_output=True, timeout=120
    )
    assert result.returncode == 0
    lines = [line.rpartition("\r")[2] for line in result.stdout.decode().split("\n")]
    assert (len(lines), lines[0], lines[3]) == (6, "three one", "nine")
    assert result.stderr.decode().splitlines()[-3:] == [
        "Warning: line 2: byte 2 is not UTF-8; replaced",
        "Warning: line 3: byte 1 is not UTF-8; replaced",
        "Warning: line 5: byte 1 is not UTF-8; replaced",
    ]


def test_only_line_feeds_end_lines(python, beam_of_three):
    command = [python, CLIENT / "litert_translator.py", beam_of_three]
    lines = "3\r1\u2028 4\x0b\x0c\x85\n9\r\n".encode()
    result = subprocess.run(command, input=lines, capture_output=True, timeout=120, check=True)
    assert result.stdout.count(b"\n") == 2


def test_a_closed_standard_input_is_nothing_to_translate(python, beam_of_three):
    command = f"exec '{python}' litert_translator.py '{beam_of_three}' <&-"
    result = subprocess.run(["sh", "-c", command], capture_output=True, cwd=CLIENT, timeout=120)
    assert (result.returncode, result.stdout, result.stderr) == (0, b"", b"")


@pytest.mark.parametrize("options", [[], ["--stream"]], ids=["whole", "stream"])
def test_a_reader_that_stops_is_no_error(python, beam_of_three, options):
    command = [python, CLIENT / "litert_translator.py", beam_of_three, *options]
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen(command, **pipes) as process:
        process.stdout.close()
        process.stdin.write(b"3 1\n" * 20)
        process.stdin.close()
        said = process.stderr.read().decode()
    assert process.returncode == 0
    assert "Traceback" not in said and "BrokenPipe" not in said


@pytest.fixture(scope="module")
def three_best(python_client, beam_of_three):
    """The client in this process, with a file that gives its three best."""
    return python_client(str(beam_of_three))


def test_slots_that_the_search_left_empty_are_no_translations(three_best):
    assert three_best.nbest("") == [("", 0.0, False, False)]
    assert len(three_best.nbest("3 1")) == 3


@pytest.mark.parametrize(
    ("line", "flags"), [("3 1", (False, False)), ("3 Ω", (False, True)), ("3 " * 20, (True, False))]
)
def test_an_alignment_is_flagged_as_its_translation_is(three_best, line, flags):
    assert three_best.align(line).translation[2:] == three_best(line)[2:] == flags


def test_the_sub_words_of_a_text_that_was_cut_end_where_the_file_stopped_reading(three_best):
    assert three_best.align("3 " * 40).source == ["3", *[" 3"] * 14, "</s>"]  # 16 ids, the end included
    assert three_best.align("3 1" + " " * 200).source == ["3", " 1" + " " * 124, "</s>"]  # 127 bytes


def test_a_stream_says_neither_padding_nor_the_beginning(three_best, monkeypatch):
    step, expected = three_best.signatures["step"], list(three_best.stream("3 1 4"))

    def eager(**tensors):
        found = step(**tensors)
        log_probs = found["log_probs"].copy()
        log_probs[:, [0, 2]] = 1.0
        return {**found, "log_probs": log_probs}

    monkeypatch.setitem(three_best.signatures, "step", eager)
    assert list(three_best.stream("3 1 4")) == expected


def test_a_stream_ends_at_the_limit_that_encode_tells(three_best, monkeypatch):
    encode, whole = three_best.signatures["encode"], list(three_best.stream("3 1 4"))
    limited = lambda **tensors: {**encode(**tensors), "limit": np.array([2], np.int32)}  # noqa: E731
    monkeypatch.setitem(three_best.signatures, "encode", limited)
    assert list(three_best.stream("3 1 4")) == whole[:2] != whole


def test_the_client_has_as_many_threads_as_it_is_told(python_client, beam_of_three, monkeypatch):
    made, names = [], python_client.__init__.__globals__
    interpreter = names["Interpreter"]

    def noted(path, num_threads):
        made.append(num_threads)
        return interpreter(path, num_threads=num_threads)

    monkeypatch.setitem(names, "Interpreter", noted)
    python_client(str(beam_of_three))
    python_client(str(beam_of_three), 2)
    assert made == [1, 2]


def test_the_command_passes_its_threads_on(python_client, monkeypatch, capfd):
    def noted(*arguments):
        raise ValueError(f"given {arguments}")

    names = python_client.__init__.__globals__
    handlers = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    monkeypatch.setitem(names, "Translator", noted)
    for options in ([], ["--threads", "3"]):
        monkeypatch.setattr("sys.argv", ["litert_translator.py", "model.tflite", *options])
        with pytest.raises(SystemExit):
            names["main"]()
    said = capfd.readouterr().err.splitlines()
    assert said == ["Error: given ('model.tflite', 1)", "Error: given ('model.tflite', 3)"]
    assert handlers == [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]


@pytest.mark.parametrize("number", ["0", "99999999999", "two"])
def test_a_number_of_threads_that_cannot_be_is_refused_in_a_line(python_client, monkeypatch, capfd, number):
    monkeypatch.setattr("sys.argv", ["litert_translator.py", "model.tflite", "--threads", number])
    with pytest.raises(SystemExit, match="2"):
        python_client.__init__.__globals__["main"]()
    said = capfd.readouterr().err.splitlines()[-1]
    assert said.endswith(f"argument --threads: expected a number from 1 to 1024, got '{number}'")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere it has no copy")
def test_what_goes_wrong_in_the_copy_is_not_silent(python_client, monkeypatch, capfd):
    def fail(*arguments):
        raise TypeError("unforeseen")

    names = python_client.__init__.__globals__
    monkeypatch.setitem(names, "Translator", fail)
    monkeypatch.setattr("sys.argv", ["litert_translator.py", "model.tflite"])
    with pytest.raises(SystemExit, match="1"):
        names["main"]()
    assert "TypeError: unforeseen" in capfd.readouterr().err


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere it has no copy")
@pytest.mark.parametrize(("how", "status"), [("SIGTERM", 128 + 15), ("SIGKILL", -9)])
def test_whoever_ends_the_program_ends_the_copy_that_translates(python, exported, how, status):
    command = [python, CLIENT / "litert_translator.py", exported / "model.tflite"]
    program = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    program.stdin.write(b"3 1\n")
    program.stdin.flush()
    assert program.stdout.readline() == b"three one\n"
    program.send_signal(signal.Signals[how])
    assert program.wait(60) == status
    assert program.stdout.read() == b""  # its end: nobody can write any more
    assert b"Error" not in program.stderr.read()
