"""The list of days, months and seasons."""

from itertools import permutations

import pytest

from keras_attn.corpora.days import days


@pytest.mark.parametrize(
    ("languages", "line", "said"),
    [
        (("en", "de"), "We leave on Wednesday morning.", "Wir reisen am Mittwochmorgen ab."),
        (("es", "en"), "Nos vemos el martes por la noche.", "See you on Tuesday evening."),
        (("fr", "en"), "Je viendrai jeudi prochain.", "I'll come next Thursday."),
        (("de", "es"), "Wir sehen uns am Freitag.", "Nos vemos el viernes."),
        (("en", "fr"), "My birthday is in August.", "Mon anniversaire est en août."),
        (("fr", "de"), "Elle est née au printemps.", "Sie wurde im Frühling geboren."),
        (("en", "es"), "We got married in the fall.", "Nos casamos en otoño."),
    ],
)
def test_both_sides_name_the_same_day_month_or_season(languages, line, said):
    assert (line, said) in days(*languages)


@pytest.mark.parametrize(("source", "target"), tuple(permutations(("de", "en", "es", "fr"), 2)))
def test_every_line_has_one_translation(source, target):
    found = days(source, target)
    assert len(dict(found)) == len(found) > 350
    assert not any("{" in side for pair in found for side in pair)


def test_a_language_without_a_list_has_no_days():
    assert days("en", "pl") == days("pl", "en") == []
