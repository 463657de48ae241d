"""Everyday things, places in town, animals and food in sentences, in English, German, Spanish and French: "Where is the pharmacy?"

Written for this project. A corpus of everyday sentences lacks one in five of such words, and a model guesses what it has not seen: "I
saw the tomatoes." was "Ich habe die Toiletten gesehen."
"""

import re

from keras_attn.corpora.phrase_table import filled, translations

# German and Spanish with the definite article, French with the indefinite one, for these tell the gender.
THINGS = """
pharmacy | die Apotheke | la farmacia | une pharmacie
bakery | die Bäckerei | la panadería | une boulangerie
supermarket | der Supermarkt | el supermercado | un supermarché
bookshop / bookstore | die Buchhandlung | la librería | une librairie
library | die Bibliothek | la biblioteca | une bibliothèque
bank | die Bank | el banco | une banque
post office | die Post | la oficina de correos | un bureau de poste
police station | die Polizeiwache | la comisaría | un commissariat
embassy | die Botschaft | la embajada | une ambassade
consulate | das Konsulat | el consulado | un consulat
town hall / city hall | das Rathaus | el ayuntamiento | une mairie
museum | das Museum | el museo | un musée
theater / theatre | das Theater | el teatro | un théâtre
cinema / movie theater | das Kino | el cine | un cinéma
church | die Kirche | la iglesia | une église
cathedral | die Kathedrale | la catedral | une cathédrale
mosque | die Moschee | la mezquita | une mosquée
castle | die Burg / das Schloss | el castillo | un château
tower | der Turm | la torre | une tour
bridge | die Brücke | el puente | un pont
square | der Platz | la plaza | une place
market | der Markt | el mercado | un marché
park | der Park | el parque | un parc
swimming pool / pool | das Schwimmbad | la piscina | une piscine
beach | der Strand | la playa | une plage
harbor / harbour | der Hafen | el puerto | un port
lighthouse | der Leuchtturm | el faro | un phare
airport | der Flughafen | el aeropuerto | un aéroport
train station | der Bahnhof | la estación de tren | une gare
bus stop | die Bushaltestelle | la parada de autobús | un arrêt de bus
subway / underground | die U-Bahn | el metro | un métro
parking lot / car park | der Parkplatz | el aparcamiento / el estacionamiento | un parking
gas station / petrol station | die Tankstelle | la gasolinera | une station-service
hospital | das Krankenhaus | el hospital | un hôpital
hotel | das Hotel | el hotel | un hôtel
restaurant | das Restaurant | el restaurante | un restaurant
school | die Schule | la escuela | une école
university | die Universität | la universidad | une université
factory | die Fabrik | la fábrica | une usine
farm | der Bauernhof | la granja | une ferme
village | das Dorf | el pueblo | un village
island | die Insel | la isla | une île
lake | der See | el lago | un lac
river | der Fluss | el río | une rivière
waterfall | der Wasserfall | la cascada | une cascade
mountain | der Berg | la montaña | une montagne
hill | der Hügel | la colina | une colline
forest | der Wald | el bosque | une forêt
desert | die Wüste | el desierto | un désert
cave | die Höhle | la cueva | une grotte
field | das Feld | el campo | un champ
elevator / lift | der Aufzug / der Fahrstuhl | el ascensor | un ascenseur
staircase | die Treppe | la escalera | un escalier
kitchen | die Küche | la cocina | une cuisine
bedroom | das Schlafzimmer | el dormitorio | une chambre
living room | das Wohnzimmer | la sala de estar | un salon
basement / cellar | der Keller | el sótano | une cave
attic | der Dachboden | el desván | un grenier
garage | die Garage | el garaje | un garage
garden | der Garten | el jardín | un jardin
balcony | der Balkon | el balcón | un balcon
roof | das Dach | el tejado / el techo | un toit
wall | die Wand / die Mauer | la pared / el muro | un mur
door | die Tür | la puerta | une porte
window | das Fenster | la ventana | une fenêtre
fireplace | der Kamin | la chimenea | une cheminée
fence | der Zaun | la valla | une clôture
key | der Schlüssel | la llave | une clé / une clef
bed | das Bett | la cama | un lit
pillow | das Kissen | la almohada | un oreiller
blanket | die Decke | la manta | une couverture
mattress | die Matratze | el colchón | un matelas
towel | das Handtuch | la toalla | une serviette
curtain | der Vorhang | la cortina | un rideau
carpet | der Teppich | la alfombra | un tapis
lamp | die Lampe | la lámpara | une lampe
candle | die Kerze | la vela | une bougie
mirror | der Spiegel | el espejo | un miroir
cupboard / wardrobe | der Schrank | el armario | une armoire / un placard
shelf | das Regal | el estante | une étagère
drawer | die Schublade | el cajón | un tiroir
armchair | der Sessel | el sillón | un fauteuil
sofa / couch | das Sofa | el sofá | un canapé
chair | der Stuhl | la silla | une chaise
table | der Tisch | la mesa | une table
desk | der Schreibtisch | el escritorio | un bureau
fridge / refrigerator | der Kühlschrank | la nevera / el refrigerador / el frigorífico | un réfrigérateur / un frigo
oven | der Ofen | el horno | un four
washing machine | die Waschmaschine | la lavadora | une machine à laver
dishwasher | die Spülmaschine | el lavavajillas | un lave-vaisselle
vacuum cleaner | der Staubsauger | la aspiradora | un aspirateur
broom | der Besen | la escoba | un balai
bucket | der Eimer | el cubo | un seau
knife | das Messer | el cuchillo | un couteau
fork | die Gabel | el tenedor | une fourchette
spoon | der Löffel | la cuchara | une cuillère / une cuiller
plate | der Teller | el plato | une assiette
cup | die Tasse | la taza | une tasse
glass | das Glas | el vaso | un verre
bottle | die Flasche | la botella | une bouteille
pot | der Topf | la olla | une casserole
frying pan / pan | die Pfanne | la sartén | une poêle
bowl | die Schüssel | el cuenco / el tazón | un bol
corkscrew | der Korkenzieher | el sacacorchos | un tire-bouchon
can opener / tin opener | der Dosenöffner | el abrelatas | un ouvre-boîte
toothbrush | die Zahnbürste | el cepillo de dientes | une brosse à dents
comb | der Kamm | el peine | un peigne
hairdryer | der Föhn | el secador | un sèche-cheveux
sponge | der Schwamm | la esponja | une éponge
umbrella | der Regenschirm / der Schirm | el paraguas | un parapluie
wallet | die Brieftasche / der Geldbeutel | la cartera / la billetera | un portefeuille
handbag / purse | die Handtasche | el bolso | un sac à main
bag | die Tasche | la bolsa | un sac
backpack / rucksack | der Rucksack | la mochila | un sac à dos
suitcase | der Koffer | la maleta / la valija | une valise
passport | der Reisepass / der Pass | el pasaporte | un passeport
map | der Stadtplan / die Landkarte | el mapa | un plan
ticket | die Fahrkarte / das Ticket | el billete / el boleto | un billet
letter | der Brief | la carta | une lettre
envelope | der Umschlag | el sobre | une enveloppe
stamp | die Briefmarke | el sello / la estampilla | un timbre
pencil | der Bleistift | el lápiz | un crayon
pen | der Kugelschreiber / der Stift | el bolígrafo | un stylo
notebook | das Heft / das Notizbuch | el cuaderno | un cahier
book | das Buch | el libro | un livre
dictionary | das Wörterbuch | el diccionario | un dictionnaire
newspaper | die Zeitung | el periódico / el diario | un journal
magazine | die Zeitschrift | la revista | un magazine / une revue
ruler | das Lineal | la regla | une règle
calculator | der Taschenrechner | la calculadora | une calculatrice
computer | der Computer | el ordenador / la computadora | un ordinateur
keyboard | die Tastatur | el teclado | un clavier
printer | der Drucker | la impresora | une imprimante
screen | der Bildschirm | la pantalla | un écran
charger | das Ladegerät | el cargador | un chargeur
battery | die Batterie | la pila / la batería | une pile / une batterie
camera | die Kamera | la cámara | un appareil photo
phone | das Telefon | el teléfono | un téléphone
cell phone / mobile phone | das Handy | el móvil / el celular | un portable
watch | die Armbanduhr | el reloj | une montre
alarm clock | der Wecker | el despertador | un réveil
bicycle / bike | das Fahrrad | la bicicleta / la bici | un vélo / une bicyclette
car | das Auto | el coche / el carro | une voiture
bus | der Bus | el autobús | un bus / un autobus
train | der Zug | el tren | un train
tram | die Straßenbahn | el tranvía | un tramway / un tram
taxi | das Taxi | el taxi | un taxi
truck / lorry | der Lastwagen | el camión | un camion
motorcycle / motorbike | das Motorrad | la moto / la motocicleta | une moto
plane / airplane | das Flugzeug | el avión | un avion
helicopter | der Hubschrauber | el helicóptero | un hélicoptère
ship | das Schiff | el barco / el buque | un bateau / un navire
ferry | die Fähre | el ferry / el transbordador | un ferry
tire / tyre | der Reifen | el neumático / la llanta | un pneu
engine | der Motor | el motor | un moteur
traffic light | die Ampel | el semáforo | un feu
intersection / crossroads | die Kreuzung | el cruce | un carrefour
jacket | die Jacke | la chaqueta | une veste
coat | der Mantel | el abrigo | un manteau
shirt | das Hemd | la camisa | une chemise
dress | das Kleid | el vestido | une robe
skirt | der Rock | la falda | une jupe
sweater / pullover | der Pullover | el jersey / el suéter | un pull
suit | der Anzug | el traje | un costume
tie | die Krawatte | la corbata | une cravate
belt | der Gürtel | el cinturón | une ceinture
scarf | der Schal | la bufanda | une écharpe
hat | der Hut | el sombrero | un chapeau
cap | die Mütze | la gorra | une casquette
swimsuit | der Badeanzug | el bañador / el traje de baño | un maillot de bain
ring | der Ring | el anillo | une bague
necklace | die Halskette | el collar | un collier
button | der Knopf | el botón | un bouton
needle | die Nadel | la aguja | une aiguille
hammer | der Hammer | el martillo | un marteau
screwdriver | der Schraubenzieher / der Schraubendreher | el destornillador | un tournevis
nail | der Nagel | el clavo | un clou
ladder | die Leiter | la escalera de mano | une échelle
rope | das Seil | la cuerda | une corde
shovel | die Schaufel | la pala | une pelle
flashlight / torch | die Taschenlampe | la linterna | une lampe de poche
tent | das Zelt | la tienda de campaña | une tente
sleeping bag | der Schlafsack | el saco de dormir | un sac de couchage
ball | der Ball | la pelota | un ballon / une balle
doll | die Puppe | la muñeca | une poupée
toy | das Spielzeug | el juguete | un jouet
gift / present | das Geschenk | el regalo | un cadeau
flag | die Fahne | la bandera | un drapeau
guitar | die Gitarre | la guitarra | une guitare
violin | die Geige | el violín | un violon
piano | das Klavier | el piano | un piano
painting | das Gemälde | el cuadro | un tableau
dog | der Hund | el perro | un chien
cat | die Katze | el gato | un chat
horse | das Pferd | el caballo | un cheval
cow | die Kuh | la vaca | une vache
pig | das Schwein | el cerdo | un cochon
sheep | das Schaf | la oveja | un mouton
goat | die Ziege | la cabra | une chèvre
donkey | der Esel | el burro | un âne
rabbit | das Kaninchen | el conejo | un lapin
mouse | die Maus | el ratón | une souris
rat | die Ratte | la rata | un rat
squirrel | das Eichhörnchen | la ardilla | un écureuil
fox | der Fuchs | el zorro | un renard
wolf | der Wolf | el lobo | un loup
tiger | der Tiger | el tigre | un tigre
snake | die Schlange | la serpiente | un serpent
turtle | die Schildkröte | la tortuga | une tortue
frog | der Frosch | la rana | une grenouille
shark | der Hai | el tiburón | un requin
whale | der Wal | la ballena | une baleine
dolphin | der Delfin | el delfín | un dauphin
bird | der Vogel | el pájaro | un oiseau
eagle | der Adler | el águila | un aigle
owl | die Eule | el búho | une chouette
parrot | der Papagei | el loro | un perroquet
duck | die Ente | el pato | un canard
goose | die Gans | el ganso | une oie
hen | das Huhn | la gallina | une poule
rooster | der Hahn | el gallo | un coq
bee | die Biene | la abeja | une abeille
ant | die Ameise | la hormiga | une fourmi
fly | die Fliege | la mosca | une mouche
mosquito | die Mücke | el mosquito | un moustique
spider | die Spinne | la araña | une araignée
butterfly | der Schmetterling | la mariposa | un papillon
snail | die Schnecke | el caracol | un escargot
tree | der Baum | el árbol | un arbre
flower | die Blume | la flor | une fleur
leaf | das Blatt | la hoja | une feuille
apple | der Apfel | la manzana | une pomme
pear | die Birne | la pera | une poire
orange | die Orange | la naranja | une orange
lemon | die Zitrone | el limón | un citron
banana | die Banane | el plátano | une banane
peach | der Pfirsich | el melocotón / el durazno | une pêche
pineapple | die Ananas | la piña | un ananas
watermelon | die Wassermelone | la sandía | une pastèque
carrot | die Karotte / die Möhre | la zanahoria | une carotte
cucumber | die Gurke | el pepino | un concombre
onion | die Zwiebel | la cebolla | un oignon
potato | die Kartoffel | la patata / la papa | une pomme de terre
tomato | die Tomate | el tomate | une tomate
mushroom | der Pilz | el champiñón / la seta | un champignon
egg | das Ei | el huevo | un œuf
cake | der Kuchen | el pastel | un gâteau
sandwich | das Sandwich | el bocadillo / el sándwich | un sandwich
salad | der Salat | la ensalada | une salade
soup | die Suppe | la sopa | une soupe
cookie | der Keks | la galleta | un biscuit
"""
_THE = """
Where is the {}? / Where's the {}? | Wo ist {}? | ¿Dónde está {}? | Où est {} ?
Is the {} far from here? | Ist {} weit von hier? | ¿Está {} lejos de aquí? / ¿Está lejos {}? | Est-ce que {} est loin d'ici ?
"""
_SEEN = """
I see the {}. / I can see the {}. | Ich sehe {}. | Veo {}. / Puedo ver {}. | Je vois {}.
Do you see the {}? / Can you see the {}? | Siehst du {}? / Sehen Sie {}? | ¿Ves {}? / ¿Puedes ver {}? | Vois-tu {} ? / Voyez-vous {} ?
"""
_CALLED = "That's {}. / That is {}. / It's {}. | Das ist {}. | Es {}. / Eso es {}. | C'est {}."
_HAD = """
I need {}. | Ich brauche {}. | Necesito {}. | Il me faut {}. / J'ai besoin d'{}.
We have {}. | Wir haben {}. | Tenemos {}. | Nous avons {}.
She wants {}. | Sie will {}. / Sie möchte {}. | Ella quiere {}. | Elle veut {}.
Is there {} here? | Gibt es hier {}? | ¿Hay {} aquí? / ¿Aquí hay {}? | Y a-t-il {} ici ? / Est-ce qu'il y a {} ici ?
"""
# French with the partitive article.
GOODS = """
tomatoes | Tomaten | tomates | des tomates
potatoes | Kartoffeln | patatas / papas | des pommes de terre
onions | Zwiebeln | cebollas | des oignons
carrots | Karotten / Möhren | zanahorias | des carottes
apples | Äpfel | manzanas | des pommes
bananas | Bananen | plátanos | des bananes
oranges | Orangen | naranjas | des oranges
strawberries | Erdbeeren | fresas | des fraises
cherries | Kirschen | cerezas | des cerises
grapes | Trauben / Weintrauben | uvas | du raisin
mushrooms | Pilze | champiñones / setas | des champignons
eggs | Eier | huevos | des œufs
cookies | Kekse | galletas | des biscuits
vegetables | Gemüse | verduras | des légumes
fruit | Obst | fruta | des fruits
bread | Brot | pan | du pain
cheese | Käse | queso | du fromage
butter | Butter | mantequilla | du beurre
milk | Milch | leche | du lait
rice | Reis | arroz | du riz
noodles / pasta | Nudeln | pasta | des pâtes
meat | Fleisch | carne | de la viande
chicken | Hähnchen | pollo | du poulet
fish | Fisch | pescado | du poisson
ham | Schinken | jamón | du jambon
sausages | Würste | salchichas | des saucisses
salt | Salz | sal | du sel
pepper | Pfeffer | pimienta | du poivre
sugar | Zucker | azúcar | du sucre
honey | Honig | miel | du miel
flour | Mehl | harina | de la farine
oil | Öl | aceite | de l'huile
vinegar | Essig | vinagre | du vinaigre
garlic | Knoblauch | ajo | de l'ail
coffee | Kaffee | café | du café
tea | Tee | té | du thé
beer | Bier | cerveza | de la bière
wine | Wein | vino | du vin
juice | Saft | zumo / jugo | du jus
water | Wasser | agua | de l'eau
soap | Seife | jabón | du savon
toothpaste | Zahnpasta | pasta de dientes | du dentifrice
toilet paper | Toilettenpapier | papel higiénico | du papier toilette
gloves | Handschuhe | guantes | des gants
socks | Socken | calcetines | des chaussettes
shoes | Schuhe | zapatos | des chaussures
boots | Stiefel | botas | des bottes
matches | Streichhölzer | cerillas / fósforos | des allumettes
tools | Werkzeug | herramientas | des outils
furniture | Möbel | muebles | des meubles
"""
_BOUGHT = """
I bought {}. / I've bought {}. | Ich habe {} gekauft. | Compré {}. / He comprado {}. | J'ai acheté {}.
We need {}. | Wir brauchen {}. | Necesitamos {}. | Il nous faut {}.
Do you have {}? / Have you got {}? | Haben Sie {}? / Hast du {}? | ¿Tiene {}? / ¿Tienes {}? | Avez-vous {} ? / As-tu {} ?
"""
_BODY = """
neck | der Nacken | el cuello | un cou
throat | der Hals | la garganta | une gorge
back | der Rücken | la espalda | un dos
shoulder | die Schulter | el hombro | une épaule
arm | der Arm | el brazo | un bras
elbow | der Ellbogen | el codo | un coude
hand | die Hand | la mano | une main
finger | der Finger | el dedo | un doigt
knee | das Knie | la rodilla | un genou
leg | das Bein | la pierna | une jambe
foot | der Fuß | el pie | un pied
stomach | der Bauch | el estómago | un ventre
ear | das Ohr | el oído | une oreille
eye | das Auge | el ojo | un œil
nose | die Nase | la nariz | un nez
tooth | der Zahn | el diente | une dent
"""
_HURTS = "My {} hurts. | Mir tut {} weh. | Me duele {}. | J'ai mal à {}."
_A = {"der": "ein", "das": "ein", "die": "eine", "el": "un", "la": "una"}
_ELIDING = "aeiouâéêîœh"  # no h of the lists is aspirated


def things(source: str, target: str) -> list[tuple[str, str]]:
    """Sentences with each thing, alone with an article too, and what the target language says, in one form.

    There are none in a language that is not known.

    Args:
        source, target: codes of languages, such as `"en"`.
    """
    languages = source, target
    named, goods, body = (translations(text, *languages) for text in (THINGS, GOODS, _BODY))
    found = filled(_BOUGHT, goods, *languages)
    for text, words, article in (
        (_THE, named, the),
        (_SEEN, named, the_seen),
        (_CALLED, named, a),
        (_HAD, named, a_seen),
        (_HURTS, body, the),
    ):
        with_articles = [(article(ours, source), article(theirs, target)) for ours, theirs in words]
        found += filled(text, with_articles, *languages)
    for ours, theirs in named:
        for article in (_the_alone, a):
            phrase, said = article(ours, source), _sentence(article(theirs, target))
            found += [(phrase, said), (_sentence(phrase), said)]
    return [(ours.replace(" à le ", " au "), theirs.replace(" à le ", " au ")) for ours, theirs in found]


def the(word: str, language: str) -> str:
    """With the definite article, "l'arbre" of "un arbre"; in English as it is, where the sentences have it."""
    if language != "fr":
        return word
    article, noun = word.split(" ", 1)
    if noun[0] in _ELIDING:
        return f"l'{noun}"
    return f"{'le' if article == 'un' else 'la'} {noun}"


def _the_alone(word: str, language: str) -> str:
    return f"the {word}" if language == "en" else the(word, language)


def the_seen(word: str, language: str) -> str:
    """The same as an object: "den Baum" of "der Baum"."""
    return re.sub("^der ", "den ", the(word, language))


def a(word: str, language: str) -> str:
    """With the indefinite article."""
    if language == "en":
        return f"an {word}" if word[0] in "aeiou" and not word.startswith("uni") else f"a {word}"
    return re.sub("^(die|der|das|el|la) ", lambda found: f"{_A[found[1]]} ", word)


def a_seen(word: str, language: str) -> str:
    """The same as an object: "einen Baum" of "der Baum"."""
    return a(re.sub("^der ", "einen ", word), language)


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."
