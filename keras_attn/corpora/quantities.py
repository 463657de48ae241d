"""Sentences with two quantities, in English, German, Spanish and French: "They sold 45 cars in 12 months."

Written for this project. Corpora of sentences hardly have any, and a model that has not seen them mixes up the numbers.
"""

from keras_attn.corpora.phrase_table import rows

_QUANTITIES = """
I read 3 books in 5 weeks. | Ich habe 3 Bücher in 5 Wochen gelesen. | Leí 3 libros en 5 semanas. | J'ai lu 3 livres en 5 semaines.
They sold 45 cars in 12 months. | Sie haben 45 Autos in 12 Monaten verkauft. | Vendieron 45 coches en 12 meses. | Ils ont vendu 45 voitures en 12 mois.
We planted 120 trees in 5 hours. | Wir haben 120 Bäume in 5 Stunden gepflanzt. | Plantamos 120 árboles en 5 horas. | Nous avons planté 120 arbres en 5 heures.
He ran 10 kilometers in 52 minutes. | Er ist 10 Kilometer in 52 Minuten gelaufen. | Él corrió 10 kilómetros en 52 minutos. | Il a couru 10 kilomètres en 52 minutes.
She baked 24 cakes in 3 days. | Sie hat 24 Kuchen in 3 Tagen gebacken. | Ella hizo 24 pasteles en 3 días. | Elle a fait 24 gâteaux en 3 jours.
She earned 300 dollars in 8 hours. | Sie hat 300 Dollar in 8 Stunden verdient. | Ella ganó 300 dólares en 8 horas. | Elle a gagné 300 dollars en 8 heures.
We drove 400 kilometers in 6 hours. | Wir sind 400 Kilometer in 6 Stunden gefahren. | Condujimos 400 kilómetros en 6 horas. | Nous avons fait 400 kilomètres en 6 heures.
He took 80 photos in 15 minutes. | Er hat 80 Fotos in 15 Minuten gemacht. | Él sacó 80 fotos en 15 minutos. | Il a pris 80 photos en 15 minutes.
We visited 8 countries in 3 weeks. | Wir haben 8 Länder in 3 Wochen besucht. | Visitamos 8 países en 3 semanas. | Nous avons visité 8 pays en 3 semaines.
They built 30 houses in 2 years. | Sie haben 30 Häuser in 2 Jahren gebaut. | Construyeron 30 casas en 2 años. | Ils ont construit 30 maisons en 2 ans.
I learned 50 words in 4 days. | Ich habe 50 Wörter in 4 Tagen gelernt. | Aprendí 50 palabras en 4 días. | J'ai appris 50 mots en 4 jours.
Take 2 pills every 6 hours. | Nehmen Sie alle 6 Stunden 2 Tabletten. | Tome 2 pastillas cada 6 horas. | Prenez 2 comprimés toutes les 6 heures.
I have 2 brothers and 3 sisters. | Ich habe 2 Brüder und 3 Schwestern. | Tengo 2 hermanos y 3 hermanas. | J'ai 2 frères et 3 sœurs.
They have 3 dogs and 2 cats. | Sie haben 3 Hunde und 2 Katzen. | Tienen 3 perros y 2 gatos. | Ils ont 3 chiens et 2 chats.
We need 6 eggs and 250 grams of flour. | Wir brauchen 6 Eier und 250 Gramm Mehl. | Necesitamos 6 huevos y 250 gramos de harina. | Il nous faut 6 œufs et 250 grammes de farine.
I drink 2 cups of coffee and 3 glasses of water. | Ich trinke 2 Tassen Kaffee und 3 Gläser Wasser. | Bebo 2 tazas de café y 3 vasos de agua. | Je bois 2 tasses de café et 3 verres d'eau.
The child ate 3 bananas and 2 oranges. | Das Kind hat 3 Bananen und 2 Orangen gegessen. | El niño comió 3 plátanos y 2 naranjas. | L'enfant a mangé 3 bananes et 2 oranges.
The house has 4 rooms and 12 windows. | Das Haus hat 4 Zimmer und 12 Fenster. | La casa tiene 4 habitaciones y 12 ventanas. | La maison a 4 pièces et 12 fenêtres.
The class has 12 girls and 14 boys. | In der Klasse sind 12 Mädchen und 14 Jungen. | La clase tiene 12 chicas y 14 chicos. | La classe compte 12 filles et 14 garçons.
The room is 5 meters long and 3 meters wide. | Das Zimmer ist 5 Meter lang und 3 Meter breit. | La habitación tiene 5 metros de largo y 3 metros de ancho. | La pièce fait 5 mètres de long et 3 mètres de large.
He bought 5 apples for 3 euros. | Er hat 5 Äpfel für 3 Euro gekauft. | Él compró 5 manzanas por 3 euros. | Il a payé 3 euros pour 5 pommes.
2 tickets cost 15 euros. | 2 Karten kosten 15 Euro. | 2 entradas cuestan 15 euros. | 2 billets coûtent 15 euros.
The bus takes 40 minutes and the train takes 25. | Der Bus braucht 40 Minuten und der Zug 25. | El autobús tarda 40 minutos y el tren 25. | Le bus met 40 minutes et le train 25.
He was 20 years old and she was 18. | Er war 20 Jahre alt und sie war 18. | Él tenía 20 años y ella tenía 18. | Il avait 20 ans et elle en avait 18.
The team won 7 of 9 games. | Die Mannschaft hat 7 von 9 Spielen gewonnen. | El equipo ganó 7 de 9 partidos. | L'équipe a gagné 7 matchs sur 9.
It rained on 18 of 30 days. | Es hat an 18 von 30 Tagen geregnet. | Llovió 18 de 30 días. | Il a plu 18 jours sur 30.
"""


def quantities(source: str, target: str) -> list[tuple[str, str]]:
    """The sentences in both languages, with equal numbers; none in a language that is not known.

    Args:
        source, target: codes of languages, such as `"en"`.
    """
    return [(ours[0], theirs[0]) for _, ours, theirs in rows(_QUANTITIES, source, target)]
