"""Professions, nationalities and relatives in sentences, in English, German, Spanish and French: "This is my nephew."

Written for this project. A corpus of everyday sentences lacks many of them, and a model guesses what it has not seen.
"""

from collections.abc import Iterable

from keras_attn.corpora.phrase_table import filled, translations

# Of a man and of a woman.
PROFESSIONS = """
a lawyer | Anwalt, Anwältin | abogado, abogada | avocat, avocate
an engineer | Ingenieur, Ingenieurin | ingeniero, ingeniera | ingénieur, ingénieure
a doctor | Arzt, Ärztin | médico, médica | médecin
a nurse | Krankenpfleger, Krankenschwester | enfermero, enfermera | infirmier, infirmière
a teacher | Lehrer, Lehrerin | profesor, profesora | professeur, professeure
a plumber | Klempner, Klempnerin | fontanero, fontanera | plombier, plombière
an electrician | Elektriker, Elektrikerin | electricista | électricien, électricienne
a carpenter | Tischler, Tischlerin | carpintero, carpintera | menuisier, menuisière
a cook | Koch, Köchin | cocinero, cocinera | cuisinier, cuisinière
a baker | Bäcker, Bäckerin | panadero, panadera | boulanger, boulangère
a butcher | Metzger, Metzgerin | carnicero, carnicera | boucher, bouchère
a farmer | Bauer, Bäuerin | agricultor, agricultora | agriculteur, agricultrice
a waiter, a waitress | Kellner, Kellnerin | camarero, camarera | serveur, serveuse
an actor, an actress | Schauspieler, Schauspielerin | actor, actriz | acteur, actrice
a singer | Sänger, Sängerin | cantante | chanteur, chanteuse
a writer | Schriftsteller, Schriftstellerin | escritor, escritora | écrivain, écrivaine
a painter | Maler, Malerin | pintor, pintora | peintre
a dentist | Zahnarzt, Zahnärztin | dentista | dentiste
a hairdresser | Friseur, Friseurin | peluquero, peluquera | coiffeur, coiffeuse
a journalist | Journalist, Journalistin | periodista | journaliste
a police officer | Polizist, Polizistin | policía | policier, policière
a firefighter | Feuerwehrmann, Feuerwehrfrau | bombero, bombera | pompier, pompière
a soldier | Soldat, Soldatin | soldado | soldat, soldate
a pilot | Pilot, Pilotin | piloto | pilote
a secretary | Sekretär, Sekretärin | secretario, secretaria | secrétaire
a judge | Richter, Richterin | juez, jueza | juge
an architect | Architekt, Architektin | arquitecto, arquitecta | architecte
a scientist | Wissenschaftler, Wissenschaftlerin | científico, científica | scientifique
a programmer | Programmierer, Programmiererin | programador, programadora | programmeur, programmeuse
a translator | Übersetzer, Übersetzerin | traductor, traductora | traducteur, traductrice
a mechanic | Mechaniker, Mechanikerin | mecánico, mecánica | mécanicien, mécanicienne
a gardener | Gärtner, Gärtnerin | jardinero, jardinera | jardinier, jardinière
a student | Student, Studentin | estudiante | étudiant, étudiante
"""
_NATIONALITIES = """
German | Deutscher, Deutsche | alemán, alemana | allemand, allemande
Austrian | Österreicher, Österreicherin | austriaco, austriaca | autrichien, autrichienne
Swiss | Schweizer, Schweizerin | suizo, suiza | suisse
French | Franzose, Französin | francés, francesa | français, française
Spanish | Spanier, Spanierin | español, española | espagnol, espagnole
Portuguese | Portugiese, Portugiesin | portugués, portuguesa | portugais, portugaise
Italian | Italiener, Italienerin | italiano, italiana | italien, italienne
English | Engländer, Engländerin | inglés, inglesa | anglais, anglaise
Irish | Ire, Irin | irlandés, irlandesa | irlandais, irlandaise
American | Amerikaner, Amerikanerin | estadounidense | américain, américaine
Canadian | Kanadier, Kanadierin | canadiense | canadien, canadienne
Mexican | Mexikaner, Mexikanerin | mexicano, mexicana | mexicain, mexicaine
Brazilian | Brasilianer, Brasilianerin | brasileño, brasileña | brésilien, brésilienne
Russian | Russe, Russin | ruso, rusa | russe
Polish | Pole, Polin | polaco, polaca | polonais, polonaise
Dutch | Niederländer, Niederländerin | neerlandés, neerlandesa | néerlandais, néerlandaise
Swedish | Schwede, Schwedin | sueco, sueca | suédois, suédoise
Greek | Grieche, Griechin | griego, griega | grec, grecque
Turkish | Türke, Türkin | turco, turca | turc, turque
Japanese | Japaner, Japanerin | japonés, japonesa | japonais, japonaise
Chinese | Chinese, Chinesin | chino, china | chinois, chinoise
Australian | Australier, Australierin | australiano, australiana | australien, australienne
"""
_HE_IS = """
I'm {}. / I am {}. | Ich bin {}. | Soy {}. / Yo soy {}. | Je suis {}.
He is {}. / He's {}. | Er ist {}. | Él es {}. | Il est {}.
My father is {}. | Mein Vater ist {}. | Mi padre es {}. | Mon père est {}.
"""
_HE_WANTS = """
He wants to be {}. / He wants to become {}. | Er möchte {} werden. / Er will {} werden. | Él quiere ser {}. | Il veut devenir {}. / Il veut être {}.
"""
_SHE_IS = """
She is {}. / She's {}. | Sie ist {}. | Ella es {}. | Elle est {}.
My wife is {}. | Meine Frau ist {}. | Mi mujer es {}. / Mi esposa es {}. | Ma femme est {}.
My mother is {}. | Meine Mutter ist {}. | Mi madre es {}. | Ma mère est {}.
"""
_SHE_WORKS = """
She works as {}. | Sie arbeitet als {}. | Ella trabaja de {}. / Ella trabaja como {}. | Elle travaille comme {}.
"""
MALE_RELATIVES = """
grandfather | Großvater / Opa | abuelo | grand-père
grandson | Enkel | nieto | petit-fils
uncle | Onkel | tío | oncle
nephew | Neffe | sobrino | neveu
cousin | Cousin | primo | cousin
father-in-law | Schwiegervater | suegro | beau-père
brother-in-law | Schwager | cuñado | beau-frère
husband | Mann / Ehemann | marido / esposo | mari
son | Sohn | hijo | fils
brother | Bruder | hermano | frère
neighbor / neighbour | Nachbar | vecino | voisin
boss | Chef | jefe | patron / chef
teacher | Lehrer | profesor | professeur
friend | Freund | amigo | ami
"""
FEMALE_RELATIVES = """
grandmother | Großmutter / Oma | abuela | grand-mère
granddaughter | Enkelin | nieta | petite-fille
aunt | Tante | tía | tante
niece | Nichte | sobrina | nièce
mother-in-law | Schwiegermutter | suegra | belle-mère
sister-in-law | Schwägerin | cuñada | belle-sœur
wife | Frau / Ehefrau | mujer / esposa | femme
daughter | Tochter | hija | fille
sister | Schwester | hermana | sœur
"""
_OF_HIM = """
This is my {}. | Das ist mein {}. | Este es mi {}. | C'est mon {}. / Voici mon {}.
My {} is sick. / My {} is ill. | Mein {} ist krank. | Mi {} está enfermo. | Mon {} est malade.
My {} lives here. | Mein {} wohnt hier. | Mi {} vive aquí. | Mon {} habite ici.
Do you know my {}? | Kennst du meinen {}? / Kennen Sie meinen {}? | ¿Conoces a mi {}? / ¿Conoce a mi {}? | Connais-tu mon {} ? / Connaissez-vous mon {} ?
"""
_OF_HER = """
This is my {}. | Das ist meine {}. | Esta es mi {}. | C'est ma {}. / Voici ma {}.
My {} is sick. / My {} is ill. | Meine {} ist krank. | Mi {} está enferma. | Ma {} est malade.
My {} lives here. | Meine {} wohnt hier. | Mi {} vive aquí. | Ma {} habite ici.
Do you know my {}? | Kennst du meine {}? / Kennen Sie meine {}? | ¿Conoces a mi {}? / ¿Conoce a mi {}? | Connais-tu ma {} ? / Connaissez-vous ma {} ?
"""


def people(source: str, target: str) -> list[tuple[str, str]]:
    """Sentences with each profession, nationality and relative, and what the target language says, in one form.

    There are none in a language that is not known.

    Args:
        source, target: codes of languages, such as `"en"`.
    """
    languages = source, target
    professions = men_and_women(translations(PROFESSIONS, *languages))
    nationalities = men_and_women(translations(_NATIONALITIES, *languages))
    return [
        *filled(_HE_IS, [men for men, _ in (*professions, *nationalities)], *languages),
        *filled(_SHE_IS, [women for _, women in (*professions, *nationalities)], *languages),
        *filled(_HE_WANTS, [men for men, _ in professions], *languages),
        *filled(_SHE_WORKS, [women for _, women in professions], *languages),
        *filled(_OF_HIM, translations(MALE_RELATIVES, *languages), *languages),
        *filled(_OF_HER, translations(FEMALE_RELATIVES, *languages), *languages),
    ]


def men_and_women(words: Iterable[tuple[str, str]]) -> list[tuple[tuple[str, str], tuple[str, str]]]:
    """Of words for men and women, those for men in both languages and those for women; a word alone is for both."""
    forms = [[side.split(", ") for side in pair] for pair in words]
    return [((ours[0], theirs[0]), (ours[-1], theirs[-1])) for ours, theirs in forms]
