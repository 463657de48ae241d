"""What people say every day and type first, in English, German, Spanish and French.

Written for this project. Corpora of sentences hardly have it: in 114,000 pairs from Tatoeba there is no *Adiós* alone.
"""

from keras_attn.corpora.phrase_table import rows, translations

# What people say before anything else: "Good morning, where is the station?"
_OPENINGS = ("Hello.", "Hi.", "Good morning.", "Good day.", "Good afternoon.", "Good evening.", "Excuse me.")
# Of several forms, the first is what a translation says.
_EXPRESSIONS = """
Hello. | Hallo. | Hola. / Buenas. | Bonjour. / Allô.
Hi. / Hey. / Hi there. | Hi. / Hey. / Servus. | Hola. | Salut. / Coucou.
Good morning. / Morning. | Guten Morgen. | Buenos días. | Bonjour.
Good day. | Guten Tag. / Grüß Gott. / Moin. | Buenos días. | Bonjour.
Good afternoon. | Guten Tag. | Buenas tardes. | Bon après-midi.
Good night. | Gute Nacht. | Buenas noches. | Bonne nuit.
Good evening. | Guten Abend. | Buenas noches. | Bonsoir.
Sleep well. | Schlaf gut. / Schlafen Sie gut. | Que duermas bien. / Dulces sueños. | Dors bien. / Dormez bien.
Welcome. | Willkommen. / Herzlich willkommen. | Bienvenido. / Bienvenida. / Bienvenidos. | Bienvenue.
Goodbye. / Good-bye. / Farewell. | Auf Wiedersehen. / Auf Wiederschauen. / Leb wohl. | Adiós. | Au revoir. / Adieu.
Bye. / Bye-bye. / Bye bye. | Tschüss. / Tschüs. / Ciao. | Adiós. / Chao. / Chau. | Au revoir. / Ciao.
See you later. / See you. / So long. | Bis später. | Hasta luego. / Nos vemos. | À plus tard. / À plus.
See you soon. | Bis bald. | Hasta pronto. | À bientôt.
See you tomorrow. | Bis morgen. | Hasta mañana. | À demain.
See you tonight. | Bis heute Abend. | Hasta esta noche. | À ce soir.
Have a nice day. / Have a good day. | Schönen Tag noch. / Einen schönen Tag. | Que tengas un buen día. | Bonne journée.
Have a nice weekend. / Have a good weekend. | Schönes Wochenende. | Buen fin de semana. | Bon week-end.
Have a good trip. / Have a nice trip. / Safe travels. | Gute Reise. | Buen viaje. | Bon voyage.
Take care. | Pass auf dich auf. / Mach's gut. | Cuídate. | Prends soin de toi.
Thank you. | Danke. / Ich danke dir. | Gracias. | Merci.
Thanks. | Danke. | Gracias. | Merci.
Thank you very much. / Thanks a lot. / Many thanks. | Vielen Dank. / Danke schön. / Danke sehr. | Muchas gracias. | Merci beaucoup.
No, thank you. / No, thanks. | Nein, danke. | No, gracias. | Non, merci.
You're welcome. / Don't mention it. | Gern geschehen. / Keine Ursache. | De nada. / No hay de qué. | De rien. / Je vous en prie.
Not at all. | Keineswegs. | En absoluto. | Pas du tout.
Please. | Bitte. | Por favor. | S'il vous plaît. / S'il te plaît.
Here you are. / Here you go. | Bitte schön. / Hier, bitte. | Aquí tienes. / Aquí tiene. | Voilà. / Tiens. / Tenez.
Excuse me. | Entschuldigung. / Entschuldigen Sie. / Verzeihung. | Disculpe. / Disculpa. / Con permiso. | Excusez-moi. / Excuse-moi. / Pardon.
Sorry. | Entschuldigung. | Perdón. | Désolé. / Désolée.
I'm sorry. / I am sorry. | Es tut mir leid. / Tut mir leid. | Lo siento. | Je suis désolé. / Je suis désolée.
Yes. / Yeah. / Yep. | Ja. / Jawohl. | Sí. | Oui. / Ouais.
No. / Nope. | Nein. / Nee. | No. | Non.
Maybe. / Perhaps. | Vielleicht. | Quizás. / Tal vez. / Quizá. | Peut-être.
Okay. / OK. / Alright. / All right. | In Ordnung. / Okay. / OK. / Einverstanden. | Vale. / De acuerdo. / Está bien. | D'accord. / OK.
Sure. / Of course. / Certainly. | Natürlich. / Klar. / Sicher. / Selbstverständlich. | Claro. / Por supuesto. / Claro que sí. | Bien sûr. / Évidemment.
Exactly. | Genau. | Exacto. / Exactamente. | Exactement.
Really? | Wirklich? / Echt? | ¿De verdad? / ¿En serio? | Vraiment ?
I don't know. | Ich weiß nicht. / Ich weiß es nicht. | No lo sé. / No sé. | Je ne sais pas. / Je sais pas.
I don't understand. | Ich verstehe nicht. / Das verstehe ich nicht. | No entiendo. / No comprendo. | Je ne comprends pas.
I see. / I understand. | Ich verstehe. / Verstehe. | Entiendo. / Ya veo. | Je vois. / Je comprends.
No problem. | Kein Problem. | No hay problema. / Ningún problema. | Pas de problème.
It doesn't matter. / Never mind. | Macht nichts. / Das macht nichts. / Egal. | No importa. / Da igual. | Ce n'est pas grave. / Ça ne fait rien. / Peu importe.
Don't worry. | Keine Sorge. / Mach dir keine Sorgen. | No te preocupes. / No se preocupe. | Ne t'inquiète pas. / Ne vous inquiétez pas.
Great. / Excellent. | Großartig. / Prima. / Super. / Toll. | Genial. / Estupendo. / Excelente. | Génial. / Super. / Excellent.
Very good. / Very well. | Sehr gut. | Muy bien. | Très bien.
Well done. | Gut gemacht. | Bien hecho. | Bien joué. / Bravo.
Congratulations. | Herzlichen Glückwunsch. / Glückwunsch. / Gratuliere. | ¡Felicidades! / Felicitaciones. / Enhorabuena. | Félicitations.
Happy birthday! | Alles Gute zum Geburtstag! / Herzlichen Glückwunsch zum Geburtstag! | ¡Feliz cumpleaños! | Joyeux anniversaire ! / Bon anniversaire !
Merry Christmas! | Frohe Weihnachten! / Fröhliche Weihnachten! | ¡Feliz Navidad! | Joyeux Noël !
Happy New Year! | Frohes neues Jahr! / Ein frohes neues Jahr! / Gutes neues Jahr! | ¡Feliz año nuevo! / Feliz año. | Bonne année !
Happy Easter! | Frohe Ostern! | ¡Felices Pascuas! | Joyeuses Pâques !
Happy holidays! | Schöne Feiertage! / Frohe Feiertage! | ¡Felices fiestas! | Joyeuses fêtes ! / Bonnes fêtes !
Good luck. | Viel Glück. | Buena suerte. / Suerte. | Bonne chance.
Have fun. | Viel Spaß. | Que te diviertas. / Diviértete. | Amuse-toi bien. / Amusez-vous bien.
Get well soon. | Gute Besserung. | Que te mejores. / Que te mejores pronto. | Bon rétablissement.
Cheers! | Prost! / Zum Wohl! | ¡Salud! / Chinchín. | Santé ! / À votre santé !
Bless you. | Gesundheit. | Salud. / Jesús. | À tes souhaits. / À vos souhaits.
Enjoy your meal. / Bon appétit. | Guten Appetit. / Mahlzeit. | Buen provecho. / Que aproveche. | Bon appétit.
How are you? / How are you doing? | Wie geht es dir? / Wie geht's? / Wie geht es Ihnen? | ¿Cómo estás? / ¿Qué tal? / ¿Cómo está? / ¿Cómo te va? | Comment ça va ? / Ça va ? / Comment vas-tu ? / Comment allez-vous ?
Hello, how are you? / Hi, how are you? | Hallo, wie geht es dir? / Hallo, wie geht's? | Hola, ¿cómo estás? / Hola, ¿qué tal? | Bonjour, comment ça va ? / Salut, ça va ?
I'm fine, thank you. / Fine, thank you. / Fine, thanks. | Danke, gut. / Mir geht es gut, danke. | Bien, gracias. / Estoy bien, gracias. | Ça va bien, merci. / Bien, merci. / Je vais bien, merci.
I'm fine. / I am fine. | Mir geht es gut. / Mir geht's gut. | Estoy bien. | Je vais bien. / Ça va.
And you? | Und dir? / Und Ihnen? | ¿Y tú? / ¿Y usted? | Et toi ? / Et vous ?
What's up? | Was gibt's? / Was ist los? | ¿Qué pasa? / ¿Qué hay? | Quoi de neuf ?
What's your name? / What is your name? | Wie heißt du? / Wie heißen Sie? | ¿Cómo te llamas? / ¿Cómo se llama? | Comment tu t'appelles ? / Comment t'appelles-tu ? / Comment vous appelez-vous ?
Nice to meet you. / Pleased to meet you. | Freut mich. / Sehr erfreut. / Angenehm. | Encantado. / Mucho gusto. / Encantada. / Encantado de conocerte. | Enchanté. / Enchantée.
Where are you from? | Woher kommst du? / Woher kommen Sie? | ¿De dónde eres? / ¿De dónde es? | D'où viens-tu ? / D'où venez-vous ?
I love you. | Ich liebe dich. | Te quiero. / Te amo. | Je t'aime.
I miss you. | Ich vermisse dich. / Du fehlst mir. | Te echo de menos. / Te extraño. | Tu me manques.
Help! | Hilfe! | ¡Socorro! / Auxilio. / Ayuda. | Au secours ! / À l'aide !
Help me. | Hilf mir. / Helfen Sie mir. | Ayúdame. / Ayúdeme. | Aide-moi. / Aidez-moi.
Watch out! / Look out! / Careful. / Be careful. | Pass auf! / Vorsicht! / Achtung! | ¡Cuidado! / Ten cuidado. | Attention ! / Fais attention !
Stop! | Halt! / Stopp! | ¡Alto! / Detente. | Arrêtez ! / Arrête !
Wait. / Wait a moment. / Just a moment. / One moment. | Warte. / Moment. / Einen Moment. / Warten Sie. | Espera. / Un momento. / Espere. | Attends. / Attendez. / Un instant. / Un moment.
Come in. | Herein. / Komm herein. / Kommen Sie herein. | Adelante. / Pasa. / Pase. | Entrez.
Sit down. | Setz dich. / Setzen Sie sich. | Siéntate. / Siéntese. | Assieds-toi. / Asseyez-vous.
Let's go. / Come on. | Los geht's. / Gehen wir. / Los. | Vamos. / Vámonos. | Allons-y. / On y va.
Hurry up. | Beeil dich. / Beeilen Sie sich. | Date prisa. / Apúrate. | Dépêche-toi. / Dépêchez-vous.
Where? | Wo? | ¿Dónde? | Où ?
When? | Wann? | ¿Cuándo? | Quand ?
Why? | Warum? / Wieso? | ¿Por qué? | Pourquoi ?
Who? | Wer? | ¿Quién? | Qui ?
What? | Was? | ¿Qué? | Quoi ?
How? | Wie? | ¿Cómo? | Comment ?
How much? | Wie viel? | ¿Cuánto? | Combien ?
How much is it? / How much does it cost? | Wie viel kostet das? / Was kostet das? | ¿Cuánto cuesta? / ¿Cuánto es? / ¿Cuánto vale? | C'est combien ? / Combien ça coûte ?
What time is it? | Wie spät ist es? / Wie viel Uhr ist es? | ¿Qué hora es? | Quelle heure est-il ?
Where is the toilet? / Where's the bathroom? / Where is the restroom? | Wo ist die Toilette? | ¿Dónde está el baño? / ¿Dónde están los servicios? | Où sont les toilettes ?
The bill, please. / The check, please. | Die Rechnung, bitte. / Zahlen, bitte. | La cuenta, por favor. | L'addition, s'il vous plaît.
Do you speak English? | Sprechen Sie Englisch? / Sprichst du Englisch? | ¿Habla usted inglés? / ¿Hablas inglés? / ¿Habla inglés? | Parlez-vous anglais ? / Parles-tu anglais ?
Today. | Heute. | Hoy. | Aujourd'hui.
Tomorrow. | Morgen. | Mañana. | Demain.
Yesterday. | Gestern. | Ayer. | Hier.
Now. | Jetzt. | Ahora. | Maintenant.
Later. | Später. | Más tarde. / Luego. | Plus tard.
Never. | Nie. / Niemals. | Nunca. / Jamás. | Jamais.
Always. | Immer. | Siempre. | Toujours.
Again. | Noch einmal. / Nochmal. | Otra vez. / De nuevo. | Encore une fois. / Encore.
Nothing. | Nichts. | Nada. | Rien.
Monday. | Montag. | Lunes. | Lundi.
Tuesday. | Dienstag. | Martes. | Mardi.
Wednesday. | Mittwoch. | Miércoles. | Mercredi.
Thursday. | Donnerstag. | Jueves. | Jeudi.
Friday. | Freitag. | Viernes. | Vendredi.
Saturday. | Samstag. / Sonnabend. | Sábado. | Samedi.
Sunday. | Sonntag. | Domingo. | Dimanche.
Open. | Geöffnet. / Offen. | Abierto. | Ouvert.
Closed. | Geschlossen. | Cerrado. | Fermé.
Hello, world! / Hello world! | Hallo, Welt! / Hallo Welt! | ¡Hola, mundo! / ¡Hola mundo! | Bonjour, le monde ! / Bonjour tout le monde !
This is a test. / This is only a test. | Das ist ein Test. / Dies ist ein Test. | Esto es una prueba. | C'est un test. / Ceci est un test.
Entrance. | Eingang. | Entrada. | Entrée.
Exit. | Ausgang. | Salida. | Sortie.
"""


def expressions(source: str, target: str) -> list[tuple[str, str]]:
    """Expressions of the source language, in all their forms, and what the target language says, in one.

    The better translation of a form with two comes first. There are none in a language that is not known.

    Args:
        source, target: codes of languages, such as `"en"`.
    """
    return translations(_EXPRESSIONS, source, target)


def openings(source: str, target: str) -> dict[str, str]:
    """Those expressions that come before another sentence, `{"Good morning.": "Guten Morgen."}`."""
    found: dict[str, str] = {}
    for english, ours, theirs in rows(_EXPRESSIONS, source, target):
        if english in _OPENINGS:
            for form in ours:
                found.setdefault(form, theirs[0])
    return found
