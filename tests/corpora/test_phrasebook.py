import itertools
import os
import random
import re
import subprocess
import sys
from collections import defaultdict
from math import prod
from operator import getitem

import pytest

from keras_attn.corpora import phrasebook
from keras_attn.corpora.phrasebook import PhrasePair, finish, generate
from keras_attn.corpora.phrasebook_grammar import actions, descriptions, lexicon, whereabouts
from keras_attn.corpora.phrasebook_grammar.lexicon import (
    MY,
    OUR,
    PLURAL,
    QUALITIES,
    SINGULAR,
    THE,
    THIS,
    VERBS,
    A,
)
from keras_attn.corpora.phrasebook_grammar.nouns import belonging_to, noun_phrase, quality
from keras_attn.corpora.phrasebook_grammar.phrase import (
    NOTHING,
    QUESTION,
    QUESTION_EXCUSE_ME,
    QUESTION_PLEASE,
    STATEMENT,
    Phrase,
    compose,
)
from keras_attn.corpora.phrasebook_grammar.verbs import (
    PRONOUNS,
    ability,
    ask,
    deny,
    future,
    going,
    past,
    people,
    present,
    progressive,
    say,
)

FIRST_PERSON, YOU, WE, THEY = PRONOUNS
NOUN = {noun.english[SINGULAR]: noun for noun in lexicon.NOUNS}
MY_SISTER = next(subject for subject in people("family") if subject.phrase.source == ("my", "sister"))


def thing(determiner, noun, number=SINGULAR, adjective=None):
    return noun_phrase(determiner, NOUN[noun], number, QUALITIES[adjective] if adjective else None)


def act(form, mood, verb, tense, subject, *noun):
    return actions.act(form, mood, VERBS[verb], tense, subject, thing(*noun))


def links(pharaoh):
    return tuple(tuple(map(int, link.split("-"))) for link in pharaoh.split())


EXAMPLES = [
    (
        act(say, STATEMENT, "want", present, FIRST_PERSON, THE, "shoe", PLURAL, "red"),
        "I want the red shoes.",
        "Quiero los zapatos rojos.",
        "0-0 1-0 2-1 3-3 4-2",
    ),
    (
        act(deny, STATEMENT, "want", present, FIRST_PERSON, THIS, "soup"),
        "I do not want this soup.",
        "No quiero esta sopa.",
        "0-1 1-0 2-0 3-1 4-2 5-3",
    ),
    (
        act(deny, STATEMENT, "pay_for", past, MY_SISTER, THE, "coffee"),
        "My sister did not pay for the coffee.",
        "Mi hermana no pagó el café.",
        "0-0 1-1 2-2 3-2 4-3 5-3 6-4 7-5",
    ),
    (
        act(deny, STATEMENT, "find", ability, FIRST_PERSON, MY, "passport"),
        "I cannot find my passport.",
        "No puedo encontrar mi pasaporte.",
        "0-1 1-0 1-1 2-2 3-3 4-4",
    ),
    (
        act(ask, QUESTION, "buy", future, MY_SISTER, A, "umbrella"),
        "Is my sister going to buy an umbrella?",
        "¿Va mi hermana a comprar un paraguas?",
        "0-0 1-1 2-2 3-0 4-3 5-4 6-5 7-6",
    ),
    (
        act(say, STATEMENT, "wait_for", progressive, WE, THE, "waiter"),
        "We are waiting for the waiter.",
        "Estamos esperando al camarero.",
        "0-0 1-0 2-1 2-2 3-1 3-2 4-2 5-3",
    ),
    (
        act(ask, QUESTION_PLEASE, "call", ability, YOU, THE, "doctor"),
        "Can you call the doctor, please?",
        "¿Puedes llamar al médico, por favor?",
        "0-0 1-0 2-1 2-2 3-2 4-3 5-4 5-5",
    ),
    (
        actions.count_of(
            VERBS["order"], past, THEY, noun_phrase(lexicon.NO_DETERMINER, NOUN["beer"], PLURAL)
        ),
        "How many beers did they order?",
        "¿Cuántas cervezas pidieron?",
        "0-0 1-0 2-1 3-2 4-2 5-2",
    ),
    (
        actions.like(actions.LIKES[2], ("I", "me"), thing(MY, "key", PLURAL)),
        "I do not like my keys.",
        "No me gustan mis llaves.",
        "0-1 1-0 2-0 3-2 4-3 5-4",
    ),
    (
        actions.because(
            deny,
            VERBS["buy"],
            future,
            FIRST_PERSON,
            (hats := thing(THE, "hat", PLURAL), quality(hats, QUALITIES["small"], "too")),
        ),
        "I am not going to buy the hats because they are too small.",
        "No voy a comprar los sombreros porque son demasiado pequeños.",
        "0-1 1-1 2-0 3-1 4-2 5-3 6-4 7-5 8-6 9-7 10-7 11-8 12-9",
    ),
    (
        actions.each_their_own(
            VERBS["want"], present, (thing(A, "tea"), thing(A, "beer")), FIRST_PERSON, MY_SISTER
        ),
        "I want a tea, and my sister wants a beer.",
        "Quiero un té y mi hermana quiere una cerveza.",
        "0-0 1-0 2-1 3-2 4-3 5-4 6-5 7-6 8-7 9-8",
    ),
    (
        descriptions.describe(
            descriptions.DESCRIPTIONS[2],
            (room := thing(OUR, "room"), quality(room, QUALITIES["clean"], "very")),
        ),
        "Is our room very clean?",
        "¿Está muy limpia nuestra habitación?",
        "0-0 1-3 2-4 3-1 4-2",
    ),
    (
        descriptions.describe(
            descriptions.DESCRIPTIONS[0],
            (
                shirt := belonging_to(thing(THE, "waiter"), NOUN["shirt"], SINGULAR),
                quality(shirt, QUALITIES["white"]),
            ),
        ),
        "The waiter's shirt is white.",
        "La camisa del camarero es blanca.",
        "0-2 1-0 1-2 1-3 2-1 3-4 4-5",
    ),
    (
        whereabouts.locate(
            whereabouts.LOCATIONS[1], whereabouts.RELATIONS[3], (thing(THE, "bank"), thing(THE, "park"))
        ),
        "The bank is not next to the park.",
        "El banco no está al lado del parque.",
        "0-0 1-1 2-3 3-2 4-4 4-5 5-6 6-6 7-7",
    ),
    (
        whereabouts.where(QUESTION_EXCUSE_ME, whereabouts.nearest(NOUN["pharmacy"])),
        "Excuse me, where is the nearest pharmacy?",
        "Perdón, ¿dónde está la farmacia más cercana?",
        "0-0 1-0 2-1 3-2 4-3 5-5 5-6 6-4",
    ),
    (
        whereabouts.travel(say, STATEMENT, (going, NOTHING), WE, thing(THE, "airport"), NOTHING),
        "We are going to the airport.",
        "Vamos al aeropuerto.",
        "0-0 1-0 2-0 3-1 4-1 5-2",
    ),
    (
        whereabouts.tell_time(
            whereabouts.MOVES[0][1:],
            thing(THE, "train"),
            compose(
                whereabouts.CLOCK[1][0].format(hour="eight"), whereabouts.CLOCK[1][1].format(hora="ocho")
            ),
        ),
        "The train leaves at half past eight.",
        "El tren sale a las ocho y media.",
        "0-0 1-1 2-2 3-3 4-7 5-6 6-4 6-5",
    ),
]


@pytest.mark.parametrize(
    ("phrase", "source", "target", "alignment"), EXAMPLES, ids=[row[1] for row in EXAMPLES]
)
def test_a_sentence_is_what_a_speaker_of_both_languages_says(phrase, source, target, alignment):
    assert finish(phrase) == PhrasePair(source, target, links(alignment))


@pytest.fixture(scope="module")
def sample():
    return generate(8_000, seed=3)


def words(text):
    return re.sub(r"[¿?.,]|'s", "", text.lower()).split()


def templates():
    return list(itertools.chain.from_iterable(phrasebook._families()))


def spoken(template, choices):
    return finish(template.rule(*choices))


def test_words_are_linked_by_their_tags_and_phrases_keep_their_own_links():
    shoe = compose("red/a shoe/n", "zapato/n rojo/a")
    phrase = compose("I/v want/v the/d <thing>", "quiero/v el/d <thing>", thing=shoe)
    assert phrase.source == ("I", "want", "the", "red", "shoe")
    assert phrase.target == ("quiero", "el", "zapato", "rojo")
    assert phrase.links == {(0, 0), (1, 0), (2, 1), (3, 3), (4, 2)}


def test_a_contraction_takes_the_links_of_both_its_words():
    pair = finish(compose("from/f the/d hotel/h .", "de/f el/d hotel/h ."))
    assert pair == PhrasePair("From the hotel.", "Del hotel.", ((0, 0), (1, 0), (2, 1)))


def test_every_word_of_both_sentences_is_linked_and_no_other(sample):
    for pair in sample:
        source, target = (set(side) for side in zip(*pair.alignment, strict=True))
        assert source == set(range(len(pair.source.split()))), pair
        assert target == set(range(len(pair.target.split()))), pair


def test_nouns_and_adjectives_are_linked_to_their_own_translation_only(sample):
    translations = {
        adjective.english: set(itertools.chain(*adjective.spanish)) for adjective in lexicon.ADJECTIVES
    }
    for noun in lexicon.NOUNS:
        translations |= {english: set(noun.spanish) for english in noun.english}
    for pair in sample:
        source, target = pair.source.replace("'s", " 's").split(), words(pair.target)
        if "'s" in source:
            continue  # "sister's" is also "de"
        for i, j in pair.alignment:
            english = source[i].strip(".,?")
            assert target[j] in translations.get(english, target), pair


def forms(table):
    """Each Spanish form of these words: all the (gender, number) that it can stand for."""
    found = defaultdict(set)
    for word in table:
        for number, gender in itertools.product((SINGULAR, PLURAL), (0, 1)):
            found[word.spanish[number][gender]].add((gender, number))
    return found


ARTICLES = forms((THE, A, THIS, OUR)) | {"al": {(0, SINGULAR)}, "del": {(0, SINGULAR)}}
ADJECTIVES = forms((*lexicon.ADJECTIVES, *lexicon.PREDICATES))
NOUN_FORMS = defaultdict(set)
for noun in lexicon.NOUNS:
    for number in (SINGULAR, PLURAL):
        NOUN_FORMS[noun.spanish[number]].add((noun.gender, number))


def test_articles_and_adjectives_agree_with_the_noun_beside_them(sample):
    checked = 0
    for pair in sample:
        for one, other in itertools.pairwise(words(pair.target)):
            if one in ARTICLES and other in NOUN_FORMS:
                assert ARTICLES[one] & NOUN_FORMS[other], pair
                checked += 1
            if one in NOUN_FORMS and other in ADJECTIVES:
                assert NOUN_FORMS[one] & ADJECTIVES[other], pair
                checked += 1
    assert checked > len(sample)


def test_what_is_said_of_a_noun_agrees_with_it(sample):
    checked = 0
    for pair in sample:
        clauses = words(pair.target.replace("muy ", "").replace("demasiado ", "").replace("más ", ""))
        for place, (copula, adjective) in enumerate(itertools.pairwise(clauses)):
            if copula not in ("es", "son", "está", "están") or adjective not in ADJECTIVES:
                continue
            asked = pair.target.startswith("¿")
            contrasted = pair.source.count(" is ") == 2
            before = [word for word in clauses[:place] if word in NOUN_FORMS]
            after = [word for word in clauses[place:] if word in NOUN_FORMS]
            noun = after[0] if asked else before[-1] if contrasted else before[0]
            number = int(copula in ("son", "están"))
            assert {(gender, number) for gender in (0, 1)} & NOUN_FORMS[noun] & ADJECTIVES[adjective], pair
            checked += 1
    assert checked > len(sample) / 20


def test_spanish_is_spelled_as_it_should_be(sample):
    for pair in sample:
        assert not re.search(r"\b(de el|a el)\b|\by h?i", pair.target), pair
        assert pair.target.count("¿") == pair.target.count("?") == pair.source.count("?"), pair
        assert pair.target.lstrip("¿")[0].isupper(), pair
        assert not re.search(r"[_/<>{}-]|  | [,.?]", pair.source + pair.target), pair


def test_english_is_spelled_as_it_should_be(sample):
    for pair in sample:
        assert not re.search(r"\b[Aa] [aeiouI]|\b[Aa]n [^aeiouI]|\bi\b", pair.source), pair
        assert pair.source[0].isupper() and pair.source[-1] in ".?", pair


def test_sentences_have_three_to_sixteen_words_whatever_the_template():
    draws = random.Random(1)
    spoken_by_all = [
        spoken(template, map(draws.choice, template.choices)) for template in templates() for _ in range(20)
    ]
    lengths = {len(pair.source.split()) for pair in spoken_by_all}
    assert min(lengths) == 3
    assert 14 <= max(lengths) <= 16


def test_no_two_choices_give_the_same_sentence():
    """All sentences of the small templates and some of each large one: their number is what `count` counts."""
    draws = random.Random(7)
    seen = set()
    total = 0
    for template in templates():
        if prod(map(len, template.choices)) <= 1_000:
            chosen = set(itertools.product(*(range(len(choices)) for choices in template.choices)))
        else:
            chosen = {
                tuple(draws.randrange(len(choices)) for choices in template.choices) for _ in range(300)
            }
        total += len(chosen)
        seen |= {spoken(template, map(getitem, template.choices, places)).source for places in chosen}
    assert len(seen) == total > 20_000


def test_there_are_over_a_hundred_million_sentences():
    assert phrasebook.count() > 100_000_000


def test_a_source_has_one_translation():
    target_of = {}
    for split in ("train", "novel"):
        for seed in (0, 1):
            for pair in generate(2_000, seed, split):
                assert target_of.setdefault(pair.source, pair.target) == pair.target


def test_pairs_are_distinct_and_a_larger_size_begins_with_the_smaller():
    pairs = generate(2_000, seed=5)
    assert len({pair.source for pair in pairs}) == 2_000
    assert generate(500, seed=5) == pairs[:500]
    assert generate(500, seed=6) != pairs[:500]


def test_the_splits_share_no_sentence_whatever_the_seed():
    splits = [
        {pair.source for seed in (0, 1) for pair in generate(500, seed, split)}
        for split in ("train", "dev", "test", "novel")
    ]
    assert sum(map(len, splits)) == len(set.union(*splits))


def test_one_sentence_in_ten_is_of_dev_one_of_test_and_one_combination_in_ten_is_novel():
    splits = [phrasebook.split_of(Phrase(), f"Sentence {n}.") for n in range(10_000)]
    assert 900 < splits.count("dev") < 1100 and 900 < splits.count("test") < 1100
    assert splits.count("novel") == 0
    splits = [phrasebook.split_of(Phrase(combinations=frozenset({f"red {n}"})), "") for n in range(10_000)]
    assert 900 < splits.count("novel") < 1100


def test_the_first_sentences_of_the_splits_stay_those_that_models_were_scored_on():
    assert [generate(1, split=split)[0].source for split in ("train", "dev", "test", "novel")] == [
        "You like my watch, but it is expensive.",
        "We like our pizzas, but they are very expensive.",
        "The museum is more famous than this church.",
        "They are going to order my omelette because it is very cheap.",
    ]


@pytest.mark.parametrize("split", ["train", "dev", "test", "novel"])
def test_a_size_may_be_the_largest_of_its_split(split, monkeypatch):
    monkeypatch.setitem(phrasebook.MAX_SIZE, split, 5)
    assert len(generate(5, split=split)) == 5
    with pytest.raises(ValueError, match=f"size must be from 1 to 5 for split='{split}'"):
        generate(6, split=split)


def test_novel_sentences_are_made_of_words_known_from_train():
    novel = generate(2_000, split="novel")
    train = generate(20_000)
    for side in ("source", "target"):
        known = {word for pair in train for word in words(getattr(pair, side))}
        assert {word for pair in novel for word in words(getattr(pair, side))} <= known


def held_out(*pair):
    return phrasebook.split_of(Phrase(combinations=frozenset({" ".join(pair)})), "") == "novel"


def test_adjectives_kept_from_a_noun_never_stand_beside_it_in_train():
    neighbours, novel = (
        {two for pair in generate(5_000, split=split) for two in itertools.pairwise(words(pair.source))}
        for split in ("train", "novel")
    )
    kept = {
        (adjective.english.lower(), noun.english[SINGULAR])
        for adjective in lexicon.ADJECTIVES
        for noun in lexicon.NOUNS
        if noun.kind in adjective.kinds and held_out(adjective.english, noun.english[SINGULAR])
    }
    assert len(kept) > 30
    assert kept.isdisjoint(neighbours)
    assert len(kept & novel) > 20


def test_verbs_kept_from_an_object_never_take_it_in_train():
    train, novel = (
        "\n".join(pair.source for pair in generate(5_000, split=split)) for split in ("train", "novel")
    )
    in_novel = 0
    for verb in ("like", "want", "need", "buy", "order", "visit", "find"):
        for noun in lexicon.NOUNS:
            if held_out(verb, noun.english[SINGULAR]):
                one, many = (form.replace("_", " ") for form in noun.english)
                together = rf"\b{verb} (the|an?|this|these|my|your|our|two|three|four|five|six) (\w+ )?({one}|{many})\b"
                assert not re.search(together + "(?!')", train)
                in_novel += bool(re.search(together, novel))
    assert in_novel > 10


def test_another_process_gives_the_same_sentences():
    code = "from keras_attn.corpora.phrasebook import generate; print(*generate(200, 4, 'novel'), sep='\\n')"
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            check=True,
            encoding="utf-8",
        ).stdout
        for seed in ("1", "2")
    }
    assert outputs == {"".join(f"{pair}\n" for pair in generate(200, 4, "novel"))}


@pytest.mark.parametrize("size", [0, -1, 1_000_001])
def test_a_size_that_cannot_be_had_is_refused(size):
    with pytest.raises(
        ValueError, match=rf"size must be from 1 to 1000000 for split='train'\. Received: {size}"
    ):
        generate(size)


def test_an_unknown_split_is_refused():
    with pytest.raises(ValueError, match=r"one of train, dev, test, novel\. Received: 'valid'"):
        generate(10, split="valid")
