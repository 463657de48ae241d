"""A training that is killed at a given step and called again, beside one that nothing disturbs: each in processes of its own."""

import dataclasses
import signal
import subprocess
import sys

import numpy as np
import pytest

from keras_attn import config as configs
from keras_attn.storage.model_folder import load_model
from keras_attn.training.checkpoint import load_checkpoint

pytestmark = pytest.mark.slow

# What draws at random, all of it: words cut anew in every epoch, dropout, two passes with other dropout. 24 steps in 4 rounds of 6,
# which do not end where the epochs of 8 do.
DRAWING = {
    "epochs": 3,
    "evaluate_every": 6,
    "subword_sampling": 0.3,
    "r_drop": 1.0,
    "label_smoothing": 0.1,
    "ema_decay": 0.9,
    "schedule": "cosine",
    "warmup_steps": 4,
}
DROPPING = {
    "word_dropout": 0.1,
    "embedding_dropout": 0.1,
    "memory_dropout": 0.2,
    "attention_dropout": 0.1,
    "readout_dropout": 0.2,
}

# Trains; killed right after the given step of this process, counted from 1, or never with 0.
PROGRAM = """
import itertools, os, signal, sys

import keras

from keras_attn import config as configs
from keras_attn.training.fit import train

config, folder, last_step = sys.argv[1], sys.argv[2], int(sys.argv[3])
steps, after_a_step = itertools.count(1), keras.callbacks.CallbackList.on_train_batch_end

def killed_after_the_last_step(self, batch, logs=None):
    after_a_step(self, batch, logs)
    if next(steps) == last_step:
        os.kill(os.getpid(), signal.SIGKILL)

keras.callbacks.CallbackList.on_train_batch_end = killed_after_the_last_step
train(configs.load(config), folder)
"""


@pytest.fixture
def start(recipe, tmp_path):
    """`start(folder, last_step)`: the training in a process of its own."""
    config = recipe(**DRAWING)
    config = dataclasses.replace(config, model=dataclasses.replace(config.model, **DROPPING))
    (tmp_path / "config.toml").write_text(configs.to_toml(config), encoding="utf-8")
    started = []

    def start(folder, last_step=0):
        command = [sys.executable, "-c", PROGRAM, tmp_path / "config.toml", tmp_path / folder, str(last_step)]
        started.append(subprocess.Popen(command, stderr=subprocess.PIPE))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate()


def ended(process):
    """Its exit status, and what it wrote to stderr in case that it is another than expected."""
    _, said = process.communicate(timeout=300)
    return process.returncode, said.decode()


def outcome(folder):
    """What the same training must always end with: all variables, the best model, and what was measured."""
    state, values = load_checkpoint(folder)
    measured = [(one.step, one.loss, one.dev_bleu, one.dev_perplexity) for one in state.rounds]
    return [*(value for _, value in values), *load_model(folder).model.get_weights(), np.array(measured)]


def test_a_training_that_draws_in_every_way_and_is_killed_twice_ends_in_the_same_bits(start, tmp_path):
    unbroken, killed = start("unbroken"), start("killed", last_step=15)
    code, said = ended(killed)
    assert code == -signal.SIGKILL, said
    assert [one.step for one in load_checkpoint(tmp_path / "killed")[0].rounds] == [6, 12]
    code, said = ended(start("killed", last_step=2))  # within the round that is done again
    assert code == -signal.SIGKILL, said
    assert ended(start("killed"))[0] == ended(unbroken)[0] == 0
    for value, expected in zip(outcome(tmp_path / "killed"), outcome(tmp_path / "unbroken"), strict=True):
        np.testing.assert_array_equal(value, expected)
