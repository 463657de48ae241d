"""Sentences about what people do, have and like."""

from collections.abc import Iterable, Sequence
from functools import partial

from keras_attn.corpora.phrasebook_grammar.lexicon import (
    ACCIDENTS,
    ACTIONS,
    CITIES,
    FAULTS,
    MERITS,
    SINGULAR,
    STATES,
    VERBS,
    Verb,
)
from keras_attn.corpora.phrasebook_grammar.nouns import (
    DEGREES,
    GOODS,
    PEOPLE,
    PLACES,
    NounPhrase,
    Quality,
    about,
    bare_plurals,
    different,
    judgements,
    possessions,
)
from keras_attn.corpora.phrasebook_grammar.phrase import (
    CLAUSE,
    NOTHING,
    QUESTION,
    QUESTION_PLEASE,
    STATEMENT,
    Patterns,
    Phrase,
    Template,
    compose,
)
from keras_attn.corpora.phrasebook_grammar.verbs import (
    PRONOUNS,
    Form,
    Subject,
    Tense,
    ability,
    ask,
    deny,
    future,
    need,
    past,
    people,
    present,
    progressive,
    say,
    wish,
)

IT = ("it", "they")  # by number


def families() -> list[list[Template]]:
    return [
        acts(say, STATEMENT),
        acts(deny, STATEMENT, definite=True),  # "no tengo una llave" is not what one says
        acts(ask, QUESTION, PRONOUNS[1:]),
        requests(),
        days(),
        gifts(),
        counts(),
        likes(),
        reasons(),
        reservations(),
        couples(),
    ]


def act(form: Form, mood: Patterns, verb: Verb, tense: Tense, subject: Subject, thing: NounPhrase) -> Phrase:
    """ "I lost my passport."; Spanish marks a person who is the object with "a"."""
    a = "a/b" if thing.noun.kind in PEOPLE else ""
    core = form(
        subject, tense(verb, subject.person), thing, a, f"{verb.english} {thing.noun.english[SINGULAR]}"
    )
    return compose(*mood, core=core)


def acts(
    form: Form, mood: Patterns, pronouns: Sequence[Subject] = PRONOUNS, **traits: bool
) -> list[Template]:
    speakers = [(pronouns, ""), *((people(kind), kind) for kind in PEOPLE)]
    return [
        Template(partial(act, form, mood, verb), (tenses, subjects, things))
        for verb, tenses in uses()
        for subjects, kind in speakers
        if (things := objects(verb, kind, **traits))
    ]


def uses() -> Iterable[tuple[Verb, tuple[Tense, ...]]]:
    """Each verb with the tenses that it is said in."""
    yield from ((verb, (present,)) for verb in STATES)
    yield from ((verb, (past,)) for verb in ACCIDENTS)
    for verb in ACTIONS:
        yield verb, (past, future, wish, need, ability, *([progressive] if verb.gerund != "-" else []))


def objects(verb: Verb, subject_kind: str = "", **traits: bool) -> list[NounPhrase]:
    """What a verb takes. Of a subject's own kind nothing, so that nobody calls himself; what others own, after pronouns."""
    things = about(*(verb.kinds - {subject_kind}), **traits)
    owned = [] if subject_kind else [thing for thing in possessions() if thing.noun.kind in verb.kinds]
    return things + owned


def requests() -> list[Template]:
    """ "Can you call the doctor, please?"."""
    return [
        Template(partial(act, ask, QUESTION_PLEASE, verb, ability), (PRONOUNS[:3], objects(verb)))
        for verb in ACTIONS
    ]


DATES = (
    (past, compose("yesterday/y", "ayer/y")),
    (past, compose("last/n night/n", "anoche/n")),
    (past, compose("this/t morning/m", "esta/t mañana/m")),
    (future, compose("tomorrow/t", "mañana/t")),
    (future, compose("tonight/t", "esta/t noche/t")),
)


def on_a_day(verb: Verb, date: tuple[Tense, Phrase], subject: Subject, thing: NounPhrase) -> Phrase:
    """ "Yesterday we visited the castle."."""
    tense, day = date
    return compose(
        "<day> <core>", "<day> <core>", day=day, core=act(say, STATEMENT, verb, tense, subject, thing)
    )


def days() -> list[Template]:
    return [Template(partial(on_a_day, verb), (DATES, PRONOUNS, objects(verb))) for verb in ACTIONS]


def buy_for(tense: Tense, subject: Subject, thing: NounPhrase, person: NounPhrase, city: Phrase) -> Phrase:
    """ "I bought a hat for my aunt in Granada."."""
    rest = compose(
        "<thing> for/f <person> <city>",
        "<thing> para/f <person> <city>",
        thing=thing,
        person=person,
        city=city,
    )
    core = say(
        subject, tense(VERBS["buy"], subject.person), rest, combination=f"buy {thing.noun.english[SINGULAR]}"
    )
    return compose(*STATEMENT, core=core)


def gifts() -> list[Template]:
    things = about("luggage", "clothes", "paper", definite=False)
    places = [NOTHING, *(compose(f"in/i {english}/c", f"en/i {spanish}/c") for english, spanish in CITIES)]
    return [
        Template(buy_for, ((past, future, wish, need), PRONOUNS, things, about("family", plain=True), places))
    ]


def count_of(verb: Verb, tense: Tense, subject: Subject, thing: NounPhrase) -> Phrase:
    """ "How many suitcases do you have?"."""
    group, cuántos = tense(verb, subject.person), ("cuántos", "cuántas")[thing.noun.gender]
    return compose(
        f"how/q many/q <thing> {group.fronted} {subject.english} {group.rest} ?",
        f"¿ {cuántos}/q <thing> {group.finite} {subject.spanish} ?",
        f"{verb.english} {thing.noun.english[SINGULAR]}",
        thing=thing,
        subject=subject.phrase,
    )


def counts() -> list[Template]:
    return [
        Template(partial(count_of, verb, present if verb in STATES else past), (subjects, things))
        for verb in (*STATES, *ACCIDENTS, *ACTIONS)
        for subjects in (PRONOUNS[1:], people("family"))
        if (things := [thing for thing in bare_plurals() if thing.noun.kind in verb.kinds.difference(PEOPLE)])
    ]


LIKES = (
    ("{i}/m like/g <thing> .", "{me}/m {gusta}/g <thing> ."),
    ("{i}/m like/g <thing> very/x much/x .", "{me}/m {gusta}/g mucho/x <thing> ."),
    ("{i}/m do/n not/n like/g <thing> .", "no/n {me}/m {gusta}/g <thing> ."),
    ("{i}/m liked/g <thing> .", "{me}/m {gustó}/g <thing> ."),
    ("{i}/m did/n not/n like/g <thing> .", "no/n {me}/m {gustó}/g <thing> ."),
    ("do/g {i}/m like/g <thing> ?", "¿ {me}/m {gusta}/g <thing> ?"),
    ("did/g {i}/m like/g <thing> ?", "¿ {me}/m {gustó}/g <thing> ?"),
)
EXPERIENCERS = (("I", "me"), ("you", "te"), ("we", "nos"))


def like(patterns: Patterns, experiencer: tuple[str, str], thing: NounPhrase) -> Phrase:
    """ "I like these shoes.": in Spanish the shoes please me, and the verb agrees with them."""
    i, me = experiencer
    gusta, gustó = (("gusta", "gustó"), ("gustan", "gustaron"))[thing.number]
    source, target = (pattern.format(i=i, me=me, gusta=gusta, gustó=gustó) for pattern in patterns)
    return compose(source, target, f"like {thing.noun.english[SINGULAR]}", thing=thing)


def likes() -> list[Template]:
    return [Template(like, (LIKES, EXPERIENCERS, about(*GOODS, *PLACES, "vehicle", definite=True)))]


def because(
    form: Form, verb: Verb, tense: Tense, subject: Subject, judged: tuple[NounPhrase, Quality]
) -> Phrase:
    """ "I do not want this hat because it is too small.": "pequeño" agrees with the hat, four words back."""
    thing, said = judged
    return compose(
        f"<core> because/c {IT[thing.number]}/b {said.be} {said.english} .",
        f"<core> porque/c {said.copula} {said.spanish} .",
        said.combination,
        core=act(form, CLAUSE, verb, tense, subject, thing),
    )


def reasons() -> list[Template]:
    """What is refused for a fault, or taken for a merit."""
    return [
        Template(partial(because, form, VERBS[name], tense), (PRONOUNS, judged))
        for form, adjectives, degrees in ((deny, FAULTS, ("very", "too")), (say, MERITS, ("", "very")))
        for name, tense in (
            ("want", present),
            ("need", present),
            ("buy", future),
            ("order", future),
            ("reserve", wish),
        )
        if (judged := judgements(about(*VERBS[name].kinds, definite=True, plain=True), adjectives, degrees))
    ]


def like_but(experiencer: tuple[str, str], judged: tuple[NounPhrase, Quality]) -> Phrase:
    """ "We like the hotel, but it is too expensive."."""
    thing, said = judged
    return compose(
        f"<core> , but/c {IT[thing.number]}/b {said.be} {said.english} .",
        f"<core> , pero/c {said.copula} {said.spanish} .",
        said.combination,
        core=like(("{i}/m like/g <thing>", "{me}/m {gusta}/g <thing>"), experiencer, thing),
    )


def reservations() -> list[Template]:
    things = about(*GOODS, *PLACES, definite=True, plain=True)
    return [Template(like_but, (EXPERIENCERS, judgements(things, FAULTS, DEGREES)))]


def each_their_own(
    verb: Verb, tense: Tense, things: tuple[NounPhrase, NounPhrase], one: Subject, other: Subject
) -> Phrase:
    """ "I ordered a coffee, and my sister ordered two cakes."."""
    first, second = (
        act(say, CLAUSE, verb, tense, subject, thing)
        for subject, thing in zip((one, other), things, strict=True)
    )
    return compose("<first> , and/a <second> .", "<first> y/a <second> .", first=first, second=second)


def couples() -> list[Template]:
    return [
        Template(
            partial(each_their_own, verb, tenses[0]), (different(things, things), first, people("family"))
        )
        for verb, tenses in uses()
        for first in (PRONOUNS, people("staff"))
        if (things := about(*verb.kinds.difference(PEOPLE), definite=False, plain=True))
    ]
