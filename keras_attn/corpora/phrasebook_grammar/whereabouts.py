"""Sentences about where things are, how one gets there, and when they open or leave."""

from functools import partial
from itertools import product

from keras_attn.corpora.phrasebook_grammar.actions import DATES
from keras_attn.corpora.phrasebook_grammar.lexicon import (
    CITIES,
    GO,
    MY,
    NOUNS,
    NUMBERS,
    SINGULAR,
    THE,
    YOUR,
    Noun,
)
from keras_attn.corpora.phrasebook_grammar.nouns import (
    OWNED,
    PEOPLE,
    PLACES,
    NounPhrase,
    about,
    different,
    noun_phrase,
    possessions,
)
from keras_attn.corpora.phrasebook_grammar.phrase import (
    NOTHING,
    QUESTION,
    QUESTION_EXCUSE_ME,
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
    going,
    need,
    past,
    people,
    say,
    wish,
)

QUESTIONS = (QUESTION, QUESTION_EXCUSE_ME)


def families() -> list[list[Template]]:
    return [places(), searches(), existence(), journeys(), timetable()]


RELATIONS = (
    compose("near/n", "cerca/n de/n"),
    compose("far/f from/d", "lejos/f de/d"),
    compose("behind/b", "detrás/b de/b"),
    compose("next/n to/d", "al/n lado/n de/d"),
    compose("in/f front/f of/d", "delante/f de/d"),
)
INSIDE = (compose("in/i", "en/i"),)
LOCATIONS = (
    ("<thing> {be}/b <where> <place> .", "<thing> {está}/b <where> <place> ."),
    ("<thing> {be}/b not/n <where> <place> .", "<thing> no/n {está}/b <where> <place> ."),
    ("{be}/b <thing> <where> <place> ?", "¿ {está}/b <thing> <where> <place> ?"),
)


def locate(patterns: Patterns, relation: Phrase, pair: tuple[NounPhrase, NounPhrase]) -> Phrase:
    """ "The bank is next to the hotel."."""
    thing, place = pair
    be, está = (("is", "está"), ("are", "están"))[thing.number]
    source, target = (pattern.format(be=be, está=está) for pattern in patterns)
    return compose(source, target, thing=thing, where=relation, place=place)


def landmarks() -> list[NounPhrase]:
    return about(*PLACES, definite=True, plain=True, number=SINGULAR)


def places() -> list[Template]:
    buildings = about(*PLACES, definite=True, number=SINGULAR)
    things = [*about("paper", "belonging", "clothes", definite=True, plain=True), *possessions()]
    containers = [
        noun for noun in NOUNS if noun.english[SINGULAR] in ("hotel", "room", "bag", "suitcase", "taxi")
    ]
    inside = [
        noun_phrase(determiner, noun, SINGULAR) for determiner, noun in product((THE, MY, YOUR), containers)
    ]
    return [
        Template(locate, (LOCATIONS, RELATIONS, different(buildings, landmarks()))),
        Template(locate, (LOCATIONS, INSIDE, different(things, inside))),
    ]


def where(mood: Patterns, thing: NounPhrase) -> Phrase:
    """ "Excuse me, where is the bank?": the question begins, with its mark, inside the sentence."""
    be, está = (("is", "está"), ("are", "están"))[thing.number]
    core = compose(f"where/w {be}/b <thing>", f"dónde/w {está}/b <thing>", thing=thing)
    return compose(*mood, core=core)


def nearest(noun: Noun) -> NounPhrase:
    """ "the nearest station"."""
    cercano = ("cercano", "cercana")[noun.gender]
    phrase = compose(
        f"the/d nearest/a {noun.english[SINGULAR]}/n",
        f"{THE.spanish[SINGULAR][noun.gender]}/d {noun.spanish[SINGULAR]}/n más/a {cercano}/a",
    )
    return NounPhrase(**vars(phrase), noun=noun, number=SINGULAR, definite=True, plain=False)


def searches() -> list[Template]:
    things = about(*PLACES, *OWNED, "paper", "booking", "vehicle", definite=True)
    people = about(*PEOPLE, plain=True)
    next_ones = [nearest(noun) for noun in NOUNS if noun.kind in PLACES]
    return [Template(where, (QUESTIONS, choices)) for choices in (things, people, possessions(), next_ones)]


EXISTENCE = (
    ("there/h {be}/h <thing> <where> <place> .", "hay/h <thing> <where> <place> ."),
    ("{be}/h there/h <thing> <where> <place> ?", "¿ hay/h <thing> <where> <place> ?"),
    (
        "excuse/e me/e , {be}/h there/h <thing> <where> <place> ?",
        "perdón/e , ¿ hay/h <thing> <where> <place> ?",
    ),
)


def existence() -> list[Template]:
    """ "Is there a quiet hotel near the station?"."""
    pairs = different(about("monument", "outdoors", "business", definite=False), landmarks())
    return [Template(locate, (EXISTENCE, RELATIONS, pairs))]


def travel(
    form: Form, mood: Patterns, trip: tuple[Tense, Phrase], subject: Subject, place: Phrase, means: Phrase
) -> Phrase:
    """ "My aunt wants to go to the beach by bus tomorrow."."""
    tense, day = trip
    rest = compose(
        "to/t <place> <means> <day>", "a/t <place> <means> <day>", place=place, means=means, day=day
    )
    return compose(*mood, core=form(subject, tense(GO, subject.person), rest))


def journeys() -> list[Template]:
    destinations = [compose(f"{city}/c", f"{ciudad}/c") for city, ciudad in CITIES]
    destinations += about(*PLACES, definite=True, number=SINGULAR)
    vehicles = [noun for noun in NOUNS if noun.kind == "vehicle"]
    means = [
        compose(f"by/b {noun.english[SINGULAR]}/n", f"en/b {noun.spanish[SINGULAR]}/n") for noun in vehicles
    ]
    return [
        Template(partial(travel, form, mood), (trips(), subjects, destinations, [NOTHING, *means]))
        for form, mood in ((say, STATEMENT), (deny, STATEMENT), (ask, QUESTION))
        for subjects in (PRONOUNS[1:] if form is ask else PRONOUNS, people("family"))
    ]


def trips() -> list[tuple[Tense, Phrase]]:
    """The tenses of "go", each with the days that it can be said of."""
    monday = compose("on/o Monday/m", "el/o lunes/m")
    days = {
        tense: [NOTHING, monday, *(day for tense_of_day, day in DATES if tense_of_day is tense)]
        for tense in (past, future)
    }
    return [*product([past], days[past]), *product([going, wish, need, ability], days[future])]


CLOCK = (
    ("at/a {hour}/h", "a/a las/h {hora}/h"),
    ("at/a half/f past/p {hour}/h", "a/a las/h {hora}/h y/p media/f"),
    ("at/a a/q quarter/q past/p {hour}/h", "a/a las/h {hora}/h y/p cuarto/q"),
    ("at/a a/q quarter/q to/p {hour}/h", "a/a las/h {hora}/h menos/p cuarto/q"),
)
MOVES = (
    (("vehicle",), ("leave", "leaves"), ("sale", "salen")),
    (("vehicle",), ("arrive", "arrives"), ("llega", "llegan")),
    (("business", "monument"), ("open", "opens"), ("abre", "abren")),
    (("business", "monument"), ("close", "closes"), ("cierra", "cierran")),
)
WHEN = (("when/w", "cuándo/w"), ("what/w time/h", "a/w qué/w hora/h"))


def times() -> list[Phrase]:
    """ "at half past eight in the morning", "a las ocho y media de la mañana"."""
    morning = compose("in/i the/t morning/m", "de/i la/t mañana/m")
    afternoon = compose("in/i the/t afternoon/a", "de/i la/t tarde/a")
    hours = [(number, NOTHING) for number in NUMBERS[:10]]  # two to eleven
    hours += [*product(NUMBERS[4:10], [morning]), *product(NUMBERS[:6], [afternoon])]
    return [
        compose(f"{source.format(hour=hour)} <part>", f"{target.format(hora=hora)} <part>", part=part)
        for (source, target), ((hour, hora), part) in product(CLOCK, hours)
    ]


def tell_time(verb: tuple[Patterns, Patterns], thing: NounPhrase, time: Phrase) -> Phrase:
    """ "The train leaves at half past eight in the morning."."""
    (leave, leaves), (sale, salen) = verb
    english, spanish = ((leaves, sale), (leave, salen))[thing.number]
    return compose(f"<thing> {english}/v <time> .", f"<thing> {spanish}/v <time> .", thing=thing, time=time)


def ask_time(verb: tuple[Patterns, Patterns], mood: Patterns, when: Patterns, thing: NounPhrase) -> Phrase:
    """ "What time do the shops open?"."""
    (leave, _), forms = verb
    do, sale = (("does", "do")[thing.number], forms[thing.number])
    core = compose(f"{when[0]} {do}/v <thing> {leave}/v", f"{when[1]} {sale}/v <thing>", thing=thing)
    return compose(*mood, core=core)


def timetable() -> list[Template]:
    templates = []
    for kinds, *verb in MOVES:
        things = about(*kinds, definite=True)
        templates.append(Template(partial(tell_time, verb), (things, times())))
        templates.append(Template(partial(ask_time, verb), (QUESTIONS, WHEN, things)))
    return templates
