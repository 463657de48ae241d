"""TOML and JSON that no program of ours wrote: damaged, nested without end, with numbers and names that mean harm."""

import json
import re
from collections.abc import Iterator
from typing import Any

from damage import damaged

DEEP = 100_000


def hostile_tomls(good: str) -> Iterator[tuple[str, bytes]]:
    """Named variants of a good config, which comes first."""
    yield "good", good.encode()
    yield from damaged(good.encode(), cuts=6, flips=20)
    for key in re.findall(r"^(\w+) = ", good, re.MULTILINE):
        for value in ("1000000000", "-1", "[[]]", '"/dev/zero"'):
            yield (
                f"{key} is {value}",
                re.sub(rf"^{key} = .*", f"{key} = {value}", good, flags=re.MULTILINE).encode(),
            )
    for key in ("train", "dev", "test"):
        yield (
            f"{key} in a device",
            re.sub(rf"^{key} = .*", f'{key} = ["/dev/zero"]', good, flags=re.MULTILINE).encode(),
        )
    for value in ("3", "[]", "[{}]"):
        yield f"data is {value}", f"data = {value}\n".encode()
    first, _, rest = good.partition("\n")
    for name, line in {
        "lists within lists": f"a = {'[' * DEEP}",
        "tables within tables": f"a = {'{a = ' * DEEP}",
        "names within names": f"{'.'.join('a' * 30_000)} = 1",
        "a number of 5,000 digits": f"seed = {'9' * 5000}",
        "a float that is infinite": "max_length = inf",
        "a float that is none": "max_length = nan",
        "a date": "max_length = 1979-05-27",
        "a name that moves the cursor": '"\\u001b[2J" = 1',
        "a value that moves the cursor": 'corpus = "\\u001b]0;owned\\u0007"',
        "a bare escape": "\x1b[2J = 1",
        "a key twice": "max_length = 1\nmax_length = 2",
        "a section twice": "[data]",
        "an unknown section": "[secrets]",
        "ten megabytes of comment": "#" * 10_000_000,
        "a string without an end": 'corpus = """',
        "direction overrides": '"\u202e\u2066" = 1',
        "a lone surrogate": 'corpus = "\\ud800"',
    }.items():
        yield name, f"{first}\n{line}\n{rest}".encode()
    yield "a byte order mark", b"\xef\xbb\xbf" + good.encode()
    yield "UTF-16", good.encode("utf-16")
    yield "bytes that are no UTF-8", b"\xff\xfe" + good.encode()


def hostile_jsons(good: dict[str, Any]) -> Iterator[tuple[str, bytes]]:
    """Named variants of a good JSON object, which comes first."""
    text = json.dumps(good, indent=1)
    yield "good", text.encode()
    yield from damaged(text.encode(), cuts=4, flips=8)
    for name, content in {
        "null": "null",
        "a number": "7",
        "a string": '"text"',
        "a list": "[]",
        "an empty object": "{}",
        "lists within lists": "[" * DEEP,
        "objects within objects": '{"a":' * DEEP,
        "a number of 5,000 digits": f'{{"format": {"9" * 5000}}}',
        "a number of a megabyte": f'{{"format": 0.{"9" * 1_000_000}}}',
        "an infinite number": '{"format": 1e999}',
        "no number": '{"format": NaN}',
        "two megabytes": f'{{"a": "{"a" * 2_000_000}"}}',
        "a lone surrogate": '{"keras_attn": "\\ud800"}',
    }.items():
        yield name, content.encode()
    yield "UTF-16", text.encode("utf-16")
    yield "bytes that are no UTF-8", b"\xff" + text.encode()
    for key in good:
        for value in (None, 10**12, "../../../etc/passwd", "\x1b[2J", [[]]):
            yield f"{key} is {value!r}", json.dumps({**good, key: value}).encode()
