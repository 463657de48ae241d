"""Verbs in their tenses and persons, and the clauses they make: said, denied and asked."""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from keras_attn.corpora.phrasebook_grammar.lexicon import (
    FIRST,
    FIRST_PLURAL,
    PLURAL,
    SECOND,
    THIRD,
    THIRD_PLURAL,
    VERBS,
    Verb,
)
from keras_attn.corpora.phrasebook_grammar.nouns import about
from keras_attn.corpora.phrasebook_grammar.phrase import NOTHING, Phrase, compose


class Subject(NamedTuple):
    """Who does it, as patterns. Spanish drops the pronouns, so that "I" is linked to the verb that says it."""

    english: str
    spanish: str
    person: int
    phrase: Phrase = NOTHING


PRONOUNS = (
    Subject("I/v", "", FIRST),
    Subject("you/v", "", SECOND),
    Subject("we/v", "", FIRST_PLURAL),
    Subject("they/v", "", THIRD_PLURAL),
)


def people(kind: str) -> list[Subject]:
    """Everybody of a kind: "my sister", "our brothers"."""
    return [
        Subject("<subject>", "<subject>", THIRD_PLURAL if phrase.number == PLURAL else THIRD, phrase)
        for phrase in about(kind, plain=True)
    ]


class VerbGroup(NamedTuple):
    """A verb in one tense and person, as patterns: tag v where the person is said, b where the object belongs."""

    positive: str  # "am/v going/v to/t buy/b"
    negative: str  # "am/v not/n going/v to/t buy/b"
    fronted: str  # "am/v": a question puts it before the subject
    rest: str  # "going/v to/t buy/b": and leaves this behind
    finite: str  # "voy/v": a Spanish question puts it before the subject
    infinitive: str  # "a/t comprar/b"


Tense = Callable[[Verb, int], VerbGroup]

BE = ("am", "are", "is", "are", "are")  # by person, like the others
ESTAR = ("estoy", "estás", "está", "estamos", "están")
IR = ("voy", "vas", "va", "vamos", "van")
PODER = ("puedo", "puedes", "puede", "podemos", "pueden")
DO = ("do", "do", "does", "do", "do")


def _with_do(do: str, positive: str, rest: str, finite: str, infinitive: str = "") -> VerbGroup:
    return VerbGroup(positive, f"{do}/n not/n {rest}", f"{do}/v", rest, finite, infinitive)


def _with_be(person: int, rest: str, finite: str, infinitive: str = "") -> VerbGroup:
    be = f"{BE[person]}/v"
    return VerbGroup(f"{be} {rest}", f"{be} not/n {rest}", be, rest, finite, infinitive)


@cache
def present(verb: Verb, person: int) -> VerbGroup:
    """ "wants", "quiere"."""
    finite = verb.english_finite if person == THIRD else verb.english
    return _with_do(DO[person], f"{finite}/vb", f"{verb.english}/vb", f"{verb.spanish_finite[person]}/vb")


@cache
def past(verb: Verb, person: int) -> VerbGroup:
    """ "bought", "compró"."""
    return _with_do(
        "did", f"{verb.english_finite}/vb", f"{verb.english}/vb", f"{verb.spanish_finite[person]}/vb"
    )


@cache
def future(verb: Verb, person: int) -> VerbGroup:
    """ "is going to buy", "va a comprar"."""
    return _with_be(person, f"going/v to/t {verb.english}/b", f"{IR[person]}/v", f"a/t {verb.spanish}/b")


@cache
def going(verb: Verb, person: int) -> VerbGroup:
    """ "is going", "va": of "ir" itself, Spanish says what is planned in the present."""
    return _with_be(person, f"{verb.english_ing}/vb", f"{IR[person]}/vb")


@cache
def progressive(verb: Verb, person: int) -> VerbGroup:
    """ "is buying", "está comprando"."""
    return _with_be(person, f"{verb.english_ing}/b", f"{ESTAR[person]}/v", f"{verb.gerund}/b")


@cache
def ability(verb: Verb, person: int) -> VerbGroup:
    """ "can buy", "puede comprar"; "cannot" is both "no" and "puede"."""
    buy = f"{verb.english}/b"
    return VerbGroup(
        f"can/v {buy}", f"cannot/vn {buy}", "can/v", buy, f"{PODER[person]}/v", f"{verb.spanish}/b"
    )


def wish(verb: Verb, person: int) -> VerbGroup:
    """ "wants to buy", "quiere comprar"."""
    return _governed(VERBS["want"], verb, person)


def need(verb: Verb, person: int) -> VerbGroup:
    """ "needs to buy", "necesita comprar"."""
    return _governed(VERBS["need"], verb, person)


@cache
def _governed(state: Verb, verb: Verb, person: int) -> VerbGroup:
    finite = state.english_finite if person == THIRD else state.english
    to_buy = f"to/b {verb.english}/b"
    return _with_do(
        DO[person],
        f"{finite}/v {to_buy}",
        f"{state.english}/v {to_buy}",
        f"{state.spanish_finite[person]}/v",
        f"{verb.spanish}/b",
    )


Form = Callable[..., Phrase]  # one of the next three


def say(subject: Subject, verb: VerbGroup, rest: Phrase, a: str = "", combination: str = "") -> Phrase:
    """ "My sister wants ..."; `a` is "a/b" before a person, whom Spanish marks with a preposition."""
    return compose(
        f"{subject.english} {verb.positive} <rest>",
        f"{subject.spanish} {verb.finite} {verb.infinitive} {a} <rest>",
        combination,
        subject=subject.phrase,
        rest=rest,
    )


def deny(subject: Subject, verb: VerbGroup, rest: Phrase, a: str = "", combination: str = "") -> Phrase:
    """ "My sister does not want ..."."""
    return compose(
        f"{subject.english} {verb.negative} <rest>",
        f"{subject.spanish} no/n {verb.finite} {verb.infinitive} {a} <rest>",
        combination,
        subject=subject.phrase,
        rest=rest,
    )


def ask(subject: Subject, verb: VerbGroup, rest: Phrase, a: str = "", combination: str = "") -> Phrase:
    """ "Does my sister want ...": in Spanish too the subject comes later, after the verb."""
    return compose(
        f"{verb.fronted} {subject.english} {verb.rest} <rest>",
        f"{verb.finite} {subject.spanish} {verb.infinitive} {a} <rest>",
        combination,
        subject=subject.phrase,
        rest=rest,
    )
