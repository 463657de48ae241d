"""Lines as people write them but corpora of sentences hardly have them: greetings, names, a word alone, two quantities, marks.

What people say every day comes from a list (`corpora.expressions`), as far as it knows the languages, and so do single words
(`corpora.listed_words`); others are counted in the pairs (`lexicon`). Short sources are written in all ways: `Yes.`, `yes`,
`YES!`, in Spanish also `¡Sí!`. What people say alone but a corpus says only before a comma ("Yes, I know.") or after one ("Sit
down, please.") is made a line of its own. Some lines stand in parentheses or quotation marks, and some follow a greeting: "Good
morning, I would like a coffee." From lists come also what travellers say (`corpora.common_sentences`), how people tell their names
(`corpora.introductions`), sentences with two quantities (`corpora.quantities`), numbers and times in words (`corpora.numerals`),
days and months (`corpora.days`), countries, cities and languages (`corpora.places`), professions, nationalities and relatives
(`corpora.people`), and everyday things (`corpora.things`). Names and digits are for `augmentation` to vary.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import cycle, product

from keras_attn.corpora.common_sentences import common_sentences
from keras_attn.corpora.days import days
from keras_attn.corpora.expressions import expressions, openings
from keras_attn.corpora.introductions import introductions
from keras_attn.corpora.listed_words import listed_words
from keras_attn.corpora.numerals import numerals
from keras_attn.corpora.people import people
from keras_attn.corpora.places import places
from keras_attn.corpora.quantities import quantities
from keras_attn.corpora.things import things
from keras_attn.data.lexicon import lexicon
from keras_attn.text.corpus import Corpus

Pair = tuple[str, str]

_WORD = re.compile(r"\w+")
_START = re.compile(r"(\W*)(\w+)(.*)", re.DOTALL)
_FRAMED = re.compile(r"([¡¿]*)(.*?)([\s.!?。]*)", re.DOTALL)  # after NFKC
_TYPED = ("", ""), ("", "."), ("", "!"), ("", "?")  # frames, whatever the corpus has
_FRAME_SHARE = 0.002  # of all lines, from which on a frame of the corpus counts
_SHORT = 2  # words
_MOST_WORDS = 2, 3  # of a part of a line that becomes a line, source and target
_OFTEN, _SHARE = 3, 0.3  # how often such parts are said together, and of all that the source is said for
_TIMES = (
    3  # each way to write a short line, and each line of the longer lists: once is not enough to learn it
)
_TIMES_A_SENTENCE = 10  # of a list
_AROUND, _ONE_IN = ("()", '""'), 40  # one pair in this many gets such marks
_CLEARLY = 10  # a spelling must be this many times as frequent as the other


def with_everyday_lines(corpus: Corpus, *, languages: tuple[str, str]) -> Corpus:
    """Adds such lines after the pairs, which must be in memory. A corpus with links stays as it is: these lines would have none.

    Args:
        corpus: the pairs.
        languages: of source and target, such as `("en", "es")`.
    """
    if corpus.links is not None:
        return corpus
    pairs = list(zip(corpus.source, corpus.target, strict=True))
    listed: dict[str, Pair] = {}
    for pair in (*expressions(*languages), *listed_words(*languages)):
        listed.setdefault(_words(pair[0]), pair)
    short = [
        pair for pair in (*filter(_has_few_words, pairs), *_parts(pairs)) if _words(pair[0]) not in listed
    ]
    known = {_words(source) for source, _ in short} | listed.keys()
    counted = [pair for pair in _of_lexicon(pairs) if _words(pair[0]) not in known]
    frames = _frames(corpus.source)
    added = [
        (way, target)
        for source, target in _TIMES * [*listed.values(), *short, *counted]
        for way in _in_all_ways(source, frames)
    ]
    for (source, target), (before, after) in zip(pairs[::_ONE_IN], cycle(_AROUND), strict=False):
        added.append((before + source + after, before + target + after))
    added += _TIMES_A_SENTENCE * [*common_sentences(*languages), *quantities(*languages)]
    for words in (numerals, days, places, people, things):
        added += _TIMES * words(*languages)
    introduced = introductions(*languages)
    added += _TIMES * introduced
    added += _opened(pairs, _second(listed.values(), introduced), openings(*languages).items())
    return Corpus(*map(list, zip(*pairs, *added, strict=True)), corpus.dropped)


def _has_few_words(pair: Pair) -> bool:
    """Whether the source is a word or two. Not in scripts without capitals: in some of them spaces do not tell words."""
    line, _ = pair
    return 0 < len(_WORD.findall(line)) <= _SHORT and line.lower() != line.upper()


def _framed(line: str) -> tuple[str, str, str]:
    """What stands before the words of a line, the words, and what stands after them: `("¡", "Hola", "!")`."""
    return _FRAMED.fullmatch(unicodedata.normalize("NFKC", line)).groups()


def _words(line: str) -> str:
    """The words of a line, without capitals and the marks around them."""
    return _framed(line)[1].lower()


def _frames(lines: Iterable[str]) -> list[tuple[str, str]]:
    """Marks around lines, as people type them and as the corpus often has them: `("¡", "!")`."""
    counts = Counter((before, after) for before, _, after in map(_framed, lines))
    return sorted({*_TYPED, *(frame for frame, n in counts.items() if n >= _FRAME_SHARE * counts.total())})


def _in_all_ways(line: str, frames: list[tuple[str, str]]) -> list[str]:
    """A line with other marks around it and other capitals. A question stays one."""
    _, bare, mark = _framed(line)
    return [
        before + words + after
        for before, after in frames
        if not after or ("?" in after) == ("?" in mark)
        for words in (bare, bare.lower(), bare.upper())
    ]


def _of_lexicon(pairs: list[Pair]) -> list[Pair]:
    """Words that the pairs translate, as sentences: `("House.", "Casa.")`."""
    return [
        (f"{_capitalised(ours)}.", f"{_capitalised(theirs)}.")
        for ours, theirs in lexicon(pairs).items()
        if ours.lower() != ours.upper()
    ]


def _parts(pairs: list[Pair]) -> list[Pair]:
    """Short beginnings and ends that pairs often share, as sentences: `("Yes.", "Sí.")`.

    Names are left out: what both languages write alike, and always with a capital.
    """
    counts = Counter(part for pair in pairs for part in _ends(*pair))
    small = {word for source, _ in pairs for word in source.split() if word[0].islower()}
    of_source: Counter[str] = Counter()
    for (source, _), count in counts.items():
        of_source[source] += count
    return [
        (f"{source}.", f"{target}.")
        for (source, target), count in counts.items()
        if count >= max(_OFTEN, _SHARE * of_source[source]) and (source != target or source.lower() in small)
    ]


def _second(listed: Iterable[Pair], introduced: Iterable[Pair]) -> list[Pair]:
    """What is often said right after a greeting: questions, and who one is."""
    return [
        pair
        for pair in (*(pair for pair in listed if "?" in pair[0]), *introduced)
        if not any("," in side for side in pair)
    ]


def _opened(pairs: list[Pair], second: list[Pair], greetings: Iterable[Pair]) -> Iterator[Pair]:
    """One pair in forty after a greeting, and each of `second` after each greeting: `("Hi, why?", "Hi, warum?")`."""
    greetings = [tuple(_framed(side)[1] for side in greeting) for greeting in greetings]
    if not greetings:
        return
    inside = [
        Counter(word for line in side for word in _WORD.findall(line)[1:])
        for side in zip(*pairs, strict=True)
    ]
    followed = [
        *zip(cycle(greetings), pairs[_ONE_IN // 2 :: _ONE_IN], strict=False),
        *product(greetings, second),
    ]
    for greeting, pair in followed:
        going_on = [_after_a_comma(*each) for each in zip(pair, inside, strict=True)]
        if all(going_on):
            yield tuple(f"{first}, {rest}" for first, rest in zip(greeting, going_on, strict=True))


def _after_a_comma(line: str, inside: Counter[str]) -> str | None:
    """A line whose first word is written as inside of lines; `None` if the corpus does not say clearly how that is."""
    if not (found := _START.fullmatch(line)):
        return None
    before, first, rest = found.groups()
    small, large = inside[first.lower()], inside[first]
    if first.islower() or large > _CLEARLY * small:
        return line
    return before + first[0].lower() + first[1:] + rest if small > _CLEARLY * large else None


def _ends(source: str, target: str) -> Iterator[Pair]:
    """What stands before the first comma and after the last, if both sides have equally many.

    Not after the last one of a question: of "You know him, don't you?", that is no sentence of its own.
    """
    sources, targets = source.split(", "), target.split(", ")
    if len(sources) == len(targets) > 1:
        for place in (0,) if "?" in source + target else (0, -1):
            pair = _alone(sources[place]), _alone(targets[place])
            lengths = [len(part.split()) for part in pair]
            if all(0 < length <= most for length, most in zip(lengths, _MOST_WORDS, strict=True)):
                yield pair


def _alone(part: str) -> str:
    """Without marks around it, and with a capital."""
    return _capitalised(_framed(part)[1])


def _capitalised(words: str) -> str:
    return words[:1].upper() + words[1:]
