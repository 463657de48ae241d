"""Asks an exported SavedModel from many threads at once: every answer has to be the one that a single thread gets.

    python benchmarks/concurrent_saved_model.py EXPORT SENTENCES --seconds 60

SENTENCES is a text file, of which the first 50 lines are asked, one a call, of signatures drawn by chance; every thread asks at
least once. Needs tensorflow and tensorflow-text, not keras_attn. It prints how many answers there were and how many differed, and
exits with 1 if one did.
"""

import argparse
import os
import random
import sys
import threading
import time
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

THREADS = 16
LINES = 50
TOLERANCE = 1e-4  # of scores and weights; texts have to be equal


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("export")
    parser.add_argument("sentences", type=Path)
    parser.add_argument("--seconds", type=float, default=60)
    args = parser.parse_args()
    import numpy as np
    import tensorflow as tf
    import tensorflow_text  # noqa: F401  the operators of the tokenizers

    signatures = tf.saved_model.load(args.export).signatures
    lines = args.sentences.read_text(encoding="utf-8").splitlines()[:LINES]
    translations = {}

    def ask(name: str, line: str) -> dict[str, np.ndarray]:
        given = {"text": [line], **({"translation": [translations[line]]} if name == "score" else {})}
        found = signatures[name](**{key: tf.constant(value) for key, value in given.items()})
        return {key: tensor.numpy() for key, tensor in found.items()}

    def same(one: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> bool:
        def close(one: np.ndarray, other: np.ndarray) -> bool:
            if one.shape != other.shape or one.dtype == object:
                return np.array_equal(one, other)
            return np.allclose(one, other, rtol=0, atol=TOLERANCE)

        return all(close(one[key], other[key]) for key in one)

    for line in lines:
        translations[line] = ask("serving_default", line)["translation"][0]
    alone = {(name, line): ask(name, line) for name in signatures for line in lines}
    end = time.monotonic() + args.seconds
    seconds, different, errors = [], [], []

    def ask_on(seed: int) -> None:
        draw = random.Random(seed)
        while True:
            which = draw.choice(list(alone))
            start = time.perf_counter()
            try:
                answer = ask(*which)
            except Exception as error:  # whatever it is, it is to be counted
                errors.append(f"{which}: {error}")
            else:
                seconds.append(time.perf_counter() - start)
                if not same(answer, alone[which]):
                    different.append(which)
            if time.monotonic() > end:
                return

    threads = [threading.Thread(target=ask_on, args=(seed,)) for seed in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(
        f"{THREADS} threads, {args.seconds:g} s: {len(seconds)} answers, {len(different)} different, {len(errors)} errors"
    )
    print(
        f"a call: {1000 * np.median(seconds):.0f} ms at the median, {1000 * np.quantile(seconds, 0.99):.0f} ms at 99 %"
    )
    if different or errors:
        sys.exit("\n".join([*map(str, different[:10]), *errors[:10]]))


if __name__ == "__main__":
    main()
