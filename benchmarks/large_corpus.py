"""What a large corpus costs before and while a training reads it: seconds, memory, batches a second.

    python benchmarks/large_corpus.py 100000 1000000 --json benchmarks/log/large_corpus.json

A pair is four Tatoeba pairs joined (KERAS_ATTN_DATA, or the download cache), drawn at random, about 27 words a side. Each size is
measured in a process of its own, with a cache of its own. Prints a Markdown table. Memory is the process' own, looked at 20 times
a second; "with mapped files" counts pages of the ids' files, too, which the system takes back when it needs them. The machine
should be quiet, and have 0.5 GB of disk for every million pairs.
"""

import argparse
import json
import os
import random
import tempfile
import threading
import time
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from keras_attn.data.pipeline import TrainingBatches

COLUMNS = "pairs | read and check, s | vocabulary, s | ids, s | first batch, s | batches/s | peak memory, GiB | with mapped files"
RANDOM_COLUMNS = "pairs | buckets, s | first batch, s | batches/s | peak memory, GiB | with mapped files"
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

    peaks = watched_memory()
    times = [time.perf_counter()]
    corpus = open_pairs([file])
    digest(Splits(corpus, Corpus(["a"], ["b"])))
    times.append(time.perf_counter())
    tokenizers = train_tokenizers(corpus, TokenizerConfig())
    times.append(time.perf_counter())
    batches = training_batches(corpus, *tokenizers, DataConfig(), TrainingConfig())
    times.append(time.perf_counter())
    read, vocabulary, ids = (b - a for a, b in pairwise(times))
    steps = {"pairs": len(corpus), "read": read, "vocabulary": vocabulary, "ids": ids}
    return {**steps, **measure_stream(batches), **peaks}


def measure_random_ids(count: int, folder: str) -> dict[str, float]:
    """Of batches alone: ids that stand for a corpus, memory-mapped, so that nothing has to be cut into sub-words first."""
    import numpy as np

    from keras_attn.config import TrainingConfig
    from keras_attn.data.pipeline import TrainingBatches
    from keras_attn.text.ragged import Ragged, offsets_of

    draw, sides = np.random.RandomState(1), []
    for side in ("source", "target"):
        offsets = offsets_of(draw.poisson(27, count).clip(1, 100))
        for name, array in {"offsets": offsets, "ids": np.full(offsets[-1], 7, "<u2")}.items():
            np.save(Path(folder, f"{side}.{name}.npy"), array)
        del offsets, array
        maps = (np.load(Path(folder, f"{side}.{name}.npy"), mmap_mode="r") for name in ("ids", "offsets"))
        sides.append(Ragged(*maps))
    peaks = watched_memory()
    start = time.perf_counter()
    batches = TrainingBatches(*sides, TrainingConfig())
    buckets = time.perf_counter() - start
    return {"pairs": count, "buckets": buckets, **measure_stream(batches), **peaks}


def measure_stream(batches: "TrainingBatches") -> dict[str, float]:
    """Seconds to the first batch, and how many a second come after it."""
    import tensorflow  # noqa: F401  (when training begins, Keras has imported it)

    start = time.perf_counter()
    stream = iter(batches.stream())
    next(stream)
    first = time.perf_counter()
    for _ in range(BATCHES):
        next(stream)
    return {"first": first - start, "rate": BATCHES / (time.perf_counter() - first)}


def watched_memory() -> dict[str, float]:
    """The most GiB that this process has from now on, without and with the pages of mapped files; a thread keeps it true."""
    peaks = {"peak": 0.0, "mapped": 0.0}

    def watch() -> None:
        while True:
            status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
            own, files = (int(status[name].split()[0]) / 2**20 for name in ("RssAnon", "RssFile"))
            peaks.update(peak=max(peaks["peak"], own), mapped=max(peaks["mapped"], own + files))
            time.sleep(0.05)

    threading.Thread(target=watch, daemon=True).start()
    return peaks


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("pairs", type=int, nargs="*", default=[100_000, 1_000_000])
    parser.add_argument("--json", type=Path, help="where the numbers go, too")
    parser.add_argument(
        "--random-ids", action="store_true", help="only batches, of ids that no text was cut into"
    )
    args = parser.parse_args()
    columns = RANDOM_COLUMNS if args.random_ids else COLUMNS
    print(f"| {columns} |\n{'|---' * (1 + columns.count('|'))}|")
    rows = []
    for count in args.pairs:
        with tempfile.TemporaryDirectory() as folder, get_context("spawn").Pool(1) as process:
            if args.random_ids:
                row = process.apply(measure_random_ids, [count, folder])
            else:
                file = Path(folder, "pairs.tsv")
                write_pairs(file, count)
                row = process.apply(measure, [file, folder])
        print(
            f"| {row['pairs']:,} | "
            + " | ".join(f"{row[name]:,.2f}" for name in row if name != "pairs")
            + " |",
            flush=True,
        )
        rows.append(row)
        if args.json:
            args.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
