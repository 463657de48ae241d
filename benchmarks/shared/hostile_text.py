"""Text that nobody should give to a translator, the limits on what becomes of it, and the memory of a process.

Needs nothing but Python, because the programs that use it run where keras_attn is not installed.
"""

import os
import random
import subprocess
from collections.abc import Callable

SECONDS = 2.0
GROWTH = 100  # MB that memory may grow by after the first fifth
LONG = 100_000  # characters
SPACES = " \t\u00a0\u1680\u2003\u2028\u2029\u202f\u205f\u3000"
RIGHT_TO_LEFT = "שלום مرحبا\u200f\u202e\u2067\u2069\u061c"
MARKS = "".join(map(chr, range(0x300, 0x370)))
NAMES = "<s> </s> <unk> <pad> ▁ ⁇ <2de> {} %s \\0 🏳️‍🌈 👩‍👩‍👧 ﷺ İ ß"


def plane(draw: random.Random, number: int) -> str:
    """Characters of a Unicode plane, assigned or not, except surrogates."""
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
