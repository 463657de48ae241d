"""What a model of other sentences is worth where there are few: from everyday sentences to a phrasebook, English to Spanish.

    python benchmarks/domain_shift.py runs/domain-shift --json benchmarks/log/domain_shift.json

Trains on so many pairs of the generated phrasebook, each number with every seed: from random weights, with a vocabulary of its own;
from the packaged tatoeba-en-es (`--from`); and from it with a new vocabulary (`--new-vocabulary`). All have the same layers and the
same number of steps, and development sentences of the phrasebook choose the model. Prints greedy BLEU on the phrasebook's test
sentences, and on 500 of Tatoeba's: what is forgotten. What is trained already is not trained again.
"""

import argparse
import json
import statistics
from pathlib import Path

from keras_attn import config as configs
from keras_attn.corpora.named import load_corpus
from keras_attn.data.splits import Splits
from keras_attn.evaluation.scores import corpus_scores
from keras_attn.inference.translator import Translator
from keras_attn.storage import packaged
from keras_attn.text.corpus import Corpus
from keras_attn.training.fit import train
from keras_attn.training.start import Start

ROOT = Path(__file__).parents[1]
BASE = "tatoeba-en-es"
SIZES, STEPS, BATCH = (100, 1000), 400, 32
WAYS = {
    "from random weights": None,
    "--from": Start(packaged.folder(BASE)),
    "--from, --new-vocabulary": Start(packaged.folder(BASE), new_vocabulary=True),
}
OTHERS = 500  # sentences of Tatoeba


def recipe(size: int, seed: int) -> configs.Config:
    settings = (
        'data.corpus=""',  # the pairs are given
        "tokenizer.vocab_size=1000",
        f"training.epochs={STEPS * BATCH // size}",
        f"training.batch_size={BATCH}",
        f"training.seed={seed}",
        "training.evaluate_every=100",
        "training.best_by=loss",
        "data.augmentation=0",
        "data.concatenations=0",
    )
    return configs.override(configs.load(ROOT / "configs" / "tatoeba_names_and_numbers.toml"), [*settings])


def first(corpus: Corpus, count: int) -> Corpus:
    return Corpus(corpus.source[:count], corpus.target[:count])


def bleu(translator: Translator, corpus: Corpus) -> float:
    return corpus_scores(translator(corpus.source, beam_size=1), corpus.target).bleu


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    phrases = {split: load_corpus("phrasebook", "en", "es", split) for split in ("train", "dev", "test")}
    everyday = first(load_corpus("tatoeba", "en", "es", "test"), OTHERS)
    base = Translator.load(packaged.folder(BASE))
    measured = [
        {"model": BASE, "phrasebook": [bleu(base, phrases["test"])], "tatoeba": [bleu(base, everyday)]}
    ]
    for size in SIZES:
        for way, start in WAYS.items():
            row = {"model": f"{size:,} pairs, {way}", "phrasebook": [], "tatoeba": []}
            for seed in range(1, args.seeds + 1):
                folder = args.folder / f"{size}" / way.replace(", ", "").replace(" ", "-") / f"{seed}"
                corpus = Splits(first(phrases["train"], size), first(phrases["dev"], 200))
                train(recipe(size, seed), folder, corpus=corpus, start=start)
                translator = Translator.load(folder)
                row["phrasebook"].append(bleu(translator, phrases["test"]))
                row["tatoeba"].append(bleu(translator, everyday))
            measured.append(row)
    print("| model | phrasebook | Tatoeba |\n|---|---|---|")
    for row in measured:
        print(f"| {row['model']} | {' | '.join(_cell(row[name]) for name in ('phrasebook', 'tatoeba'))} |")
    if args.json:
        args.json.write_text(json.dumps(measured, indent=2) + "\n")


def _cell(values: list[float]) -> str:
    mean = f"{statistics.mean(values):.1f}"
    return mean if len(values) == 1 else f"{mean} ({min(values):.1f}-{max(values):.1f})"


if __name__ == "__main__":
    main()
