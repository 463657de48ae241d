"""Gives an exported `.tflite` what nobody should: text to the Python client, ids and tensors to every signature.

    python benchmarks/hostile_litert.py EXPORT/model.tflite --count 10000
    python benchmarks/hostile_litert.py EXPORT/model.tflite --count 10000 --text     # one that was exported with --text

Needs what `export/python` needs, and tensorflow-text for `--text`, but not keras_attn. It prints what came of it and exits with 1
if an answer was malformed or took longer than 2 s of the processor's time, if memory grew, or if an ordinary sentence has another
translation afterwards.
"""

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
from shared.hostile_text import GROWTH, SECONDS, inputs, rss

sys.path.insert(0, str(Path(__file__).parents[1] / "export" / "python"))
from litert_translator import Translator

ORDINARY = "A man is here."
LEAST, MOST = np.iinfo(np.int32).min, np.iinfo(np.int32).max


def hostile_ids(draw: random.Random, length: int, vocab_size: int) -> np.ndarray:
    """int32 `[1, length]`: inside and outside the vocabulary, special ids anywhere."""
    pools = ([LEAST, -1, vocab_size, MOST], range(4), range(vocab_size), [0], [3], [1], [4])
    pool = draw.choice(pools)
    return np.array([[draw.choice(pool) for _ in range(length)]], np.int32)


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


def try_tensors(trial: Trial, translator: Translator, draw: random.Random) -> None:
    """Every signature, with the right tensors' shapes and hostile ids, and with wrong tensors."""
    about = translator.about
    target_size = about["vocab_sizes"]["target"]
    for name, runner in translator.signatures.items():
        described = about["signatures"][name]["inputs"]
        tensors = {key: np.zeros([n or 8 for n in x["shape"]], x["dtype"]) for key, x in described.items()}
        length = about["source_length"] or draw.randint(0, 2 * about["search"]["max_source_length"])
        if "source" in tensors:
            tensors["source"] = hostile_ids(draw, length, about["vocab_sizes"]["source"])
        else:
            tensors["token"] = hostile_ids(draw, 1, target_size)[0]
        trial.run(
            f"{name}, ids", lambda runner=runner, tensors=tensors: complaint(runner(**tensors), target_size)
        )
        victim = draw.choice(sorted(tensors))
        broken = {**tensors, victim: wrong_tensor(draw, tensors[victim])}
        trial.run(
            f"{name}, wrong {victim}",
            lambda runner=runner, broken=broken: complaint(runner(**broken), target_size),
        )


def of_ids(model: str, trial: Trial) -> tuple[Callable[[str, bytes], None], Callable[[], object]]:
    """What to do with a hostile line, and what says how an ordinary one is translated."""
    translator, draw = Translator(model), random.Random(1)

    def attempt(kind: str, text: bytes) -> None:
        try_text(trial, translator, kind, text.decode("utf-8", "replace"))
        try_tensors(trial, translator, draw)

    return attempt, lambda: translator(ORDINARY)


def of_text(model: str, trial: Trial) -> tuple[Callable[[str, bytes], None], Callable[[], object]]:
    from text_translator import load

    translate = load(model)

    def complaint(text: bytes) -> str | None:
        found = translate(text)["translation"]
        return (
            "no line of UTF-8" if b"\n" in found or found.decode(errors="replace").encode() != found else None
        )

    return (
        lambda kind, text: trial.run(f"translate_text, {kind}", lambda: complaint(text)),
        lambda: translate(ORDINARY.encode()),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model")
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--limit", type=float, default=SECONDS, help="of a call, in the processor's seconds")
    parser.add_argument("--text", action="store_true", help="the file takes text")
    args = parser.parse_args()
    trial = Trial(args.limit)
    attempt, ordinary = (of_text if args.text else of_ids)(args.model, trial)
    expected = ordinary()
    before = settled = rss()
    for i, (kind, text) in enumerate(inputs(args.count)):
        attempt(kind, text)
        if i == args.count // 5:
            settled = rss()
    if ordinary() != expected:
        trial.failures.append(f"{ORDINARY!r} gives {ordinary()}, not {expected}")
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
