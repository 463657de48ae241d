"""Sends an exported SavedModel what nobody should, to every signature: an answer or a clear error each time, soon, and no leak.

    python benchmarks/hostile_saved_model.py EXPORT --count 10000

Needs tensorflow and tensorflow-text, not keras_attn. It prints what came of it and exits with 1 if an answer was malformed, if one
took longer than 2 s or if memory grew. The time of a call is the processor's or the clock's, whichever is less: the load of other
programs is not its fault.
"""

import argparse
import os
import sys
import time
from collections import Counter

from shared.hostile_text import GROWTH, SECONDS, inputs, rss

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")


def complaint(texts: list[bytes], answer: dict) -> str | None:
    """What is wrong with an answer, if anything is."""
    import numpy as np

    for name, tensor in answer.items():
        values = tensor.numpy()
        if len(values) != len(texts):
            return f"{name} has {len(values)} rows"
        if values.dtype == object:
            for value in values.ravel():
                if b"\n" in value or b"\r" in value or value.decode(errors="replace").encode() != value:
                    return f"{name} is no line of UTF-8: {value[:40]!r}"
        elif not np.isfinite(values).all():
            return f"{name} is not finite"
    return None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("export")
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--limit", type=float, default=SECONDS, help="of a call, in seconds")
    args = parser.parse_args()
    import tensorflow as tf
    import tensorflow_text  # noqa: F401  the operators of the tokenizers

    signatures = tf.saved_model.load(args.export).signatures
    hostile = inputs(args.count)
    slowest = dict.fromkeys(signatures, (0.0, ""))
    refused, failures = Counter(), []
    settled = before = rss()
    for i, (kind, text) in enumerate(hostile):
        for name, function in signatures.items():
            given = {"text": [text]}
            if name == "score":
                given["translation"] = [hostile[-i - 1][1]]  # some other one
            clock, processor = time.perf_counter(), time.process_time()
            try:
                answer = function(**{key: tf.constant(texts, tf.string) for key, texts in given.items()})
                wrong = complaint([text], answer)
            except tf.errors.InvalidArgumentError as error:
                refused[str(error).splitlines()[-1][:200]] += 1
                wrong = None
            seconds = min(time.perf_counter() - clock, time.process_time() - processor)
            slowest[name] = max(slowest[name], (seconds, kind))
            if seconds > args.limit and i:  # the first call prepares the graph
                wrong = f"{seconds:.2f} s"
            if wrong:
                failures.append(f"{name}, {kind}, {text[:40]!r}: {wrong}")
        if i == len(hostile) // 5:
            settled = rss()
    after = rss()
    if after - settled > GROWTH:
        failures.append(f"memory grew by {after - settled:.0f} MB")
    print(f"{len(hostile)} strings, {len(hostile) * len(signatures)} calls, {len(failures)} failures")
    for name, (seconds, kind) in slowest.items():
        print(f"slowest of {name}: {seconds:.2f} s, {kind}")
    print(f"refused: {dict(refused) or 'none'}")
    print(
        f"memory: {before:.0f} MB loaded, {settled:.0f} MB after a fifth of the strings, {after:.0f} MB at the end"
    )
    if failures:
        sys.exit("\n".join(failures[:20]))


if __name__ == "__main__":
    main()
