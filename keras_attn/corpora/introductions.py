"""How people introduce themselves and speak to and of each other by name, in English, German, Spanish and French.

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
_SURNAMES = """
Müller Schmidt Weber Becker Schröder García López Martínez Sánchez Ruiz Dubois Moreau Girard Fournier Smith
Brown Taylor Wilson Clark Rossi Novak Kowalski Nguyen Kim Ivanov Silva Jensen Andersson
"""
_TIMES_A_FORM = 10
# {} is any first name, {w} a woman's, {m} a man's, {s} a surname.
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
My name is {} and I live in London. | Ich heiße {} und wohne in London. / Ich heiße {} und ich wohne in London. | Me llamo {} y vivo en Londres. | Je m'appelle {} et j'habite à Londres.
My name is {} and I live in Berlin. | Ich heiße {} und wohne in Berlin. / Ich heiße {} und ich wohne in Berlin. | Me llamo {} y vivo en Berlín. | Je m'appelle {} et j'habite à Berlin.
My name is {} and I live in Paris. | Ich heiße {} und wohne in Paris. / Ich heiße {} und ich wohne in Paris. | Me llamo {} y vivo en París. | Je m'appelle {} et j'habite à Paris.
My name is {} and I'm from Spain. / My name is {} and I am from Spain. | Ich heiße {} und komme aus Spanien. | Me llamo {} y soy de España. | Je m'appelle {} et je viens d'Espagne.
Hello, {}. | Hallo, {}. / Hallo {}. | Hola, {}. / Hola {}. | Bonjour, {}. / Bonjour {}.
Hi, {}. / Hi {}. / Hey, {}. | Hi, {}. | Hola, {}. | Salut, {}. / Salut {}.
Good morning, {}. | Guten Morgen, {}. / Guten Morgen {}. | Buenos días, {}. | Bonjour, {}.
Good evening, {}. | Guten Abend, {}. / Guten Abend {}. | Buenas noches, {}. | Bonsoir, {}. / Bonsoir {}.
Goodbye, {}. / Bye, {}. | Auf Wiedersehen, {}. / Tschüss, {}. | Adiós, {}. | Au revoir, {}.
Thank you, {}. / Thanks, {}. | Danke, {}. | Gracias, {}. | Merci, {}.
How are you, {}? | Wie geht es dir, {}? / Wie geht es Ihnen, {}? / Wie geht's, {}? | ¿Cómo estás, {}? / ¿Qué tal, {}? | Comment vas-tu, {} ? / Comment allez-vous, {} ? / Comment ça va, {} ?
Nice to meet you, {}. / Pleased to meet you, {}. | Freut mich, {}. / Schön, dich kennenzulernen, {}. | Mucho gusto, {}. / Encantado de conocerte, {}. | Enchanté, {}. / Ravi de te rencontrer, {}.
My name is {} {s}. / I'm {} {s}. | Ich heiße {} {s}. / Mein Name ist {} {s}. / Ich bin {} {s}. | Me llamo {} {s}. / Mi nombre es {} {s}. / Soy {} {s}. | Je m'appelle {} {s}. / Mon nom est {} {s}. / Je suis {} {s}.
My name is {s}. | Mein Name ist {s}. | Mi nombre es {s}. | Mon nom est {s}.
I'm Mr. {s}. / I am Mr. {s}. | Ich bin Herr {s}. | Soy el señor {s}. | Je suis monsieur {s}.
Hello, Mr. {s}. / Hello, Mr {s}. | Guten Tag, Herr {s}. / Hallo, Herr {s}. / Hallo Herr {s}. | Hola, señor {s}. | Bonjour, monsieur {s}. / Bonjour monsieur {s}. / Bonjour, M. {s}.
Hello, Mrs. {s}. / Hello, Ms. {s}. | Guten Tag, Frau {s}. / Hallo, Frau {s}. / Hallo Frau {s}. | Hola, señora {s}. | Bonjour, madame {s}. / Bonjour madame {s}. / Bonjour, Mme {s}.
Good morning, Mr. {s}. | Guten Morgen, Herr {s}. | Buenos días, señor {s}. / Buenos días, Sr. {s}. | Bonjour, monsieur {s}.
Good morning, Mrs. {s}. / Good morning, Ms. {s}. | Guten Morgen, Frau {s}. | Buenos días, señora {s}. / Buenos días, Sra. {s}. | Bonjour, madame {s}.
Good evening, Mr. {s}. | Guten Abend, Herr {s}. | Buenas noches, señor {s}. | Bonsoir, monsieur {s}.
Goodbye, Mrs. {s}. | Auf Wiedersehen, Frau {s}. | Adiós, señora {s}. | Au revoir, madame {s}.
Thank you, Mr. {s}. / Thank you, Mr {s}. / Thanks, Mr. {s}. | Danke, Herr {s}. | Gracias, señor {s}. / Gracias, Sr. {s}. | Merci, monsieur {s}. / Merci, M. {s}.
Thank you, Mrs. {s}. / Thank you, Ms. {s}. | Danke, Frau {s}. | Gracias, señora {s}. / Gracias, Sra. {s}. | Merci, madame {s}. / Merci, Mme {s}.
How are you, Mr. {s}? | Wie geht es Ihnen, Herr {s}? | ¿Cómo está usted, señor {s}? / ¿Cómo está, señor {s}? | Comment allez-vous, monsieur {s} ?
This is Mrs. {s}. | Das ist Frau {s}. | Esta es la señora {s}. | Voici madame {s}. / C'est madame {s}.
Mr. {s} is here. | Herr {s} ist hier. / Herr {s} ist da. | El señor {s} está aquí. / El Sr. {s} está aquí. | Monsieur {s} est ici. / M. {s} est ici.
Is Mr. {s} there? | Ist Herr {s} da? | ¿Está el señor {s}? | Est-ce que monsieur {s} est là ? / Monsieur {s} est-il là ?
Where is Mrs. {s}? / Where's Mrs. {s}? | Wo ist Frau {s}? | ¿Dónde está la señora {s}? | Où est madame {s} ?
Do you know Mr. {s}? | Kennen Sie Herrn {s}? / Kennst du Herrn {s}? | ¿Conoce usted al señor {s}? / ¿Conoces al señor {s}? | Connaissez-vous monsieur {s} ? / Connais-tu M. {s} ?
I would like to speak to Mrs. {s}. / I'd like to speak to Mrs. {s}. | Ich möchte mit Frau {s} sprechen. | Quisiera hablar con la señora {s}. / Me gustaría hablar con la señora {s}. | Je voudrais parler à madame {s}.
I have an appointment with Dr. {s}. | Ich habe einen Termin bei Dr. {s}. | Tengo una cita con el doctor {s}. / Tengo una cita con el Dr. {s}. | J'ai rendez-vous avec le docteur {s}. / J'ai rendez-vous avec le Dr {s}.
Dear {w}, | Liebe {w}, | Querida {w}, | Chère {w},
Dear Mr. {s}, | Sehr geehrter Herr {s}, / Lieber Herr {s}, | Estimado señor {s}, / Estimado señor {s}: | Cher Monsieur {s},
Dear Mrs. {s}, / Dear Ms. {s}, | Sehr geehrte Frau {s}, / Liebe Frau {s}, | Estimada señora {s}, / Estimada señora {s}: | Chère Madame {s},
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
    names = zip(cycle(women + men), cycle(women), cycle(men), cycle(_SURNAMES.split()), strict=True)
    return [
        tuple(side.format(name, w=woman, m=man, s=surname) for side in pair)
        for pair in forms.items()
        for name, woman, man, surname in islice(names, _TIMES_A_FORM)
    ]
