"""What can happen to the bytes of any file: it is cut short, bits flip, other bytes come in between or after it."""

import random
from collections.abc import Iterator, Sequence


def damaged(
    good: bytes, *, cuts: int, flips: int, places: Sequence[int] = (), seed: int = 1
) -> Iterator[tuple[str, bytes]]:
    """Named variants, always the same ones.

    Args:
        good: the file.
        cuts, flips: how many of either.
        places: where bits flip; anywhere if there are none.
    """
    draw = random.Random(seed)
    yield "nothing", b""
    yield "a NUL", b"\0"
    yield "noise", draw.randbytes(1000)
    yield "good and noise", good + draw.randbytes(100)
    yield "good twice", good + good
    yield "noise and good", draw.randbytes(7) + good
    for part in range(1, cuts):
        yield f"cut after {part} of {cuts}", good[: len(good) * part // cuts]
    yield "cut before its last byte", good[:-1]
    for _ in range(flips):
        place = draw.choice(places) if places else draw.randrange(len(good))
        bit = draw.randrange(8)
        yield (
            f"bit {bit} of byte {place} flipped",
            good[:place] + bytes([good[place] ^ 1 << bit]) + good[place + 1 :],
        )
