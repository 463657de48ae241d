"""Trainings on several logical devices of one CPU, each in a process of its own, beside the same training on one device."""

import dataclasses
import json
import os
import random
import subprocess
import sys

import numpy as np
import pytest

from keras_attn import config as configs
from keras_attn.config import ConfigError
from keras_attn.data.pipeline import Share
from keras_attn.training.checkpoint import load_checkpoint
from keras_attn.training.devices import Devices, find_devices

# Trains on so many devices, up to the end or up to the given round, and writes the loss of every step.
PROGRAM = """
import json, sys

devices, config, folder, rounds, output = int(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5]

import keras

if keras.backend.backend() == "jax":
    import jax

    jax.config.update("jax_num_cpu_devices", devices)
else:
    import tensorflow as tf

    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * devices)

from keras_attn import config as configs
from keras_attn.training.fit import train


class Losses(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.found, self.rounds = [], 0

    def on_train_batch_end(self, batch, logs):
        self.found.append(float(logs["loss"]))

    def on_epoch_end(self, epoch, logs):
        self.rounds += 1
        self.model.stop_training = self.model.stop_training or self.rounds == rounds


losses = Losses()
train(configs.load(config), folder, callbacks=[losses])
with open(output, "w") as stream:
    json.dump(losses.found, stream)
"""


@pytest.fixture
def pairs(tmp_path):
    """120 pairs of three or of five words, so that there are two shapes of batches; and a few to evaluate on."""
    draw = random.Random(3)
    for name, counts in (("train", {3: 63, 5: 57}), ("dev", {3: 6})):
        sources = [
            draw.choices(["ba", "be", "bi", "bo", "bu", "da", "de", "di"], k=k)
            for k in counts
            for _ in range(counts[k])
        ]
        lines = [f"{' '.join(words)}\t{' '.join(words[::-1]).upper()}\n" for words in sources]
        (tmp_path / f"{name}.tsv").write_text("".join(lines))
    return [f"data.{name}=['{tmp_path}/{name}.tsv']" for name in ("train", "dev")]


@pytest.fixture
def run(recipe, pairs, tmp_path):
    """`run(backend, devices, folder)`: the losses of the steps, and the variables at the end; 20 steps in two rounds."""

    def run(backend, devices, folder, *, rounds=0, overrides=(), without_dropout=True):
        config = recipe(epochs=1, evaluate_every=10, batch_size=6, label_smoothing=0.1, best_by="loss")
        if without_dropout:  # which draws the same for every device's rows
            plain = dataclasses.replace(config.model, embedding_dropout=0.0, readout_dropout=0.0)
            config = dataclasses.replace(config, model=plain)
        config = configs.override(config, [*pairs, "tokenizer.kind=words", *overrides])
        (tmp_path / "config.toml").write_text(configs.to_toml(config), encoding="utf-8")
        output = tmp_path / "losses.json"
        command = [sys.executable, "-c", PROGRAM, str(devices), tmp_path / "config.toml", tmp_path / folder]
        done = subprocess.run(
            [*command, str(rounds), output],
            # JAX compiles for longer than it trains; it computes the same without most of what makes it fast.
            env={**os.environ, "KERAS_BACKEND": backend, "JAX_DISABLE_MOST_OPTIMIZATIONS": "1"},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        values = [value for _, value in load_checkpoint(tmp_path / folder)[1]]
        return json.loads(output.read_text()), values

    return run


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["tensorflow", "jax"])
def test_two_and_four_devices_give_the_losses_of_one(run, backend):
    """Of batches of six pairs, which four devices do not divide: the last of them has no pair."""
    one, _ = run(backend, 1, "one")
    assert len(one) == 20
    for devices in (2, 4):
        several, _ = run(backend, devices, str(devices))
        np.testing.assert_allclose(several, one, atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["tensorflow", "jax"])
def test_two_devices_end_with_the_same_model_when_they_are_interrupted(run, backend):
    _, unbroken = run(backend, 2, "unbroken", without_dropout=False)
    first, _ = run(backend, 2, "broken", rounds=1, without_dropout=False)
    second, again = run(backend, 2, "broken", without_dropout=False)
    assert (len(first), len(second)) == (10, 10)
    for value, expected in zip(again, unbroken, strict=True):
        np.testing.assert_array_equal(value, expected)


@pytest.mark.parametrize("count", [0, 99])
def test_no_devices_and_more_than_there_are_are_refused(count):
    with pytest.raises(
        ConfigError, match=rf"training.devices = {count}, and Keras finds \d+ on \w+: set it to 'auto'"
    ):
        find_devices(configs.TrainingConfig(devices=count))


def test_a_process_takes_its_own_rows_of_a_batch_that_all_devices_share():
    assert Devices().share == Share(1, 0, 1)
    assert Devices(count=6, process=1, processes=3).share == Share(multiple=6, index=1, count=3)
    assert Devices(count=6, process=1, processes=3).share.rows(10) == slice(4, 8)  # of 12


@pytest.mark.skipif(os.environ.get("KERAS_BACKEND", "tensorflow") != "tensorflow", reason="others always do")
@pytest.mark.parametrize(
    ("asked", "accelerators", "mirrored", "compiles"),
    [
        ("auto", False, False, False),
        ("auto", True, False, True),
        ("auto", True, True, False),
        (True, False, False, True),
        (False, True, False, False),
    ],
)
def test_on_tensorflow_auto_compiles_for_a_single_accelerator(asked, accelerators, mirrored, compiles):
    devices = Devices(distribution=object() if mirrored else None, accelerators=accelerators)
    training = configs.TrainingConfig(jit_compile=asked, steps_per_execution=5)
    assert devices.compile_options(training) == {"jit_compile": compiles, "steps_per_execution": 5}


def test_several_devices_do_what_a_plain_config_asks_for_and_a_single_one_does_everything():
    Devices(2, distribution=object()).check(configs.TrainingConfig())
    everything = {"jit_compile": True, "gradient_accumulation": 2, "mixed_precision": "mixed_float16"}
    Devices().check(configs.TrainingConfig(**everything))


@pytest.mark.parametrize(
    ("option", "name"),
    [
        ({"gradient_accumulation": 2}, "training.gradient_accumulation"),
        ({"jit_compile": True}, "training.jit_compile = true"),
        ({"mixed_precision": "mixed_float16"}, "training.mixed_precision = 'mixed_float16'"),
    ],
)
@pytest.mark.skipif(os.environ.get("KERAS_BACKEND", "tensorflow") != "tensorflow", reason="JAX can")
def test_what_several_devices_of_tensorflow_cannot_do_is_refused(option, name):
    several = Devices(2, distribution=object())
    with pytest.raises(ConfigError, match=f"{name} needs a single device on TensorFlow, and this run has 2"):
        several.check(configs.TrainingConfig(**option))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("backend", "expected"),
    [
        ("tensorflow", "only JAX can train with several processes: set KERAS_BACKEND=jax"),
        ("jax", "needs KERAS_ATTN_PROCESSES, how many processes there are"),
    ],
)
def test_a_coordinator_without_the_rest_is_refused_in_one_line(backend, expected, recipe, tmp_path):
    (tmp_path / "config.toml").write_text(configs.to_toml(recipe()), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "keras_attn", "train", tmp_path / "config.toml", tmp_path / "model"],
        env={**os.environ, "KERAS_BACKEND": backend, "KERAS_ATTN_COORDINATOR": "localhost:7000"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    told = [line for line in done.stderr.splitlines() if line.startswith("Error: ")]
    assert (done.returncode, len(told), "Traceback" in done.stderr) == (2, 1, False)
    assert expected in told[0]


def test_what_the_first_process_has_reaches_the_others_in_pieces(monkeypatch):
    """Pieces of ten bytes in the place of a gibibyte."""
    sent = []
    monkeypatch.setattr("keras_attn.training.devices.PIECE", 10)
    monkeypatch.setattr(
        "jax.experimental.multihost_utils.broadcast_one_to_all", lambda x: sent.append(x) or x
    )
    found = {"weights": list(range(100))}
    first = Devices(distribution=None, count=1, process=0, processes=2)
    assert first.from_first(lambda: found) == found
    assert len(sent) > 10 and all(len(each) <= 10 for each in sent)
    shapes = [each.shape for each in sent]
    received = iter(sent)

    def receive(given):
        """What the first process has sent; a process that has nothing must give as much."""
        assert given.shape == shapes.pop(0) and not given.any()
        return next(received)

    monkeypatch.setattr("jax.experimental.multihost_utils.broadcast_one_to_all", receive)
    other = Devices(distribution=None, count=1, process=1, processes=2)
    assert other.from_first(None) == found
