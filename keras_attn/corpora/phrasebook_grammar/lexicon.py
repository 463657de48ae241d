"""The words of the phrasebook, English and Spanish side by side, with every form that its grammar asks for.

The tables spell all forms out, so that a reader of both languages can check them without running anything. An underscore
joins words that are translated as one ("look_for" is "buscar"). "You" is always "tú", and the past always the preterite.
Forms are indexed by number (singular 0, plural 1), by gender (masculine 0, feminine 1), and by person (I, you, he or she,
we, they).
"""

from dataclasses import dataclass

SINGULAR, PLURAL = 0, 1
FIRST, SECOND, THIRD, FIRST_PLURAL, THIRD_PLURAL = range(5)

Agreeing = tuple[tuple[str, str], tuple[str, str]]  # Spanish forms by number, then by gender


@dataclass(frozen=True)
class Noun:
    english: tuple[str, str]  # by number
    spanish: tuple[str, str]  # by number
    gender: int
    kind: str  # adjectives and verbs list the kinds that they go with


@dataclass(frozen=True)
class Adjective:
    """Follows its noun in Spanish, and agrees with it."""

    english: str
    spanish: Agreeing
    copula: str  # "ser", or "estar" for a state that passes
    gradable: bool  # goes with "very" and "too"
    kinds: frozenset[str]


@dataclass(frozen=True)
class Determiner:
    english: tuple[str, str]  # by number; empty where there is no such form
    spanish: Agreeing
    definite: bool


@dataclass(frozen=True)
class Verb:
    """Takes an object. Its finite forms are the present of a state ("want") or the past of anything else ("buy")."""

    english: str
    english_finite: str  # "wants", "bought"
    english_ing: str
    spanish: str
    gerund: str
    spanish_finite: tuple[str, ...]  # by person
    kinds: frozenset[str]


def _table(text: str) -> list[tuple[list[str], frozenset[str]]]:
    """Rows of words, then after the colon the kinds of noun that they are or go with."""
    rows = [line.split(":") for line in text.strip().splitlines()]
    return [(words.split(), frozenset(kinds.split())) for words, kinds in rows]


def _agreeing(masculine: str, feminine: str, masculines: str, feminines: str) -> Agreeing:
    return (masculine, feminine), (masculines, feminines)


def _adjectives(text: str) -> tuple[Adjective, ...]:
    return tuple(
        Adjective(english, _agreeing(*forms), copula, degree == "very", kinds)
        for (english, *forms, copula, degree), kinds in _table(text)
    )


def _verbs(text: str) -> tuple[Verb, ...]:
    return tuple(
        Verb(english, finite, ing, spanish, gerund, tuple(forms), kinds)
        for (english, finite, ing, spanish, gerund, *forms), kinds in _table(text)
    )


NOUNS = tuple(
    Noun((one, many), (uno, muchos), ("el", "la").index(article), *kinds)
    for (one, many, article, uno, muchos), kinds in _table(
        """
        museum      museums      el  museo        museos        : monument
        castle      castles      el  castillo     castillos     : monument
        cathedral   cathedrals   la  catedral     catedrales    : monument
        church      churches     la  iglesia      iglesias      : monument
        park        parks        el  parque       parques       : outdoors
        bridge      bridges      el  puente       puentes       : outdoors
        beach       beaches      la  playa        playas        : outdoors
        square      squares      la  plaza        plazas        : outdoors
        hotel       hotels       el  hotel        hoteles       : business
        restaurant  restaurants  el  restaurante  restaurantes  : business
        bank        banks        el  banco        bancos        : business
        market      markets      el  mercado      mercados      : business
        pharmacy    pharmacies   la  farmacia     farmacias     : business
        shop        shops        la  tienda       tiendas       : business
        library     libraries    la  biblioteca   bibliotecas   : business
        airport     airports     el  aeropuerto   aeropuertos   : terminal
        station     stations     la  estación     estaciones    : terminal
        train       trains       el  tren         trenes        : vehicle
        bus         buses        el  autobús      autobuses     : vehicle
        taxi        taxis        el  taxi         taxis         : vehicle
        boat        boats        el  barco        barcos        : vehicle
        sandwich    sandwiches   el  bocadillo    bocadillos    : food
        soup        soups        la  sopa         sopas         : food
        pizza       pizzas       la  pizza        pizzas        : food
        omelette    omelettes    la  tortilla     tortillas     : food
        ice_cream   ice_creams   el  helado       helados       : dessert
        cake        cakes        la  tarta        tartas        : dessert
        orange      oranges      la  naranja      naranjas      : dessert
        apple       apples       la  manzana      manzanas      : dessert
        coffee      coffees      el  café         cafés         : drink
        tea         teas         el  té           tés           : drink
        juice       juices       el  zumo         zumos         : drink
        beer        beers        la  cerveza      cervezas      : drink
        lemonade    lemonades    la  limonada     limonadas     : drink
        ticket      tickets      el  billete      billetes      : paper
        map         maps         el  mapa         mapas         : paper
        book        books        el  libro        libros        : paper
        postcard    postcards    la  postal       postales      : paper
        passport    passports    el  pasaporte    pasaportes    : belonging
        phone       phones       el  teléfono     teléfonos     : belonging
        key         keys         la  llave        llaves        : belonging
        wallet      wallets      la  cartera      carteras      : belonging
        watch       watches      el  reloj        relojes       : luggage
        umbrella    umbrellas    el  paraguas     paraguas      : luggage
        bag         bags         el  bolso        bolsos        : luggage
        suitcase    suitcases    la  maleta       maletas       : luggage
        camera      cameras      la  cámara       cámaras       : luggage
        shoe        shoes        el  zapato       zapatos       : clothes
        hat         hats         el  sombrero     sombreros     : clothes
        coat        coats        el  abrigo       abrigos       : clothes
        dress       dresses      el  vestido      vestidos      : clothes
        shirt       shirts       la  camisa       camisas       : clothes
        skirt       skirts       la  falda        faldas        : clothes
        jacket      jackets      la  chaqueta     chaquetas     : clothes
        room        rooms        la  habitación   habitaciones  : booking
        table       tables       la  mesa         mesas         : booking
        brother     brothers     el  hermano      hermanos      : family
        uncle       uncles       el  tío          tíos          : family
        friend      friends      el  amigo        amigos        : family
        sister      sisters      la  hermana      hermanas      : family
        aunt        aunts        la  tía          tías          : family
        daughter    daughters    la  hija         hijas         : family
        waiter      waiters      el  camarero     camareros     : staff
        doctor      doctors      el  médico       médicos       : staff
        driver      drivers      el  conductor    conductores   : staff
        teacher     teachers     el  profesor     profesores    : staff
        """
    )
)

ADJECTIVES = _adjectives(
    """
    red         rojo        roja        rojos        rojas        ser   -    : clothes luggage vehicle
    white       blanco      blanca      blancos      blancas      ser   -    : clothes luggage vehicle
    black       negro       negra       negros       negras       ser   -    : clothes luggage belonging
    yellow      amarillo    amarilla    amarillos    amarillas    ser   -    : clothes luggage vehicle
    green       verde       verde       verdes       verdes       ser   -    : clothes luggage vehicle
    blue        azul        azul        azules       azules       ser   -    : clothes luggage vehicle
    Spanish     español     española    españoles    españolas    ser   -    : food clothes paper staff
    French      francés     francesa    franceses    francesas    ser   -    : food clothes paper staff
    Italian     italiano    italiana    italianos    italianas    ser   -    : food clothes paper staff
    big         grande      grande      grandes      grandes      ser   very : monument outdoors business terminal booking luggage
    small       pequeño     pequeña     pequeños     pequeñas     ser   very : monument outdoors business terminal booking luggage
    new         nuevo       nueva       nuevos       nuevas       ser   very : clothes luggage belonging vehicle business terminal
    old         viejo       vieja       viejos       viejas       ser   very : clothes luggage belonging vehicle
    expensive   caro        cara        caros        caras        ser   very : clothes luggage food dessert business booking
    cheap       barato      barata      baratos      baratas      ser   very : clothes luggage food dessert business booking
    beautiful   bonito      bonita      bonitos      bonitas      ser   very : clothes monument outdoors
    famous      famoso      famosa      famosos      famosas      ser   very : monument outdoors
    modern      moderno     moderna     modernos     modernas     ser   very : business vehicle monument terminal
    comfortable cómodo      cómoda      cómodos      cómodas      ser   very : clothes vehicle booking
    quiet       tranquilo   tranquila   tranquilos   tranquilas   ser   very : outdoors booking
    heavy       pesado      pesada      pesados      pesadas      ser   very : luggage
    interesting interesante interesante interesantes interesantes ser   very : monument paper
    clean       limpio      limpia      limpios      limpias      estar very : clothes vehicle booking outdoors
    dirty       sucio       sucia       sucios       sucias       estar very : clothes vehicle booking outdoors
    cold        frío        fría        fríos        frías        estar very : food drink
    hot         caliente    caliente    calientes    calientes    estar very : food
    delicious   delicioso   deliciosa   deliciosos   deliciosas   estar -    : food dessert
    full        lleno       llena       llenos       llenas       estar -    : business vehicle
    empty       vacío       vacía       vacíos       vacías       estar -    : business vehicle
    tall        alto        alta        altos        altas        ser   very : staff
    young       joven       joven       jóvenes      jóvenes      ser   very : staff
    friendly    simpático   simpática   simpáticos   simpáticas   ser   very : staff
    """
)

# Said of a noun, not put beside it.
PREDICATES = _adjectives(
    """
    open        abierto     abierta     abiertos     abiertas     estar -    : business monument
    closed      cerrado     cerrada     cerrados     cerradas     estar -    : business monument
    tired       cansado     cansada     cansados     cansadas     estar very : family staff
    busy        ocupado     ocupada     ocupados     ocupadas     estar very : family staff
    happy       contento    contenta    contentos    contentas    estar very : family staff
    sick        enfermo     enferma     enfermos     enfermas     estar very : family staff
    """
)

QUALITIES = {adjective.english: adjective for adjective in (*ADJECTIVES, *PREDICATES)}


def _named(*names: str) -> tuple[Adjective, ...]:
    return tuple(QUALITIES[name] for name in names)


FAULTS = _named("expensive", "small", "heavy", "old", "dirty", "cold")
MERITS = _named("cheap", "comfortable", "beautiful", "interesting", "clean", "quiet", "delicious")
COMPARED = _named("expensive", "comfortable", "modern", "famous", "beautiful", "interesting")
OPPOSITES = (
    _named("open", "closed"),
    _named("expensive", "cheap"),
    _named("clean", "dirty"),
    _named("big", "small"),
    _named("full", "empty"),
)

NUMBERS = tuple(
    (english, spanish)
    for (english, spanish), _ in _table(
        """
        two       dos        :
        three     tres       :
        four      cuatro     :
        five      cinco      :
        six       seis       :
        seven     siete      :
        eight     ocho       :
        nine      nueve      :
        ten       diez       :
        eleven    once       :
        twelve    doce       :
        fifteen   quince     :
        twenty    veinte     :
        thirty    treinta    :
        forty     cuarenta   :
        fifty     cincuenta  :
        """
    )
)

THE = Determiner(("the", "the"), _agreeing("el", "la", "los", "las"), definite=True)
A = Determiner(("a", ""), _agreeing("un", "una", "", ""), definite=False)
THIS = Determiner(("this", "these"), _agreeing("este", "esta", "estos", "estas"), definite=True)
MY = Determiner(("my", "my"), _agreeing("mi", "mi", "mis", "mis"), definite=True)
YOUR = Determiner(("your", "your"), _agreeing("tu", "tu", "tus", "tus"), definite=True)
OUR = Determiner(("our", "our"), _agreeing("nuestro", "nuestra", "nuestros", "nuestras"), definite=True)
NO_DETERMINER = Determiner(("", ""), _agreeing("", "", "", ""), definite=False)
COUNTS = tuple(Determiner(("", e), _agreeing("", "", s, s), definite=False) for e, s in NUMBERS[:5])

DETERMINERS = {
    "family": (MY, YOUR, OUR),
    "staff": (THE, THIS),
    "terminal": (THE, THIS),
    **dict.fromkeys(("monument", "outdoors", "business", "vehicle"), (THE, THIS, A, *COUNTS)),
    **dict.fromkeys(
        ("food", "dessert", "drink", "paper", "belonging", "luggage", "clothes", "booking"),
        (THE, THIS, MY, YOUR, OUR, A, *COUNTS),
    ),
}

# Said in the present.
STATES = _verbs(
    """
    want     wants     -  querer     -  quiero   quieres   quiere   queremos    quieren   : food dessert drink clothes luggage
    need     needs     -  necesitar  -  necesito necesitas necesita necesitamos necesitan : paper luggage clothes booking
    have     has       -  tener      -  tengo    tienes    tiene    tenemos     tienen    : paper belonging luggage booking
    prefer   prefers   -  preferir   -  prefiero prefieres prefiere preferimos  prefieren : food dessert drink clothes
    """
)

# Said in the past only: nobody plans them.
ACCIDENTS = _verbs(
    """
    lose     lost      -  perder     -  perdí perdiste perdió perdimos perdieron    : paper belonging luggage clothes
    forget   forgot    -  olvidar    -  olvidé olvidaste olvidó olvidamos olvidaron : paper belonging luggage clothes
    """
)

# Said in every tense but the present, those without the -ing form not in the progressive.
ACTIONS = _verbs(
    """
    buy      bought    buying    comprar   comprando  compré compraste compró compramos compraron : paper luggage clothes food
    order    ordered   ordering  pedir     pidiendo   pedí pediste pidió pedimos pidieron : food dessert drink
    eat      ate       eating    comer     comiendo   comí comiste comió comimos comieron : food dessert
    drink    drank     drinking  beber     bebiendo   bebí bebiste bebió bebimos bebieron : drink
    pay_for  paid_for  paying_for   pagar    pagando    pagué pagaste pagó pagamos pagaron : food drink clothes booking
    look_for looked_for looking_for buscar   buscando   busqué buscaste buscó buscamos buscaron : belonging luggage business
    wait_for waited_for waiting_for esperar  esperando  esperé esperaste esperó esperamos esperaron : vehicle family staff
    call     called    calling   llamar    llamando   llamé llamaste llamó llamamos llamaron : family staff
    reserve  reserved  reserving reservar  reservando reservé reservaste reservó reservamos reservaron : booking
    take     took      taking    tomar     tomando    tomé tomaste tomó tomamos tomaron : vehicle
    visit    visited   visiting  visitar   visitando  visité visitaste visitó visitamos visitaron : monument outdoors
    see      saw       -         ver       -          vi viste vio vimos vieron : monument outdoors family staff
    find     found     -         encontrar -          encontré encontraste encontró encontramos encontraron : belonging business
    """
)

VERBS = {verb.english: verb for verb in (*STATES, *ACCIDENTS, *ACTIONS)}
GO = Verb("go", "went", "going", "ir", "yendo", ("fui", "fuiste", "fue", "fuimos", "fueron"), frozenset())

CITIES = (
    ("Madrid", "Madrid"),
    ("Barcelona", "Barcelona"),
    ("Granada", "Granada"),
    ("Seville", "Sevilla"),
    ("Cordoba", "Córdoba"),
)
