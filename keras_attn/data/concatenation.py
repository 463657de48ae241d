"""Lines of several sentences or words: some training pairs, one after the other.

A model that has read single sentences only leaves out a part of a line that has several. And from a few hundred words, a model
hardly learns where to attend; joined, they make as many lines as you like. Reference: Kondo et al. 2021, "Sentence Concatenation
Approach to Data Augmentation for Neural Machine Translation".
"""

import random
import re

from keras_attn.text.corpus import Corpus
from keras_attn.text.links import Links

_ENDS = re.compile(r"[.!?…。！？]$")


def with_concatenations(corpus: Corpus, share: float, seed: int) -> Corpus:
    """Adds lines of two or three pairs, with spaces between them, after the pairs themselves.

    Args:
        corpus: the pairs, in memory. A pair may be a part if both of its sides end with a punctuation mark, or neither. If only the
            source is in capitals, the pair stays alone, unless all do.
        share: how many lines are added for each pair that may be a part.
        seed: the same seed gives the same lines.

    Returns:
        All pairs, with their links.
    """
    draw = random.Random(seed)
    source, target = list(corpus.source), list(corpus.target)
    links = None if corpus.links is None else list(corpus.links)
    pairs = list(zip(source, target, strict=True))
    careless = [_in_capitals(*pair) for pair in pairs]
    if all(careless):  # then that is how this language is written
        careless = [False] * len(pairs)
    parts = [number for number, pair in enumerate(pairs) if _marks_agree(*pair) and not careless[number]]
    for _ in range(round(share * len(parts))):
        numbers = draw.choices(parts, k=draw.randrange(2, 4))
        if links is not None:
            links.append(_counted_on(numbers, source, target, links))
        for side in (source, target):
            side.append(" ".join(side[number] for number in numbers))
    return Corpus(source, target, corpus.dropped, links)


def _marks_agree(source: str, target: str) -> bool:
    return bool(_ENDS.search(source)) == bool(_ENDS.search(target))


def _in_capitals(source: str, target: str) -> bool:
    """Whether only the source is."""
    return source.isupper() and not target.isupper()


def _counted_on(numbers: list[int], source: list[str], target: list[str], links: list[Links]) -> Links:
    """The links of some pairs in one line: those of each, counted on from the words of the ones before."""
    together: Links = set()
    sources = targets = 0
    for number in numbers:
        together |= {(sources + i, targets + j) for i, j in links[number]}
        sources += len(source[number].split())
        targets += len(target[number].split())
    return together
