"""Gives an exported `.tflite` what nobody should: text to the Python client, bytes, ids and tensors to every signature.

    python benchmarks/hostile_litert.py EXPORT/model.tflite --count 10000

Needs what `export/python` needs, but not keras_attn. It prints what came of it and exits with 1 if an answer was malformed or took
longer than `--limit` seconds of the processor's time, if memory grew, or if an ordinary sentence has another translation
afterwards.
"""

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from shared.hostile_text import GROWTH, SECONDS, inputs, rss

sys.path.insert(0, str(Path(__file__).parents[1] / "export" / "python"))
from litert_translator import Translator

ORDINARY = "A man is here."
LEAST, MOST = np.iinfo(np.int32).min, np.iinfo(np.int32).max


def hostile_ids(draw: random.Random, shape: tuple[int, ...], vocab_size: int) -> np.ndarray:
    """int32: inside and outside the vocabulary, special ids anywhere."""
    pools = ([LEAST, -1, vocab_size, MOST], range(4), range(vocab_size), [0], [3], [1], [4])
    return drawn(draw, shape, draw.choice(pools))


def hostile_bytes(draw: random.Random, shape: tuple[int, ...], text: bytes) -> np.ndarray:
    """int32: bytes and numbers that are none, of `text` or at random, with an end or without."""
    pools = ([LEAST, -1, 256, MOST], range(256), [*range(256), -1], range(0x80, 0x100), text or b" ")
    found = drawn(draw, shape, draw.choice(pools))
    if text and draw.random() < 0.5:
        row = np.resize(np.frombuffer(text, np.uint8), shape[1])
        found[0] = np.where(np.arange(shape[1]) < draw.randint(0, shape[1]), row, found[0])
    return found


def drawn(draw: random.Random, shape: tuple[int, ...], pool: Sequence[int]) -> np.ndarray:
    return np.array(draw.choices(pool, k=int(np.prod(shape))), np.int32).reshape(shape)


def wrong_tensor(draw: random.Random, right: np.ndarray) -> np.ndarray:
    """Of another shape or dtype."""
    if draw.random() < 0.5:
        return right.astype(draw.choice(["int64", "float64", "uint8", "bool"]))
    return np.zeros(
        draw.choice([(), (0,), (3,), (2, *right.shape), (*right.shape, 2), (right.size + 1,)]), right.dtype
    )


def complaint(found: dict[str, np.ndarray], vocab_size: int) -> str | None:
    """What is wrong with an answer, if anything is."""
    for name, tensor in found.items():
        if tensor.dtype.kind == "f" and not np.isfinite(tensor).all():
            return f"{name} is not finite"
    ids = found.get("ids", np.zeros(1, np.int32))
    if ids.min() < 0 or ids.max() >= vocab_size:
        return "ids outside the vocabulary"
    codes = found.get("text", np.zeros([1, 0], np.int32))
    try:
        [bytes(row[row >= 0].astype(np.uint8)).decode("utf-8") for row in codes]
    except UnicodeDecodeError:
        return "text that is not UTF-8"
    return None


class Trial:
    """Counts what happens, and how long it takes."""

    def __init__(self, limit: float) -> None:
        self._limit = limit  # seconds
        self.calls, self.refused, self.failures = 0, Counter(), []
        self.slowest = (0.0, "")

    def run(self, what: str, call) -> None:
        """`call()` returns a complaint or `None`; a `ValueError` or `RuntimeError` is a refusal."""
        start = time.thread_time()
        try:
            wrong = call()
        except (ValueError, RuntimeError) as error:
            self.refused[f"{what}: {str(error).splitlines()[0][:100]}"] += 1
            wrong = None if str(error) else "an error without a message"
        seconds = time.thread_time() - start
        self.calls += 1
        self.slowest = max(self.slowest, (seconds, what))
        if seconds > self._limit:
            wrong = f"{seconds:.2f} s"
        if wrong:
            self.failures.append(f"{what}: {wrong}")


def try_text(trial: Trial, translator: Translator, kind: str, text: str) -> None:
    def says_lines(*texts: str) -> str | None:
        return "more than one line" if any("\n" in text for text in texts) else None

    trial.run(f"translate, {kind}", lambda: says_lines(translator(text).text))
    trial.run(f"stream, {kind}", lambda: says_lines(*translator.stream(text)))
    trial.run(f"align, {kind}", lambda: says_lines(translator.align(text).translation.text))


def try_tensors(trial: Trial, translator: Translator, draw: random.Random, text: bytes) -> None:
    """Every signature, with the right tensors' shapes and hostile numbers, and with wrong tensors."""
    runners = translator.signatures
    size = runners["step"].get_output_details()["log_probs"]["shape"][-1]
    source = tuple(runners["tokenize"].get_output_details()["ids"]["shape"])
    for name, runner in runners.items():
        details = runner.get_input_details()
        tensors = {key: np.zeros(x["shape"], x["dtype"]) for key, x in details.items()}
        if "text" in tensors:
            tensors["text"] = hostile_bytes(draw, tensors["text"].shape, text)
        else:
            key = next(key for key in ("source", "ids", "token") if key in tensors)
            shape = source if key == "source" else tensors[key].shape
            tensors[key] = hostile_ids(draw, shape, size)
        trial.run(
            f"{name}, numbers", lambda runner=runner, tensors=tensors: complaint(runner(**tensors), size)
        )
        victim = draw.choice(sorted(tensors))
        broken = {**tensors, victim: wrong_tensor(draw, tensors[victim])}
        trial.run(
            f"{name}, wrong {victim}", lambda runner=runner, broken=broken: complaint(runner(**broken), size)
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model")
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--limit", type=float, default=SECONDS, help="of a call, in the processor's seconds")
    args = parser.parse_args()
    trial = Trial(args.limit)
    translator, draw = Translator(args.model), random.Random(1)
    expected = translator(ORDINARY)
    before = settled = rss()
    for i, (kind, text) in enumerate(inputs(args.count)):
        try_text(trial, translator, kind, text.decode("utf-8", "replace"))
        try_tensors(trial, translator, draw, text[:5000])
        if i == args.count // 5:
            settled = rss()
    if translator(ORDINARY) != expected:
        trial.failures.append(f"{ORDINARY!r} gives {translator(ORDINARY)}, not {expected}")
    after = rss()
    if after - settled > GROWTH:
        trial.failures.append(f"memory grew by {after - settled:.0f} MB")
    print(f"{trial.calls} calls, {sum(trial.refused.values())} refused, {len(trial.failures)} failures")
    print(f"slowest: {trial.slowest[0]:.2f} s, {trial.slowest[1]}")
    print(f"memory: {before:.0f} MB loaded, {settled:.0f} MB after a fifth, {after:.0f} MB at the end")
    for reason, count in trial.refused.most_common(12):
        print(f"  {count} x {reason}")
    if trial.failures:
        sys.exit("\n".join(trial.failures[:20]))


if __name__ == "__main__":
    main()
