"""The exported SavedModel in processes that know nothing of keras_attn."""

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
A_HANG = 300  # seconds; how fast the answers come is measured by the programs, not by tests
ALONE = 'import sys; sys.modules["keras_attn"] = None\n'  # importing it is now an error
COMMAND_LINE = (
    f"{ALONE}import tensorflow_text\nfrom tensorflow.python.tools.saved_model_cli import main\nmain()"
)
# What TensorFlow Serving does: a session on the graph, fed and fetched by the names in the signatures.
SESSION = f"""{ALONE}
import json, sys
import numpy as np, tensorflow as tf, tensorflow_text
as_text = lambda x: np.char.decode(x.astype(bytes), "utf-8") if x.dtype == object else x
with tf.compat.v1.Session(graph=tf.Graph()) as session:
    graph = tf.compat.v1.saved_model.loader.load(session, ["serve"], sys.argv[1])
    for name, inputs in json.loads(sys.argv[2]).items():
        signature = graph.signature_def[name]
        feed = {{signature.inputs[key].name: texts for key, texts in inputs.items()}}
        found = session.run({{key: info.name for key, info in signature.outputs.items()}}, feed)
        print(json.dumps({{key: as_text(found[key]).tolist() for key in sorted(found)}}))
"""


def python(code, *arguments):
    command = [sys.executable, "-I", "-c", code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_tensorflows_command_line_shows_its_signatures(saved_model):
    shown = python(COMMAND_LINE, "show", "--dir", saved_model[0], "--all")
    assert set(re.findall(r"signature_def\['(\w+)'\]", shown)) >= {
        "serving_default",
        "nbest",
        "align",
        "score",
    }
    assert re.search(r"outputs\['weights'\] tensor_info:\s+dtype: DT_FLOAT\s+shape: \(-1, -1, -1\)", shown)
    assert re.search(r"outputs\['translations'\] tensor_info:\s+dtype: DT_STRING\s+shape: \(-1, 4\)", shown)


def test_tensorflows_command_line_runs_it(saved_model, ask):
    options = ["--tag_set", "serve", "--signature_def", "serving_default", "--input_exprs", 'text=["3 1"]']
    printed = python(COMMAND_LINE, "run", "--dir", saved_model[0], *options)
    expected = ask("serving_default", text=["3 1"])["translation"][0]
    assert f"output key translation:\n[b'{expected}']" in printed


def test_a_session_like_that_of_tensorflow_serving_gives_the_same_answers(saved_model, ask):
    text = ["3 1 4", "", "1 5"]
    asked = {name: {"text": text} for name in ("serving_default", "nbest", "align")}
    asked["score"] = {"text": text, "translation": ["three", "", "one five"]}
    answers = python(SESSION, saved_model[0], json.dumps(asked)).splitlines()
    for (name, inputs), answer in zip(asked.items(), answers, strict=True):
        for key, values in ask(name, **inputs).items():
            found = json.loads(answer)[key]
            if isinstance(values, list):
                assert found == values
            else:
                np.testing.assert_allclose(found, values, atol=1e-4)


def test_hostile_text_gets_an_answer_or_an_error(saved_model):
    printed = python_script("hostile_saved_model.py", saved_model[0], "--count", 250, "--limit", A_HANG)
    assert "250 strings, 1000 calls, 0 failures" in printed


def test_sixteen_threads_at_once_get_the_answers_of_one(saved_model, digit_pairs, tmp_path):
    (tmp_path / "lines").write_text("\n".join(digit_pairs[0]))
    printed = python_script("concurrent_saved_model.py", saved_model[0], tmp_path / "lines", "--seconds", 1)
    answers = int(re.search(r"(\d+) answers, 0 different, 0 errors", printed)[1])
    assert answers >= 16


def python_script(name, *arguments):
    command = [sys.executable, "-E", "-s", str(BENCHMARKS / name), *map(str, arguments)]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr[-2000:]
    return result.stdout
