"""Sentences about what things are like and what they cost, and orders for some of them."""

from functools import partial

from keras_attn.corpora.phrasebook_grammar.lexicon import (
    ADJECTIVES,
    COMPARED,
    NUMBERS,
    OPPOSITES,
    PREDICATES,
    SINGULAR,
    Adjective,
)
from keras_attn.corpora.phrasebook_grammar.nouns import (
    DEGREES,
    GOODS,
    PEOPLE,
    PLACES,
    NounPhrase,
    Quality,
    about,
    different,
    judgements,
    possessions,
    quality,
)
from keras_attn.corpora.phrasebook_grammar.phrase import (
    NOTHING,
    QUESTION,
    QUESTION_EXCUSE_ME,
    Patterns,
    Phrase,
    Template,
    compose,
)


def families() -> list[list[Template]]:
    return [descriptions(), comparisons(), contrasts(), prices(), orders()]


DESCRIPTIONS = (
    ("<thing> {be} {english} .", "<thing> {copula} {spanish} ."),
    ("<thing> {be} not/n {english} .", "<thing> no/n {copula} {spanish} ."),
    ("{be} <thing> {english} ?", "¿ {copula} {spanish} <thing> ?"),
)


def describe(patterns: Patterns, described: tuple[NounPhrase, Quality]) -> Phrase:
    """ "Is the hotel very expensive?"."""
    thing, said = described
    source, target = (pattern.format(**said._asdict()) for pattern in patterns)
    return compose(source, target, said.combination, thing=thing)


def descriptions() -> list[Template]:
    described = (
        about(*PEOPLE, plain=True),
        about(*PLACES, "vehicle", "booking", definite=True, plain=True),
        about(*GOODS, definite=True, plain=True),
        possessions(),
    )
    return [
        Template(describe, (DESCRIPTIONS, judged))
        for things in described
        for adjectives in (ADJECTIVES, PREDICATES)
        if (judged := judgements(things, adjectives, DEGREES))
    ]


def compare(adjective: Adjective, things: tuple[NounPhrase, NounPhrase]) -> Phrase:
    """ "This hotel is more modern than the museum."."""
    first, second = things
    said = quality(first, adjective)
    return compose(
        f"<first> {said.be} more/m {said.english} than/t <second> .",
        f"<first> {said.copula} más/m {said.spanish} que/t <second> .",
        said.combination,
        first=first,
        second=second,
    )


def comparisons() -> list[Template]:
    return [
        Template(partial(compare, adjective), (different(things, things),))
        for adjective in COMPARED
        for kind in sorted(adjective.kinds)
        if (things := about(kind, definite=True, plain=True))
    ]


def contrast(opposites: tuple[Adjective, Adjective], things: tuple[NounPhrase, NounPhrase]) -> Phrase:
    """ "The museum is open, but the shops are closed."."""
    first, second = (
        describe(("<thing> {be} {english}", "<thing> {copula} {spanish}"), (thing, quality(thing, adjective)))
        for thing, adjective in zip(things, opposites, strict=True)
    )
    return compose("<first> , but/b <second> .", "<first> , pero/b <second> .", first=first, second=second)


def contrasts() -> list[Template]:
    return [
        Template(partial(contrast, opposites), (different(things, things),))
        for one, other in OPPOSITES
        for opposites in ((one, other), (other, one))
        for kind in sorted(one.kinds)
        if (things := about(kind, definite=True, plain=True, number=SINGULAR))
    ]


def ask_price(mood: Patterns, thing: NounPhrase) -> Phrase:
    """ "How much do these shoes cost?"."""
    do, cuesta = (("does", "cuesta"), ("do", "cuestan"))[thing.number]
    core = compose(f"how/h much/h {do}/c <thing> cost/c", f"cuánto/h {cuesta}/c <thing>", thing=thing)
    return compose(*mood, core=core)


def tell_price(thing: NounPhrase, number: Patterns) -> Phrase:
    """ "The map costs twelve euros."."""
    costs, cuesta = (("costs", "cuesta"), ("cost", "cuestan"))[thing.number]
    english, spanish = number
    return compose(
        f"<thing> {costs}/c {english}/n euros/e .", f"<thing> {cuesta}/c {spanish}/n euros/e .", thing=thing
    )


def prices() -> list[Template]:
    things = about(*GOODS, "booking", definite=True)
    return [
        Template(ask_price, ((QUESTION, QUESTION_EXCUSE_ME), things)),
        Template(tell_price, (things, NUMBERS)),
    ]


WITHOUT = (("with/w", "con/w"), ("without/w", "sin/w"))
INGREDIENTS = {
    "drink": (("sugar", "azúcar"), ("ice", "hielo")),
    "food": (("cheese", "queso"), ("tomato", "tomate"), ("onion", "cebolla")),
}
ORDERS = (
    ("<thing> <extra> , please/p .", "<thing> <extra> , por/p favor/p ."),
    ("I/v would/v like/v <thing> <extra> , please/p .", "quisiera/v <thing> <extra> , por/p favor/p ."),
)


def order(patterns: Patterns, thing: NounPhrase, extra: Phrase) -> Phrase:
    """ "Two coffees without sugar, please."."""
    return compose(*patterns, thing=thing, extra=extra)


def orders() -> list[Template]:
    extras = {
        kind: [
            compose(f"{without} {sugar}/s", f"{sin} {azúcar}/s")
            for without, sin in WITHOUT
            for sugar, azúcar in ingredients
        ]
        for kind, ingredients in INGREDIENTS.items()
    }
    extras["booking"] = [compose(f"for/f {four}/n", f"para/f {cuatro}/n") for four, cuatro in NUMBERS[:7]]
    return [
        Template(order, (ORDERS, about(kind, definite=False), [NOTHING, *choices]))
        for kind, choices in extras.items()
    ]
