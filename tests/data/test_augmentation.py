"""Varied copies of sentence pairs."""

import re
from functools import partial

import pytest

from keras_attn.corpora.dates import english_ordinal, months
from keras_attn.data import augmentation
from keras_attn.text.corpus import Corpus

PAIRS = [
    ("Boston is a city.", "Boston es una ciudad."),
    ("Kyoto is not Boston.", "Kyoto no es Boston."),
    ("No, I have 25 books.", "No, tengo 25 libros."),
    ("There is no bread.", "No hay pan."),
    ("The train leaves at 10:45.", "El tren sale a las 10:45."),
]
SOURCE, TARGET = (list(side) for side in zip(*PAIRS, strict=True))
with_augmentation = partial(augmentation.with_augmentation, languages=("en", "es"))
NUMBER = r"\d+(?:[.,: ]\d+)*"
TWO_NUMBERS = re.compile(rf"({NUMBER}) (or|to|oder|bis|o|a|ou|à) ({NUMBER})", re.IGNORECASE)


@pytest.fixture(scope="module")
def pairs():
    corpus = with_augmentation(Corpus(SOURCE, TARGET, dropped=3), copies=100, seed=2)
    assert corpus.dropped == 3
    return list(zip(corpus.source, corpus.target, strict=True))


def with_one_number(line):
    """Without the second of two numbers with "or" or "to" between them."""
    return TWO_NUMBERS.sub(r"\1", line)


def from_template(pairs, source, target):
    """What stands in the gaps of the new pairs whose target was made from one of the corpus."""
    new = [tuple(map(with_one_number, pair)) for pair in pairs[len(PAIRS) :]]
    found = [(re.fullmatch(source, one), re.fullmatch(target, other)) for one, other in new]
    return [(one.groups(), other.groups()) for one, other in found if one and other]


def test_the_pairs_themselves_come_first(pairs):
    assert pairs[: len(PAIRS)] == PAIRS


def test_a_name_becomes_another_on_both_sides(pairs):
    gaps = from_template(pairs, r"([A-Z]\w*) is not ([A-Z]\w*)\.", r"(\w+) no es (\w+)\.")
    assert len(gaps) > 40
    assert all(ours == theirs for ours, theirs in gaps)
    assert len({name for ours, _ in gaps for name in ours}) > 20


def test_a_name_becomes_another_in_a_careless_source_too():
    pairs = [("Tom sleeps now.", "Tom duerme ahora."), ("Mary sleeps now.", "Mary duerme ahora.")] * 50
    found = with_augmentation(Corpus(*map(list, zip(*pairs, strict=True))), copies=1, seed=1)
    written = set()
    for source, target in zip(found.source[100:], found.target[100:], strict=True):
        name, *others = source.split()
        assert name.lower() == target.split()[0].lower()
        written.add(others[0] if name == name.lower() or name == name.upper() else "with its capital")
    assert written == {"SLEEPS", "sleeps", "with its capital"}


def test_a_name_begins_as_one_name_of_the_corpus_and_ends_as_another(pairs):
    gaps = from_template(pairs, r"([A-Z]\w*) is a city\.", r"(\w+) es una ciudad\.")
    starts = {name[:n] for name in ("Boston", "Kyoto") for n in range(1, len(name) + 1)}
    ends = {name[n:] for name in ("Boston", "Kyoto") for n in range(1, len(name))}
    assert len(gaps) > 40
    for (name,), _ in gaps:
        assert any(name.startswith(start) and name.removeprefix(start) in ends for start in starts), name


def test_a_word_that_is_also_written_small_is_no_name(pairs):
    of_books = [target for source, target in pairs if "books" in source.lower()]
    assert len(of_books) > 100 and all(target.startswith("No, tengo") for target in of_books)


def test_a_number_becomes_another_on_both_sides_whose_form_may_be_another(pairs):
    gaps = from_template(pairs, rf"No, I have ({NUMBER}) books\.", rf"No, tengo ({NUMBER}) libros\.")
    assert all(ours == theirs for ours, theirs in gaps)
    numbers = {number for (number,), _ in gaps}
    assert len(numbers) > 100
    shapes = {re.sub(r"\d", "0", number) for number in numbers}
    assert {"00", "0,000", "00,000.00", "0.000", "00.000,00", "00:00", "0 000", "00 000,00"} <= shapes


def test_pairs_that_share_a_number_come_four_times_as_often(pairs):
    def count(word):
        return sum(word in target for _, target in pairs[len(PAIRS) :])

    assert count("ciudad") <= 100
    assert 380 <= count("tren") <= 400  # but for those that are as they were


def test_a_careless_source_keeps_its_target(pairs):
    of_bread = {source for source, target in pairs if target == "No hay pan."}
    loud = {"There IS no bread.", "There is NO bread.", "There is no BREAD."}
    assert of_bread & loud
    others = {"There is no bread.", "THERE IS NO BREAD.", "there is no bread.", "There is no bread"}
    assert of_bread - loud == others


def test_one_source_in_four_is_careless(pairs):
    of_bread = sum(target == "No hay pan." for _, target in pairs) - 1
    assert 12 <= of_bread <= 40  # of 100, 25 to expect, and all that is left out is no other pair


def test_the_same_seed_gives_the_same_pairs_and_another_seed_others():
    first, again, other = (with_augmentation(Corpus(SOURCE, TARGET), 2, seed).source for seed in (1, 1, 2))
    assert first == again != other


def test_links_go_with_their_pairs():
    links = [{(i, i)} for i in range(len(PAIRS))]
    corpus = with_augmentation(Corpus(SOURCE, TARGET, links=links), 5, 1)
    assert len(corpus.links) == len(corpus)
    by_target = {"ciudad": 0, "no es": 1, "libros": 2, "pan": 3, "tren": 4}
    for target, linked in zip(corpus.target, corpus.links, strict=True):
        (number,) = [number for word, number in by_target.items() if word in target]
        assert linked == links[number]


def test_words_keep_their_number_so_that_links_still_fit():
    corpus = with_augmentation(Corpus(SOURCE, TARGET, links=[set()] * len(PAIRS)), 100, 1)
    pairs = list(zip(corpus.source, corpus.target, strict=True))
    assert {len(one.split()) for one, target in pairs if "ciudad" in target} == {4}
    assert {len(one.split()) for one, target in pairs if "libros" in target} == {5}


def test_a_mark_after_a_space_stays_because_it_is_a_word():
    corpus = with_augmentation(Corpus(["Es ist spät ."], ["It is late ."]), 50, 1)
    loud = {"Es IST spät .", "Es ist SPÄT ."}
    assert set(corpus.source) - loud == {"Es ist spät .", "ES IST SPÄT .", "es ist spät ."}


def test_a_corpus_without_names_or_numbers_is_varied_too():
    assert len(with_augmentation(Corpus(["yes"], ["ja"]), 20, 1)) > 1


def test_german_sources_lose_their_capitals_more_often():
    pairs = [("Das Haus ist alt.", "The house is old.")] * 1000

    def small(pairs, languages):
        corpus = Corpus(*map(list, zip(*pairs, strict=True)))
        varied = augmentation.with_augmentation(corpus, copies=1, seed=1, languages=languages)
        assert set(varied.target) == {pairs[0][1]}
        return varied.source.count(pairs[0][0].lower())

    assert 210 < small(pairs, ("de", "en")) < 290  # 1/4 x 13/16 + 3/4 x 1/16
    assert 35 < small([pair[::-1] for pair in pairs], ("en", "de")) < 90  # 1/16


@pytest.mark.parametrize(
    ("language", "source", "typed"),
    [
        ("en", "I don't know Tom’s 'dog'.", {"I dont know Toms 'dog'."}),
        ("de", "Über Straßen und Öfen.", {"Ueber Strassen und Oefen.", "ueber strassen und oefen."}),
        ("fr", "Où était-ce, là-bas ?", {"Ou etait-ce, la-bas ?"}),
        (
            "es",
            "¿Qué es? ¡Ah, el año!",
            {"Qué es? Ah, el año!", "Que es? Ah, el año!", "¿Que es? ¡Ah, el año!"},
        ),
        ("es", "¿ Por qué ?", {"¿ Por que ?"}),  # a mark that is a word of its own stays: links count words
    ],
)
def test_sources_lose_what_people_leave_out_when_they_type(language, source, typed):
    corpus = augmentation.with_augmentation(Corpus([source], ["So."]), 200, 1, languages=(language, "xx"))
    assert typed <= set(corpus.source) and set(corpus.target) == {"So."}
    assert all(len(line.split()) == len(source.split()) for line in corpus.source)


@pytest.mark.parametrize("marks", [".", "!", "?", "…", "。", "！", "？", "?!", "..."])
def test_any_final_punctuation_may_be_missing_in_a_careless_source(marks):
    found = with_augmentation(Corpus([f"Так{marks}"], ["Yes."]), 100, 1).source
    assert set(found) == {f"Так{marks}", f"ТАК{marks}", f"так{marks}", "Так"}


def test_digits_within_a_word_are_no_number():
    corpus = with_augmentation(Corpus(["take A45 or 70up"], ["nimm A45 oder 70up"]), 50, 1)
    assert set(corpus.target) == {"nimm A45 oder 70up"}


def test_half_of_the_new_numbers_keep_their_shape_and_do_not_begin_with_0():
    """No number of another shape has seven digits with two commas."""
    corpus = with_augmentation(Corpus(["call 1,250,800"], ["ruf 1,250,800"]), 250, 1)
    numbers = [with_one_number(line).removeprefix("ruf ") for line in corpus.target[1:]]
    kept = [number for number in numbers if re.fullmatch(r"\d,\d{3},\d{3}", number)]
    assert 0.45 < len(kept) / len(numbers) < 0.55
    assert not any(number.startswith("0") for number in kept)


@pytest.mark.parametrize(("small", "varied"), [(1, True), (2, False)])
def test_a_word_is_a_name_if_it_is_written_small_once_in_ten_times_or_less(small, varied):
    corpus = Corpus(["Mark"] * 5 + ["mark"] * small, ["Mark"] * 5 + ["x y"] * small)  # Mark ten times
    targets = with_augmentation(corpus, 20, 1).target
    assert (set(targets) > {"Mark", "x y"}) == varied


def test_a_month_becomes_another_on_both_sides():
    corpus = with_augmentation(Corpus(["We met in May of 1987."], ["Nos conocimos en mayo de 1987."]), 10, 1)
    found = set()
    for source, target in zip(corpus.source, corpus.target, strict=True):
        month, year = re.fullmatch(r"we met in (\w+) of ([\d.,:]*\d)\.?", source, re.IGNORECASE).groups()
        other, same_year = re.fullmatch(r"Nos conocimos en (\w+) de ([\d.,:]*\d)\.", target).groups()
        assert year == same_year
        found.add((month.lower(), other))
    assert len(found) == 12
    assert {("may", "mayo"), ("january", "enero"), ("august", "agosto"), ("december", "diciembre")} <= found


def test_a_day_and_a_year_stay_a_day_and_a_year_and_a_day_may_be_an_ordinal():
    pair = Corpus(["Born on July 28th, 1888."], ["Nació el 28 de julio de 1888."])
    days = set()
    corpus = with_augmentation(pair, 20, 1)
    for source, target in zip(corpus.source, corpus.target, strict=True):
        day, _, year = re.fullmatch(r"Nació el (\d+) de (\w+) de (\d{4})\.", target).groups()
        assert f" {english_ordinal(int(day))}, {year}" in source.lower()
        days.add(int(day))
    assert days == set(range(1, 32))


def test_an_ordinal_that_is_no_date_stays_one():
    corpus = with_augmentation(Corpus(["his 2nd or 11th try"], ["intento 2 o 11"]), 20, 1)
    for source, target in zip(corpus.source, corpus.target, strict=True):
        one, other = map(int, re.fullmatch(r"intento (\d+) o (\d+)", target).groups())
        assert source.lower() == f"his {english_ordinal(one)} or {english_ordinal(other)} try"
    assert len(set(corpus.target)) > 40


def test_pairs_with_a_month_come_thirty_times_as_often():
    assert 270 <= len(with_augmentation(Corpus(["It was June."], ["Era junio."]), 10, 1)) <= 301


PRICES = [
    ("I have $5.", "Tengo 5 dólares."),
    ("I have 5 euros.", "Tengo 5."),
    ("Five euros.", "¡Cinco euros!"),
]


@pytest.mark.parametrize("pair", PRICES)
def test_pairs_with_a_price_come_thirty_times_as_often(pair):
    assert 270 <= len(with_augmentation(Corpus([pair[0]], [pair[1]]), 10, 1)) <= 301


def test_a_price_that_differs_between_the_sides_is_varied_once_a_copy():
    assert len(with_augmentation(Corpus(["I have $5."], ["Tengo 6 dólares."]), 10, 1)) <= 11


COUNTED = {
    "de": ("Sie hat zwei Katzen.", r"Sie hat (.*) Katzen\."),
    "es": ("Ella tiene dos gatos.", r"Ella tiene (.*) gatos\."),
    "fr": ("Elle a deux chats.", r"Elle a (.*) chats\."),
}


@pytest.mark.parametrize("language", COUNTED)
def test_a_number_in_words_becomes_another_in_digits_on_both_sides(language):
    target, wanted = COUNTED[language]
    found = with_augmentation(Corpus(["She has two cats."], [target]), 40, 1, languages=("en", language))
    assert found.target[0] == target
    numbers = set()
    for source, line in zip(found.source[1:], found.target[1:], strict=True):
        (number,) = re.fullmatch(wanted, with_one_number(line)).groups()
        assert re.fullmatch(r"she has (.*) cats\.?", with_one_number(source), re.IGNORECASE)[1] == number
        numbers.add(number)
    assert len(numbers) > 50 and all(re.fullmatch(NUMBER, number) for number in numbers)


@pytest.mark.parametrize(
    ("languages", "pair"),
    [
        (("en", "es"), ("He is thirty-two.", "Tiene treinta y dos años.")),
        (("en", "fr"), ("It costs two hundred euros.", "Ça coûte deux cents euros.")),
        (("fr", "es"), ("Elle a cinquante-cinq ans.", "Ella tiene cincuenta y cinco años.")),
    ],
)
def test_a_word_that_is_part_of_a_larger_number_stays(languages, pair):
    made = augmentation.with_augmentation(Corpus(*([side] for side in pair)), 20, 1, languages=languages)
    assert not any(character.isdigit() for line in (*made.source, *made.target) for character in line)


@pytest.mark.parametrize(
    "pair", [("Two cats.", "Gatos."), ("Two cats, two dogs.", "Dos gatos."), ("Two cats.", "Tres gatos.")]
)
def test_a_number_in_words_stays_unless_both_sides_have_it_once(pair):
    found = with_augmentation(Corpus([pair[0]], [pair[1]]), 20, 1)
    assert set(found.target) == {pair[1]}


def test_numbers_in_words_stay_in_a_language_whose_words_are_not_known():
    found = with_augmentation(Corpus(["Two cats."], ["Dva kota."]), 20, 1, languages=("en", "pl"))
    assert set(found.target) == {"Dva kota."}


IN_A_YEAR = {
    "de": ("Es brannte 1945 ab.", r"Es brannte am (\d+)\. (\w+) (\d{4}) ab\."),
    "es": ("Ardió en 1945.", r"Ardió el (\d+) de (\w+) de (\d{4})\."),
    "fr": ("Elle a brûlé en 1945.", r"Elle a brûlé le (\d+) (\w+) (\d{4})\."),
}


@pytest.mark.parametrize("language", IN_A_YEAR)
def test_half_of_the_years_of_a_pair_become_days_of_them(language):
    sentence, with_a_day = IN_A_YEAR[language]
    pair = Corpus(["It burnt down in 1945."], [sentence])
    corpus = augmentation.with_augmentation(pair, 40, 1, languages=("en", language))
    ways = set()
    for source, target in zip(corpus.source, corpus.target, strict=True):
        found = re.fullmatch(with_a_day, target)
        if not found:
            assert re.sub(r"\d[\d.,: ]*", "", with_one_number(source).lower()) == "it burnt down in "
            continue
        day, month, year = found.groups()
        english = months("en")[months(language).index(month)]
        of_it = rf"{english} (\w+),|(\w+) {english}|the (\w+) of {english}"
        written = re.fullmatch(rf"it burnt down on (?:{of_it}) {year}\.?", source, re.IGNORECASE)
        ordinal = next(filter(None, written.groups())).lower()
        assert ordinal in (day, english_ordinal(int(day)))
        ways.add((written.lastindex, ordinal == day))
    assert ways == {(1, True), (1, False), (2, True), (3, False)}
    assert 0.4 < sum(bool(re.fullmatch(with_a_day, line)) for line in corpus.target) / len(corpus) < 0.6


@pytest.mark.parametrize(("language", "words"), [("de", "oder bis"), ("es", "o a"), ("fr", "ou à")])
def test_one_number_in_five_becomes_two_with_the_same_word_between_them(language, words):
    target, wanted = COUNTED[language]
    found = with_augmentation(Corpus(["She has two cats."], [target]), 100, 1, languages=("en", language))
    ways = []
    for source, line in zip(found.source[1:], found.target[1:], strict=True):
        (said,) = re.fullmatch(wanted, line).groups()
        if two := TWO_NUMBERS.fullmatch(said):
            english = TWO_NUMBERS.search(source.lower())
            assert (english[1], english[3]) == (two[1], two[3])
            ways.append((english[2], two[2]))
    assert set(ways) == set(zip(("or", "to"), words.split(), strict=True))
    assert 0.15 < len(ways) / len(found) < 0.25


MANY = {
    "de": ("Er half vielen Kindern.", r"Er half (.*) Kindern\."),
    "es": ("Ayudó a muchos niños.", r"Ayudó a (.*) niños\."),
    "fr": ("Il a aidé beaucoup de enfants.", r"Il a aidé (.*) enfants\."),
}


@pytest.mark.parametrize("language", MANY)
def test_many_becomes_a_number_half_of_the_time(language):
    target, wanted = MANY[language]
    pair = Corpus(["He helped many children."], [target])
    found = with_augmentation(pair, 100, 1, languages=("en", language))
    numbers = []
    for source, line in zip(found.source[1:], found.target[1:], strict=True):
        (said,) = re.fullmatch(wanted, with_one_number(line)).groups()
        english = re.fullmatch(r"he helped (.*) children\.?", with_one_number(source), re.IGNORECASE)[1]
        assert re.fullmatch(NUMBER, said) or line == target
        assert english == said or (english.lower(), line) == ("many", target)
        numbers += [said] if line != target else []
    assert len(set(numbers)) > 50
    # Of the other half, a copy is kept only if its source is careless.
    assert 180 < len(numbers) < 220


@pytest.mark.parametrize(
    "pair",
    [
        ("How many cats do you have?", "¿Cuántos gatos tienes?"),
        ("There are so many cats.", "Hay muchos gatos."),
        ("He has as many cats as I.", "Tiene muchos gatos."),
        ("Many cats.", "Gatos."),
        ("Many cats, many dogs.", "Muchos gatos, perros."),
        ("Germany", "Muchos"),
    ],
)
def test_many_stays_unless_both_sides_say_it_once_and_alone(pair):
    found = with_augmentation(Corpus([pair[0]], [pair[1]]), 20, 1)
    assert set(found.target) == {pair[1]}


def test_a_sentence_that_begins_with_a_year_begins_with_its_day():
    corpus = with_augmentation(Corpus(["In 1945 it ended."], ["En 1945 terminó."]), 20, 1)
    days = {line.split()[0] for line in corpus.target}
    assert days == {"En", "El"}
    assert {line.split()[0] for line in corpus.source} == {"In", "On", "IN", "ON", "in", "on"}


@pytest.mark.parametrize(
    "pair",
    [
        ("It was in 1945.", "Fue en 1946."),
        ("It was in 1945.", "Fue en junio de 1945."),
        ("It was in the 1950s.", "Fue en 1950."),
        ("He came in 1234567.", "Vino en 1234567."),
    ],
)
def test_a_year_that_only_one_side_is_in_gets_no_day(pair):
    corpus = with_augmentation(Corpus([pair[0]], [pair[1]]), 20, 1)
    assert not any("enero" in line for line in corpus.target)


def test_many_and_single_numbers_of_pairs_with_links_stay_because_the_links_would_not_fit():
    pairs = Corpus(["many 20 cats"], ["beaucoup de 20 chats"], links=[{(1, 2)}])
    found = with_augmentation(pairs, 40, 1, languages=("en", "fr"))
    assert {len(line.split()) for line in found.target} == {4}


def test_years_of_pairs_with_links_stay_because_the_links_would_not_fit():
    corpus = with_augmentation(Corpus(["He came in 1945."], ["Vino en 1945."], links=[{(0, 0)}]), 20, 1)
    assert {len(line.split()) for line in corpus.target} == {3}


def test_every_month_of_a_pair_becomes_another_of_its_own():
    corpus = with_augmentation(Corpus(["from May to July"], ["de mayo a julio"]), 5, 1)
    found = {tuple(re.fullmatch(r"de (\w+) a (\w+)", line).groups()) for line in corpus.target}
    assert len(found) > 60


@pytest.mark.parametrize("pair", [("You may go.", "Puedes ir."), ("March on!", "¡En junio!")])
def test_a_word_that_the_target_does_not_have_as_a_month_stays(pair):
    corpus = with_augmentation(Corpus([pair[0]], [pair[1]]), 60, 1)
    assert set(corpus.target) == {pair[1]}


def test_in_french_what_is_elided_stays_elided():
    pairs = [
        ("Anna's book", "le livre d'Anna"),
        ("Tom's book", "le livre de Tom"),
        ("the second of April", "le 2 avril"),
        ("the end of April", "la fin d'avril"),
        ("the end of May", "la fin de mai"),
        ("Anna and Tom", "Anna et Tom"),
    ]
    found = with_augmentation(Corpus(*map(list, zip(*pairs, strict=True))), 60, 1, languages=("en", "fr"))
    after_de = {re.search(r"de (\w+)$", line)[1] for line in found.target if " de " in line}
    elided = {re.search(r"d'(\w+)$", line)[1] for line in found.target if "d'" in line}
    vowels = set("AEIOUaeiou")
    assert {word[0] in vowels for word in elided} == {True} and {"avril", "août", "octobre"} < elided
    assert {word[0] in vowels for word in after_de} == {False} and {"mai", "janvier", "juin"} < after_de
    assert len(elided) > 5 and len(after_de) > 12


def test_no_day_of_a_french_month_is_1_because_that_is_1er():
    found = with_augmentation(Corpus(["on May 5"], ["le 5 mai"]), 20, 1, languages=("en", "fr"))
    assert {int(line.split()[1]) for line in found.target} == set(range(2, 32))


def test_more_than_one_stays_more_than_one():
    found = with_augmentation(Corpus(["for 3 days", "for 25 days"], ["3 días", "25 días"]), 200, 1)
    assert len(found) > 1000
    assert not re.search(r"^[01] días", "\n".join(found.target), re.M)


def test_a_month_that_both_languages_write_alike_is_no_name():
    pairs = [("In April it rains.", "Im April regnet es."), ("Tom sleeps.", "Tom schläft.")]
    corpus = augmentation.with_augmentation(
        Corpus(*map(list, zip(*pairs, strict=True))), 5, 1, languages=("en", "de")
    )
    in_rain = {line.split()[1] for line in corpus.target if "regnet" in line}
    assert {"Januar", "März", "Mai", "Dezember"} < in_rain
    assert len(in_rain) == 12


def test_without_the_months_of_a_language_they_stay_as_they_are():
    corpus = augmentation.with_augmentation(
        Corpus(["It was June."], ["x y z."]), 40, 1, languages=("en", "source")
    )
    assert set(corpus.target) == {"x y z."}
