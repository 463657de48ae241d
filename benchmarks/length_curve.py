"""BLEU by source length with and without attention, as in figure 2 of Bahdanau et al. 2015.

    python benchmarks/length_curve.py runs/length-curve                        # Multi30k's captions, English to German
    python benchmarks/length_curve.py runs/length-curve --corpus phrasebook    # generated sentences, English to Spanish

A document is one or more consecutive sentences of one split, up to 60 source words. A model with a fixed vector and one with
attention, of about equal size, are trained on the same documents until each is as good as it gets: for at most 30 and 12 epochs,
because attention learns faster. A model stops whose perplexity on the development split has not fallen for three rounds. BLEU would
stop the fixed vector too early, because it goes up and down while the perplexity still falls. The fixed vector reads the words of
the source in reverse, which helps it (Sutskever et al. 2014, section 3.3).
FOLDER/length_curve.md, .json and .png hold the BLEU of both on documents of the test split, by source length, greedy and beam.

What is trained already is not trained again: the command may be stopped and given once more.
"""

import argparse
import dataclasses
import json
import os
import random
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from keras_attn import config as configs
from keras_attn.corpora.named import load_corpus
from keras_attn.data.splits import Splits
from keras_attn.evaluation.scores import LengthBucket, bleu_by_length
from keras_attn.inference.translator import Translator
from keras_attn.text.corpus import Corpus
from keras_attn.training.fit import train

LANGUAGES = {"multi30k": ("en", "de"), "phrasebook": ("en", "es")}
LONGEST = 60  # source words
MOST_SENTENCES = {"multi30k": 5, "phrasebook": 10}  # in a document; a caption has 12 words, a phrase 6
VOCABULARIES = {"multi30k": 4000, "phrasebook": 1000}
EDGES = (10, 20, 30, 40, 50)
CUTS = {"train": 3, "dev": 1, "test": 5}  # ways to cut a split into documents
PATIENCE = 3  # rounds of development without a better model
# 3.45 million parameters each with the larger vocabulary: what attention takes, the fixed vector's wider decoder has.
MODELS = {
    "rnn_encdec": ("training.epochs=30", "model.preset=rnn_encdec", "model.decoder_units=470"),
    "bahdanau2015": (
        "training.epochs=12",
        "model.preset=bahdanau2015",
        "model.decoder_units=256",
        "model.attention_units=256",
    ),
}
RECIPE = (
    "model.embedding_dim=256",
    "model.tied_embeddings=all",
    "model.encoder_units=256",
    "model.readout_units=256",
    "model.embedding_dropout=0.3",
    "model.memory_dropout=0.3",
    "model.readout_dropout=0.3",
    "training.batch_size=32",
    "training.schedule=cosine",
    "training.warmup_steps=500",
    "training.ema_decay=0.998",
    "training.mixed_precision=auto",
    "training.best_by=loss",
    f"training.patience={PATIENCE}",
    "data.max_length=150",
)


def documents(sentences: Corpus, cuts: int, most: int, seed: int = 1) -> Corpus:
    """Runs of 1 to `most` consecutive sentences; each way to cut covers every sentence once."""
    draw = random.Random(seed)
    source, target = [], []
    for _ in range(cuts):
        start = 0
        while start < len(sentences):
            end = start + 1
            wanted = draw.randint(1, most)
            words = len(sentences.source[start].split())
            while end < len(sentences) and end - start < wanted:
                words += len(sentences.source[end].split())
                if words > LONGEST:
                    break
                end += 1
            source.append(" ".join(sentences.source[start:end]))
            target.append(" ".join(sentences.target[start:end]))
            start = end
    return Corpus(source, target)


def backwards(documents: Corpus) -> Corpus:
    """The same with the words of every source in reverse."""
    return Corpus([" ".join(reversed(line.split())) for line in documents.source], documents.target)


def recipe(corpus: str, choices: tuple[str, ...]) -> configs.Config:
    source_language, target_language = LANGUAGES[corpus]
    data = configs.DataConfig(source_language=source_language, target_language=target_language)
    config = dataclasses.replace(configs.Config(), data=data)
    return configs.override(config, [*RECIPE, *choices, f"tokenizer.vocab_size={VOCABULARIES[corpus]}"])


def curves(translator: Translator, test: Corpus) -> dict[str, list[LengthBucket]]:
    found = {}
    for name, size in (("greedy", 1), ("beam 5", 5)):
        translations = translator(test.source, beam_size=size)
        found[name] = bleu_by_length(test.source, translations, test.target, EDGES)
    return found


def words(bucket: LengthBucket) -> str:
    return f"{bucket.shortest}-{bucket.longest}" if bucket.longest else f"{bucket.shortest}+"


def report(folder: Path, found: dict[str, dict[str, list[LengthBucket]]]) -> str:
    """A table, also as a file, and the plot beside it."""
    figure = Figure(figsize=(7, 4), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    rows = []
    for model, searches in found.items():
        for search, buckets in searches.items():
            buckets = [bucket for bucket in buckets if bucket.count]
            names, bleu = [words(b) for b in buckets], [b.bleu for b in buckets]
            axes.plot(names, bleu, "-o" if search == "greedy" else "--o", label=f"{model}, {search}")
            if not rows:
                rows += [
                    [
                        "model",
                        *(f"{n} words ({b.count})" for n, b in zip(names, buckets, strict=True)),
                        "lost",
                    ]
                ]
                rows += [["---"] * len(rows[0])]
            lost = 1 - bleu[-1] / bleu[0]
            rows.append([f"{model}, {search}", *(f"{value:.1f}" for value in bleu), f"{lost:.0%}"])
    axes.set_xlabel("source words")
    axes.set_ylabel("BLEU")
    axes.set_ylim(bottom=0)
    axes.legend()
    figure.savefig(folder / "length_curve.png", dpi=120)
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows) + f"\n\n{buckets[0].bleu_signature}\n"
    (folder / "length_curve.md").write_text(table)
    measured = {
        model: {
            search: [dataclasses.asdict(bucket) for bucket in buckets] for search, buckets in searches.items()
        }
        for model, searches in found.items()
    }
    (folder / "length_curve.json").write_text(json.dumps(measured, indent=1) + "\n")
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--corpus", choices=sorted(LANGUAGES), default="multi30k")
    args = parser.parse_args()
    languages = LANGUAGES[args.corpus]
    splits = {
        split: documents(load_corpus(args.corpus, *languages, split), cuts, MOST_SENTENCES[args.corpus])
        for split, cuts in CUTS.items()
    }
    found = {}
    for name, choices in MODELS.items():
        print(f"\n{name}", flush=True)
        config = recipe(args.corpus, choices)
        read = {split: backwards(each) for split, each in splits.items()} if name == "rnn_encdec" else splits
        train(config, args.folder / name, corpus=Splits(read["train"], read["dev"]))
        found[name] = curves(Translator.load(args.folder / name), read["test"])
    print(report(args.folder, found))


if __name__ == "__main__":
    main()
