"""Words alone, of the lists: "Pharmacy." is "Apotheke.", "Tuesday." is "Dienstag." People try a translator with single words."""

import re

from keras_attn.corpora.days import DAYS, MONTHS
from keras_attn.corpora.people import FEMALE_RELATIVES, MALE_RELATIVES, PROFESSIONS, men_and_women
from keras_attn.corpora.phrase_table import translations
from keras_attn.corpora.places import LANGUAGES, PLACES
from keras_attn.corpora.things import GOODS, THINGS

_ARTICLE = re.compile("^(?:(?:der|die|das|el|la|un|une|an?|du|des|de la) |de l')")

# Not "in den USA": alone that would be "die USA".
_PLACE = re.compile("(?:in der|in|en|à|au|aux) ([A-ZÀ-Þ].*)")


def listed_words(source: str, target: str) -> list[tuple[str, str]]:
    """Each thing, day, month, language, relative, profession and place as a line; none in a language that is not known.

    Args:
        source, target: codes of languages, such as `"en"`.

    Returns:
        Lines and what the target language says, without articles. No line stands twice.
    """
    languages = source, target
    words = [
        pair
        for text in (THINGS, GOODS, DAYS, MONTHS, LANGUAGES, MALE_RELATIVES, FEMALE_RELATIVES)
        for pair in translations(text, *languages)
    ]
    for forms in men_and_women(translations(PROFESSIONS, *languages)):
        words += forms
    for there in translations(PLACES, *languages):
        names = [_PLACE.fullmatch(side) for side in there]
        if all(names):
            words.append((names[0][1], names[1][1]))
    found: dict[str, str] = {}
    for ours, theirs in words:
        found.setdefault(_line(ours), _line(theirs))
    return list(found.items())


def _line(words: str) -> str:
    bare = _ARTICLE.sub("", words)
    return f"{bare[0].upper()}{bare[1:]}."
