"""Words of references in the languages that answers are written in: who did what, where it appeared, pages, editions, places.

Phrases are parted by strokes; a period in them may be absent, but for those that end with an exclamation mark.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = [
    "AND",
    "BY",
    "EDITED",
    "EDITIONS",
    "ENGLISH",
    "HOUSE_NAMES",
    "HOUSE_WORDS",
    "IN",
    "OTHERS",
    "PARTICLES",
    "PERSON_TITLES",
    "THINGS",
    "TOGETHER",
    "either",
]


def either(*tables: str) -> str:
    r"""A pattern of any of the phrases, the longest first.

    Example:
        >>> either("u. a. | et al.")
        '(?:et\\sal\\.?|u\\.?\\s?a\\.?)'
    """
    phrases = {" ".join(phrase.split()) for table in tables for phrase in table.split("|")} - {""}
    by_letter: dict[str, list[str]] = {}
    for phrase in sorted(phrases, key=lambda phrase: (-len(phrase), phrase)):
        by_letter.setdefault(phrase.casefold()[0], []).append(_written(phrase))
    return "(?:" + "|".join(_factored(some) for some in by_letter.values()) + ")"


def _written(phrase: str) -> str:
    pattern = re.escape(phrase.removesuffix("!"))
    for old, new in ((r"\.\ ", r"\.?\s?"), (r"\.", r"\.?"), (r"\.??", r"\.?"), (r"\ ", r"\s")):
        pattern = pattern.replace(old, new)
    return pattern + "(?<=[.])" * phrase.endswith("!")


def _factored(patterns: Sequence[str]) -> str:
    """A pattern of any of some that begin with one letter, which is compared once where all of them write it alike."""
    first = patterns[0][0]
    if len(patterns) == 1 or not first.isalpha() or any(pattern[0] != first for pattern in patterns):
        return "|".join(patterns)
    return f"{first}(?:{'|'.join(pattern[1:] for pattern in patterns)})"


AND = either(
    "and | und | و | et | y | e | en | och | og | ja | i | a | ve | και | și | şi | și cu | és | dan | và | и | і | та | й"
)
"""Before the last of several names, in small letters."""
TOGETHER = either(
    "with | en collaboration avec | avec la collaboration de | en colaboración con | em colaboração com | in collaborazione con | con la collaborazione di | în colaborare cu | in Zusammenarbeit mit | "
    "in samenwerking met | i samarbete med | i samarbejde med | we współpracy z | ve spolupráci s | в соавторстве с | у співавторстві з | ile birlikte"
)
"""Before the names of those who wrote with others."""
OTHERS = either(
    "et al. | et. al. | and others | and colleagues | and co-authors | and coauthors | and co-workers | and coworkers | and collaborators | u. a. | u.a. | y otros | y cols. | et autres | e altri | e outros | e colab. | и др. | и другие | та ін. | "
    "i in. | i inni | a kol. | a kolektiv | m. fl. | m.fl. | med flere | ym. | és mtsai. | és munkatársai | i dr. | i sur. | и сар. | и сътр. | ve diğerleri | ve ark. | vd. | "
    "κ.ά. | κ. ά. | και άλλοι | ș.a. | și alții | și colab. | dkk. | và cộng sự | وآخرون | و آخرون | و دیگران | و همکاران | ואחרים | en anderen | e.a."
)
"""Behind names that are not all: et al."""
EDITED = either(
    "ed. | eds. | editor | editors | editado | edit. | hrsg. | hg. | hrsgg. | herausgeber | dir.! | coord. | coords. | comp.! | comps. | org.! | orgs. | éd. | éds. | cur.! | a cura di | "
    "red.! | redaktör | redd. | toim. | szerk. | opr. | oprac. | ur.! | prir. | уред. | съст. | сост. | ред. | отв. ред. | упоряд. | der.! | haz.! | ed. by | επιμ. | διεύθ. | "
    "trans. | transl. | trad. | author | authors | محرر | إشراف | ویراستار | עורך | עורכים | עורכת | penyunting | ed. lit. | samenst. | zest. | řed. | ved. red. | chủ biên"
)
"""Behind names, mostly in brackets, of those who edited a work."""
BY = either(
    "by | von | de | par | por | di | van | av | af | door | od | от | του | της | των | al lui | a lui | ale lui | lui | oleh | karya | của | autor | auteur | yazan | "
    "تأليف | بقلم | للكاتب | للمؤلف | للدكتور | اثر | نوشته | نوشتهٔ | نوشته‌ی | מאת | של | skrevet av | skrevet af | skriven av | geschrieben von | escrito por | écrit par | scritto da | написана | автора"
)
"""Between a title and who wrote it."""
IN = either(
    "in | dans | en | em | im | i | w | v | ve | u | у | в | в кн. | у кн. | в сб. | у зб. | teoksessa | στο | στον | στη | în | dalam | trong | في | ضمن | در | בתוך | içinde | al | nel | nella | ne | nello | nei | no | na"
)
"""Before what a chapter or an article is in, mostly with a colon."""
EDITIONS = either(
    "ed. | edn. | edition | edición | edição | edizione | éd. | édition | Aufl. | Auflage | Ausg. | Ausgabe | druk | uppl. | upplagan | upplaga | utg. | utgave | udg. | udgave | oplag | opplag | p. painos | painos | laitos | wyd. | wydanie | vyd. | vydání | vydanie | kiadás | kiad. | "
    "izd. | izdanje | изд. | издание | вид. | видання | baskı | basım | bs. | έκδ. | έκδοση | ediția | ed. a | cet. | cetakan | tái bản | ط | طبعة | الطبعة | چاپ | מהדורה | rev. | перераб. и доп. | перероб. та розшир. | перероб. і доп. | испр. и доп. | доп. | přeprac. | dopl. | upr. | nezm. | jav. | bőv. | átd. | aktual. | rozš. | popr. i uzup. | "
    "revid. | revidiert | überarb. | überarbeitete | erw. | erweiterte | durchges. | revue et augmentée | rev. e ampl. | rev. y aum. | genişletilmiş | gözden geçirilmiş"
)
"""Behind or before the number of an edition."""
PERSON_TITLES = either(
    "Prof. Dr. | Prof. | Dr. | Dra. | Drs. | Doç. Dr. | GS. TS. | PGS. TS. | GS. | PGS. | проф. | акад. | д-р | Ing. | Mgr. | PhDr. | Doc. | doc. | prof. | dr. | dr hab. | prof. dr hab. | د. | أ.د. | الدكتور | الدكتورة | دکتر | استاد | ד\"ר | פרופ' | "
    "Καθ. | καθ. | δρ. | Δρ. | Hr. | Frau | Herr | Mme"
)
"""Before a name, and no part of it."""
PARTICLES = (
    "van von vom zum zur zu der den de la le les du des del della delle dello degli dei di da dal dalla dos das do e y i bin ibn ben bint al el ter ten te af av st. "
    "wa und uit op het 't in't d l dela las los san santa ul abu abd pour z ze od ap na bar lo"
)
ENGLISH = frozenset(
    [
        "the", "of", "and", "is", "that", "with", "was", "by", "for", "this", "are", "from", "which", "its", "his", "her", "their", "on",
        "as", "it", "to", "has", "have", "had", "been", "were", "since", "but", "you", "your", "not", "they", "than", "more", "into",
        "about", "who", "what", "when", "where", "how", "or", "an", "can", "will", "would", "should",
    ]
)  # fmt: skip
"""The most frequent words of English."""
THINGS = either(
    "Spiel | Brettspiel | Computerspiel | Serie | Ausstellung | Begriff | Konzept | Gemälde | Oper | Lied | Bild | Stück | Sinfonie | Gericht | Rezept | Motto | Satz | Wort | Restaurant | Café | Band | Marke | Modell | tableau | toile | opéra | ballet | exposition | concept | notion | terme | mot | expression | "
    "formule | plat | recette | restaurant | série | jeu | chanson | symphonie | sculpture | cuadro | lienzo | ópera | canción | serie | exposición | edificio | término | concepto | palabra | expresión | plato | receta | juego | escultura | sinfonía | quadro | dipinto | affresco | opera | canzone | mostra | termine | "
    "concetto | parola | piatto | ricetta | ristorante | gioco | scultura | sinfonia | tela | pintura | exposição | conceito | palavra | expressão | prato | jogo | schilderij | opera | lied | tentoonstelling | begrip | term | woord | gerecht | spel | målning | utställning | begreppet | ordet | maleri | utstilling | "
    "udstilling | begrebet | maalaus | näyttely | käsite | obraz | opera | piosenka | wystawa | pojęcie | termin | hasło | danie | gra | serial | rzeźba | píseň | výstava | pojem | hra | seriál | festmény | kiállítás | fogalom | dal | játék | sorozat | pictura | tabloul | expoziția | conceptul | jocul | tablo | "
    "sergi | kavram | oyun | dizi | şarkı | πίνακας | έκθεση | όρος | τραγούδι | картина | картину | картины | песня | песню | балет | опера | выставка | понятие | термин | слово | игра | сериал | памятник | картину | пісня | виставка | поняття | термін | гра | серіал | слика | песма | изложба | појам | lukisan | "
    "lagu | pameran | istilah | konsep | permainan | bức tranh | bài hát | khái niệm | لوحة | أغنية | معرض | مفهوم | مصطلح | مسلسل | تابلو | ترانه | نمایشگاه | مفهوم"
)
"""What a title in marks may be the name of, right before it, and no written work."""
HOUSE_WORDS = (
    "Verlag | Verlagsanstalt | Éditions | Éditeur | Éditeurs | Presses | Librairie | Editorial | Editores | Ediciones | Editora | Edições | Edizioni | Editore | Editori | Edicions | Uitgeverij | Uitgevers | Uitgeversmij | Förlag | Förlaget | Bokförlag | Bokförlaget | Forlag | Forlaget | Kustannus | "
    "Kustannusosakeyhtiö | Wydawnictwo | Wydawnictwa | Oficyna | Nakladatelství | Nakladatelstvo | Vydavatelství | Vydavateľstvo | Kiadó | Könyvkiadó | Editura | Yayınları | Yayınevi | Yayıncılık | Yayın | Kitabevi | Kitap | Εκδόσεις | Издательство | Изд-во | Видавництво | Издателство | Nakladni | Naklada | "
    "Nhà xuất bản | NXB | Nxb | Penerbit | Penerbitan | Pustaka | Yayasan | دار | مؤسسة | مركز | منشورات | المركز | الهيئة | مكتبة | انتشارات | نشر | הוצאת | Založba | Kirjastus | Leidykla | Apgāds | Universitätsverlag | Universitetsforlaget | Издательский | Uniwersytetu | Imprenta | Tipografia | "
    "Kitapları | प्रकाशन | Université | Universidad | Universidade | Università | Universität | Universiteit | Universitet | Universitetet | Uniwersytet | Univerzita | Univerzitet | Sveučilište | Университет | Університет | "
    "Üniversitesi | Πανεπιστήμιο | Yliopisto | Egyetem | Egyetemi | Universitatea | Universitas | جامعة | دانشگاه | האוניברסיטה"
)
"""Words in the names of publishers."""
HOUSE_NAMES = either(
    "Gallimard | Seuil | Le Seuil | Éditions du Seuil | Fayard | Flammarion | Grasset | Albin Michel | Plon | PUF | Presses universitaires de France | La Découverte | Armand Colin | Les Éditions de Minuit | Éditions de Minuit | Minuit | Galilée | Hachette | Vrin | Payot | Rivages | Actes Sud | Maspero | François Maspero | "
    "Stock | Calmann-Lévy | Robert Laffont | Hermann | Amsterdam | Syllepse | Agone | Points | Folio | Champs | Le Livre de Poche | Suhrkamp | Rowohlt | S. Fischer | Fischer | Hanser | Carl Hanser | C. H. Beck | C.H. Beck | Beck | Reclam | Piper | Klett-Cotta | Campus | Metzler | J. B. Metzler | de Gruyter | De Gruyter | "
    "Mohr Siebeck | Vandenhoeck & Ruprecht | Ullstein | dtv | Kiepenheuer & Witsch | Luchterhand | Wagenbach | Transcript | transcript | Merve | Diogenes | Residenz | Zsolnay | Insel | Duncker & Humblot | Matthes & Seitz | Hamburger Edition | Einaudi | Laterza | Mondadori | Feltrinelli | Bompiani | Adelphi | il Mulino | Il Mulino | "
    "Rizzoli | Garzanti | Carocci | Donzelli | Bollati Boringhieri | Sellerio | Utet | Mursia | Franco Angeli | FrancoAngeli | Marsilio | Guanda | Salani | Sansoni | La Nuova Italia | Anagrama | Alianza | Alianza Editorial | Crítica | Tusquets | Taurus | Siglo XXI | Siglo Veintiuno | Espasa | Espasa Calpe | Espasa-Calpe | Cátedra | Alfaguara | "
    "Seix Barral | Planeta | Ariel | Gredos | Tecnos | Paidós | Akal | Galaxia Gutenberg | Fondo de Cultura Económica | FCE | Sudamericana | Losada | Emecé | Era | Joaquín Mortiz | Trotta | Península | Herder | Gedisa | Temas de Hoy | Revista de Occidente | Companhia das Letras | José Olympio | Record | Zahar | Jorge Zahar | Nova Fronteira | "
    "Brasiliense | Perspectiva | Paz e Terra | Cortez | Vozes | Ática | Martins Fontes | Boitempo | Civilização Brasileira | Todavia | Contexto | Autêntica | Editora 34 | Hucitec | Assírio & Alvim | Bertrand | Caminho | Relógio d'Água | Relógio d’Água | Gradiva | Presença | Tinta-da-china | Edições 70 | Dom Quixote | Inova | Bert Bakker | "
    "De Bezige Bij | Querido | Contact | Atlas Contact | Balans | Prometheus | Meulenhoff | Arbeiderspers | De Arbeiderspers | Van Oorschot | Boom | SUN | Ambo | Amsterdam University Press | Bonniers | Albert Bonniers | Norstedts | Studentlitteratur | Liber | Natur & Kultur | Natur och Kultur | Ordfront | Wahlström & Widstrand | Gyldendal | "
    "Gads | Lindhardt og Ringhof | Hans Reitzel | Hans Reitzels | Samlaget | Aschehoug | Cappelen | Cappelen Damm | Universitetsforlaget | Fagbokforlaget | Pax | Otava | WSOY | Tammi | Gaudeamus | Vastapaino | SKS | Teos | Siltala | Czytelnik | PIW | PWN | Znak | Agora | Czarne | Wydawnictwo Literackie | Ossolineum | Iskry | W.A.B. | "
    "Universitas | Scholar | Portál | Argo | Academia | Paseka | Odeon | Host | Karolinum | Mladá fronta | Grada | Triton | Kalich | Slovart | Kalligram | Tatran | Osiris | Helikon | Magvető | Gondolat | Akadémiai | Európa | Corvina | Napvilág | L'Harmattan | Humanitas | Polirom | Nemira | Cartea Românească | Minerva | Litera | Trei | "
    "Školska knjiga | Matica hrvatska | Matica srpska | Nolit | Prosveta | Clio | Fraktura | Profil | Ljevak | Cankarjeva založba | Mladinska knjiga | İletişim | YKY | Yapı Kredi | Can | Metis | Remzi | Dergâh | Timaş | Kronik | Doğan | İş Bankası | Türkiye İş Bankası | Everest | Alfa | Ayrıntı | Hil | Bilgi | Imge | İmge | Kabalcı | Νεφέλη | Ίκαρος | "
    "Εστία | Κέδρος | Ερμής | Πόλις | Πατάκης | Οδυσσέας | Γνώση | Θεμέλιο | Κείμενα | Καστανιώτης | Μεταίχμιο | Άγρα | Ίνδικτος | Наука | Мысль | Прогресс | Искусство | АСТ | Эксмо | НЛО | Новое литературное обозрение | Художественная литература | Советский писатель | Высшая школа | Просвещение | Гослитиздат | Госполитиздат | Языки русской культуры | "
    "Языки славянской культуры | Политиздат | Худож. лит. | Сов. писатель | Изд-во МГУ | Изд-во ЛГУ | Азбука | Молодая гвардия | Альпина | Corpus | Европа | КСД | Критика | Либідь | Генеза | Основи | Наукова думка | Грані-Т | Наш Формат | Дух і Літера | Фоліо | Темпора | Лыбидь | Веселка | Видавництво Старого Лева | Хермес | Колибри | Захарий Стоянов | دار الساقي | دار الطليعة | دار النهار | دار الشروق | "
    "دار الآداب | دار المعارف | دار الفكر | المركز الثقافي العربي | مركز دراسات الوحدة العربية | نشر نی | نشر مرکز | امیرکبیر | خوارزمی | طرح نو | نگاه | نیلوفر | چشمه | עם עובד | מאגנס | שוקן | הקיבוץ המאוחד | כתר | דביר | Gramedia | Mizan | Serambi | Bentang | LP3ES | Obor | Balai Pustaka | Komunitas Bambu | Kompas | Sinar Harapan | Basic Books | Edicions 62 | Paralela 45 | Editorial 62 | Просвета | Нолит | Carlssons | Prisma | Fremad | Reitzel | C.A. Reitzel | "
    "Aubier | Odile Jacob | Belin | Autrement | Tallandier | La Fabrique | Textuel | Honoré Champion | Droz | Mercure de France | Denoël | Julliard | Christian Bourgois | Raisons d'agir | L'Olivier | Verdier | José Corti | P.O.L | Le Cerf | Kohlhammer | Ch. Links | Siedler | "
    "Propyläen | DVA | Goldmann | Heyne | Hoffmann und Campe | Felix Meiner | Nomos | Böhlau | Wallstein | Franz Steiner | Berenberg | Galiani | Wilhelm Fink | Velbrück | Droemer | Bertelsmann | Oldenbourg | Fischer Taschenbuch | Świat Książki | Pogranicze | Karakter | "
    "Dowody na Istnienie | Marginesy | Wielka Litera | Rebis | Prószyński i S-ka | Zysk i S-ka | Krytyka Polityczna | słowo/obraz terytoria | Aletheia | Bellona | Raffaello Cortina | Il Saggiatore | il Saggiatore | Longanesi | Viella | Olschki | Meltemi | DeriveApprodi | "
    "minimum fax | Castelvecchi | Quodlibet | Pre-Textos | Acantilado | Siruela | Debolsillo | Libros del Asteroide | Impedimenta | Capitán Swing | Marcial Pons | Síntesis | Eterna Cadencia | Eudeba | Lumen | Nórdica | Errata Naturae | Traficantes de Sueños | "
    "LGDJ | Dalloz | Sirey | Litec | Economica | LexisNexis | Edusp | Editora Unesp | Rocco | Objetiva | Intrínseca | L&PM | Almedina | Porto Editora | Morata | Trillas | Graó | Narcea | Octaedro | Porrúa | Amorrortu | "
    "Katz | Debate | Destino | Salamandra | Media Rodzina | Mamania | Otwarte | Muza | Sonia Draga | Czwarta Strona | Nasza Księgarnia | PZWL | GWP | Natuli | Hoepli | Zanichelli | Giappichelli | Giuffrè | Cedam | Neri Pozza | "
    "Chiarelettere | Staatsuitgeverij | Van Wijnen | Nieuw Amsterdam | Walburg Pers | Lannoo | Verloren | Thomas Rap | Thorbecke | Beltz | Juventa | Cornelsen | Cornelsen Scriptor | Springer Vieweg | Klett | Westermann | "
    "Schöningh | Kröner | Hirzel | Kösel | Oekom | МЦНМО | Физматлит | ФИЗМАТЛИТ | Юрайт | Бином"
)
"""Publishers by whose names nobody is called, or that are far more often meant: (Fayard, 1996)."""
