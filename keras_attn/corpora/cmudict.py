"""The CMU Pronouncing Dictionary: English words and their pronunciation in ARPAbet, `"adapt"`, `"AH0 D AE1 P T"`.

The hash of a word chooses the split for all of its pronunciations: 90 % train, 5 % dev, 5 % test.
"""

import hashlib
import re
from collections.abc import Iterable
from typing import NamedTuple

SPLITS = ("train", "dev", "test")
_ENTRY = re.compile(r"(\S+?)(?:\(\d+\))? ([^#]+)")  # further pronunciations have a number after the word


class Entry(NamedTuple):
    """A word and one of its pronunciations, phonemes separated by spaces."""

    word: str
    pronunciation: str


def entries(lines: Iterable[str], split: str, *, stress: bool) -> list[Entry]:
    """The entries of a split, each once, in the dictionary's order.

    Args:
        lines: of the dictionary, `word PHONEME PHONEME # remark`.
        split: one of `SPLITS`.
        stress: whether vowels keep their stress, 0 to 2.
    """
    found: dict[Entry, None] = {}
    for line in lines:
        if (entry := _ENTRY.match(line)) and split_of(entry[1]) == split:
            pronunciation = " ".join(entry[2].split())
            found[Entry(entry[1], pronunciation if stress else without_stress(pronunciation))] = None
    return list(found)


def without_stress(pronunciation: str) -> str:
    """`"AH0 D AE1 P T"` becomes `"AH D AE P T"`."""
    return re.sub(r"\d", "", pronunciation)


def split_of(word: str) -> str:
    """The split of a word."""
    percent = int(hashlib.sha256(word.encode()).hexdigest(), 16) % 100
    return "test" if percent < 5 else "dev" if percent < 10 else "train"
