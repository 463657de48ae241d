"""Generated sentences with numbers, times, prices, dates and names, and how many of these a translation gets right.

From and to English, French, German and Spanish. The same seed gives the same sentences. Names are made of syllables, so that no
training corpus holds them. A fact is right if the translation says it in a form that people write: 1,250 as 1250, 1.250 or 1 250;
12.50 as 12,50; May 14, 1987 with 14, mayo and 1987, or to English with 14 or 14th.
"""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

from keras_attn.corpora.dates import english_ordinal, months

KINDS = ("number", "time", "price", "date", "name")
_DATES = {
    "de": "{day}. {month} {year}",
    "en": "{month} {day}, {year}",
    "es": "{day} de {month} de {year}",
    "fr": "{day} {month} {year}",
}
_MARKS = {"de": ".,", "en": ",.", "es": ".,", "fr": "\u202f,"}  # between thousands, and before cents
_TEMPLATES = {
    "de": {
        "number": [
            "In dieser Bibliothek gibt es {} Bücher.",
            "Unsere Schule hat {} Schüler.",
            "Wir brauchen {} Stühle für den Saal.",
            "Etwa {} Menschen leben in dieser Stadt.",
            "Er ist heute {} Schritte gegangen.",
            "Ich habe {} Vögel auf dem See gezählt.",
            "Die Brücke ist {} Meter lang.",
            "Sie hat {} Briefe in {} Tagen geschrieben.",
        ],
        "time": [
            "Der Zug fährt um {} ab.",
            "Ich bin heute Morgen um {} aufgewacht.",
            "Das Geschäft hat von {} bis {} geöffnet.",
            "Der Film beginnt um {}.",
            "Bitte ruf mich vor {} an.",
            "Unser Flugzeug landet morgen um {}.",
        ],
        "price": [
            "Es hat {} Euro gekostet.",
            "Er hat {} Dollar für das Fahrrad bezahlt.",
            "Die Karte kostet {} Euro.",
            "Ich habe nur noch {} Dollar.",
            "Diese Lampe kostet {} Euro und jene {} Euro.",
            "Sie hat ihr Auto für {} Dollar verkauft.",
        ],
        "date": [
            "Sie wurde am {} geboren.",
            "Der Krieg endete am {}.",
            "Wir haben uns am {} kennengelernt.",
            "Dieses Haus wurde am {} gebaut.",
            "Der Brief kam am {}.",
        ],
        "name": [
            "{} wohnt in der Nähe des Bahnhofs.",
            "Ich habe {} in {} getroffen.",
            "{} und {} sind alte Freunde.",
            "Letzte Woche sind wir nach {} geflogen.",
            "{} war noch nie in {}.",
            "Mein Lehrer kommt aus {}.",
            "Hast du je von {} gehört?",
        ],
    },
    "en": {
        "number": [
            "There are {} books in this library.",
            "Our school has {} students.",
            "We need {} chairs for the hall.",
            "About {} people live in this town.",
            "He walked {} steps today.",
            "I counted {} birds on the lake.",
            "The bridge is {} meters long.",
            "She wrote {} letters in {} days.",
        ],
        "time": [
            "The train leaves at {}.",
            "I woke up at {} this morning.",
            "The shop is open from {} to {}.",
            "The film begins at {}.",
            "Please call me before {}.",
            "Our plane lands at {} tomorrow.",
        ],
        "price": [
            "It cost {} euros.",
            "He paid {} dollars for the bicycle.",
            "The ticket is {} euros.",
            "I have only {} dollars left.",
            "This lamp costs {} euros, and that one {} euros.",
            "She sold her car for {} dollars.",
        ],
        "date": [
            "She was born on {}.",
            "The war ended on {}.",
            "We met on {}.",
            "This house was built on {}.",
            "The letter came on {}.",
        ],
        "name": [
            "{} lives near the station.",
            "I met {} in {}.",
            "{} and {} are old friends.",
            "We flew to {} last week.",
            "{} has never been to {}.",
            "My teacher comes from {}.",
            "Have you ever heard of {}?",
        ],
    },
    "es": {
        "number": [
            "Hay {} libros en esta biblioteca.",
            "Nuestra escuela tiene {} alumnos.",
            "Necesitamos {} sillas para la sala.",
            "Unas {} personas viven en este pueblo.",
            "Hoy caminó {} pasos.",
            "Conté {} pájaros en el lago.",
            "El puente mide {} metros.",
            "Escribió {} cartas en {} días.",
        ],
        "time": [
            "El tren sale a las {}.",
            "Esta mañana me desperté a las {}.",
            "La tienda abre de {} a {}.",
            "La película empieza a las {}.",
            "Llámame antes de las {}, por favor.",
            "Nuestro avión aterriza mañana a las {}.",
        ],
        "price": [
            "Costó {} euros.",
            "Pagó {} dólares por la bicicleta.",
            "El billete vale {} euros.",
            "Solo me quedan {} dólares.",
            "Esta lámpara cuesta {} euros, y aquella {} euros.",
            "Vendió su coche por {} dólares.",
        ],
        "date": [
            "Ella nació el {}.",
            "La guerra terminó el {}.",
            "Nos conocimos el {}.",
            "Esta casa fue construida el {}.",
            "La carta llegó el {}.",
        ],
        "name": [
            "{} vive cerca de la estación.",
            "Conocí a {} en {}.",
            "{} y {} son viejos amigos.",
            "La semana pasada volamos a {}.",
            "{} nunca ha estado en {}.",
            "Mi profesor es de {}.",
            "¿Has oído hablar de {}?",
        ],
    },
    "fr": {
        "number": [
            "Il y a {} livres dans cette bibliothèque.",
            "Notre école compte {} élèves.",
            "Il nous faut {} chaises pour la salle.",
            "Environ {} personnes vivent dans cette ville.",
            "Il a fait {} pas aujourd'hui.",
            "J'ai compté {} oiseaux sur le lac.",
            "Le pont mesure {} mètres.",
            "Elle a écrit {} lettres en {} jours.",
        ],
        "time": [
            "Le train part à {}.",
            "Je me suis réveillé à {} ce matin.",
            "Le magasin est ouvert de {} à {}.",
            "Le film commence à {}.",
            "Appelle-moi avant {}, s'il te plaît.",
            "Notre avion atterrit demain à {}.",
        ],
        "price": [
            "Cela a coûté {} euros.",
            "Il a payé {} dollars pour le vélo.",
            "Le billet coûte {} euros.",
            "Il ne me reste que {} dollars.",
            "Cette lampe coûte {} euros, et celle-là {} euros.",
            "Elle a vendu sa voiture pour {} dollars.",
        ],
        "date": [
            "Elle est née le {}.",
            "La guerre s'est terminée le {}.",
            "Nous nous sommes rencontrés le {}.",
            "Cette maison a été construite le {}.",
            "La lettre est arrivée le {}.",
        ],
        "name": [
            "{} habite près de la gare.",
            "J'ai rencontré {} à {}.",
            "{} et {} sont de vieux amis.",
            "La semaine dernière, nous avons pris l'avion pour {}.",
            "{} n'est jamais allé à {}.",
            "Mon professeur vient de {}.",
            "As-tu déjà entendu parler de {} ?",
        ],
    },
}
_FIRST = (
    "Bra",
    "Dor",
    "Fen",
    "Gal",
    "Hol",
    "Jor",
    "Kel",
    "Lum",
    "Mar",
    "Nev",
    "Ost",
    "Pel",
    "Quin",
    "Rov",
    "Tav",
    "Vil",
    "Zor",
)
_MIDDLE = ("", "a", "en", "i", "ol", "ur")
_LAST = ("beck", "dan", "fi", "gard", "kov", "lin", "mire", "no", "ra", "stad", "ton", "vik")


@dataclass(frozen=True)
class Fact:
    """What a translation must say: every one of its parts, each in one of its forms."""

    kind: str
    parts: tuple[tuple[str, ...], ...]

    def stands_in(self, translation: str) -> bool:
        """Whether a translation says it. A form counts as a whole only: 12 does not stand in 312, nor in 12,50."""
        return all(any(_stands(form, translation) for form in forms) for forms in self.parts)


@dataclass(frozen=True)
class Challenge:
    """A sentence and its facts."""

    sentence: str
    facts: tuple[Fact, ...]


def challenges(count: int = 500, seed: int = 1, *, source: str = "en", target: str = "es") -> list[Challenge]:
    """Sentences that differ from one another, as many of each kind, up to rounding.

    Raises:
        KeyError: there are no templates in one of the languages.
    """
    draw = random.Random(seed)
    found: dict[str, Challenge] = {}
    while len(found) < count:
        one = _challenge(KINDS[len(found) % len(KINDS)], draw, source, target)
        found.setdefault(one.sentence, one)
    return list(found.values())


def shares_right(given: Sequence[Challenge], translations: Sequence[str]) -> dict[str, float]:
    """Of each kind, and of all kinds but names as `"numbers"`, the share of facts that stand in the translations, in per cent.

    Raises:
        ValueError: not as many translations as sentences.
    """
    told = [
        (fact.kind, fact.stands_in(translation))
        for one, translation in zip(given, translations, strict=True)
        for fact in one.facts
    ]
    groups = {kind: (kind,) for kind in KINDS} | {"numbers": KINDS[:-1]}
    by_group = {name: [right for kind, right in told if kind in kinds] for name, kinds in groups.items()}
    return {name: 100 * sum(rights) / len(rights) for name, rights in by_group.items() if rights}


def _challenge(kind: str, draw: random.Random, source: str, target: str) -> Challenge:
    template = draw.choice(_TEMPLATES[source][kind])
    drawn = [_DRAWERS[kind](draw, source, target) for _ in range(template.count("{}"))]
    sentence = template.format(*(text for text, _ in drawn))
    return Challenge(sentence, tuple(Fact(kind, parts) for _, parts in drawn))


def _number(draw: random.Random, source: str, target: str) -> tuple[str, tuple]:
    number = draw.randrange(*draw.choice(((13, 100), (100, 1000), (1000, 100_000))))
    return _written(f"{number:,}", source), (_forms(number),)


def _time(draw: random.Random, source: str, target: str) -> tuple[str, tuple]:
    hour, minute = draw.randrange(10, 24), draw.randrange(10, 60)
    return f"{hour}:{minute}", ((f"{hour}:{minute}", f"{hour}.{minute}", f"{hour}h{minute}"),)


def _price(draw: random.Random, source: str, target: str) -> tuple[str, tuple]:
    whole, cents = draw.randrange(*draw.choice(((3, 100), (1000, 10_000)))), draw.randrange(10, 100)
    forms = tuple(f"{form}{mark}{cents}" for form in _forms(whole) for mark in ",.")
    return _written(f"{whole:,}.{cents}", source), (forms,)


def _date(draw: random.Random, source: str, target: str) -> tuple[str, tuple]:
    month, day, year = draw.randrange(12), draw.randrange(2, 29), draw.randrange(1850, 2030)
    text = _DATES[source].format(month=months(source)[month], day=day, year=year)
    days = (str(day), english_ordinal(day)) if target == "en" else (str(day),)
    return text, (days, (months(target)[month],), (str(year),))


def _name(draw: random.Random, source: str, target: str) -> tuple[str, tuple]:
    name = draw.choice(_FIRST) + draw.choice(_MIDDLE) + draw.choice(_LAST)
    return name, ((name,),)


_DRAWERS = {"number": _number, "time": _time, "price": _price, "date": _date, "name": _name}


def _written(number: str, language: str) -> str:
    return number.translate(str.maketrans(",.", _MARKS[language]))


def _forms(number: int) -> tuple[str, ...]:
    """A whole number with every mark that may stand between thousands, or with none."""
    return tuple(
        dict.fromkeys(f"{number:,}".replace(",", mark) for mark in ("", ".", ",", " ", "\u00a0", "\u202f"))
    )


def _stands(form: str, text: str) -> bool:
    return re.search(rf"(?<!\w)(?<!\d[.,:]){re.escape(form)}(?!\w)(?![.,:]\d)", text) is not None
