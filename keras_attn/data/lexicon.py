"""What single words mean, counted in pairs of sentences: "house" is "casa".

Words that stand in the same pairs again and again translate each other. How clearly is told by Dice's coefficient, 2 n(s, t) /
(n(s) + n(t)), where n counts pairs, as in Smadja et al. 1996 (https://aclanthology.org/J96-1001).
"""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import product

_WORD = re.compile(r"[^\W\d_]{3,}(?:-[^\W\d_]+)*(?![\w'’])")  # no "don" of "don't"
_FIRST = re.compile(r"\W*\w*")
_ENOUGH = 200_000  # pairs: memory grows with them
_MOST_WORDS = 15  # of a sentence: in a long one everything stands together
_TOGETHER = 10  # pairs
_DICE, _LEAST_DICE, _SHARE = 0.4, 0.2, 0.5

_Best = dict[str, tuple[float, str | None]]


def lexicon(pairs: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Words of the source and what each means, both as they are written inside of a sentence.

    A word is left out if no word of the target stands beside it in 10 pairs, or none clearly enough: with a Dice coefficient of
    0.4, or in half of its pairs, as "red" does beside "roja", one of its four forms. It is also left out if two words are equally
    clear, on either side: always together, they cannot be told apart.
    """
    inside, counts = (Counter(), Counter()), (Counter(), Counter())
    both: Counter[tuple[str, str]] = Counter()
    for pair in pairs[:_ENOUGH]:
        words = [_WORD.findall(line) for line in pair]
        if max(map(len, words)) > _MOST_WORDS:
            continue
        for side, line in enumerate(pair):
            inside[side].update(_WORD.findall(line, _FIRST.match(line).end()))
        small = [list(dict.fromkeys(map(str.lower, found))) for found in words]  # in order, unlike a set
        for side, found in enumerate(small):
            counts[side].update(found)
        both.update(product(*small))
    best: tuple[_Best, _Best] = {}, {}  # the clearest of each word; `None` if two are as clear
    for (ours, theirs), together in both.items():
        dice = 2 * together / (counts[0][ours] + counts[1][theirs])
        if together < _TOGETHER or dice < _LEAST_DICE:
            continue
        for clearest, word, other in (best[0], ours, theirs), (best[1], theirs, ours):
            known, _ = clearest.get(word, (0.0, None))
            if dice >= known:
                clearest[word] = dice, other if dice > known else None
    return {
        _written(ours, inside[0]): _written(theirs, inside[1])
        for ours, (dice, theirs) in best[0].items()
        if theirs is not None
        and best[1][theirs][1] is not None
        and (dice >= _DICE or both[ours, theirs] >= _SHARE * counts[0][ours])
    }


def _written(word: str, inside: Counter[str]) -> str:
    """With a capital if it has one inside of sentences, as names and German nouns have."""
    large = word[0].upper() + word[1:]
    return large if inside[large] > inside[word] else word
