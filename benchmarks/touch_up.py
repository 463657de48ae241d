"""Goes on with a model of Tatoeba on some of its pairs, to teach it what `data.augmentation` adds since it was trained.

    python benchmarks/touch_up.py configs/tatoeba.toml runs/de-en --from tatoeba-de-en --pairs 60000 \
        --set data.source_language=de --set data.target_language=en --set training.epochs=1 --set training.seed=91

What is added comes from lists, so a third of the pairs is enough to keep the rest in mind, in less than half the time of an epoch.
The pairs are drawn by `training.seed`. With `--forward`, the model's own translations of their sources are added, so that it
forgets less. If it forgets something all the same, `mean_of_models.py` may bring it back.
"""

import argparse
import random
from pathlib import Path

from back_translation import MADE_FORWARD, translations

from keras_attn import config as configs
from keras_attn.data.splits import Splits, split_corpus
from keras_attn.storage import model_folder, packaged
from keras_attn.text.corpus import Corpus
from keras_attn.training.distillation import together
from keras_attn.training.fit import train
from keras_attn.training.start import Start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("config", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--from", dest="start", required=True, help="the model to start from")
    parser.add_argument("--pairs", type=int, default=60_000, help="how many pairs to draw (60000)")
    parser.add_argument("--forward", action="store_true", help="add its own translations of the sources")
    parser.add_argument("--set", action="append", default=[], help="SECTION.KEY=VALUE; repeatable")
    args = parser.parse_args()
    config = configs.load(args.config, args.set)
    real = split_corpus(config.data, "train")
    drawn = sorted(random.Random(config.training.seed).sample(range(len(real)), min(args.pairs, len(real))))
    pairs = Corpus([real.source[i] for i in drawn], [real.target[i] for i in drawn])
    start = packaged.locate(args.start)
    if args.forward:
        made = translations(args.folder / MADE_FORWARD, start, pairs.source, beam_size=None)
        pairs = together([pairs, Corpus(pairs.source, made)])
    print(f"{len(pairs)} pairs, drawn of {len(real)}", flush=True)
    given = configs.override(config, ['data.corpus=""'])
    splits = Splits(pairs, split_corpus(config.data, "dev"))
    train(given, args.folder, corpus=splits, start=Start(start))
    model_folder.update_config(args.folder, data=config.data)


if __name__ == "__main__":
    main()
