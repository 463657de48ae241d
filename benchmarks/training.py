"""Training speed on this machine, against its own matrix-product peak and against the same model without attention.

    python benchmarks/training.py             # Multi30k: KERAS_ATTN_DATA, or the download cache

The model is the one of `benchmarks/log/training_speed.md`: BiGRU-256, GRU-256, additive attention, maxout readout, a joint
vocabulary of 8,000, batches of 128 real sentence pairs. Rounds of the models take turns, and the peak is measured before, between
and after them, so that a machine that changes its speed changes all figures alike.

Model operations are 6 for each multiply-add of the forward pass (2 for itself, 4 for the two products of its gradient), counted
for real tokens only: padding is work, not progress.
"""

import argparse
import json
import os
import statistics
import time
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import keras
import numpy as np
import tensorflow as tf
from shared.speed_model import WIDTH, build, real_batches

from keras_attn.training.freed_memory import keep_freed_memory


def matrix_product_peak(size: int = 2048, repeats: int = 5) -> float:
    """The best float32 rate of a large square product, in operations a second."""
    a, b = tf.random.normal((size, size)), tf.random.normal((size, size))
    product = tf.function(tf.matmul)
    product(a, b)
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        product(a, b).numpy()
        seconds.append(time.perf_counter() - start)
    return 2 * size**3 / min(seconds)


def multiply_adds(sources: np.ndarray, targets: np.ndarray, attention: bool, vocabulary: int) -> float:
    """Of the forward pass over sentences with these numbers of source and target tokens, EOS included."""
    w, memory = WIDTH, 2 * WIDTH
    gru = 3 * w * w  # the recurrent half; the input's half depends on its width
    encoder = 2 * (gru + 3 * w * w)
    bridge = memory * w
    decoder = gru + 3 * w * w
    readout = 2 * w * (w + w)  # maxout over state and previous word
    if attention:
        encoder += memory * w  # keys
        decoder += 3 * memory * w + w * w  # the context into the gates, the query's projection
        readout += 2 * w * memory
    total = sources.sum() * encoder + len(sources) * bridge
    total += targets.sum() * (decoder + readout + w * vocabulary)
    if attention:
        total += (sources * targets).sum() * (w + memory)  # score and weighted sum
    return float(total)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--steps", type=int, default=40, help="training steps a round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()

    keep_freed_memory()  # as `keras-attn train` does
    tokenizer, batches = real_batches(args.steps)
    # The same batches for every round and model, kept in memory: the pipeline is not what is measured.
    dataset = batches.cache()
    kept = list(dataset.as_numpy_iterator())
    sources = np.concatenate([np.count_nonzero(x[0], axis=1) for x, _, _ in kept])
    targets = np.concatenate([np.count_nonzero(y, axis=1) for _, y, _ in kept])
    padding = 1 - targets.sum() / sum(np.size(y) for _, y, _ in kept)
    vocabulary = tokenizer.vocab_size
    models = {name: build(name == "attention", vocabulary) for name in ("attention", "no attention")}
    operations = {
        name: 6 * multiply_adds(sources, targets, name == "attention", vocabulary) for name in models
    }
    seconds = {name: [] for name in models}
    peaks = [matrix_product_peak()]
    for done in range(args.rounds + 1):
        for name, model in models.items():
            start = time.perf_counter()
            model.fit(dataset, epochs=1, shuffle=False, verbose=0)
            if done:  # the first round traces and warms up
                seconds[name].append(time.perf_counter() - start)
        peaks.append(matrix_product_peak())

    peak = statistics.median(peaks)
    print(f"tensorflow {tf.__version__}, keras {keras.__version__}, {os.cpu_count()} cores")
    print(
        f"{len(sources)} sentence pairs a round, {targets.sum()} target tokens, {padding:.1%} of target padding"
    )
    print(
        f"matrix product peak: median {peak / 1e9:.0f} GFLOP/s, {min(peaks) / 1e9:.0f} to {max(peaks) / 1e9:.0f}"
    )
    rows = {}
    for name, values in seconds.items():
        rates = [targets.sum() / s for s in values]
        middle = statistics.median(values)
        share = operations[name] / middle / peak
        rows[name] = {"tokens_per_second": targets.sum() / middle, "of_peak": share}
        print(
            f"{name:13} {targets.sum() / middle:6.0f} target tokens/s ({min(rates):.0f} to {max(rates):.0f}), "
            f"{operations[name] / middle / 1e9:.0f} GFLOP/s, {share:.2f} of the peak"
        )
    ratio = statistics.median(
        n / a for a, n in zip(seconds["attention"], seconds["no attention"], strict=True)
    )
    print(f"speed with attention / without: {ratio:.2f} (median of {args.rounds} pairs of rounds)")
    if args.json:
        about = {
            "rounds": args.rounds,
            "gflops_peak": peak / 1e9,
            "attention_over_none": ratio,
            "models": rows,
        }
        args.json.write_text(json.dumps(about, indent=2) + "\n")


if __name__ == "__main__":
    main()
