"""Phrases in two languages at once, with their alignment.

A rule is written as two patterns, one for each language. A word is linked to every word of the other pattern that has a tag
in common with it (each letter after the slash is one tag); `<name>` is the place of a phrase, which brings its own links.
An underscore joins words that share their tags:

    compose("I/v do/n not/n want/v <thing>", "no/n quiero/v <thing>", thing=...)

So reordering ("red/a shoe/n", "zapato/n rojo/a") and words that come apart ("does/v <subject> want/v") need nothing else.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True, kw_only=True)
class Phrase:
    """Words that say the same in both languages, and which pairs of words in them can be held out, as "red shoe"."""

    source: tuple[str, ...] = ()
    target: tuple[str, ...] = ()
    links: frozenset[tuple[int, int]] = frozenset()  # (source word, target word)
    combinations: frozenset[str] = frozenset()


NOTHING = Phrase()

Patterns = tuple[str, str]  # English, Spanish
CLAUSE = ("<core>", "<core>")  # a part of a longer sentence
STATEMENT = ("<core> .", "<core> .")
QUESTION = ("<core> ?", "¿ <core> ?")
QUESTION_PLEASE = ("<core> , please/p ?", "¿ <core> , por/p favor/p ?")
QUESTION_EXCUSE_ME = ("excuse/e me/e , <core> ?", "perdón/e , ¿ <core> ?")


class Template(NamedTuple):
    """A rule, and for each of its arguments the choices: all their products are sentences, each another one."""

    rule: Callable[..., Phrase]
    choices: tuple[Sequence, ...]


def compose(source: str, target: str, combination: str = "", **parts: Phrase) -> Phrase:
    """One phrase from a pattern for each language, as described above, and the phrases for its places."""
    sources = {name: part.source for name, part in parts.items()}
    targets = {name: part.target for name, part in parts.items()}
    source_words, source_tags, source_starts = _read(source, sources)
    target_words, target_tags, target_starts = _read(target, targets)
    links = {(i, j) for i, tags in source_tags for j, others in target_tags if tags & others}
    combinations = {combination} if combination else set()
    for name, start in source_starts.items():
        links.update((start + i, target_starts[name] + j) for i, j in parts[name].links)
        combinations |= parts[name].combinations
    return Phrase(
        source=tuple(source_words),
        target=tuple(target_words),
        links=frozenset(links),
        combinations=frozenset(combinations),
    )


def _read(
    pattern: str, parts: dict[str, tuple[str, ...]]
) -> tuple[list[str], list[tuple[int, set[str]]], dict[str, int]]:
    """The words of one side, the tags of those that the pattern names, and where each part starts."""
    words: list[str] = []
    tags: list[tuple[int, set[str]]] = []
    starts: dict[str, int] = {}
    for item in pattern.split():
        if item[0] == "<":
            name = item[1:-1]
            starts[name] = len(words)
            words += parts[name]
        else:
            form, _, tag = item.partition("/")
            for word in form.split("_"):
                tags.append((len(words), set(tag)))
                words.append(word)
    return words, tags, starts


def tagged(form: str, tag: str) -> str:
    """A word of a pattern; an empty form gives none."""
    return f"{form}/{tag}" if form else ""


CONTRACTIONS = {("de", "el"): "del", ("a", "el"): "al"}


def attach(words: tuple[str, ...]) -> tuple[list[str], list[int]]:
    """Contract "de el" and "a el", attach punctuation, capitalise: the new words, and in which of them each word went."""
    merged: list[str] = []
    positions = []
    for word in words:
        previous = merged[-1] if merged else ""
        if (previous, word) in CONTRACTIONS:
            merged[-1] = CONTRACTIONS[previous, word]
        elif word in (",", ".", "?", "'s") or previous == "¿":
            merged[-1] += word
        else:
            merged.append(word)
        positions.append(len(merged) - 1)
    first = merged[0].lstrip("¿")
    merged[0] = merged[0].replace(first, first[0].upper() + first[1:])
    return merged, positions
