"""Lines of several sentences: some training pairs, one after the other.

A model that has read single sentences only leaves out a part of a line that has several. Reference: Kondo et al. 2021, "Sentence
Concatenation Approach to Data Augmentation for Neural Machine Translation".
"""

import random
import re

from keras_attn.text.corpus import Corpus
from keras_attn.text.links import Links

_SHARE = 0.1  # of the pairs
_ENDS = re.compile(r"[.!?…。！？]$")


def with_concatenations(corpus: Corpus, seed: int) -> Corpus:
    """Adds lines of two or three pairs, with spaces between them, after the pairs themselves: one for every ten pairs.

    Args:
        corpus: the pairs, in memory. Those whose sides both end with a punctuation mark may be parts, but none in capitals.
        seed: the same seed gives the same lines.

    Returns:
        All pairs, with their links.
    """
    draw = random.Random(seed)
    source, target = list(corpus.source), list(corpus.target)
    links = None if corpus.links is None else list(corpus.links)
    parts = [number for number in range(len(source)) if _is_part(source[number], target[number])]
    for _ in range(round(_SHARE * len(parts))):
        numbers = draw.choices(parts, k=draw.randrange(2, 4))
        if links is not None:
            links.append(_counted_on(numbers, source, target, links))
        for side in (source, target):
            side.append(" ".join(side[number] for number in numbers))
    return Corpus(source, target, corpus.dropped, links)


def _is_part(source: str, target: str) -> bool:
    return bool(_ENDS.search(source) and _ENDS.search(target)) and not source.isupper()


def _counted_on(numbers: list[int], source: list[str], target: list[str], links: list[Links]) -> Links:
    """The links of some pairs in one line: those of each, counted on from the words of the ones before."""
    together: Links = set()
    sources = targets = 0
    for number in numbers:
        together |= {(sources + i, targets + j) for i, j in links[number]}
        sources += len(source[number].split())
        targets += len(target[number].split())
    return together
