"""How people introduce themselves and speak to each other by name, in English, German, Spanish and French.

Written for this project. Corpora of sentences hardly have it: of 170,000 pairs from Tatoeba with German, 19 have *Ich heiße*, and
most of these go on with *Tom*.
"""

from itertools import cycle, islice

from keras_attn.corpora.phrase_table import translations

# First names that are written alike in all these languages, of women and of men.
_WOMEN = """
Anna Maria Laura Julia Eva Clara Elena Lisa Sophie Emma Sarah Marie Isabel Carmen Lena Ingrid Olga
Fatima Sofia Martina Valentina Rosa Helena Alice Charlotte
"""
_MEN = """
Lucas Paul David Daniel Martin Thomas Peter Michael Alexander Simon Felix Max Leo Hugo Oscar Carlos Juan
Pablo Luis Miguel Antonio Diego Pedro Pierre Jean Louis Nicolas Hans Klaus Stefan Andreas Ahmed Ivan
Robert Richard Patrick Christian Benjamin
"""
_TIMES_A_FORM = 10
# {} is any name, {w} a woman's, {m} a man's.
_INTRODUCTIONS = """
My name is {}. / My name's {}. / I am called {}. / I'm called {}. | Ich heiße {}. / Mein Name ist {}. | Me llamo {}. / Mi nombre es {}. | Je m'appelle {}. / Mon nom est {}.
I'm {}. / I am {}. | Ich bin {}. | Soy {}. / Yo soy {}. | Je suis {}.
His name is {m}. / He is called {m}. | Er heißt {m}. / Sein Name ist {m}. | Él se llama {m}. | Il s'appelle {m}.
Her name is {w}. / She is called {w}. | Sie heißt {w}. | Ella se llama {w}. | Elle s'appelle {w}.
My brother's name is {m}. / My brother is called {m}. | Mein Bruder heißt {m}. | Mi hermano se llama {m}. | Mon frère s'appelle {m}.
My sister's name is {w}. / My sister is called {w}. | Meine Schwester heißt {w}. | Mi hermana se llama {w}. | Ma sœur s'appelle {w}.
My son's name is {m}. / My son is called {m}. | Mein Sohn heißt {m}. | Mi hijo se llama {m}. | Mon fils s'appelle {m}.
My daughter's name is {w}. / My daughter is called {w}. | Meine Tochter heißt {w}. | Mi hija se llama {w}. | Ma fille s'appelle {w}.
My friend's name is {m}. / My friend is called {m}. | Mein Freund heißt {m}. | Mi amigo se llama {m}. | Mon ami s'appelle {m}.
Is your name {}? / Are you called {}? | Heißt du {}? / Heißen Sie {}? | ¿Te llamas {}? | Tu t'appelles {} ? / Vous vous appelez {} ?
Are you {}? | Bist du {}? / Sind Sie {}? | ¿Eres {}? / ¿Es usted {}? | Tu es {} ? / Vous êtes {} ? / Êtes-vous {} ?
My name is {} and I'm new here. | Ich heiße {} und bin neu hier. | Me llamo {} y soy nuevo aquí. | Je m'appelle {} et je suis nouveau ici.
Hello, {}. | Hallo, {}. / Hallo {}. | Hola, {}. / Hola {}. | Bonjour, {}. / Bonjour {}.
Hi, {}. / Hi {}. / Hey, {}. | Hi, {}. | Hola, {}. | Salut, {}. / Salut {}.
Good morning, {}. | Guten Morgen, {}. / Guten Morgen {}. | Buenos días, {}. | Bonjour, {}.
Good evening, {}. | Guten Abend, {}. / Guten Abend {}. | Buenas noches, {}. | Bonsoir, {}. / Bonsoir {}.
Goodbye, {}. / Bye, {}. | Auf Wiedersehen, {}. / Tschüss, {}. | Adiós, {}. | Au revoir, {}.
Thank you, {}. / Thanks, {}. | Danke, {}. | Gracias, {}. | Merci, {}.
How are you, {}? | Wie geht es dir, {}? / Wie geht es Ihnen, {}? / Wie geht's, {}? | ¿Cómo estás, {}? / ¿Qué tal, {}? | Comment vas-tu, {} ? / Comment allez-vous, {} ? / Comment ça va, {} ?
Nice to meet you, {}. / Pleased to meet you, {}. | Freut mich, {}. / Schön, dich kennenzulernen, {}. | Mucho gusto, {}. / Encantado de conocerte, {}. | Enchanté, {}. / Ravi de te rencontrer, {}.
"""


def introductions(source: str, target: str) -> list[tuple[str, str]]:
    """Each form of the source language with some of the names, and what the target language says, in one form.

    There are none in a language that is not known.

    Args:
        source, target: codes of languages, such as `"en"`.
    """
    forms: dict[str, str] = {}
    for form, said in translations(_INTRODUCTIONS, source, target):
        forms.setdefault(form, said)
    women, men = _WOMEN.split(), _MEN.split()
    names = zip(cycle(women + men), cycle(women), cycle(men), strict=True)
    return [
        (form.format(name, w=woman, m=man), said.format(name, w=woman, m=man))
        for form, said in forms.items()
        for name, woman, man in islice(names, _TIMES_A_FORM)
    ]
