"""Data diversification on Multi30k (Nguyen et al. 2020): the pairs, and beside them what models of both directions make of them.

    python benchmarks/data_diversification.py configs/multi30k_diverse.toml runs/diverse

A forward and a backward teacher are trained from the given config on the real pairs. The forward one translates the real sources,
the backward one the real targets; the student, of the same config, learns from the real and the made pairs together (repeated ones
once) for about as many steps as they. No other data comes in, and the student is one model. Its scores on the development set
and on the test sets of 2016 and 2017 are printed and kept in FOLDER/student/metrics.json.

What is trained or translated already is not done again: the command may be stopped and given once more.

Reference: Nguyen et al. 2020, "Data Diversification: A Simple Strategy For Neural Machine Translation", algorithm 1, k = N = 1.
"""

import dataclasses
import math
import os
from collections.abc import Sequence
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

from presets import arguments

from keras_attn import config as configs
from keras_attn.evaluation.evaluate import evaluate, split_corpus, tokenized_references
from keras_attn.model_dir import update_metrics
from keras_attn.text.corpus import Corpus, keep_usable, read_lines
from keras_attn.training.fit import train
from keras_attn.translator import Translator

SCORED = ("dev", "test", "test_2017_flickr")


def translations(config: configs.Config, folder: Path, sources: Sequence[str]) -> list[str]:
    """What a teacher makes of the sources, or made of them in an earlier call."""
    made = folder / "translations.txt"
    if not made.exists():
        train(config, folder)
        write(folder / "unfinished.txt", Translator.load(folder)(sources))
        (folder / "unfinished.txt").rename(made)
    return read_lines(made)


def write(path: Path, lines: Sequence[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def backwards(config: configs.Config) -> configs.Config:
    source, target = config.data.source_language, config.data.target_language
    return configs.override(config, [f"data.source_language={target}", f"data.target_language={source}"])


def diversified(config: configs.Config, folder: Path) -> tuple[Corpus, Corpus]:
    """The real pairs, and the real and the made ones."""
    real = split_corpus(config.data, "train")
    targets = translations(config, folder / "forward", real.source)
    sources = translations(backwards(config), folder / "backward", real.target)
    pairs = dict.fromkeys(
        zip(real.source * 2 + sources, real.target + targets + real.target, strict=True)
    )  # without repetitions
    return real, keep_usable(*zip(*pairs, strict=True))


def student(config: configs.Config, folder: Path) -> configs.Config:
    """The config of a training on the pairs of both kinds, with its files: as many steps, evaluated as often."""
    real, pairs = diversified(config, folder)
    files = {}
    for split, corpus in (("train", pairs), ("dev", split_corpus(config.data, "dev"))):
        files[split] = tuple(str(folder / f"{split}.{side}") for side in ("source", "target"))
        for file, lines in zip(files[split], (corpus.source, corpus.target), strict=True):
            write(Path(file), lines)
    training = dataclasses.replace(
        config.training,
        epochs=max(1, round(config.training.epochs * len(real) / len(pairs))),
        evaluate_every=math.ceil(len(real) / config.training.batch_size),
    )
    return dataclasses.replace(
        config, data=dataclasses.replace(config.data, corpus="", **files), training=training
    )


def main() -> None:
    args = arguments(__doc__)
    config = configs.load(args.config, args.set)
    train(student(config, args.folder), args.folder / "student")
    translator = Translator.load(args.folder / "student")
    for split in SCORED:
        pairs = split_corpus(config.data, split)
        print(f"\n{split}")
        for found in evaluate(
            translator,
            pairs.source,
            pairs.target,
            tokenized_references=tokenized_references(config.data, split),
        ):
            print(found, flush=True)
            update_metrics(args.folder / "student", {f"{split}_{found.name}": found.as_dict()})


if __name__ == "__main__":
    main()
