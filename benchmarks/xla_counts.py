"""How many instructions a time step of a training costs: the loops of XLA's optimised program.

    KERAS_BACKEND=jax python benchmarks/xla_counts.py --json benchmarks/log/xla_counts.json

For each preset: the loops forward and backward, how often they turn, their instructions per turn (a launch each on a GPU, if the
runtime joins none) and the matrix products among them. Once as the package arranges loops on a CPU, once as on an accelerator: four
time steps a turn, both directions of an encoder in one loop. Nothing is trained, and nothing depends on how busy the machine is.
"""

import argparse
import json
from itertools import product
from pathlib import Path
from unittest import mock

import jax
import keras
import numpy as np
from shared.xla import launches, loops, state_of, training_step

from keras_attn.config import ModelConfig
from keras_attn.layers import time_loop
from keras_attn.models.build import build_seq2seq
from keras_attn.training.losses import SmoothedCrossEntropy

PRESETS = ("bahdanau2015", "luong2015", "cs224n")
ARRANGEMENTS = {"CPU": False, "accelerator": True}
ROWS, SOURCE, TARGET, WORDS, WIDTH = 64, 24, 20, 4000, 256  # two lengths, to tell the loops apart


def measure(preset: str, arrangement: str) -> dict:
    """The loops of one preset's step."""
    keras.utils.set_random_seed(1)
    sizes = dict.fromkeys(("source_vocab_size", "target_vocab_size"), WORDS)
    units = {"embedding_dim": WIDTH, "encoder_units": WIDTH // 2 if preset == "cs224n" else WIDTH}
    model = build_seq2seq(ModelConfig.from_preset(preset, **sizes, **units, decoder_units=WIDTH))
    optimizer, loss = keras.optimizers.Adam(global_clipnorm=1.0), SmoothedCrossEntropy(0.1)
    ids = {length: np.full((ROWS, length), 7, np.int32) for length in (SOURCE, TARGET)}
    batch = (ids[SOURCE], ids[TARGET]), ids[TARGET], np.ones((ROWS, TARGET), np.float32)
    step = jax.jit(training_step(model, loss, optimizer))
    with mock.patch.object(time_loop, "is_bound_by_launches", lambda: ARRANGEMENTS[arrangement]):
        text = step.lower(state_of(model, optimizer), batch).compile().as_text()
    return {
        "preset": preset,
        "arrangement": arrangement,
        "loops": [each._asdict() for each in loops(text)],
        "instructions of a step of training": launches(text),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--json", type=Path, help="where the numbers go, too")
    args = parser.parse_args()
    print(
        "| preset | loops as on | turns | instructions per turn | products among them | all loops and the rest |\n"
        "|---|---|---|---|---|---|"
    )
    rows = []
    for preset, arrangement in product(PRESETS, ARRANGEMENTS):
        rows.append(row := measure(preset, arrangement))
        for number, loop in enumerate(row["loops"]):
            whole = f"{row['instructions of a step of training']:,}" if number == 0 else ""
            name = f"{preset} | {arrangement}" if number == 0 else " | "
            print(
                f"| {name} | {loop['turns']} | {loop['instructions']} | {loop['products']} | {whole} |",
                flush=True,
            )
        if args.json:
            args.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
