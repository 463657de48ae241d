"""The mean of a training's last checkpoints (Vaswani et al. 2017, section 6.1), beside the last one and the model that is kept.

    python benchmarks/checkpoint_averaging.py configs/multi30k_hybrid.toml runs/averaging --set training.epochs=8

Trains into FOLDER and keeps every checkpoint in FOLDER/kept: the weights as they are after each evaluation, not their moving
average. Prints development BLEU of greedy and beam search. Stopped and given once more, it goes on.
"""

import os
from pathlib import Path

import keras
import numpy as np
from shared.variants import command_line

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
    train(config, args.folder, callbacks=[KeepCheckpoints(args.folder)])
    keep(args.folder)
    dev = split_corpus(config.data, "dev")
    trained = load_model(args.folder)
    rows = last_checkpoints(args.folder, max(COUNTS))
    for count in (0, *COUNTS):
        print(f"\nmean of the last {count}" if count else "\nthe model that is kept")
        if count:
            set_mean(trained.model.variables, rows[-count:])
        for found in evaluate(Translator.from_trained(trained), dev.source, dev.target):
            print(found, flush=True)


class KeepCheckpoints(keras.callbacks.Callback):
    """Keeps the checkpoint of every round, also of one after which the training was killed."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder

    def on_train_begin(self, logs: dict[str, float] | None = None) -> None:
        keep(self._folder)

    def on_epoch_end(self, epoch: int, logs: dict[str, float] | None = None) -> None:
        keep(self._folder)


def keep(folder: Path) -> None:
    """Links the checkpoint that there is now: training replaces the file, and the link stays."""
    state, _ = checkpoints.load_checkpoint(folder)
    kept = folder / "kept" / f"round-{len(state.rounds):04}" / checkpoints.FILE
    if state.rounds and not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        os.link(folder / checkpoints.FILE, kept)


def last_checkpoints(folder: Path, count: int) -> list[Values]:
    """The values of the last rounds."""
    kept = sorted((folder / "kept").glob("round-*"))
    return [checkpoints.load_checkpoint(each)[1] for each in kept[-count:]]


def set_mean(variables: list, rows: list[Values]) -> None:
    """Sets the model's weights; in a checkpoint its variables come before the optimizer's."""
    for number, variable in enumerate(variables):
        if variable.trainable:
            variable.assign(np.mean([values[number][1] for values in rows], axis=0))


if __name__ == "__main__":
    main()
