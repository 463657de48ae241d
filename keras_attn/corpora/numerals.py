"""Numbers from thirteen on and times of day in words, in English, German, Spanish and French.

Written for this project. A corpus of everyday sentences has each such number a few times at most, and a model that has hardly seen
them says others: "thirty-two" became *treinta y seis*.
"""

from keras_attn.corpora.phrase_table import translations

_NUMBERS = range(13, 100)
_UNITS = {
    "en": "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen",
    "de": "eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn",
    "es": "uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve",
    "fr": "un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf",
}
_TENS = {
    "en": "twenty thirty forty fifty sixty seventy eighty ninety",
    "de": "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig",
    "es": "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
    "fr": "vingt trente quarante cinquante soixante",
}
_TWENTIES = (
    "veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve"
)
_HUNDREDS = """
a hundred | hundert | cien | cent
two hundred | zweihundert | doscientos | deux cents
three hundred | dreihundert | trescientos | trois cents
five hundred | fünfhundert | quinientos | cinq cents
a thousand | tausend | mil | mille
"""
# {n} is a number before a masculine noun.
_COUNTED = """
I am {n} years old. / I'm {n} years old. / I'm {n}. | Ich bin {n} Jahre alt. / Ich bin {n}. | Tengo {n} años. / Yo tengo {n} años. | J'ai {n} ans.
He is {n} years old. / He's {n} years old. / He is {n}. | Er ist {n} Jahre alt. / Er ist {n}. | Él tiene {n} años. | Il a {n} ans.
She is {n} years old. / She's {n} years old. / She is {n}. | Sie ist {n} Jahre alt. / Sie ist {n}. | Ella tiene {n} años. | Elle a {n} ans.
My father is {n} years old. | Mein Vater ist {n} Jahre alt. | Mi padre tiene {n} años. | Mon père a {n} ans.
It costs {n} euros. | Es kostet {n} Euro. | Cuesta {n} euros. | Ça coûte {n} euros.
That costs {n} dollars. | Das kostet {n} Dollar. | Eso cuesta {n} dólares. | Cela coûte {n} dollars.
I have {n} books. | Ich habe {n} Bücher. | Tengo {n} libros. | J'ai {n} livres.
There are {n} students in the class. | In der Klasse sind {n} Schüler. | Hay {n} alumnos en la clase. | Il y a {n} élèves dans la classe.
There were {n} guests at the party. | Auf der Feier waren {n} Gäste. | Había {n} invitados en la fiesta. | Il y avait {n} invités à la fête.
We waited for {n} days. / We waited {n} days. | Wir haben {n} Tage gewartet. | Esperamos {n} días. | Nous avons attendu {n} jours.
I have lived here for {n} years. / I've lived here for {n} years. | Ich wohne seit {n} Jahren hier. | Llevo {n} años viviendo aquí. | J'habite ici depuis {n} ans.
They have been married for {n} years. | Sie sind seit {n} Jahren verheiratet. | Llevan {n} años casados. | Ils sont mariés depuis {n} ans.
"""
# {t} is a time of day; {be} is "Es" or "Son".
_TOLD = """
It's {t}. / It is {t}. | Es ist {t}. | {be} {t}. | Il est {t}.
I get up at {t}. | Ich stehe um {t} auf. | Me levanto a {t}. | Je me lève à {t}.
We eat at {t}. | Wir essen um {t}. | Comemos a {t}. | Nous mangeons à {t}.
The train leaves at {t}. | Der Zug fährt um {t} ab. | El tren sale a {t}. | Le train part à {t}.
The bus arrives at {t}. | Der Bus kommt um {t} an. | El autobús llega a {t}. | Le bus arrive à {t}.
The shop opens at {t}. | Das Geschäft öffnet um {t}. | La tienda abre a {t}. | Le magasin ouvre à {t}.
The shop closes at {t}. | Das Geschäft schließt um {t}. | La tienda cierra a {t}. | Le magasin ferme à {t}.
The film starts at {t}. | Der Film fängt um {t} an. | La película empieza a {t}. | Le film commence à {t}.
He came home at {t}. | Er kam um {t} nach Hause. | Él llegó a casa a {t}. | Il est rentré à {t}.
She goes to bed at {t}. | Sie geht um {t} ins Bett. | Ella se acuesta a {t}. | Elle se couche à {t}.
I will be back at {t}. / I'll be back at {t}. | Ich bin um {t} zurück. | Volveré a {t}. | Je serai de retour à {t}.
Let's meet at {t}. | Treffen wir uns um {t}. | Quedamos a {t}. | Retrouvons-nous à {t}.
See you at {t}. | Wir sehen uns um {t}. | Nos vemos a {t}. | On se voit à {t}.
Please wake me up at {t}. | Bitte wecken Sie mich um {t}. | Por favor, despiérteme a {t}. | Réveillez-moi à {t}, s'il vous plaît.
Can you come at {t}? | Kannst du um {t} kommen? | ¿Puedes venir a {t}? | Peux-tu venir à {t} ?
At {t}. | Um {t}. | A {t}. | À {t}.
"""


def numerals(source: str, target: str) -> list[tuple[str, str]]:
    """Sentences with a number or a time of day in words; none in a language that is not known.

    Numbers are 13 to 99 and some round ones, alone and before masculine nouns. Hyphens may be spaces in the source: "thirty two".

    Args:
        source, target: codes of languages, such as `"en"`.
    """
    if not {source, target} <= _UNITS.keys():
        return []
    numbers = [(counted(n, source), counted(n, target)) for n in _NUMBERS]
    numbers += translations(_HUNDREDS, source, target)
    found = [
        (form.format(n=ours), said.format(n=theirs))
        for form, said in translations(_COUNTED, source, target)
        for ours, theirs in numbers
    ]
    for number in _NUMBERS:
        ours, theirs = spelled(number, source), f"{spelled(number, target).capitalize()}."
        found += [(ours, theirs), (f"{ours.capitalize()}.", theirs)]
    found += [
        (form.format(t=ours, be=_be(ours)), said.format(t=theirs, be=_be(theirs)))
        for form, said in translations(_TOLD, source, target)
        for hour in range(1, 13)
        for ours, theirs in zip(times_of_day(hour, source), times_of_day(hour, target), strict=True)
    ]
    return found + [(line.replace("-", " "), said) for line, said in found if "-" in line]


def spelled(number: int, language: str) -> str:
    """A number from 1 to 99 in words, alone: "treinta y uno"."""
    units, tens = _UNITS[language].split(), _TENS[language].split()
    if number < 20:
        return units[number - 1]
    if language == "fr" and number >= 70:
        return _french(number, units)
    ten, unit = tens[number // 10 - 2], units[number % 10 - 1] if number % 10 else ""
    if not unit:
        return ten
    if language == "de":
        return f"{'ein' if unit == 'eins' else unit}und{ten}"
    if language == "es":
        return _TWENTIES.split()[number - 21] if number < 30 else f"{ten} y {unit}"
    return f"{ten} et un" if language == "fr" and unit == "un" else f"{ten}-{unit}"


def _french(number: int, units: list[str]) -> str:
    """From 70 to 99, which count on from 60 and from 80."""
    if number == 71:
        return "soixante et onze"
    if number == 80:
        return "quatre-vingts"
    return f"soixante-{units[number - 61]}" if number < 80 else f"quatre-vingt-{units[number - 81]}"


def counted(number: int, language: str) -> str:
    """As before a masculine noun: "treinta y un años"."""
    word = spelled(number, language)
    if language != "es" or not word.endswith("uno"):
        return word
    return "veintiún" if number == 21 else word.removesuffix("o")


def times_of_day(hour: int, language: str) -> list[str]:
    """The full hour, a quarter past, half past, and a quarter to the next hour: "half past seven", as after "at"."""
    following = hour % 12 + 1
    now, then = (spelled(each, language) for each in (hour, following))
    if language == "en":
        return [f"{now} o'clock", f"a quarter past {now}", f"half past {now}", f"a quarter to {then}"]
    if language == "de":
        full = "ein" if hour == 1 else now
        return [f"{full} Uhr", f"Viertel nach {now}", f"halb {then}", f"Viertel vor {then}"]
    if language == "es":
        now, then = (f"la {word[:-1]}a" if word == "uno" else f"las {word}" for word in (now, then))
        return [now, f"{now} y cuarto", f"{now} y media", f"{then} menos cuarto"]
    now, then = (_french_hour(each) for each in (hour, following))
    return [now, f"{now} et quart", f"{now} et {'demi' if hour == 12 else 'demie'}", f"{then} moins le quart"]


def _french_hour(hour: int) -> str:
    return {1: "une heure", 12: "midi"}.get(hour) or f"{spelled(hour, 'fr')} heures"


def _be(time: str) -> str:
    """The Spanish verb before a time of day."""
    return "Es" if time.startswith("la ") else "Son"
