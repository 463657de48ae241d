"""The mean of a training's last checkpoints (Vaswani et al. 2017, section 6.1), beside the last one and the model that is kept.

    python benchmarks/checkpoint_averaging.py configs/multi30k_hybrid.toml runs/averaging --set training.epochs=8

Trains into FOLDER and keeps every checkpoint in FOLDER/kept: the weights as they are after each evaluation, not their moving
average. Prints development BLEU of greedy and beam search. Stopped and given once more, it goes on.
"""

import multiprocessing
import os
import sys
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
from presets import command_line

from keras_attn import config as configs
from keras_attn.data.splits import split_corpus
from keras_attn.evaluation.evaluate import evaluate
from keras_attn.inference.translator import Translator
from keras_attn.storage.model_folder import load_model
from keras_attn.training import checkpoint as checkpoints
from keras_attn.training.checkpoint import Values
from keras_attn.training.fit import train

COUNTS = (1, 2, 3, 5)


def main() -> None:
    args = command_line(__doc__).parse_args()
    config = configs.load(args.config, args.set)
    train_and_keep(config, args.folder)
    dev = split_corpus(config.data, "dev")
    trained = load_model(args.folder)
    rows = last_checkpoints(args.folder, max(COUNTS))
    for count in (0, *COUNTS):
        print(f"\nmean of the last {count}" if count else "\nthe model that is kept")
        if count:
            set_mean(trained.model.variables, rows[-count:])
        for found in evaluate(Translator(trained), dev.source, dev.target):
            print(found, flush=True)


def train_and_keep(config: configs.Config, folder: Path) -> None:
    """Trains in another process, and looks every second whether there is a new checkpoint."""
    training = multiprocessing.get_context("spawn").Process(target=train, args=(config, folder))
    training.start()
    while training.is_alive():
        training.join(timeout=1)
        keep(folder)
    if training.exitcode:
        sys.exit(training.exitcode)


def keep(folder: Path) -> None:
    """Links the checkpoint that there is now: training replaces the file, and the link stays."""
    state = folder / checkpoints.FILE
    if not state.exists():
        return
    kept = folder / "kept" / str(state.stat().st_mtime_ns) / checkpoints.FILE
    kept.parent.mkdir(parents=True, exist_ok=True)
    if not kept.exists():
        os.link(state, kept)


def last_checkpoints(folder: Path, count: int) -> list[Values]:
    """The values of the last rounds; of a round that was done twice, because of a kill, the later ones."""
    found = [checkpoints.load_checkpoint(each) for each in sorted((folder / "kept").iterdir())]
    rounds = {len(state.rounds): values for state, values in found if state.rounds}
    return [rounds[number] for number in sorted(rounds)][-count:]


def set_mean(variables: list, rows: list[Values]) -> None:
    """Sets the model's weights; in a checkpoint its variables come before the optimizer's."""
    for number, variable in enumerate(variables):
        if variable.trainable:
            variable.assign(np.mean([values[number][1] for values in rows], axis=0))


if __name__ == "__main__":
    main()
