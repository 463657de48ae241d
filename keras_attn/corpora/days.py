"""Days, times of day, months and seasons in sentences, in English, German, Spanish and French: "We leave on Wednesday morning."

Written for this project. A corpus of everyday sentences has some of them a few times only, and a model that copies names copied
them: "Wir gehen auf Wednesday".
"""

from keras_attn.corpora.phrase_table import filled, translations

DAYS = """
Monday | Montag | lunes | lundi
Tuesday | Dienstag | martes | mardi
Wednesday | Mittwoch | miércoles | mercredi
Thursday | Donnerstag | jueves | jeudi
Friday | Freitag | viernes | vendredi
Saturday | Samstag | sábado | samedi
Sunday | Sonntag | domingo | dimanche
"""
_ON_A_DAY = """
on {} | am {} | el {} | {}
on {} morning | am {}morgen | el {} por la mañana | {} matin
on {} afternoon | am {}nachmittag | el {} por la tarde | {} après-midi
on {} evening / on {} night | am {}abend | el {} por la noche | {} soir
"""
MONTHS = """
January | Januar | enero | janvier
February | Februar | febrero | février
March | März | marzo | mars
April | April | abril | avril
May | Mai | mayo | mai
June | Juni | junio | juin
July | Juli | julio | juillet
August | August | agosto | août
September | September | septiembre | septembre
October | Oktober | octubre | octobre
November | November | noviembre | novembre
December | Dezember | diciembre | décembre
"""
_IN_A_MONTH = "in {} | im {} | en {} | en {}"
_SEASONS = """
in spring / in the spring | im Frühling | en primavera | au printemps
in summer / in the summer | im Sommer | en verano | en été
in autumn / in the fall | im Herbst | en otoño | en automne
in winter / in the winter | im Winter | en invierno | en hiver
"""
_ON_THAT_DAY = """
See you {}. | Wir sehen uns {}. | Nos vemos {}. | On se voit {}.
We leave {}. / We're leaving {}. | Wir reisen {} ab. | Nos vamos {}. | Nous partons {}.
The concert is {}. | Das Konzert ist {}. | El concierto es {}. | Le concert est {}.
She arrived {}. | Sie ist {} angekommen. | Ella llegó {}. | Elle est arrivée {}.
I have to work {}. | Ich muss {} arbeiten. | Tengo que trabajar {}. | Je dois travailler {}.
He called me {}. | Er hat mich {} angerufen. | Él me llamó {}. | Il m'a téléphoné {}.
Are you free {}? | Hast du {} Zeit? / Haben Sie {} Zeit? | ¿Estás libre {}? / ¿Tienes tiempo {}? | Es-tu libre {} ? / Êtes-vous libre {} ?
We're having a party {}. / We are having a party {}. | Wir feiern {} eine Party. | Hacemos una fiesta {}. | Nous faisons une fête {}.
"""
_NAMED = """
Today is {}. / It's {}. / It is {}. | Heute ist {}. | Hoy es {}. | Aujourd'hui, c'est {}. / C'est {}.
Tomorrow is {}. | Morgen ist {}. | Mañana es {}. | Demain, c'est {}.
Yesterday was {}. | Gestern war {}. | Ayer fue {}. | Hier, c'était {}.
I'll come next {}. / I will come next {}. | Ich komme nächsten {}. | Vendré el próximo {}. | Je viendrai {} prochain.
We met last {}. | Wir haben uns letzten {} getroffen. | Nos vimos el {} pasado. | Nous nous sommes vus {} dernier.
"""
_IN_THAT_MONTH = """
My birthday is {}. | Ich habe {} Geburtstag. / Mein Geburtstag ist {}. | Mi cumpleaños es {}. | Mon anniversaire est {}.
She was born {}. | Sie wurde {} geboren. / Sie ist {} geboren. | Ella nació {}. | Elle est née {}.
It rains a lot {}. | Es regnet viel {}. | Llueve mucho {}. | Il pleut beaucoup {}.
We got married {}. / We married {}. | Wir haben {} geheiratet. | Nos casamos {}. | Nous nous sommes mariés {}.
The course begins {}. / The course starts {}. | Der Kurs beginnt {}. / Der Kurs fängt {} an. | El curso empieza {}. | Le cours commence {}.
They are going to Italy {}. | Sie fahren {} nach Italien. | Ellos van a Italia {}. | Ils vont en Italie {}.
"""


def days(source: str, target: str) -> list[tuple[str, str]]:
    """Sentences with each day, time of a day, month and season, and what the target language says, in one form.

    There are none in a language that is not known.

    Args:
        source, target: codes of languages, such as `"en"`.
    """
    languages = source, target
    named = translations(DAYS, *languages)
    months = filled(_IN_A_MONTH, translations(MONTHS, *languages), *languages)
    return [
        *filled(_ON_THAT_DAY, filled(_ON_A_DAY, named, *languages), *languages),
        *filled(_NAMED, named, *languages),
        *filled(_IN_THAT_MONTH, [*months, *translations(_SEASONS, *languages)], *languages),
    ]
