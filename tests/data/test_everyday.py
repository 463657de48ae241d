"""Lines as in everyday life, made of the pairs of a corpus."""

import re

from keras_attn.corpora.expressions import openings
from keras_attn.data.augmentation import with_augmentation
from keras_attn.data.everyday import with_everyday_lines
from keras_attn.text.corpus import Corpus


def added(pairs, languages=("pl", "cs")):
    """The pairs that are added to these, by default in languages without a list of expressions."""
    corpus = with_everyday_lines(Corpus(*map(list, zip(*pairs, strict=True)), dropped=3), languages=languages)
    assert list(zip(corpus.source, corpus.target, strict=True))[: len(pairs)] == pairs and corpus.dropped == 3
    return list(zip(corpus.source, corpus.target, strict=True))[len(pairs) :]


def test_a_short_source_is_written_in_all_ways():
    pairs = [
        ("We know that.", "Wir wissen das."),
        ("Good morning", "Guten Morgen!"),
        ("Who won?", "Wer hat gewonnen?"),
    ]
    found = added(pairs)[:-1]
    assert {source for source, target in found if target == "Guten Morgen!"} == {
        *("Good morning.", "good morning.", "GOOD MORNING."),
        *("Good morning!", "good morning!", "GOOD MORNING!"),
        *("Good morning", "good morning", "GOOD MORNING"),
    }
    of_a_question = [source for source, target in found if target == "Wer hat gewonnen?"]
    assert of_a_question == 3 * ["Who won", "who won", "WHO WON", "Who won?", "who won?", "WHO WON?"]
    assert len(found) == 3 * (9 + 6)


def test_marks_around_a_line_are_those_that_people_type_and_those_of_the_corpus():
    pairs = [("¡Mira eso ahora!", "Look at that now!"), ("¿Quién ha ganado hoy?", "Who won today?")]
    pairs += [("Hola.", "Hello."), ("¿Qué?", "What?"), ("Lo sabemos todo.", "We know it all.")]
    ways = {
        source for source, target in added(pairs) if target == "Hello." and source[-5:].strip("!.") == "Hola"
    }
    assert ways == {"Hola", "Hola.", "Hola!", "¡Hola!"}
    assert {source for source, target in added(pairs) if target == "What?" and "u" in source} == {
        *("Qué", "qué", "Qué?", "qué?", "¿Qué?", "¿qué?")
    }
    pairs = [("Viens ici tout de suite\u202f!", "Komm sofort her!"), ("Oui.", "Ja.")]
    assert {source for source, target in added(pairs) if target == "Ja." and "Oui" in source} == {
        *("Oui", "Oui.", "Oui!", "Oui !")
    }


def test_a_sentence_without_spaces_is_not_taken_for_a_word_and_neither_are_marks_alone():
    assert added([("我昨天在车站看见他了。", "I saw him at the station yesterday.")] * 2)[1:] == []
    assert added([("...", "...")] * 2)[1:] == []


def test_what_pairs_often_share_before_or_after_a_comma_is_said_alone():
    pairs = [(f"Yes, I saw {n} of them.", f"Ja, ich habe {n} davon gesehen.") for n in range(4)]
    pairs += [(f"Wait for {n} days, please.", f"Warte {n} Tage, bitte.") for n in range(3)]
    found = [pair for pair in added(pairs) if pair[0][0] not in '()"']
    assert (
        found.count(("Yes.", "Ja.")) == found.count(("yes", "Ja.")) == found.count(("PLEASE!", "Bitte.")) == 3
    )
    assert {target for _, target in found} == {"Ja.", "Bitte."}


def test_what_is_seldom_said_so_or_ends_a_question_or_is_a_name_is_not():
    pairs = [("Well, I saw them today.", "Nun, ich habe sie heute gesehen.")] * 2
    pairs += [("You saw them today, right?", "Du hast sie heute gesehen, oder?")] * 5
    pairs += [("Tom, I saw them today.", "Tom, ich habe sie heute gesehen.")] * 5
    pairs += [
        ("Ah, I saw them today.", f"{word}, ich habe sie heute gesehen.")
        for word in ["Oh", "Ach", "Aha", "He"]
    ] * 3
    assert all(source[0] in '("' for source, _ in added(pairs))


def test_a_word_that_both_languages_share_is_no_name_if_it_is_written_small():
    pairs = [("No, I saw no bread.", "No, no vi pan.")] * 3
    assert ("no", "No.") in added(pairs)


def test_one_pair_in_forty_stands_in_parentheses_or_quotation_marks_on_both_sides():
    pairs = [(f"I saw {n} of them.", f"Vi {n} de ellos.") for n in range(200)]
    assert added(pairs) == [
        ("(I saw 0 of them.)", "(Vi 0 de ellos.)"),
        ('"I saw 40 of them."', '"Vi 40 de ellos."'),
        ("(I saw 80 of them.)", "(Vi 80 de ellos.)"),
        ('"I saw 120 of them."', '"Vi 120 de ellos."'),
        ("(I saw 160 of them.)", "(Vi 160 de ellos.)"),
    ]


def test_one_pair_in_forty_follows_a_greeting_with_a_small_letter_where_the_corpus_writes_one():
    pairs = [(f"Yesterday I saw {n} of them.", f"Gestern habe ich {n} davon gesehen.") for n in range(200)]
    pairs[20] = ("I saw the sea.", "Ich habe das Meer gesehen.")
    pairs[60] = ("Saw the sea.", "Sie sah das Meer.")  # "sie" is never inside of a line
    pairs[100] = ("Of them I saw the sea.", "davon habe ich das Meer gesehen.")
    openings = [
        pair for pair in added(pairs, languages=("en", "de")) if pair[0].endswith("sea.") and ", " in pair[0]
    ]
    assert openings == [
        ("Hello, I saw the sea.", "Hallo, ich habe das Meer gesehen."),
        ("Hey, of them I saw the sea.", "Hi, davon habe ich das Meer gesehen."),
    ]


def test_a_listed_question_follows_each_greeting():
    pairs = [(f"Say {n} times how you are and why.", f"Sag {n}-mal, wie du bist.") for n in range(20)]
    found = added(pairs, languages=("en", "de"))
    assert ("Good morning, how are you?", "Guten Morgen, wie geht es dir?") in found
    assert ("Excuse me, how much does it cost?", "Entschuldigung, wie viel kostet das?") in found
    assert not any(source.startswith("Good night,") for source, _ in found)
    assert not any(source.startswith("Hi, hello") for source, _ in found)


def test_people_tell_their_names_also_after_a_greeting():
    pairs = [("I think my name is on it, you know.", "Weißt du, ich glaube, ich heiße darin anders.")]
    found = added(pairs, languages=("en", "de"))
    assert ("My name is Anna.", "Ich heiße Anna.") in found
    names = re.compile(r"Good morning, my name is (\w+)\.")
    greeted = {told[1]: target for source, target in found if (told := names.fullmatch(source))}
    assert len(greeted) >= 10
    assert all(target == f"Guten Morgen, ich heiße {name}." for name, target in greeted.items())


def test_no_greeting_has_two_translations():
    assert openings("es", "en")["Buenos días."] == "Good morning."
    assert openings("fr", "en")["Bonjour."] == "Hello."
    assert openings("en", "pl") == {}


def test_a_corpus_with_links_stays_as_it_is():
    corpus = Corpus(["Yes."], ["Ja."], links=[{(0, 0)}])
    assert with_everyday_lines(corpus, languages=("en", "de")) is corpus


def test_a_listed_expression_is_written_in_all_ways_whatever_the_corpus_says_for_it():
    pairs = [("¡Hola!", "Here she is!"), ("Salud.", "Health."), ("Lo sé todo.", "I know it all.")]
    found = added(pairs, languages=("es", "en"))
    hello = {source for source, target in found if target == "Hello."}
    assert {"Hola", "hola", "HOLA", "Hola.", "hola!", "¡Hola!", "¡HOLA!", "Buenas"} <= hello
    assert {target for source, target in found if "salud" in source.lower()} == {"Cheers!"}
    assert not {"Here she is!", "Health."} & {target for _, target in found if target[0] not in '()"'}


def test_listed_words_stand_alone_in_all_ways():
    found = added([("I see it all now.", "Ich sehe jetzt alles.")], languages=("en", "de"))
    ways = {
        "Tuesday",
        "tuesday",
        "TUESDAY",
        "Tuesday.",
        "tuesday.",
        "TUESDAY.",
        "Tuesday!",
        "tuesday!",
        "TUESDAY!",
    }
    assert {source for source, target in found if target == "Dienstag."} == ways
    assert found.count(("tuesday", "Dienstag.")) == 3


def test_words_that_the_pairs_translate_stand_alone_in_all_ways_unless_the_pairs_or_a_list_say_them_alone():
    pairs = [(f"{n} + {n} houses", f"{n} + {n} domy") for n in range(10)]
    ways = ("HOUSES", "HOUSES!", "HOUSES.", "Houses", "Houses!", "Houses.", "houses", "houses!", "houses.")
    assert sorted(source for source, target in added(pairs) if target == "Domy.") == sorted(3 * ways)
    pairs.append(("Houses!", "Same domy!"))
    assert {target for source, target in added(pairs) if source == "houses"} == {"Same domy!"}


def test_numbers_of_listed_quantities_are_varied_alike_on_both_sides():
    corpus = Corpus(["I know."], ["Ich weiß."])
    listed = with_everyday_lines(corpus, languages=("en", "de"))
    varied = with_augmentation(listed, 1, seed=3, languages=("en", "de"))
    sold = [
        (re.findall(r"[\d.,:]*\d", source), re.findall(r"[\d.,:]*\d", target))
        for source, target in zip(varied.source, varied.target, strict=True)
        if re.fullmatch(r"they sold .* cars in \S* months\W*", source.lower())
    ]
    assert len(sold) > 30 and len({tuple(ours) for ours, _ in sold}) > 20
    for ours, theirs in sold:
        assert ours == theirs
