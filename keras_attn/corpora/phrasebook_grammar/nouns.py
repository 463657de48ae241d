"""Noun phrases, and what is said of them: articles, adjectives and "is" agree with the noun."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import NamedTuple

from keras_attn.corpora.phrasebook_grammar.lexicon import (
    ADJECTIVES,
    DETERMINERS,
    NO_DETERMINER,
    NOUNS,
    PLURAL,
    SINGULAR,
    THE,
    Adjective,
    Determiner,
    Noun,
)
from keras_attn.corpora.phrasebook_grammar.phrase import Phrase, compose, tagged

PLACES = ("monument", "outdoors", "business", "terminal")
PEOPLE = ("family", "staff")
GOODS = ("food", "dessert", "drink", "paper", "luggage", "clothes")
OWNED = ("belonging", "luggage", "clothes")


@dataclass(frozen=True, kw_only=True)
class NounPhrase(Phrase):
    noun: Noun
    number: int
    definite: bool
    plain: bool  # without an adjective


def noun_phrase(
    determiner: Determiner, noun: Noun, number: int, adjective: Adjective | None = None
) -> NounPhrase:
    """ "the red shoes", "los zapatos rojos"."""
    article, english, spanish, combination = determiner.english[number], "", "", ""
    if adjective:
        english, spanish = adjective.english, adjective.spanish[number][noun.gender]
        combination = f"{english} {noun.english[SINGULAR]}"
    if article == "a" and (english or noun.english[SINGULAR])[0] in "aeiouI":
        article = "an"
    phrase = compose(
        f"{tagged(article, 'd')} {tagged(english, 'a')} {noun.english[number]}/n",
        f"{tagged(determiner.spanish[number][noun.gender], 'd')} {noun.spanish[number]}/n {tagged(spanish, 'a')}",
        combination,
    )
    return NounPhrase(
        **vars(phrase), noun=noun, number=number, definite=determiner.definite, plain=not adjective
    )


def belonging_to(owner: NounPhrase, noun: Noun, number: int) -> NounPhrase:
    """ "my sister's shoes", "los zapatos de mi hermana": the 's becomes both the article and "de"."""
    phrase = compose(
        f"<owner> 's/s {noun.english[number]}/n",
        f"{THE.spanish[number][noun.gender]}/s {noun.spanish[number]}/n de/s <owner>",
        owner=owner,
    )
    return NounPhrase(**vars(phrase), noun=noun, number=number, definite=True, plain=True)


def fitting(noun: Noun, *adjectives: Adjective) -> list[Adjective]:
    return [adjective for adjective in adjectives if noun.kind in adjective.kinds]


@cache
def noun_phrases() -> tuple[NounPhrase, ...]:
    """Every noun with each of its determiners, in both numbers, alone and with each adjective that fits."""
    return tuple(
        noun_phrase(determiner, noun, number, adjective)
        for noun in NOUNS
        for determiner, number in product(DETERMINERS[noun.kind], (SINGULAR, PLURAL))
        if determiner.english[number]
        for adjective in (None, *fitting(noun, *ADJECTIVES))
    )


@cache
def bare_plurals() -> tuple[NounPhrase, ...]:
    """ "red shoes", as one counts them."""
    return tuple(
        noun_phrase(NO_DETERMINER, noun, PLURAL, adjective)
        for noun in NOUNS
        for adjective in (None, *fitting(noun, *ADJECTIVES))
    )


@cache
def possessions() -> tuple[NounPhrase, ...]:
    """ "my sister's shoes"."""
    owners = about(*PEOPLE, plain=True, number=SINGULAR)
    nouns = [noun for noun in NOUNS if noun.kind in OWNED]
    return tuple(belonging_to(*choice) for choice in product(owners, nouns, (SINGULAR, PLURAL)))


def about(*kinds: str, **traits: bool | int) -> list[NounPhrase]:
    """The noun phrases of these kinds with these traits: `definite=True`, `plain=True`, `number=SINGULAR`."""
    return [
        phrase
        for phrase in noun_phrases()
        if phrase.noun.kind in kinds and all(getattr(phrase, name) == value for name, value in traits.items())
    ]


def different(
    first: Iterable[NounPhrase], second: Iterable[NounPhrase]
) -> list[tuple[NounPhrase, NounPhrase]]:
    """The pairs that do not name the same thing twice."""
    return [(one, other) for one, other in product(first, second) if one.noun is not other.noun]


BE = ("is", "are")  # by number
COPULAS = {"ser": ("es", "son"), "estar": ("está", "están")}
DEGREES = {"": "", "very": "muy", "too": "demasiado"}


class Quality(NamedTuple):
    """What is said of a noun, as patterns: "is/b very/d red/a", "es/b muy/d rojo/a"."""

    be: str
    english: str
    copula: str
    spanish: str
    combination: str


def quality(thing: NounPhrase, adjective: Adjective, degree: str = "") -> Quality:
    number, noun = thing.number, thing.noun
    return Quality(
        be=f"{BE[number]}/b",
        english=f"{tagged(degree, 'd')} {adjective.english}/a",
        copula=f"{COPULAS[adjective.copula][number]}/b",
        spanish=f"{tagged(DEGREES[degree], 'd')} {adjective.spanish[number][noun.gender]}/a",
        combination=f"{adjective.english} {noun.english[SINGULAR]}",
    )


def judgements(
    things: Iterable[NounPhrase], adjectives: Sequence[Adjective], degrees: Iterable[str]
) -> list[tuple[NounPhrase, Quality]]:
    """Each thing with each quality that it can have."""
    return [
        (thing, quality(thing, adjective, degree))
        for thing in things
        for adjective in fitting(thing.noun, *adjectives)
        for degree in degrees
        if adjective.gradable or not degree
    ]
