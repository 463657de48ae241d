"""Sends an exported SavedModel what nobody should, to every signature: an answer or a clear error each time, soon, and no leak.

    python benchmarks/hostile_saved_model.py EXPORT --count 10000

Needs tensorflow and tensorflow-text, not keras_attn. It prints what came of it and exits with 1 if an answer was malformed, if one
took longer than 2 s or if memory grew. The time of a call is the processor's or the clock's, whichever is less: the load of other
programs is not its fault.
"""

import argparse
import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

SECONDS = 2.0
GROWTH = 100  # MB that memory may grow by after the first fifth
LONG = 100_000  # characters
SPACES = " \t\u00a0\u1680\u2003\u2028\u2029\u202f\u205f\u3000"
RIGHT_TO_LEFT = "שלום مرحبا\u200f\u202e\u2067\u2069\u061c"
MARKS = "".join(map(chr, range(0x300, 0x370)))
NAMES = "<s> </s> <unk> <pad> ▁ ⁇ <2de> {} %s \\0 🏳️‍🌈 👩‍👩‍👧 ﷺ İ ß"


def plane(draw: random.Random, number: int) -> str:
    """Characters of a Unicode plane, assigned or not, but for surrogates."""
    points = (draw.randrange(number << 16, (number + 1) << 16) for _ in range(draw.randint(1, 40)))
    return "".join(chr(point) for point in points if not 0xD800 <= point < 0xE000)


def text_with(alphabet: str) -> Callable[[random.Random], bytes]:
    return lambda draw: "".join(draw.choices(alphabet, k=draw.randint(1, 60))).encode()


KINDS: dict[str, Callable[[random.Random], bytes]] = {
    "random bytes": lambda draw: draw.randbytes(draw.randint(1, 80)),
    "broken UTF-8": lambda draw: (
        "two 3 ünd ✓ ".encode()[draw.randint(0, 6) : draw.randint(7, 16)] + b"\xff\xc0\xed\xa0"
    ),
    "surrogates": lambda draw: chr(draw.randrange(0xD800, 0xE000)).encode(errors="surrogatepass") * 3 + b" a",
    **{f"plane {n}": lambda draw, n=n: plane(draw, n).encode() for n in range(17)},
    "right to left": text_with(RIGHT_TO_LEFT),
    "combining marks": text_with("ae" + MARKS),
    "only spaces": text_with(SPACES),
    "NUL and controls": text_with("a \0" + "".join(map(chr, range(1, 32))) + "\x7f\x80\x9f"),
    "newlines": text_with("a one\n\r\v\f\x85\u2028\u2029"),
    "names": lambda draw: " ".join(draw.choices(NAMES.split(), k=draw.randint(1, 8))).encode(),
    "text": text_with("abcdefghij 0123456789.,!?"),
    "nothing": lambda draw: b"",
}
LONG_KINDS = [
    "a",
    " ",
    "\0",
    "\n",
    "☃",
    "ﷺ",
    "\u0301",
    "a\u0301",
    "the man ",
    "3 1 ",
    "日a",
    "\U0010ffff",
    "<s>",
]


def inputs(count: int, seed: int = 1) -> list[tuple[str, bytes]]:
    """As many strings with the names of their kinds; one in twenty-five is of 100,000 characters."""
    draw = random.Random(seed)
    found = []
    for i in range(count):
        if i % 25 == 24:
            unit = LONG_KINDS[i // 25 % len(LONG_KINDS)]
            found.append((f"{LONG} characters of {unit!r}", (unit * LONG)[:LONG].encode()))
        else:
            kind = list(KINDS)[i % len(KINDS)]
            found.append((kind, KINDS[kind](draw)))
    return found


def rss() -> float:
    """MB of memory this process holds."""
    if os.path.exists("/proc/self/statm"):
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    told = subprocess.run(["ps", "-o", "rss=", "-p", str(os.getpid())], capture_output=True, check=True)
    return int(told.stdout) / 1e3


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
            if seconds > SECONDS and i:  # the first call prepares the graph
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
