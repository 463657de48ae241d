"""Graphs in a process of their own: the same answers, and whatever becomes of it, the next call has its own answer."""

import gc
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from keras_attn.inference import graphs
from keras_attn.inference.graphs import load_graphs

FILE = Path(__file__).parents[2] / "saved_models" / "cmudict-litert" / "model.tflite"
SIGNATURE = "translate_text"


@pytest.fixture(scope="module")
def content():
    return FILE.read_bytes()


@pytest.fixture
def isolated(content):
    loaded = load_graphs(content, isolated=True)
    loaded.open(SIGNATURE)
    return loaded


@pytest.fixture(scope="module")
def local(content):
    loaded = load_graphs(content, isolated=False)
    loaded.open(SIGNATURE)
    return loaded


@pytest.fixture(scope="module")
def say(local):
    """The sounds of a word by some graphs."""
    shape = local._runners[SIGNATURE].get_input_details()["text"]["shape"]

    def say(graphs, word):
        text = np.full(shape, -1, np.int32)
        text[0, : len(word)] = list(word.encode())
        outputs = graphs.run(SIGNATURE, text=text)
        return outputs["text"][0, : outputs["lengths"][0]].astype(np.uint8).tobytes().decode()

    return say


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()


def ends(pid):
    deadline = time.monotonic() + 60
    while is_alive(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not is_alive(pid)


def test_outputs_are_those_of_the_same_graph_in_this_process(isolated, local):
    text = np.full([1, *local._runners[SIGNATURE].get_input_details()["text"]["shape"][1:]], -1, np.int32)
    text[0, :3] = list(b"cat")
    here, there = local.run(SIGNATURE, text=text), isolated.run(SIGNATURE, text=text)
    assert there.keys() == here.keys()
    for name, array in here.items():
        assert array.dtype == there[name].dtype
        np.testing.assert_array_equal(there[name], array)


@pytest.mark.parametrize("which", ["isolated", "local"])
def test_what_cannot_be_run_is_a_value_error_and_the_next_call_is_answered(which, request, say):
    loaded = request.getfixturevalue(which)
    with pytest.raises(ValueError, match="nothing"):
        loaded.open("nothing")
    with pytest.raises(ValueError, match="Invalid Input name"):
        loaded.run(SIGNATURE, other=np.zeros(1, np.int32))
    assert say(loaded, "cat") == "K AE1 T"


@pytest.mark.parametrize("which", [True, False])
def test_what_is_no_tflite_is_a_value_error(which):
    with pytest.raises(ValueError):
        load_graphs(b"no graph" * 1000, isolated=which).open(SIGNATURE)


def test_a_killed_process_is_a_value_error_and_the_next_call_starts_another(isolated, say):
    before = isolated._process.pid
    os.kill(before, signal.SIGKILL)
    with pytest.raises(
        ValueError, match=r"it crashes LiteRT, or the process that runs it was killed \(SIGKILL\)"
    ):
        say(isolated, "cat")
    assert say(isolated, "dog") == "D AO1 G"
    assert isolated._process.pid != before and not is_alive(before)


def test_another_process_first_runs_what_the_first_one_did(isolated, monkeypatch):
    text = np.full([1, 320], -1, np.int32)
    asked = []
    send = graphs._send
    monkeypatch.setattr(
        graphs,
        "_send",
        lambda stream, head, arrays: (asked.append((head, [*arrays])), send(stream, head, arrays)),
    )
    isolated.open(SIGNATURE, text=text)
    isolated._stop()
    isolated.run(SIGNATURE, text=text)
    opened, ran = (["open", SIGNATURE], ["text"]), (["run", SIGNATURE], ["text"])
    assert asked == [opened, opened, ran]


def test_an_interrupted_call_leaves_no_answer_for_the_next_one(isolated, say, monkeypatch):
    receive = graphs._receive

    def interrupt(stream):
        raise KeyboardInterrupt

    monkeypatch.setattr(graphs, "_receive", interrupt)
    with pytest.raises(KeyboardInterrupt):
        say(isolated, "cat")
    monkeypatch.setattr(graphs, "_receive", receive)
    assert say(isolated, "dog") == "D AO1 G"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning", "ignore:os.fork:RuntimeWarning")
def test_a_fork_has_a_process_of_its_own(isolated, say):
    assert say(isolated, "cat") == "K AE1 T"
    child = os.fork()
    if child == 0:
        os._exit(0 if say(isolated, "dog") == "D AO1 G" else 1)
    assert say(isolated, "fish") == "F IH1 SH"
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert say(isolated, "cat") == "K AE1 T"


def test_the_process_ends_with_the_graphs(content):
    loaded = load_graphs(content, isolated=True)
    loaded.open(SIGNATURE)
    pid = loaded._process.pid
    del loaded
    gc.collect()
    assert not is_alive(pid)


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs /proc")
def test_the_process_ends_with_one_that_is_killed():
    code = f"""
from pathlib import Path
from keras_attn.inference.graphs import load_graphs
loaded = load_graphs(Path({str(FILE)!r}).read_bytes(), isolated=True)
loaded.open({SIGNATURE!r})
print(loaded._process.pid, flush=True)
input()
"""
    owner = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    pid = int(owner.stdout.readline())
    assert is_alive(pid)
    owner.kill()
    owner.communicate()
    assert ends(pid)


@pytest.mark.parametrize("which", ["isolated", "local"])
def test_threads_get_their_own_answers(which, request, say):
    graphs = request.getfixturevalue(which)
    words = ["cat", "house", "knight", "psalm"]
    expected = {word: say(graphs, word) for word in words}
    assert len(set(expected.values())) == len(words)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(partial(say, graphs), words * 50))
    assert found == [expected[word] for word in words * 50]
