"""A generated English-Spanish phrasebook for travellers, with word alignments.

This corpus needs no download and no licence: the grammar in `phrasebook_grammar` makes every sentence and knows its word links.
Each English sentence has a single translation, so a model can learn all of it. Word order, agreement, dropped pronouns and
contractions still differ between the languages.

The hash of a sentence's source assigns it to "train", "dev" or "test". Sentences with certain pairs of words, such as "red shoe" or
"visit castle", also chosen by hash, are kept out of all three. They form the split "novel", where every word is known but some
combinations have never occurred.
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
# Each split has several times this many.
MAX_SIZE = {"train": 1_000_000, "dev": 100_000, "test": 100_000, "novel": 100_000}


@dataclass(frozen=True)
class PhrasePair:
    """A sentence in both languages; `alignment` contains (source word, target word), counted from 0 in `str.split()`."""

    source: str
    target: str
    alignment: tuple[tuple[int, int], ...]


def generate(size: int, seed: int = 0, split: Split = "train") -> list[PhrasePair]:
    """`size` different sentence pairs of a split.

    The same arguments give the same pairs in every process, and a larger `size` starts with the pairs of a smaller one.

    Raises:
        ValueError: an unknown split, or a size below 1 or above the `MAX_SIZE` of the split.
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
    """The number of sentence pairs in all splits together."""
    return sum(prod(map(len, template.choices)) for template in chain.from_iterable(_families()))


def split_of(phrase: Phrase, source: str) -> Split:
    """The split of a sentence: one combination in ten makes it novel; of the rest, one in ten is dev and one in ten test."""
    if any(_hash(combination) % 10 == 0 for combination in phrase.combinations):
        return "novel"
    return {0: "dev", 1: "test"}.get(_hash(source) % 10, "train")


def finish(phrase: Phrase) -> PhrasePair:
    """The sentence as it is written: with contractions, attached punctuation and a capital first letter."""
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
    """A hash that is the same in every process, unlike `hash`."""
    return zlib.crc32(text.encode())
