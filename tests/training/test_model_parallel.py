"""A vocabulary spread over devices with Keras' `ModelParallel`, as in the guide on devices: four logical devices of one CPU."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

PROGRAM = """
import json
import sys

import jax

jax.config.update("jax_num_cpu_devices", 4)

import keras
import numpy as np

from keras_attn.layers import AttentionDecoder, BahdanauAttention
from keras_attn.models import Seq2Seq

WORDS = 16


def trained():
    keras.utils.set_random_seed(1)
    model = Seq2Seq(
        source_embedding=keras.layers.Embedding(WORDS, 4, name="source_embedding"),
        encoder=keras.layers.Bidirectional(keras.layers.GRU(4, return_sequences=True, return_state=True), name="encoder"),
        decoder=AttentionDecoder(4, BahdanauAttention(4), readout_units=4),
        target_embedding=keras.layers.Embedding(WORDS, 4, name="target_embedding"),
        output=keras.layers.Dense(WORDS, name="output"),
    )
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    ids = np.random.default_rng(1).integers(4, WORDS, (8, 6)).astype("int32")
    target_in = np.pad(ids[:, :-1], [(0, 0), (1, 0)], constant_values=2)
    history = model.fit([ids, target_in], ids, batch_size=4, epochs=5, shuffle=False, verbose=0)
    pieces = [(weight.path, weight.value.addressable_shards[0].data.shape) for weight in model.weights]
    return history.history["loss"], pieces


alone, whole = trained()
layout = keras.distribution.LayoutMap(keras.distribution.DeviceMesh((2, 2), ["rows", "words"], jax.devices()))
layout["output/kernel"] = (None, "words")
layout["output/bias"] = ("words",)
layout[".*_embedding/embeddings"] = ("words", None)
with keras.distribution.ModelParallel(layout_map=layout, batch_dim_name="rows").scope():
    shared, pieces = trained()
with open(sys.argv[1], "w") as stream:
    sizes = [[path, size, piece] for (path, piece), (_, size) in zip(pieces, whole)]
    json.dump({"losses": [alone, shared], "sizes": sizes}, stream)
"""


@pytest.mark.slow
def test_devices_that_share_the_words_of_a_vocabulary_learn_what_one_learns(tmp_path):
    output = tmp_path / "found.json"
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, output],
        env={**os.environ, "KERAS_BACKEND": "jax", "JAX_DISABLE_MOST_OPTIMIZATIONS": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(output.read_text())
    alone, shared = found["losses"]
    assert len(alone) == 5 and alone[-1] < alone[0]
    np.testing.assert_allclose(shared, alone, rtol=1e-5)
    assert sorted(each for each in found["sizes"] if each[1] != each[2]) == [
        ["output/bias", [16], [8]],
        ["output/kernel", [4, 16], [4, 8]],
        ["source_embedding/embeddings", [16, 4], [8, 4]],
        ["target_embedding/embeddings", [16, 4], [8, 4]],
    ]
