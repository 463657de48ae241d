"""Countries, cities and languages in sentences, in English, German, Spanish and French: "I live in Switzerland."

Written for this project. A corpus of everyday sentences has most of them a few times at most, and a model that copies names
copied them: "Ellos viven en Switzerland."
"""

import re

from keras_attn.corpora.phrase_table import filled, translations

# Where one is; where one is from follows from it.
PLACES = """
in Germany | in Deutschland | en Alemania | en Allemagne
in Austria | in Österreich | en Austria | en Autriche
in Switzerland | in der Schweiz | en Suiza | en Suisse
in France | in Frankreich | en Francia | en France
in Spain | in Spanien | en España | en Espagne
in Portugal | in Portugal | en Portugal | au Portugal
in Italy | in Italien | en Italia | en Italie
in Greece | in Griechenland | en Grecia | en Grèce
in Turkey | in der Türkei | en Turquía | en Turquie
in Poland | in Polen | en Polonia | en Pologne
in Russia | in Russland | en Rusia | en Russie
in Ukraine / in the Ukraine | in der Ukraine | en Ucrania | en Ukraine
in Hungary | in Ungarn | en Hungría | en Hongrie
in Romania | in Rumänien | en Rumanía / en Rumania | en Roumanie
in Bulgaria | in Bulgarien | en Bulgaria | en Bulgarie
in Croatia | in Kroatien | en Croacia | en Croatie
in the Czech Republic | in Tschechien | en la República Checa | en République tchèque
in Sweden | in Schweden | en Suecia | en Suède
in Norway | in Norwegen | en Noruega | en Norvège
in Denmark | in Dänemark | en Dinamarca | au Danemark
in Finland | in Finnland | en Finlandia | en Finlande
in Iceland | in Island | en Islandia | en Islande
in Belgium | in Belgien | en Bélgica | en Belgique
in the Netherlands / in Holland | in den Niederlanden / in Holland | en los Países Bajos / en Holanda | aux Pays-Bas / en Hollande
in Ireland | in Irland | en Irlanda | en Irlande
in England | in England | en Inglaterra | en Angleterre
in Scotland | in Schottland | en Escocia | en Écosse
in the United Kingdom / in the UK | im Vereinigten Königreich | en el Reino Unido | au Royaume-Uni
in the United States / in the USA | in den Vereinigten Staaten / in den USA | en los Estados Unidos / en Estados Unidos | aux États-Unis
in Canada | in Kanada | en Canadá | au Canada
in Mexico | in Mexiko | en México | au Mexique
in Brazil | in Brasilien | en Brasil | au Brésil
in Argentina | in Argentinien | en Argentina | en Argentine
in Chile | in Chile | en Chile | au Chili
in Colombia | in Kolumbien | en Colombia | en Colombie
in Peru | in Peru | en Perú | au Pérou
in Japan | in Japan | en Japón | au Japon
in China | in China | en China | en Chine
in India | in Indien | en India / en la India | en Inde
in South Korea | in Südkorea | en Corea del Sur | en Corée du Sud
in Thailand | in Thailand | en Tailandia | en Thaïlande
in Australia | in Australien | en Australia | en Australie
in New Zealand | in Neuseeland | en Nueva Zelanda | en Nouvelle-Zélande
in Egypt | in Ägypten | en Egipto | en Égypte
in Morocco | in Marokko | en Marruecos | au Maroc
in South Africa | in Südafrika | en Sudáfrica | en Afrique du Sud
in Kenya | in Kenia | en Kenia | au Kenya
in Europe | in Europa | en Europa | en Europe
in Africa | in Afrika | en África | en Afrique
in Asia | in Asien | en Asia | en Asie
in London | in London | en Londres | à Londres
in Paris | in Paris | en París | à Paris
in Berlin | in Berlin | en Berlín | à Berlin
in Madrid | in Madrid | en Madrid | à Madrid
in Rome | in Rom | en Roma | à Rome
in Vienna | in Wien | en Viena | à Vienne
in Munich | in München | en Múnich | à Munich
in Geneva | in Genf | en Ginebra | à Genève
in Brussels | in Brüssel | en Bruselas | à Bruxelles
in Lisbon | in Lissabon | en Lisboa | à Lisbonne
in Athens | in Athen | en Atenas | à Athènes
in Prague | in Prag | en Praga | à Prague
in Warsaw | in Warschau | en Varsovia | à Varsovie
in Moscow | in Moskau | en Moscú | à Moscou
in New York | in New York | en Nueva York | à New York
"""
_THERE = """
I live {}. | Ich wohne {}. / Ich lebe {}. | Vivo {}. / Yo vivo {}. | J'habite {}. / Je vis {}.
They live {}. | Sie wohnen {}. / Sie leben {}. | Ellos viven {}. / Viven {}. | Ils habitent {}. / Ils vivent {}.
My brother lives {}. | Mein Bruder wohnt {}. / Mein Bruder lebt {}. | Mi hermano vive {}. | Mon frère habite {}. / Mon frère vit {}.
She works {}. | Sie arbeitet {}. | Ella trabaja {}. | Elle travaille {}.
I was born {}. | Ich bin {} geboren. / Ich wurde {} geboren. | Nací {}. | Je suis né {}. / Je suis née {}.
He was born {}. | Er wurde {} geboren. / Er ist {} geboren. | Él nació {}. | Il est né {}.
We were {} last year. / Last year we were {}. | Wir waren letztes Jahr {}. / Letztes Jahr waren wir {}. | El año pasado estuvimos {}. / Estuvimos {} el año pasado. | Nous étions {} l'année dernière. / L'année dernière, nous étions {}.
It's cold {}. / It is cold {}. | Es ist kalt {}. | Hace frío {}. | Il fait froid {}.
"""
_FROM_THERE = """
I'm {}. / I am {}. / I come {}. | Ich komme {}. / Ich bin {}. | Soy {}. / Vengo {}. | Je viens {}.
He is {}. / He's {}. / He comes {}. | Er kommt {}. / Er ist {}. | Él es {}. | Il vient {}.
She is {}. / She's {}. / She comes {}. | Sie kommt {}. / Sie ist {}. | Ella es {}. | Elle vient {}.
My wife is {}. / My wife comes {}. | Meine Frau kommt {}. / Meine Frau ist {}. | Mi mujer es {}. / Mi esposa es {}. | Ma femme vient {}.
Are you {}? | Kommst du {}? / Kommen Sie {}? / Bist du {}? | ¿Eres {}? / ¿Es usted {}? | Viens-tu {} ? / Venez-vous {} ?
"""
LANGUAGES = """
English | Englisch | inglés | anglais
German | Deutsch | alemán | allemand
Spanish | Spanisch | español | espagnol
French | Französisch | francés | français
Italian | Italienisch | italiano | italien
Portuguese | Portugiesisch | portugués | portugais
Russian | Russisch | ruso | russe
Polish | Polnisch | polaco | polonais
Dutch | Niederländisch / Holländisch | neerlandés / holandés | néerlandais
Swedish | Schwedisch | sueco | suédois
Danish | Dänisch | danés | danois
Norwegian | Norwegisch | noruego | norvégien
Finnish | Finnisch | finés / finlandés | finnois
Greek | Griechisch | griego | grec
Turkish | Türkisch | turco | turc
Arabic | Arabisch | árabe | arabe
Japanese | Japanisch | japonés | japonais
Chinese | Chinesisch | chino | chinois
Korean | Koreanisch | coreano | coréen
Hungarian | Ungarisch | húngaro | hongrois
Czech | Tschechisch | checo | tchèque
"""
_SPOKEN = """
I speak {}. | Ich spreche {}. | Hablo {}. / Yo hablo {}. | Je parle {}.
I don't speak {}. / I do not speak {}. | Ich spreche kein {}. | No hablo {}. | Je ne parle pas {}.
He speaks {}. | Er spricht {}. | Él habla {}. | Il parle {}.
She speaks {} very well. | Sie spricht sehr gut {}. | Ella habla {} muy bien. | Elle parle très bien {}.
They speak {}. | Sie sprechen {}. | Ellos hablan {}. / Hablan {}. | Ils parlent {}.
Do you speak {}? | Sprechen Sie {}? / Sprichst du {}? | ¿Habla usted {}? / ¿Hablas {}? | Parlez-vous {} ? / Parles-tu {} ?
The book is written in {}. | Das Buch ist auf {} geschrieben. | El libro está escrito en {}. | Le livre est écrit en {}.
"""
# What stands before a place where one is, and where one is from: "in der Schweiz", "aus der Schweiz".
_FROM = {
    "en": (("in ", "from "),),
    "de": (("in ", "aus "), ("im ", "aus dem ")),
    "es": (("en el ", "del "), ("en ", "de ")),
    "fr": (("(?:en|à) (?=[AEIÉO])", "d'"), ("(?:en|à) ", "de "), ("au ", "du "), ("aux ", "des ")),
}


def places(source: str, target: str) -> list[tuple[str, str]]:
    """Sentences with each place and language, and what the target language says, in one form.

    There are none in a language that is not known.

    Args:
        source, target: codes of languages, such as `"en"`.
    """
    languages = source, target
    there = translations(PLACES, *languages)
    from_there = [(from_where(ours, source), from_where(theirs, target)) for ours, theirs in there]
    return [
        *filled(_THERE, there, *languages),
        *filled(_FROM_THERE, from_there, *languages),
        *filled(_SPOKEN, translations(LANGUAGES, *languages), *languages),
    ]


def from_where(where: str, language: str) -> str:
    """Where one is from that is there: "aus der Schweiz" of "in der Schweiz"."""
    for there, from_there in _FROM[language]:
        if re.match(there, where):
            return re.sub(there, from_there, where, count=1)
    raise ValueError(f"no place in {language}: {where}")
