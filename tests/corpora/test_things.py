"""The list of everyday things."""

from itertools import permutations

import pytest

from keras_attn.corpora.things import a, a_seen, the, the_seen, things


@pytest.mark.parametrize(
    ("languages", "line", "said"),
    [
        (("en", "de"), "Where is the pharmacy?", "Wo ist die Apotheke?"),
        (("en", "de"), "I need an umbrella.", "Ich brauche einen Regenschirm."),
        (("en", "de"), "I see the key.", "Ich sehe den Schlüssel."),
        (("de", "fr"), "Das ist ein Eichhörnchen.", "C'est un écureuil."),
        (("fr", "en"), "Vois-tu l'île ?", "Do you see the island?"),
        (("es", "en"), "Es una mariposa.", "That's a butterfly."),
        (("en", "fr"), "We need oil.", "Il nous faut de l'huile."),
        (("de", "es"), "Haben Sie Erdbeeren?", "¿Tiene fresas?"),
        (("en", "fr"), "My back hurts.", "J'ai mal au dos."),
        (("en", "fr"), "My knee hurts.", "J'ai mal au genou."),
        (("fr", "en"), "la brosse à dents", "The toothbrush."),
        (("en", "es"), "An apple.", "Una manzana."),
        (("de", "fr"), "Der Baum.", "L'arbre."),
    ],
)
def test_both_sides_name_the_same_thing(languages, line, said):
    assert (line, said) in things(*languages)


@pytest.mark.parametrize(
    ("word", "language", "forms"),
    [
        ("der Baum", "de", ["der Baum", "den Baum", "ein Baum", "einen Baum"]),
        ("die Uhr", "de", ["die Uhr", "die Uhr", "eine Uhr", "eine Uhr"]),
        ("el águila", "es", ["el águila", "el águila", "un águila", "un águila"]),
        ("un hôpital", "fr", ["l'hôpital", "l'hôpital", "un hôpital", "un hôpital"]),
        ("une clé", "fr", ["la clé", "la clé", "une clé", "une clé"]),
        ("orange", "en", ["orange", "orange", "an orange", "an orange"]),  # the sentences have "the"
        ("university", "en", ["university", "university", "a university", "a university"]),
    ],
)
def test_articles_follow_gender_and_case(word, language, forms):
    assert [form(word, language) for form in (the, the_seen, a, a_seen)] == forms


@pytest.mark.parametrize(("source", "target"), tuple(permutations(("de", "en", "es", "fr"), 2)))
def test_every_line_has_one_translation(source, target):
    found = things(source, target)
    assert len(dict(found)) == len(found) > 3000
    assert not any("{" in side or " à le " in side for pair in found for side in pair)


def test_a_language_without_a_list_has_no_things():
    assert things("en", "pl") == things("pl", "en") == []
