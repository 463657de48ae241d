"""Whether it pays to spread the matrices of the vocabulary over devices: what a step exchanges, and the memory that it takes.

    KERAS_BACKEND=jax python benchmarks/model_parallel.py --json benchmarks/log/model_parallel.json

Compiles a step of training `bahdanau2015`, width 512, for four devices: with all weights on each of them (`DataParallel`), and with
`ModelParallel`, where two or four devices share the words of the output matrix, or of the embeddings as well, and compute
everything else for the same rows. Loops are those for accelerators, except in the first line of each size: there they are those for
a CPU. The bytes that the devices exchange and the memory of each are XLA's, for four logical devices of a CPU; an XLA for GPUs
compiles otherwise. Nothing is trained, and nothing depends on how busy the machine is.
"""

import argparse
import json
import os
from itertools import product
from pathlib import Path
from unittest import mock

os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=4")

import jax
import keras
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from shared.xla import exchanged, training_step

from keras_attn.config import ModelConfig
from keras_attn.layers import time_loop
from keras_attn.models.build import build_seq2seq
from keras_attn.training.losses import SmoothedCrossEntropy

WIDTH, LENGTH = 512, 32
SIZES = (8_000, 4_096), (32_000, 16_384), (128_000, 4_096)  # words, target tokens per batch
OUTPUT = {"output/kernel": (None, "words"), "output/bias": ("words",)}
EMBEDDINGS = {".*_embedding/embeddings": ("words", None)}
ARRANGEMENTS = {  # devices for the rows, devices for the words, and what these share
    "each device has all weights, loops as on a CPU": ((4, 1), {}),
    "each device has all weights": ((4, 1), {}),
    "two share the output matrix": ((2, 2), OUTPUT),
    "two share it and the embeddings": ((2, 2), OUTPUT | EMBEDDINGS),
    "four share it and the embeddings": ((1, 4), OUTPUT | EMBEDDINGS),
}


def measure(words: int, tokens: int, arrangement: str) -> dict:
    """Megabytes that a step exchanges, and that it takes on each device."""
    shape, layout = ARRANGEMENTS[arrangement]
    names = ["rows", "words"]
    spread = keras.distribution.LayoutMap(keras.distribution.DeviceMesh(shape, names, jax.devices()))
    for path, axes in layout.items():
        spread[path] = axes
    by_rows = NamedSharding(Mesh(np.reshape(jax.devices(), shape), names), PartitionSpec("rows"))
    ids, numbers = (
        jax.ShapeDtypeStruct((tokens // LENGTH, LENGTH), kind, sharding=by_rows)
        for kind in ("int32", "float32")
    )
    distribution = keras.distribution.ModelParallel(layout_map=spread, batch_dim_name="rows")
    with distribution.scope():
        keras.utils.set_random_seed(1)
        sizes = dict.fromkeys(("source_vocab_size", "target_vocab_size"), words)
        widths = ("embedding_dim", "encoder_units", "decoder_units", "attention_units", "readout_units")
        model = build_seq2seq(
            ModelConfig.from_preset("bahdanau2015", **sizes, **dict.fromkeys(widths, WIDTH))
        )
        optimizer = keras.optimizers.Adam(global_clipnorm=1.0)
        optimizer.build(model.trainable_variables)
        groups = model.trainable_variables, model.non_trainable_variables, optimizer.variables
        state = tuple([_described(each.value) for each in group] for group in groups)
        step = jax.jit(training_step(model, SmoothedCrossEntropy(0.1), optimizer), donate_argnums=0)
        launches = "CPU" not in arrangement
        with mock.patch.object(time_loop, "is_bound_by_launches", lambda: launches):
            compiled = step.lower(state, ((ids, ids), ids, numbers)).compile()
    memory = compiled.memory_analysis()
    return {
        "words": words,
        "tokens": tokens,
        "arrangement": arrangement,
        "exchanged, MB": round(exchanged(compiled.as_text()) / 1e6),
        "weights and their moments, MB": round(memory.argument_size_in_bytes / 1e6),
        "while a step runs, MB more": round(memory.temp_size_in_bytes / 1e6),
    }


def _described(array: jax.Array) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(array.shape, array.dtype, sharding=array.sharding)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--json", type=Path, help="where the numbers go, too")
    args = parser.parse_args()
    rows = []
    for (words, tokens), arrangement in product(SIZES, ARRANGEMENTS):
        rows.append(row := measure(words, tokens, arrangement))
        if len(rows) == 1:
            print(f"| {' | '.join(row)} |\n{'|---' * len(row)}|")
        print(f"| {' | '.join(map(str, row.values()))} |", flush=True)
        if args.json:
            args.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
