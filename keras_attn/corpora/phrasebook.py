"""An English-Spanish phrasebook for travellers, generated, with the alignment of its words.

A corpus that needs no download and no licence: every sentence is made by the grammar in `phrasebook_grammar`, which knows what
is linked to what. English says each thing in a way that has one translation, so that a model can learn all of it, while word
order, agreement, dropped pronouns and contractions still differ between the languages.

A sentence belongs to one split: to "train", "dev" or "test" by the hash of its source. Kept from all three are the sentences with
certain pairs of words, as "red shoe" or "visit castle", also chosen by hash: they are the split "novel", where every word is known
and some neighbours have never met.
"""

import random
import zlib
from dataclasses import dataclass
from functools import cache
from itertools import chain
from math import prod
from typing import Literal

from keras_attn.corpora.phrasebook_grammar import actions, descriptions, whereabouts
from keras_attn.corpora.phrasebook_grammar.phrase import Phrase, Template, attach

Split = Literal["train", "dev", "test", "novel"]
# Each split holds several times as many.
MAX_SIZE = {"train": 1_000_000, "dev": 100_000, "test": 100_000, "novel": 100_000}


@dataclass(frozen=True)
class PhrasePair:
    """One sentence in both languages; `alignment` holds (source word, target word), counted from 0 over `str.split()`."""

    source: str
    target: str
    alignment: tuple[tuple[int, int], ...]


def generate(size: int, seed: int = 0, split: Split = "train") -> list[PhrasePair]:
    """`size` different sentence pairs of a split.

    The same arguments give the same pairs in every process, and a larger `size` begins with the pairs of a smaller one.

    Raises:
        ValueError: for an unknown split, or a size below 1 or above the `MAX_SIZE` of the split.
    """
    if split not in MAX_SIZE:
        raise ValueError(f"split must be one of {', '.join(MAX_SIZE)}. Received: {split!r}.")
    if not 1 <= size <= MAX_SIZE[split]:
        raise ValueError(f"size must be from 1 to {MAX_SIZE[split]} for split={split!r}. Received: {size}.")
    draws = random.Random(seed)
    pairs: dict[str, PhrasePair] = {}  # by source
    while len(pairs) < size:
        phrase = _draw(draws)
        pair = finish(phrase)
        if split_of(phrase, pair.source) == split:
            pairs.setdefault(pair.source, pair)
    return list(pairs.values())


def count() -> int:
    """How many sentence pairs there are, of all splits together."""
    return sum(prod(map(len, template.choices)) for template in chain.from_iterable(_families()))


def split_of(phrase: Phrase, source: str) -> Split:
    """Where a sentence belongs: one combination in ten makes it novel; of the others one in ten is dev, one in ten test."""
    if any(_hash(combination) % 10 == 0 for combination in phrase.combinations):
        return "novel"
    return {0: "dev", 1: "test"}.get(_hash(source) % 10, "train")


def finish(phrase: Phrase) -> PhrasePair:
    """The sentence as it is written: contracted, with its punctuation attached and its first letter large."""
    source, source_positions = attach(phrase.source)
    target, target_positions = attach(phrase.target)
    alignment = sorted({(source_positions[i], target_positions[j]) for i, j in phrase.links})
    return PhrasePair(" ".join(source), " ".join(target), tuple(alignment))


@cache
def _families() -> list[list[Template]]:
    return [*actions.families(), *descriptions.families(), *whereabouts.families()]


def _draw(draws: random.Random) -> Phrase:
    template = draws.choice(draws.choice(_families()))
    return template.rule(*map(draws.choice, template.choices))


def _hash(text: str) -> int:
    """The same in every process, unlike `hash`."""
    return zlib.crc32(text.encode())
