"""Two processes on one machine train together as two hosts would; one of them is killed, and both are started again, also
with a damaged checkpoint."""

import dataclasses
import json
import os
import shutil
import signal
import socket
import subprocess
import sys

import numpy as np
import pytest

from keras_attn import config as configs
from keras_attn.corpora.phrasebook import generate
from keras_attn.storage.model_folder import load_model
from keras_attn.training.checkpoint import FILE, load_checkpoint

pytestmark = pytest.mark.slow

TIMES = {"training_seconds": 0, "tokens_per_second": 0}

# The command; this process is killed in its step of that number, counted from 1, or never with 0.
PROGRAM = """
import functools, os, signal, sys

last_step = int(sys.argv.pop(1))

import jax
import keras

# JAX waits 100 seconds before it takes a silent process for dead.
jax.distributed.initialize = functools.partial(jax.distributed.initialize, heartbeat_timeout_seconds=30)

steps, after_a_step = [], keras.callbacks.CallbackList.on_train_batch_end

def killed_after_the_last_step(self, batch, logs=None):
    after_a_step(self, batch, logs)
    steps.append(batch)
    if len(steps) == last_step:
        os.kill(os.getpid(), signal.SIGKILL)

keras.callbacks.CallbackList.on_train_batch_end = killed_after_the_last_step

from keras_attn.cli.main import main

main()
"""


@pytest.fixture
def phrasebook(tmp_path):
    """A small model of 160 sentences of the phrasebook, all of five words, so that batches have few shapes; ten in three rounds."""
    phrases = [
        each for each in generate(4000, seed=1) if len(each.source.split()) == len(each.target.split()) == 5
    ]
    for name, some in (("train", phrases[:160]), ("dev", phrases[160:166])):
        (tmp_path / f"{name}.tsv").write_text("".join(f"{each.source}\t{each.target}\n" for each in some))
    config = configs.load("configs/phrasebook.toml")
    small = dict.fromkeys(("embedding_dim", "decoder_units", "readout_units"), 8)
    data = {name: (str(tmp_path / f"{name}.tsv"),) for name in ("train", "dev")}
    config = dataclasses.replace(
        config,
        data=configs.DataConfig(source_language="en", target_language="es", **data),
        tokenizer=dataclasses.replace(config.tokenizer, kind="words"),
        model=dataclasses.replace(config.model, **small, encoder_units=4),
        training=dataclasses.replace(
            config.training, epochs=1, batch_size=16, evaluate_every=4, warmup_steps=2
        ),
    )
    (tmp_path / "config.toml").write_text(configs.to_toml(config), encoding="utf-8")
    return tmp_path / "config.toml"


@pytest.fixture
def start(phrasebook, tmp_path):
    """`start(folder, processes)`: that many processes of one training; the last one is killed after `last_step`."""
    started = []

    def start(folder, processes, last_step=0):
        with socket.socket() as free:
            free.bind(("localhost", 0))
            coordinator = f"localhost:{free.getsockname()[1]}"
        for process in range(processes):
            environment = {
                **os.environ,
                "KERAS_BACKEND": "jax",
                "CUDA_VISIBLE_DEVICES": "",
                # compiled quickly, and by the next process not again
                "JAX_DISABLE_MOST_OPTIMIZATIONS": "1",
                "JAX_COMPILATION_CACHE_DIR": str(tmp_path / "compiled"),
                "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
                "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
            }
            if processes > 1:
                environment |= {
                    "KERAS_ATTN_COORDINATOR": coordinator,
                    "KERAS_ATTN_PROCESSES": str(processes),
                    "KERAS_ATTN_PROCESS": str(process),
                }
            own = last_step if process == processes - 1 else 0
            command = [sys.executable, "-c", PROGRAM, str(own), "train", phrasebook, tmp_path / folder]
            started.append(
                subprocess.Popen(
                    command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
                )
            )
        return started[-processes:]

    yield start
    for process in started:
        process.kill()
        process.communicate()


def ended(processes):
    """Of each its exit status, and what it printed and said."""
    said = [process.communicate(timeout=500) for process in processes]
    return [(process.returncode, *each) for process, each in zip(processes, said, strict=True)]


def outcome(folder):
    state, values = load_checkpoint(folder)
    measured = [(one.step, one.loss, one.tokens, one.dev_bleu, one.dev_perplexity) for one in state.rounds]
    return [*(value for _, value in values), *load_model(folder).model.get_weights(), np.array(measured)]


def test_two_processes_train_as_one_does_and_end_the_same_after_a_kill(start, tmp_path):
    assert ended(start("one", 1))[0][0] == 0
    both = ended(start("two", 2))
    assert [code for code, *_ in both] == [0, 0], both
    first, second = (json.loads(printed[printed.index("{") :]) for _, printed, _ in both)  # Gloo prints, too
    assert {**first, **TIMES} == {**second, **TIMES}
    # another order of adding up
    for value, expected in zip(outcome(tmp_path / "two"), outcome(tmp_path / "one"), strict=True):
        np.testing.assert_allclose(value, expected, rtol=1e-3, atol=1e-4)

    (survivor, _, said), (killed, *_) = ended(start("broken", 2, last_step=9))
    assert killed == -signal.SIGKILL and survivor != 0, said
    assert [one.step for one in load_checkpoint(tmp_path / "broken")[0].rounds] == [4, 8]
    shutil.copytree(tmp_path / "broken", tmp_path / "damaged")
    (tmp_path / "damaged" / FILE).write_bytes(b"damaged")
    for folder in ("broken", "damaged"):
        both = ended(start(folder, 2))
        assert [code for code, *_ in both] == [0, 0], both
        assert ("resuming from the previous checkpoint" in both[0][2]) == (folder == "damaged")
        for value, expected in zip(outcome(tmp_path / folder), outcome(tmp_path / "two"), strict=True):
            np.testing.assert_array_equal(value, expected)
