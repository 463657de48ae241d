"""Tables of what to say in English, German, Spanish and French: a line for each meaning, its forms separated by " / "."""

from collections.abc import Iterable

_LANGUAGES = ("en", "de", "es", "fr")
Forms = list[str]


def rows(text: str, source: str, target: str) -> list[tuple[str, Forms, Forms]]:
    """For each line its first form in English, and its forms in both languages; no lines in a language that is not known.

    Args:
        text: lines such as `Hello. | Hallo. | Hola. / Buenas. | Bonjour.`
        source, target: codes of languages, such as `"en"`.
    """
    if source not in _LANGUAGES or target not in _LANGUAGES:
        return []
    lines = [[side.strip().split(" / ") for side in line.split("|")] for line in text.strip().splitlines()]
    ours, theirs = _LANGUAGES.index(source), _LANGUAGES.index(target)
    return [(forms[0][0], forms[ours], forms[theirs]) for forms in lines]


def translations(text: str, source: str, target: str) -> list[tuple[str, str]]:
    """Every form of the source language, and the first one of the target language, which is what a translation says."""
    return [(form, theirs[0]) for _, ours, theirs in rows(text, source, target) for form in ours]


def filled(text: str, words: Iterable[tuple[str, str]], source: str, target: str) -> list[tuple[str, str]]:
    """The translations of sentences with a gap, `{}`, filled by each of the words of both languages."""
    words = list(words)
    return [
        (form.format(ours), said.format(theirs))
        for form, said in translations(text, source, target)
        for ours, theirs in words
    ]
