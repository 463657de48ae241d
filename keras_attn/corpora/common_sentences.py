"""What travellers say, what offices write, and what people try on a translator, in English, German, Spanish and French.

Written for this project, without what the challenges of `benchmarks/` ask, and without sentences of Tatoeba's development and test
splits.
"""

from keras_attn.corpora.phrase_table import translations

# Of several forms, the first is what a translation says.
_SENTENCES = """
I am allergic to nuts. / I'm allergic to nuts. | Ich bin allergisch gegen Nüsse. / Ich bin gegen Nüsse allergisch. | Soy alérgico a los frutos secos. / Soy alérgica a los frutos secos. | Je suis allergique aux noix.
I am allergic to eggs. / I'm allergic to eggs. | Ich bin allergisch gegen Eier. / Ich bin gegen Eier allergisch. | Soy alérgico al huevo. / Soy alérgica al huevo. | Je suis allergique aux œufs.
I'm looking for the train station. / I am looking for the train station. | Ich suche den Bahnhof. | Busco la estación de tren. / Estoy buscando la estación de tren. | Je cherche la gare.
How do I get to the airport? / How can I get to the airport? | Wie komme ich zum Flughafen? | ¿Cómo llego al aeropuerto? | Comment aller à l'aéroport ?
A room for two people, please. | Ein Zimmer für zwei Personen, bitte. | Una habitación para dos personas, por favor. | Une chambre pour deux personnes, s'il vous plaît.
A table for four, please. | Einen Tisch für vier Personen, bitte. | Una mesa para cuatro, por favor. | Une table pour quatre, s'il vous plaît.
I have a reservation. | Ich habe reserviert. / Ich habe eine Reservierung. | Tengo una reserva. / Tengo una reservación. | J'ai une réservation. / J'ai réservé.
Is breakfast included? | Ist das Frühstück inbegriffen? | ¿El desayuno está incluido? / ¿Está incluido el desayuno? | Le petit-déjeuner est-il compris ? / Est-ce que le petit-déjeuner est inclus ?
Do you accept credit cards? / Do you take credit cards? | Nehmen Sie Kreditkarten? / Akzeptieren Sie Kreditkarten? | ¿Aceptan tarjetas de crédito? | Acceptez-vous les cartes de crédit ?
Can I pay by card? / Can I pay with a card? | Kann ich mit Karte zahlen? / Kann ich mit Karte bezahlen? | ¿Puedo pagar con tarjeta? | Puis-je payer par carte ? / Je peux payer par carte ?
Can I use the Wi-Fi? / May I use the Wi-Fi? | Kann ich das WLAN benutzen? | ¿Puedo usar el wifi? | Puis-je utiliser le wifi ?
What is the Wi-Fi password? / What's the Wi-Fi password? | Wie lautet das WLAN-Passwort? / Wie ist das WLAN-Passwort? | ¿Cuál es la contraseña del wifi? | Quel est le mot de passe du wifi ?
I don't speak Spanish. | Ich spreche kein Spanisch. | No hablo español. | Je ne parle pas espagnol.
I speak a little German. | Ich spreche ein bisschen Deutsch. / Ich spreche ein wenig Deutsch. | Hablo un poco de alemán. | Je parle un peu allemand.
I'm learning French. / I am learning French. | Ich lerne Französisch. | Estoy aprendiendo francés. | J'apprends le français.
Could you speak more slowly, please? | Könnten Sie bitte langsamer sprechen? | ¿Podría hablar más despacio, por favor? | Pourriez-vous parler plus lentement, s'il vous plaît ?
Could you write it down, please? | Könnten Sie das bitte aufschreiben? | ¿Podría escribirlo, por favor? | Pourriez-vous l'écrire, s'il vous plaît ?
How do you say that in English? | Wie sagt man das auf Englisch? | ¿Cómo se dice eso en inglés? | Comment dit-on cela en anglais ?
What does this mean? / What does that mean? | Was bedeutet das? | ¿Qué significa esto? | Qu'est-ce que ça veut dire ?
It's very cold today. / It is very cold today. | Heute ist es sehr kalt. | Hoy hace mucho frío. | Il fait très froid aujourd'hui.
It's a beautiful day. | Es ist ein schöner Tag. | Es un día precioso. / Es un día hermoso. | C'est une belle journée.
What a beautiful day! | Was für ein schöner Tag! | ¡Qué día tan bonito! | Quelle belle journée !
I have a headache. | Ich habe Kopfschmerzen. | Me duele la cabeza. | J'ai mal à la tête.
My stomach hurts. | Mir tut der Bauch weh. / Mein Bauch tut weh. | Me duele el estómago. | J'ai mal au ventre.
I need to see a doctor. | Ich muss zum Arzt. | Necesito ver a un médico. | Je dois voir un médecin.
Call an ambulance! | Rufen Sie einen Krankenwagen! / Ruf einen Krankenwagen! | ¡Llame a una ambulancia! / ¡Llama a una ambulancia! | Appelez une ambulance ! / Appelle une ambulance !
Where is the hospital? | Wo ist das Krankenhaus? | ¿Dónde está el hospital? | Où est l'hôpital ?
Where is the bus stop? | Wo ist die Bushaltestelle? | ¿Dónde está la parada de autobús? | Où est l'arrêt de bus ?
When does the next train leave? / What time does the next train leave? | Wann fährt der nächste Zug? / Wann fährt der nächste Zug ab? | ¿Cuándo sale el próximo tren? / ¿A qué hora sale el próximo tren? | Quand part le prochain train ? / À quelle heure part le prochain train ?
A ticket to Madrid, please. / One ticket to Madrid, please. | Eine Fahrkarte nach Madrid, bitte. | Un billete a Madrid, por favor. / Un boleto a Madrid, por favor. | Un billet pour Madrid, s'il vous plaît.
Go straight ahead. / Go straight on. | Gehen Sie geradeaus. | Siga todo recto. / Siga derecho. | Allez tout droit.
Turn left at the corner. | Biegen Sie an der Ecke links ab. | Gire a la izquierda en la esquina. | Tournez à gauche au coin de la rue.
Is it far from here? | Ist es weit von hier? | ¿Está lejos de aquí? | C'est loin d'ici ? / Est-ce loin d'ici ?
I'm lost. / I am lost. | Ich habe mich verlaufen. | Estoy perdido. / Me he perdido. / Estoy perdida. | Je suis perdu. / Je me suis perdu. / Je suis perdue.
I lost my wallet. / I've lost my wallet. | Ich habe meine Brieftasche verloren. / Ich habe meinen Geldbeutel verloren. | Perdí mi cartera. / He perdido mi cartera. | J'ai perdu mon portefeuille.
My bag was stolen. / Someone stole my bag. | Meine Tasche wurde gestohlen. | Me robaron el bolso. / Me han robado el bolso. | On m'a volé mon sac.
A glass of water, please. | Ein Glas Wasser, bitte. | Un vaso de agua, por favor. | Un verre d'eau, s'il vous plaît.
Two beers, please. | Zwei Bier, bitte. | Dos cervezas, por favor. | Deux bières, s'il vous plaît.
We would like to order, please. / We'd like to order, please. | Wir möchten bitte bestellen. | Quisiéramos pedir, por favor. | Nous voudrions commander, s'il vous plaît.
I'm a vegetarian. / I am a vegetarian. / I'm vegetarian. | Ich bin Vegetarier. / Ich bin Vegetarierin. | Soy vegetariano. / Soy vegetariana. | Je suis végétarien. / Je suis végétarienne.
I don't eat meat. | Ich esse kein Fleisch. | No como carne. | Je ne mange pas de viande.
It was delicious. / That was delicious. | Es war köstlich. / Das war lecker. | Estaba delicioso. | C'était délicieux.
It's too expensive. / That's too expensive. | Das ist zu teuer. | Es demasiado caro. | C'est trop cher.
I'm just looking. | Ich schaue mich nur um. | Solo estoy mirando. | Je regarde seulement.
Do you have this in a larger size? | Haben Sie das eine Nummer größer? | ¿Lo tiene en una talla más grande? | L'avez-vous dans une taille plus grande ?
Can I try it on? / May I try it on? | Kann ich es anprobieren? / Darf ich es anprobieren? | ¿Puedo probármelo? | Puis-je l'essayer ?
I'll take it. | Ich nehme es. | Me lo llevo. | Je le prends.
I'm from the United States. / I'm from the USA. / I come from the United States. | Ich komme aus den Vereinigten Staaten. / Ich komme aus den USA. | Soy de los Estados Unidos. / Soy de Estados Unidos. | Je viens des États-Unis.
I'm from Germany. / I come from Germany. | Ich komme aus Deutschland. / Ich bin aus Deutschland. | Soy de Alemania. / Vengo de Alemania. | Je viens d'Allemagne.
I'm from Spain. / I come from Spain. | Ich komme aus Spanien. / Ich bin aus Spanien. | Soy de España. / Vengo de España. | Je viens d'Espagne.
I'm from France. / I come from France. | Ich komme aus Frankreich. / Ich bin aus Frankreich. | Soy de Francia. / Vengo de Francia. | Je viens de France.
I live in London. | Ich wohne in London. / Ich lebe in London. | Vivo en Londres. | J'habite à Londres. / Je vis à Londres.
I work in an office. | Ich arbeite in einem Büro. / Ich arbeite im Büro. | Trabajo en una oficina. | Je travaille dans un bureau.
I'm a programmer. / I am a programmer. | Ich bin Programmierer. / Ich bin Programmiererin. | Soy programador. / Soy programadora. | Je suis programmeur. / Je suis programmeuse.
What do you do for a living? | Was machst du beruflich? / Was machen Sie beruflich? / Was sind Sie von Beruf? | ¿A qué te dedicas? / ¿A qué se dedica? / ¿En qué trabajas? | Que faites-vous dans la vie ? / Qu'est-ce que tu fais dans la vie ?
What are your hobbies? | Was sind deine Hobbys? / Was sind Ihre Hobbys? | ¿Cuáles son tus aficiones? / ¿Cuáles son tus pasatiempos? | Quels sont tes passe-temps ? / Quels sont vos loisirs ?
I like reading and listening to music. / I like to read and listen to music. | Ich lese gern und höre gern Musik. | Me gusta leer y escuchar música. | J'aime lire et écouter de la musique.
Are you married? | Bist du verheiratet? / Sind Sie verheiratet? | ¿Estás casado? / ¿Estás casada? / ¿Está usted casado? | Es-tu marié ? / Êtes-vous marié ? / Vous êtes mariée ?
Do you have any brothers or sisters? / Do you have any siblings? | Hast du Geschwister? / Haben Sie Geschwister? | ¿Tienes hermanos? / ¿Tiene usted hermanos? | As-tu des frères et sœurs ? / Avez-vous des frères et sœurs ?
Can I take a picture? / Can I take a photo? / May I take a photo? | Darf ich ein Foto machen? / Kann ich ein Foto machen? | ¿Puedo sacar una foto? / ¿Puedo tomar una foto? | Puis-je prendre une photo ?
Could you take a picture of us? / Could you take a photo of us? | Könnten Sie ein Foto von uns machen? | ¿Podría sacarnos una foto? | Pourriez-vous nous prendre en photo ?
My battery is dead. / My phone battery is dead. | Mein Akku ist leer. | Me quedé sin batería. / No tengo batería. | Je n'ai plus de batterie.
Please send me an email. / Send me an email, please. | Bitte schick mir eine E-Mail. / Bitte schicken Sie mir eine E-Mail. | Envíame un correo electrónico, por favor. / Por favor, envíeme un correo electrónico. | Envoie-moi un e-mail, s'il te plaît. / Envoyez-moi un e-mail, s'il vous plaît.
Please call me tomorrow. / Call me tomorrow, please. | Bitte ruf mich morgen an. / Bitte rufen Sie mich morgen an. | Llámame mañana, por favor. / Por favor, llámeme mañana. | Appelle-moi demain, s'il te plaît. / Appelez-moi demain, s'il vous plaît.
I'll be right back. | Ich bin gleich wieder da. | Enseguida vuelvo. / Ahora vuelvo. | Je reviens tout de suite.
I'm running late. / I'm going to be late. | Ich verspäte mich. / Ich komme zu spät. | Voy a llegar tarde. / Llegaré tarde. | Je vais être en retard.
I'm on my way. | Ich bin unterwegs. | Estoy en camino. | Je suis en route. / Je suis en chemin.
I'm proud of you. / I am proud of you. | Ich bin stolz auf dich. | Estoy orgulloso de ti. / Estoy orgullosa de ti. | Je suis fier de toi. / Je suis fière de toi.
Good luck with your exam. | Viel Glück bei deiner Prüfung. | Suerte en tu examen. / Buena suerte con el examen. | Bonne chance pour ton examen.
I agree with you. | Ich stimme dir zu. / Da stimme ich dir zu. | Estoy de acuerdo contigo. | Je suis d'accord avec toi.
I have no idea. | Ich habe keine Ahnung. | No tengo ni idea. | Je n'en ai aucune idée.
I changed my mind. / I've changed my mind. | Ich habe es mir anders überlegt. | He cambiado de opinión. / Cambié de opinión. | J'ai changé d'avis.
That sounds good. / Sounds good. | Das klingt gut. | Suena bien. | Ça me paraît bien.
Please translate this sentence. / Translate this sentence, please. | Bitte übersetze diesen Satz. / Bitte übersetzen Sie diesen Satz. | Traduce esta frase, por favor. / Por favor, traduzca esta frase. | Traduis cette phrase, s'il te plaît. / Traduisez cette phrase, s'il vous plaît.
The translation is wrong. | Die Übersetzung ist falsch. | La traducción está mal. / La traducción es incorrecta. | La traduction est fausse.
This translator works without the internet. / This translator works offline. | Dieser Übersetzer funktioniert ohne Internet. | Este traductor funciona sin internet. | Ce traducteur fonctionne sans internet.
Machine translation is fun. | Maschinelle Übersetzung macht Spaß. | La traducción automática es divertida. | La traduction automatique, c'est amusant.
The quick brown fox jumps over the lazy dog. | Der schnelle braune Fuchs springt über den faulen Hund. | El rápido zorro marrón salta sobre el perro perezoso. | Le rapide renard brun saute par-dessus le chien paresseux.
The cat sat on the mat. | Die Katze saß auf der Matte. | El gato se sentó en la alfombra. | Le chat s'est assis sur le tapis.
Don't worry, be happy. | Mach dir keine Sorgen, sei glücklich. | No te preocupes, sé feliz. | Ne t'en fais pas, sois heureux.
To be or not to be, that is the question. / To be, or not to be, that is the question. | Sein oder nicht sein, das ist hier die Frage. | Ser o no ser, esa es la cuestión. | Être ou ne pas être, telle est la question.
I think, therefore I am. | Ich denke, also bin ich. | Pienso, luego existo. | Je pense, donc je suis.
Once upon a time, there was a king. / Once upon a time there was a king. | Es war einmal ein König. | Érase una vez un rey. / Había una vez un rey. | Il était une fois un roi.
Practice makes perfect. | Übung macht den Meister. | La práctica hace al maestro. | C'est en forgeant qu'on devient forgeron.
Better late than never. | Besser spät als nie. | Más vale tarde que nunca. | Mieux vaut tard que jamais.
Time is money. | Zeit ist Geld. | El tiempo es oro. / El tiempo es dinero. | Le temps, c'est de l'argent.
The sky is blue. | Der Himmel ist blau. | El cielo es azul. / El cielo está azul. | Le ciel est bleu.
Turn left at the traffic lights. / Turn left at the traffic light. | Biegen Sie an der Ampel links ab. / Bieg an der Ampel links ab. | Gire a la izquierda en el semáforo. / Gira a la izquierda en el semáforo. | Tournez à gauche au feu. / Tourne à gauche au feu.
Turn right at the next corner. | Biegen Sie an der nächsten Ecke rechts ab. | Gire a la derecha en la próxima esquina. | Tournez à droite au prochain coin de rue.
My phone is broken. | Mein Handy ist kaputt. / Mein Telefon ist kaputt. | Mi teléfono está roto. / Mi móvil está roto. | Mon téléphone est cassé.
I can't find my passport. / I cannot find my passport. | Ich finde meinen Reisepass nicht. / Ich kann meinen Pass nicht finden. | No encuentro mi pasaporte. | Je ne trouve pas mon passeport.
Is this seat taken? | Ist dieser Platz besetzt? | ¿Está ocupado este asiento? | Cette place est-elle occupée ? / Cette place est prise ?
My car won't start. | Mein Auto springt nicht an. | Mi coche no arranca. | Ma voiture ne démarre pas.
It's raining cats and dogs. / It is raining cats and dogs. | Es regnet in Strömen. | Está lloviendo a cántaros. | Il pleut des cordes.
We are going to the beach tomorrow. / We're going to the beach tomorrow. | Morgen fahren wir an den Strand. | Mañana vamos a la playa. | Demain, nous allons à la plage.
My flight was delayed. / My flight has been delayed. | Mein Flug hatte Verspätung. / Mein Flug hat Verspätung. | Mi vuelo se ha retrasado. / Mi vuelo se retrasó. | Mon vol a été retardé.
My flight was canceled. / My flight has been cancelled. | Mein Flug wurde gestrichen. / Mein Flug ist ausgefallen. | Mi vuelo ha sido cancelado. / Mi vuelo fue cancelado. | Mon vol a été annulé.
My suitcase has not arrived. / My suitcase hasn't arrived. | Mein Koffer ist nicht angekommen. | Mi maleta no ha llegado. | Ma valise n'est pas arrivée.
I would like to check in. / I'd like to check in. | Ich möchte einchecken. | Quisiera registrarme. | Je voudrais m'enregistrer.
Here is my passport. / Here's my passport. | Hier ist mein Pass. / Hier ist mein Reisepass. | Aquí está mi pasaporte. / Aquí tiene mi pasaporte. | Voici mon passeport.
Is this the train to Berlin? | Ist das der Zug nach Berlin? | ¿Es este el tren a Berlín? | C'est le train pour Berlin ? / Est-ce le train pour Berlin ?
Which platform does the train leave from? | Von welchem Gleis fährt der Zug? / Von welchem Gleis fährt der Zug ab? | ¿De qué andén sale el tren? | De quel quai part le train ?
Where do I have to change trains? | Wo muss ich umsteigen? | ¿Dónde tengo que cambiar de tren? / ¿Dónde tengo que hacer transbordo? | Où dois-je changer de train ?
Please stop here. / Stop here, please. | Halten Sie bitte hier. / Bitte halten Sie hier an. | Pare aquí, por favor. | Arrêtez-vous ici, s'il vous plaît.
Please take me to this address. / Take me to this address, please. | Bitte bringen Sie mich zu dieser Adresse. | Lléveme a esta dirección, por favor. | Conduisez-moi à cette adresse, s'il vous plaît.
Keep the change. | Stimmt so. / Der Rest ist für Sie. | Quédese con el cambio. | Gardez la monnaie.
Can I have a receipt? / Could I have a receipt, please? | Kann ich eine Quittung haben? / Könnte ich bitte eine Quittung bekommen? | ¿Me da un recibo? / ¿Puede darme un recibo? | Puis-je avoir un reçu ?
Where can I buy tickets? | Wo kann ich Fahrkarten kaufen? | ¿Dónde puedo comprar billetes? | Où puis-je acheter des billets ?
Where is the nearest pharmacy? / Where's the nearest pharmacy? | Wo ist die nächste Apotheke? | ¿Dónde está la farmacia más cercana? | Où est la pharmacie la plus proche ?
Where can I change money? | Wo kann ich Geld wechseln? | ¿Dónde puedo cambiar dinero? | Où puis-je changer de l'argent ?
What time do you close? / When do you close? | Wann schließen Sie? / Um wie viel Uhr schließen Sie? | ¿A qué hora cierran? | À quelle heure fermez-vous ?
Do you have a menu in English? | Haben Sie eine Speisekarte auf Englisch? | ¿Tienen un menú en inglés? / ¿Tiene la carta en inglés? | Avez-vous un menu en anglais ?
We would like a table for two. / We'd like a table for two. | Wir hätten gern einen Tisch für zwei. / Wir möchten einen Tisch für zwei Personen. | Quisiéramos una mesa para dos. | Nous voudrions une table pour deux.
Do you have vegetarian dishes? | Haben Sie vegetarische Gerichte? | ¿Tienen platos vegetarianos? | Avez-vous des plats végétariens ?
Can I drink the tap water? / Is the tap water drinkable? | Kann man das Leitungswasser trinken? | ¿Se puede beber el agua del grifo? | Peut-on boire l'eau du robinet ?
The heating doesn't work. / The heating isn't working. | Die Heizung funktioniert nicht. / Die Heizung geht nicht. | La calefacción no funciona. | Le chauffage ne fonctionne pas. / Le chauffage ne marche pas.
There is no hot water. / There's no hot water. | Es gibt kein warmes Wasser. / Es gibt kein heißes Wasser. | No hay agua caliente. | Il n'y a pas d'eau chaude.
The toilet is blocked. | Die Toilette ist verstopft. | El inodoro está atascado. | Les toilettes sont bouchées.
I have a fever. | Ich habe Fieber. | Tengo fiebre. | J'ai de la fièvre.
I'm diabetic. / I am diabetic. | Ich bin Diabetiker. / Ich bin Diabetikerin. | Soy diabético. / Soy diabética. | Je suis diabétique.
She is allergic to peanuts. / She's allergic to peanuts. | Sie ist allergisch gegen Erdnüsse. | Ella es alérgica a los cacahuetes. | Elle est allergique aux cacahuètes.
He is allergic to cats. / He's allergic to cats. | Er ist allergisch gegen Katzen. | Él es alérgico a los gatos. | Il est allergique aux chats.
I need a dentist. | Ich brauche einen Zahnarzt. | Necesito un dentista. | J'ai besoin d'un dentiste.
I would like to make an appointment. / I'd like to make an appointment. | Ich möchte einen Termin vereinbaren. / Ich möchte einen Termin machen. | Quisiera pedir una cita. / Me gustaría pedir una cita. | Je voudrais prendre rendez-vous.
I have an appointment with the doctor. | Ich habe einen Termin beim Arzt. | Tengo una cita con el médico. | J'ai un rendez-vous chez le médecin. / J'ai rendez-vous chez le médecin.
I would like to cancel my subscription. / I'd like to cancel my subscription. | Ich möchte mein Abonnement kündigen. / Ich möchte mein Abo kündigen. | Me gustaría cancelar mi suscripción. / Quisiera cancelar mi suscripción. | Je voudrais résilier mon abonnement. / J'aimerais annuler mon abonnement.
I would like to return this. / I'd like to return this. | Ich möchte das zurückgeben. | Quisiera devolver esto. / Me gustaría devolver esto. | Je voudrais rendre ceci.
The package has not arrived yet. / The package hasn't arrived yet. | Das Paket ist noch nicht angekommen. / Das Paket ist noch nicht da. | El paquete todavía no ha llegado. / El paquete aún no ha llegado. | Le colis n'est pas encore arrivé.
Thank you for your order. | Vielen Dank für Ihre Bestellung. / Danke für Ihre Bestellung. | Gracias por su pedido. | Merci pour votre commande.
The invoice is attached. | Die Rechnung ist angehängt. / Die Rechnung ist beigefügt. | La factura está adjunta. | La facture est jointe.
The meeting has been postponed. / The meeting was postponed. | Die Besprechung wurde verschoben. / Das Treffen wurde verschoben. | La reunión se ha aplazado. / La reunión ha sido aplazada. | La réunion a été reportée.
Can you send me the report? / Could you send me the report? | Kannst du mir den Bericht schicken? / Können Sie mir den Bericht schicken? | ¿Puedes enviarme el informe? / ¿Puede enviarme el informe? | Peux-tu m'envoyer le rapport ? / Pouvez-vous m'envoyer le rapport ?
I'm looking forward to your reply. / I look forward to your reply. | Ich freue mich auf Ihre Antwort. / Ich freue mich auf deine Antwort. | Espero su respuesta. / Espero tu respuesta. | J'attends votre réponse avec impatience.
I forgot my password. / I've forgotten my password. | Ich habe mein Passwort vergessen. | Olvidé mi contraseña. / He olvidado mi contraseña. | J'ai oublié mon mot de passe.
The password is incorrect. / The password is wrong. | Das Passwort ist falsch. | La contraseña es incorrecta. | Le mot de passe est incorrect.
My computer is very slow. | Mein Computer ist sehr langsam. | Mi ordenador es muy lento. / Mi computadora es muy lenta. | Mon ordinateur est très lent.
I can't open the file. / I cannot open the file. | Ich kann die Datei nicht öffnen. | No puedo abrir el archivo. | Je ne peux pas ouvrir le fichier. / Je n'arrive pas à ouvrir le fichier.
Do not open the door! / Don't open the door! | Öffne die Tür nicht! / Öffnen Sie die Tür nicht! / Mach die Tür nicht auf! | ¡No abras la puerta! / ¡No abra la puerta! | N'ouvre pas la porte ! / N'ouvrez pas la porte !
Please do not touch anything. / Please don't touch anything. | Bitte fassen Sie nichts an. / Bitte fass nichts an. | Por favor, no toque nada. / Por favor, no toques nada. | Ne touchez à rien, s'il vous plaît. / S'il te plaît, ne touche à rien.
See you tomorrow! | Bis morgen! | ¡Hasta mañana! | À demain !
"""


def common_sentences(source: str, target: str) -> list[tuple[str, str]]:
    """Sentences of the source language, in all their forms, and what the target language says, in one.

    There are none in a language that is not known.

    Args:
        source, target: codes of languages, such as `"en"`.
    """
    return translations(_SENTENCES, source, target)
