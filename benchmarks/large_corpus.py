"""What a large corpus costs before and while a training reads it: seconds, memory, batches a second.

    python benchmarks/large_corpus.py 100000 1000000    # pairs; KERAS_ATTN_DATA, or the download cache

A pair is two Tatoeba pairs joined, drawn at random, about 20 words a side. Each size is measured in a process of its own, with a
cache of its own. Prints a Markdown table. The machine should be quiet, and have 0.4 GB of disk for every million pairs.
"""

import argparse
import os
import random
import resource
import tempfile
import time
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path

COLUMNS = "pairs | read and check, s | vocabulary, s | ids, s | first batch, s | batches/s | peak memory, GiB"
BATCHES = 300


def write_pairs(path: Path, count: int) -> None:
    from keras_attn.corpora.named import load_corpus

    corpus = load_corpus("tatoeba", "en", "es", "train")
    draw = random.Random(1)
    with path.open("w", encoding="utf-8") as stream:
        for _ in range(count):
            pairs = [draw.randrange(len(corpus)) for _ in range(4)]
            sides = (" ".join(side[pair] for pair in pairs) for side in (corpus.source, corpus.target))
            stream.write("\t".join(sides) + "\n")


def measure(file: Path, cache: str) -> dict[str, float]:
    """Of a training's way from files to batches, in this process."""
    os.environ["KERAS_ATTN_CACHE"] = cache
    from keras_attn.config import DataConfig, TokenizerConfig, TrainingConfig
    from keras_attn.data.pipeline import training_batches
    from keras_attn.data.splits import Splits
    from keras_attn.text.corpus import Corpus, open_pairs
    from keras_attn.training.inputs import digest, train_tokenizers

    times = [time.perf_counter()]
    corpus = open_pairs([file])
    digest(Splits(corpus, Corpus(["a"], ["b"])))
    times.append(time.perf_counter())
    tokenizers = train_tokenizers(corpus, TokenizerConfig())
    times.append(time.perf_counter())
    batches = training_batches(corpus, *tokenizers, DataConfig(), TrainingConfig())
    times.append(time.perf_counter())
    stream = iter(batches.stream())
    next(stream)
    times.append(time.perf_counter())
    for _ in range(BATCHES):
        next(stream)
    times.append(time.perf_counter())
    read, vocabulary, ids, first, rest = (b - a for a, b in pairwise(times))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return {
        "pairs": len(corpus),
        "read": read,
        "vocabulary": vocabulary,
        "ids": ids,
        "first": first,
        "rate": BATCHES / rest,
        "peak": peak,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("pairs", type=int, nargs="*", default=[100_000, 1_000_000])
    args = parser.parse_args()
    print(f"| {COLUMNS} |\n{'|---' * 7}|")
    for count in args.pairs:
        with tempfile.TemporaryDirectory() as folder, get_context("spawn").Pool(1) as process:
            file = Path(folder, "pairs.tsv")
            write_pairs(file, count)
            row = process.apply(measure, [file, folder])
        print(
            f"| {row['pairs']:,} | {row['read']:.0f} | {row['vocabulary']:.0f} | {row['ids']:.0f} | {row['first']:.2f} | "
            f"{row['rate']:.0f} | {row['peak']:.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
