"""Words of references in the languages that answers are written in: who did what, where it appeared, pages, editions, places.

Phrases are parted by strokes; a period in them may be absent, but for those that end with an exclamation mark.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = [
    "AND",
    "BY",
    "CAPITAL",
    "CITY_NAMES",
    "EDITED",
    "EDITED_BY",
    "EDITIONS",
    "ENGLISH",
    "HEADINGS",
    "HOUSE_NAMES",
    "HOUSE_WORDS",
    "IN",
    "JOURNAL_WORDS",
    "LABELS",
    "MEDIA",
    "MONTHS",
    "OPENERS",
    "OTHERS",
    "PAGES",
    "PARTICLES",
    "PERSON_TITLES",
    "READ",
    "ROLES",
    "ROLES_BEHIND",
    "SEE",
    "THESES",
    "THINGS",
    "TOGETHER",
    "VOLUMES",
    "WORKS",
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


CAPITAL = r"[^\W\d_a-zß-öø-ÿа-яёђ-џіїєґά-ώ]"
"""A letter that is no small one; of the Latin letters with a tail or a stroke both count."""
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
ROLES = either(
    "edited by | translated by | illustrated by | edited and translated by | selected by | introduction by | introduced by | with an introduction by | foreword by | preface by | adapted by | compiled by | trans. | tr.! | transl. | "
    "trad. | trad. de | trad. it. di | trad. di | trad. par | trad. por | traducción de | traducido por | traduction de | traduction | traduit par | tradução de | tradução | tradução por | traduzido por | traduzione di | tradotto da | "
    "traducció de | traducere de | traducere din | trad. din | traducere și note de | übersetzt von | übers. von | übers. | dt. von | deutsch von | aus dem | unter mitarbeit von | bearbeitet von | bearb. von | mit einem vorwort von | "
    "mit einer einleitung von | herausgegeben von | hrsg. von | hg. von | eingeleitet von | vert. | vertaald door | vertaling | vertaling van | onder redactie van | o.r.v. | red.! | övers. | översättning | översättning av | i översättning av | "
    "overs. | oversat af | oversatt av | oversettelse ved | på dansk ved | på norsk ved | suom. | suomentanut | toim. | käänt. | przeł. | przekład | przeł. i oprac. | tłum. | tłumaczenie | w przekładzie | pod red. | pod redakcją | red. nauk. | oprac. | opr. | wstęp | "
    "přel. | přeložil | přeložila | přeložili | překlad | z angličtiny přeložil | z angličtiny přeložila | prel. | preložil | preložila | preklad | ford. | fordította | fordítás | szerk. | szerkesztette | prev. | preveo | prevela | prevod | s engleskog preveo | s engleskog prevela | "
    "prijevod | ur.! | uredio | uredila | priredio | priredila | пер. | перевод | в переводе | переклад | у перекладі | в перекладі | под ред. | под общ. ред. | под редакцией | за ред. | за редакцією | ред. | сост. | упоряд. | предисл. | вступ. ст. | авт. предисл. | прев. | превод | превел | превела | "
    "превео | приредио | съст. | çev. | çeviren | türkçesi | yay. haz. | yayına hazırlayan | haz.! | der.! | derleyen | μτφρ. | μετάφραση | μτφ. | επιμ. | επιμέλεια | εισαγωγή | ترجمة | تعريب | تحقيق | تقديم | مراجعة | إعداد | إشراف | ترجمه | ترجمهٔ | ترجمه‌ی | به کوشش | تصحیح | به تصحیح | با مقدمه | "
    "תרגום | תרגם | תרגמה | מאנגלית | עורך | terjemahan | terj. | diterjemahkan oleh | penerjemah | alih bahasa | penyunting | dịch giả | người dịch | bản dịch của | bản dịch | a cura di | a c. di | introduzione di | prefazione di | con prefazione di | postfazione di | "
    "edición de | edición a cargo de | ed. de | ed. crítica de | prólogo de | prologado por | introducción de | estudio preliminar de | selección de | dirigida por | dirigido por | coordinado por | compilado por | editado por | organização de | organizado por | organização | org. de | "
    "préf. | préface de | préfacé par | avant-propos de | prefazione di | pref. di | "
    "prefácio de | introdução de | notas de | edição de | ed. | éd. | éd. par | édité par | édition de | établi par | édition établie par | établie par | sous la direction de | sous la dir. de | dir.! | préface de | postface de | préfacé par | avant-propos de | introduction de | textes réunis par | "
    "présenté par | présentation de | prefață de | ediție îngrijită de | coord. | coordonator"
)
"""Before the names of those who edited, translated or introduced a work."""
ROLES_BEHIND = either("dịch | biên dịch | çevirisi | çevirdi | fordítása | fordításában")
"""The same behind the names."""
BY = either(
    "by | von | de | par | por | di | van | av | af | door | od | от | του | της | των | al lui | a lui | ale lui | lui | oleh | karya | của | autor | auteur | yazan | "
    "تأليف | بقلم | للكاتب | للمؤلف | للدكتور | اثر | نوشته | نوشتهٔ | نوشته‌ی | מאת | של | skrevet av | skrevet af | skriven av | geschrieben von | escrito por | écrit par | scritto da | написана | автора"
)
"""Between a title and who wrote it."""
EDITED_BY = either(
    "edited by | ed. by | ed. | eds. | compiled by | hrsg. von | hg. von | herausgegeben von | sous la direction de | sous la dir. de | dirigé par | édité par | coordonné par | a cura di | a c. di | editado por | coordinado por | compilado por | "
    "edición de | coord.! | organizado por | organização de | org. de | pod red. | pod redakcją | red.! | szerk. | szerkesztette | uredio | uredila | uredili | priredio | priredila | k vydání připravil | под ред. | под редакцией | за ред. | за редакцією | "
    "съст. | под съставителството на | onder redactie van | o.r.v. | redigerad av | redigeret af | redigert av | toim. | toimittanut | derleyen | der.! | yay. haz. | haz.! | coordonator | coord. de | ediție îngrijită de | επιμ. | επιμέλεια | إعداد | إشراف | به کوشش | penyunting | disunting oleh | chủ biên"
)
"""Before the names of those who edited a work, which are given in the place of authors."""
IN = either(
    "in | dans | en | em | im | i | w | v | ve | u | у | в | в кн. | у кн. | в сб. | у зб. | teoksessa | στο | στον | στη | în | dalam | trong | في | ضمن | در | בתוך | içinde | al | nel | nella | ne | nello | nei | no | na"
)
"""Before what a chapter or an article is in, mostly with a colon."""
PAGES = either(
    "p. | pp. | pg. | page | pages | pag. | pág. | págs. | pagg. | S. | s. | ss. | sid. | sidor | Seiten | Seite | str. | стр. | стор. | с. | С. | σ. | σσ. | σελ. | o. | old. | sivut | hlm. | hal. | h. | tr.! | ص | ص. | صص | صص. | עמ' | עמ׳ | bl. | blz. | lk. | ст."
)
VOLUMES = either(
    "vol. | vols. | v. | no. | nos. | nr. | n. | n° | nº | n.º | núm. | num. | numéro | número | numero | issue | volume | number | № | Bd. | Bde. | Band | Heft | H. | Jg. | Jahrgang | t. | tom | tome | tomes | tomo | tomos | ch. | chap. | cap. | kap. | Kap. | розд. | "
    "art. | article | т. | вып. | вип. | ч. | кн. | том | бр. | књ. | бр | č. | čís. | roč. | ročník | sv. | svazek | årg. | häfte | bd. | bind | del | deel | jrg. | afl. | nummer | osa | nide | cilt | c. | sayı | sy. | jilid | jil. | edisi | tập | số | quyển | fasc. | cz. | z. | zesz. | rok | "
    "évf. | köt. | kötet | sz. | god. | br. | knj. | τόμ. | τ. | τχ. | τεύχος | المجلد | مج. | مج | العدد | ع. | ع | ج | الجزء | جلد | ج. | شماره | دوره | س | כרך | גיליון | חוב' | delo | parte | partie | teil | T. | coll. | edição | serie | sect. | sec."
)
"""Before or behind the number of a volume, an issue, a part."""
EDITIONS = either(
    "ed. | edn. | edition | edición | edição | edizione | éd. | édition | Aufl. | Auflage | Ausg. | Ausgabe | druk | uppl. | upplagan | upplaga | utg. | utgave | udg. | udgave | oplag | opplag | p. painos | painos | laitos | wyd. | wydanie | vyd. | vydání | vydanie | kiadás | kiad. | "
    "izd. | izdanje | изд. | издание | вид. | видання | baskı | basım | bs. | έκδ. | έκδοση | ediția | ed. a | cet. | cetakan | tái bản | ط | طبعة | الطبعة | چاپ | מהדורה | rev. | перераб. и доп. | перероб. та розшир. | перероб. і доп. | испр. и доп. | доп. | přeprac. | dopl. | upr. | nezm. | jav. | bőv. | átd. | aktual. | rozš. | popr. i uzup. | "
    "revid. | revidiert | überarb. | überarbeitete | erw. | erweiterte | durchges. | revue et augmentée | rev. e ampl. | rev. y aum. | genişletilmiş | gözden geçirilmiş"
)
"""Behind or before the number of an edition."""
MONTHS = either(
    "January | February | March | April | May | June | July | August | September | October | November | December | Januar | Jänner | Februar | März | Mai | Juni | Juli | Oktober | Dezember | "
    "janvier | février | mars | avril | mai | juin | juillet | août | septembre | octobre | novembre | décembre | enero | febrero | marzo | abril | mayo | junio | julio | agosto | septiembre | setiembre | octubre | noviembre | diciembre | "
    "janeiro | fevereiro | março | maio | junho | julho | setembro | outubro | novembro | dezembro | gennaio | febbraio | aprile | maggio | giugno | luglio | settembre | ottobre | dicembre | januari | februari | maart | mei | juni | juli | augustus | oktober | "
    "april | maj | augusti | stycznia | lutego | marca | kwietnia | maja | czerwca | lipca | sierpnia | września | października | listopada | grudnia | января | февраля | марта | апреля | мая | июня | июля | августа | сентября | октября | ноября | декабря | "
    "січня | лютого | березня | квітня | травня | червня | липня | серпня | вересня | жовтня | листопада | грудня | ocak | şubat | mart | nisan | mayıs | haziran | temmuz | ağustos | eylül | ekim | kasım | aralık"
)
READ = frozenset(
    [
        "lisez",
        "consultez",
        "essayez",
        "découvrez",
        "citez",
        "leggete",
        "leggere",
        "consulten",
        "leiam",
        "przeczytaj",
        "čtěte",
        "přečtěte",
        "читайте",
        "прочтите",
        "прочитайте",
        "okuyun",
    ]
)
"""What readers are asked to do, before an author: Lisez C. Durand, « Le fleuve muet ». No word that is a surname, as Lis and Lees are."""
OPENERS = READ | frozenset(
    [
        "potem", "następnie", "później", "dann", "danach", "später", "außerdem", "daneben", "ensuite", "puis", "enfin", "poi", "quindi", "infine", "luego", "después", "además",
        "depois", "sedan", "därefter", "daarna", "verder", "zatím", "potom", "pak", "затем", "потом", "далее", "потім", "далі", "sonra", "ayrıca", "później", "lesen", "nehmen", "greifen", "sie",
        "aquel", "aquella", "as", "az", "bir", "bu", "ce", "cet", "cette", "das", "dem", "denne", "der", "dette", "die", "diese", "dieser",
        "dieses", "egy", "ein", "eine", "einem", "einen", "esta", "este", "et", "ett", "gli", "ihre", "il", "ini", "its", "itu", "le",
        "les", "lo", "onun", "os", "questa", "questo", "sa", "seine", "ses", "seu", "son", "sua", "suo", "ta", "tato", "ten", "tento",
        "to", "um", "uma", "una", "unas", "une", "uno", "unos", "ένα", "μια", "οι", "τα", "som", "jak", "jako", "kako", "kao", "kuten",
        "mint", "gibi", "όπως", "както", "det", "den", "ja", "oppure", "enfin", "ensuite", "puis", "dans", "voir", "selon", "avec", "chez",
        "pour", "de", "d'après", "lire", "citons", "comme", "ainsi", "el", "la", "los", "las", "en", "según", "ver", "véase", "con",
        "para", "desde", "como", "leer", "in", "im", "bei", "nach", "laut", "siehe", "vgl.", "zu", "von", "auch", "mit", "wie", "für",
        "aus", "secondo", "nel", "nella", "vedi", "come", "da", "per", "tra", "segundo", "em", "no", "na", "com", "veja", "cf.", "lees",
        "volgens", "bij", "zie", "van", "het", "een", "over", "w", "według", "zob.", "por.", "u", "od", "do", "dla", "o", "podle", "viz",
        "v", "ve", "z", "ze", "enligt", "se", "i", "jfr", "av", "af", "för", "ifølge", "hos", "med", "på", "katso", "ks.", "mukaan",
        "lásd", "szerint", "по", "в", "см.", "согласно", "за", "у", "див.", "згідно", "при", "о", "об", "из", "для", "и", "а", "но", "та",
        "як", "κατά", "ο", "η", "το", "στο", "στη", "στην", "του", "της", "βλ.", "και", "potrivit", "conform", "vezi", "și", "un", "lihat",
        "menurut", "dalam", "oleh", "dan", "xem", "theo", "trong", "của", "và", "انظر", "في", "عند", "مع", "وفي", "كما", "در", "از", "به",
        "با", "göre", "bkz.", "için", "ile", "also", "see", "the",
    ]
)  # fmt: skip
"""Words that begin sentences and are no names."""
PERSON_TITLES = either(
    "Prof. Dr. | Prof. | Dr. | Dra. | Drs. | Doç. Dr. | GS. TS. | PGS. TS. | GS. | PGS. | проф. | акад. | д-р | Ing. | Mgr. | PhDr. | Doc. | doc. | prof. | dr. | dr hab. | prof. dr hab. | د. | أ.د. | الدكتور | الدكتورة | دکتر | استاد | ד\"ר | פרופ' | "
    "Καθ. | καθ. | δρ. | Δρ. | Hr. | Frau | Herr | Mme"
)
"""Before a name, and no part of it."""
PARTICLES = (
    "van von vom zum zur zu der den de la le les du des del della delle dello degli dei di da dal dalla dos das do e y i bin ibn ben bint al el ter ten te af av st. "
    "wa und uit op het 't in't d l dela las los san santa ul abu abd pour z ze od ap na bar lo"
)
WORKS = either(
    "livre | livres | ouvrage | ouvrages | références | bibliographie | sources | lectures | articles | romans | essais | Buch | Bücher | Literatur | Literaturverzeichnis | Quellen | Werke | Standardwerke | Klassiker | Aufsätze | Artikel | Romane | "
    "libro | libros | obras | referencias | bibliografía | fuentes | artículos | lecturas | novelas | ensayos | livro | livros | referências | bibliografia | artigos | leituras | romances | ensaios | libri | testi | saggi | romanzi | titoli | letture | opere | "
    "boek | boeken | literatuur | literatuurlijst | bronnen | artikelen | böcker | boken | litteratur | litteraturlista | referenser | källor | artiklar | bøger | bøker | litteraturliste | referencer | referanser | kilder | artikler | kirja | kirjoja | kirjat | kirjallisuus | lähteet | artikkelit | "
    "książki | książek | bibliografia | literatura | źródła | prace | artykuły | knihy | knih | zdroje | citace | články | knjige | knjiga | literaturu | izvori | članci | könyvek | könyveket | könyv | irodalom | irodalomjegyzék | források | tanulmányok | cărți | cărților | bibliografie | articole | surse | "
    "kitap | kitaplar | kitapları | kaynakça | kaynaklar | makaleler | eserler | βιβλία | βιβλίο | βιβλιογραφία | άρθρα | πηγές | έργα | книги | книг | литература | литературу | список литературы | источники | статьи | работы | работ | труды | "
    "книжки | книжок | література | літератури | джерела | статті | праці | литературата | източници | списък с литература | buku | daftar pustaka | referensi | artikel | sách | cuốn sách | tài liệu tham khảo | tác phẩm | bài báo | "
    "كتب | الكتب | كتاب | مراجع | المراجع | مصادر | المصادر | مقالات | کتاب | کتاب‌ها | کتابها | منابع | مقاله | ספרים | ספר | מקורות | מאמרים | ביבליוגרפיה | किताबें | पुस्तकें"
)
"""Written works, and headings of their lists."""
HEADINGS = either(
    "références | références bibliographiques | bibliographie | ouvrages cités | sources | Literatur | Literaturverzeichnis | Literaturliste | Quellen | Quellenverzeichnis | Weiterführende Literatur | referencias | referencias bibliográficas | bibliografía | fuentes | obras citadas | referências | "
    "referências bibliográficas | bibliografia | obras citadas | riferimenti | riferimenti bibliografici | fonti | literatuur | literatuurlijst | bronnen | bronvermelding | referenties | referenser | källor | källförteckning | litteratur | litteraturförteckning | vidare läsning | litteraturliste | referencer | referanser | kilder | "
    "lähteet | lähdeluettelo | kirjallisuus | kirjallisuusluettelo | literatura | źródła | literatura przedmiotu | zdroje | použitá literatura | seznam literatury | seznam použité literatury | zoznam literatúry | použité zdroje | popis literature | literatura i izvori | izvori | irodalom | irodalomjegyzék | felhasznált irodalom | "
    "források | bibliografie | referințe | referințe bibliografice | surse | kaynakça | kaynaklar | βιβλιογραφία | βιβλιογραφικές αναφορές | πηγές | литература | список литературы | список использованной литературы | источники | библиография | література | список літератури | список використаних джерел | джерела | "
    "използвана литература | daftar pustaka | daftar rujukan | referensi | tài liệu tham khảo | المراجع | المصادر | المصادر والمراجع | قائمة المراجع | منابع | فهرست منابع | مراجع | מקורות | ביבליוגרפיה | רשימת מקורות | संदर्भ | kirjandus | viited | literatūra | šaltiniai"
)
"""Headings of lists of references."""
MEDIA = either(
    "film | films | cinéma | chanson | chansons | album | albums | jeu vidéo | jeux vidéo | filme | filmen | song | songs | gemälde | videospiel | videospiele | película | películas | canción | canciones | videojuego | "
    "videojuegos | filme | filmes | canção | canções | pellicola | pellicole | canzone | canzoni | dipinto | dipinti | videogioco | videogiochi | liedje | liedjes | schilderij | schilderijen | filmer | låt | låtar | "
    "målning | målningar | filmy | filmów | filmu | piosenka | piosenki | płyta | płyty | serial | seriale | filmů | píseň | písně | filmovi | pjesma | pjesme | pesma | pesme | festmény | cântec | cântece | filmler | "
    "filmleri | filmi | şarkı | şarkılar | ταινία | ταινίες | τραγούδι | τραγούδια | фильм | фильмы | фильмов | песня | песни | альбом | альбомы | сериал | сериалы | фільм | фільми | пісня | пісні | альбоми | серіал | "
    "серіали | филм | филми | филмови | lukisan | phim | bài hát | bức tranh | elokuva | elokuvia | elokuvat | kappale | maalaus | فيلم | أفلام | الأفلام | أغنية | مسلسل | فیلم | فیلم‌ها | ترانه | סרט | סרטים | "
    "réalisé par | réalisateur | regista | reż. | režie | režisér | режиссёр | режиссер | режисер | yönetmen | yönetmeni | σκηνοθεσία | إخراج | کارگردان"
)
"""Works that are no writings, in small letters."""
ENGLISH = frozenset(
    [
        "the", "of", "and", "is", "that", "with", "was", "by", "for", "this", "are", "from", "which", "its", "his", "her", "their", "on",
        "as", "it", "to", "has", "have", "had", "been", "were", "since", "but", "you", "your", "not", "they", "than", "more", "into",
        "about", "who", "what", "when", "where", "how", "or", "an", "can", "will", "would", "should",
    ]
)  # fmt: skip
"""The most frequent words of English."""
SEE = either(
    "siehe | siehe auch | s. auch | vgl. | vgl. auch | vgl. dazu | so auch | etwa | voir | voir aussi | cf. | cfr. | véase | véase también | ver | ver también | ver também | veja | veja-se | vedi | si veda | zie | zie ook | vgl. ook | jfr | jfr. | jf. | se | se även | se også | ks. | vrt. | lásd | ld. | vö. | "
    "zob. | zob. też | por. | viz | viz též | srov. | porov. | pozri | vidi | usp. | см. | см. также | ср. | напр. | див. | див. також | вж. | срв. | bkz. | ayrıca bkz. | βλ. | πρβλ. | vezi | vezi și | cf. și | lihat | lihat juga | bdk. | xem | xem thêm | انظر | راجع | ر.ک. | نک. | ראו | ראה | "
    "z. B. | p. ex. | por ejemplo | por exemplo | ad esempio | bijv. | t.ex. | f.eks. | esim. | np. | např. | pl. | например | наприклад | örn. | π.χ. | misalnya | ví dụ"
)
"""Before a mark of author and year: see, compare, for example."""
LABELS = {
    "title": "titre | titel | título | titulo | titolo | tytuł | název | názov | naslov | cím | titlu | titul | başlık | eser | eser adı | kitap | kitap adı | τίτλος | название | заглавие | назва | наслов | judul | tên sách | tiêu đề | العنوان | عنوان | כותרת | ouvrage | livre | buch | libro | livro | "
    "bok | bog | kirja | nimi | nimeke | książka | kniha | knjiga | könyv | carte | βιβλίο | книга | buku | sách | كتاب | کتاب | ספר | शीर्षक | boek",
    "authors": "auteur | auteurs | auteure | autrice | autor | autora | autores | autoren | autorin | verfasser | verfasserin | autore | autori | schrijver | schrijvers | författare | forfatter | forfattere | tekijä | tekijät | kirjoittaja | autorzy | autorka | autoři | auteur(s) | autor(en) | "
    "autor(es) | autore/i | szerző | szerzők | autori | yazar | yazarlar | yazarı | συγγραφέας | συγγραφείς | автор | авторы | автори | aвтор | penulis | pengarang | tác giả | المؤلف | المؤلفون | تأليف | الكاتب | نویسنده | نویسندگان | מחבר | מחברים | מחברת | लेखक",
    "year": "année | année de publication | date | date de parution | jahr | erscheinungsjahr | erschienen | año | año de publicación | ano | ano de publicação | anno | anno di pubblicazione | jaar | jaar van uitgave | verschenen | år | utgivningsår | utgivelsesår | udgivelsesår | vuosi | julkaisuvuosi | "
    "julkaistu | rok | rok wydania | rok vydání | rok vydania | godina | godina izdanja | év | megjelenés | megjelenés éve | anul | anul apariției | an | yıl | yayın yılı | basım yılı | ilk baskı | ilk basım | yayım yılı | έτος | έτος έκδοσης | έκδοση | год | год издания | рік | рік видання | година | "
    "tahun | tahun terbit | năm | năm xuất bản | السنة | سنة النشر | الطبعة | سال | سال انتشار | שנה | שנת הוצאה | वर्ष | première édition | erstausgabe | primera edición | primeira edição | prima edizione | eerste druk | pierwsze wydanie | první vydání",
    "venue": "éditeur | maison d'édition | édition | revue | publié dans | verlag | zeitschrift | erschienen in | erschienen bei | editorial | revista | publicado en | editora | publicado em | editore | casa editrice | rivista | pubblicato in | uitgever | uitgeverij | tijdschrift | gepubliceerd in | "
    "förlag | utgivare | tidskrift | forlag | forlaget | udgiver | utgiver | tidsskrift | kustantaja | lehti | julkaisija | wydawnictwo | wydawca | czasopismo | nakladatelství | nakladatel | časopis | vydavateľstvo | vydavatel | izdavač | nakladnik | časopis | kiadó | folyóirat | editura | revista | "
    "yayınevi | yayıncı | yayınlayan | dergi | εκδότης | εκδόσεις | εκδοτικός οίκος | περιοδικό | издательство | журнал | видавництво | издателство | списание | издавач | penerbit | jurnal | nhà xuất bản | nxb | tạp chí | الناشر | دار النشر | المجلة | ناشر | انتشارات | مجله | הוצאה | הוצאת | כתב עת | प्रकाशक",
}
"""Labels of the fields of a work, in small letters."""
THINGS = either(
    "Spiel | Brettspiel | Computerspiel | Serie | Ausstellung | Begriff | Konzept | Gemälde | Oper | Lied | Bild | Stück | Sinfonie | Gericht | Rezept | Motto | Satz | Wort | Restaurant | Café | Band | Marke | Modell | tableau | toile | opéra | ballet | exposition | concept | notion | terme | mot | expression | "
    "formule | plat | recette | restaurant | série | jeu | chanson | symphonie | sculpture | cuadro | lienzo | ópera | canción | serie | exposición | edificio | término | concepto | palabra | expresión | plato | receta | juego | escultura | sinfonía | quadro | dipinto | affresco | opera | canzone | mostra | termine | "
    "concetto | parola | piatto | ricetta | ristorante | gioco | scultura | sinfonia | tela | pintura | exposição | conceito | palavra | expressão | prato | jogo | schilderij | opera | lied | tentoonstelling | begrip | term | woord | gerecht | spel | målning | utställning | begreppet | ordet | maleri | utstilling | "
    "udstilling | begrebet | maalaus | näyttely | käsite | obraz | opera | piosenka | wystawa | pojęcie | termin | hasło | danie | gra | serial | rzeźba | píseň | výstava | pojem | hra | seriál | festmény | kiállítás | fogalom | dal | játék | sorozat | pictura | tabloul | expoziția | conceptul | jocul | tablo | "
    "sergi | kavram | oyun | dizi | şarkı | πίνακας | έκθεση | όρος | τραγούδι | картина | картину | картины | песня | песню | балет | опера | выставка | понятие | термин | слово | игра | сериал | памятник | картину | пісня | виставка | поняття | термін | гра | серіал | слика | песма | изложба | појам | lukisan | "
    "lagu | pameran | istilah | konsep | permainan | bức tranh | bài hát | khái niệm | لوحة | أغنية | معرض | مفهوم | مصطلح | مسلسل | تابلو | ترانه | نمایشگاه | مفهوم"
)
"""What a title in marks may be the name of, right before it, and no written work."""
THESES = either(
    "PhD thesis | PhD diss. | thèse de doctorat | thèse | mémoire de maîtrise | mémoire de master | tesis doctoral | tesis de doctorado | tese de doutorado | tese de doutoramento | dissertação de mestrado | tesi di laurea | tesi di dottorato | Dissertation | Diss. | Habilitationsschrift | Habil. | "
    "Magisterarbeit | Masterarbeit | rozprawa doktorska | praca doktorska | praca magisterska | disertační práce | dizertační práce | diplomová práce | bakalářská práce | dizertačná práca | väitöskirja | pro gradu | doktorsavhandling | avhandling | doktorgradsavhandling | ph.d.-afhandling | "
    "proefschrift | doktora tezi | yüksek lisans tezi | disertasi | skripsi | luận án tiến sĩ | luận án | doktori disszertáció | teză de doctorat | doktorska disertacija | дис. ... канд. наук | автореф. дис. | διδακτορική διατριβή | رسالة دكتوراه | أطروحة دكتوراه | پایان‌نامه | "
    "сб. ст. | сб. науч. тр. | сборник статей | сборник | монография | учебник | учеб. пособие | учебное пособие | зб. наук. пр. | збірник | монографія | навч. посіб. | собр. соч. | избр. тр. | roman | romanzo | novela | essai | Essay | Aufsatz"
)
"""What a work is, where it says so behind the title."""
HOUSE_WORDS = (
    "Verlag | Verlagsanstalt | Éditions | Éditeur | Éditeurs | Presses | Librairie | Editorial | Editores | Ediciones | Editora | Edições | Edizioni | Editore | Editori | Edicions | Uitgeverij | Uitgevers | Uitgeversmij | Förlag | Förlaget | Bokförlag | Bokförlaget | Forlag | Forlaget | Kustannus | "
    "Kustannusosakeyhtiö | Wydawnictwo | Wydawnictwa | Oficyna | Nakladatelství | Nakladatelstvo | Vydavatelství | Vydavateľstvo | Kiadó | Könyvkiadó | Editura | Yayınları | Yayınevi | Yayıncılık | Yayın | Kitabevi | Kitap | Εκδόσεις | Издательство | Изд-во | Видавництво | Издателство | Nakladni | Naklada | "
    "Nhà xuất bản | NXB | Nxb | Penerbit | Penerbitan | Pustaka | Yayasan | دار | مؤسسة | مركز | منشورات | المركز | الهيئة | مكتبة | انتشارات | نشر | הוצאת | Založba | Kirjastus | Leidykla | Apgāds | Universitätsverlag | Universitetsforlaget | Издательский | Uniwersytetu | Imprenta | Tipografia | "
    "Kitapları | प्रकाशन | Université | Universidad | Universidade | Università | Universität | Universiteit | Universitet | Universitetet | Uniwersytet | Univerzita | Univerzitet | Sveučilište | Университет | Університет | "
    "Üniversitesi | Πανεπιστήμιο | Yliopisto | Egyetem | Egyetemi | Universitatea | Universitas | جامعة | دانشگاه | האוניברסיטה"
)
"""Words in the names of publishers."""
JOURNAL_WORDS = (
    "Zeitschrift | Archiv | Annalen | Jahrbuch | Jahrbücher | Vierteljahrschrift | Vierteljahresschrift | Revue | Annales | Cahiers | Revista | Anuario | Anuário | Cuadernos | Cadernos | Boletín | Boletim | Rivista | Quaderni | Tijdschrift | Tidskrift | Tidsskrift | Aikakauskirja | Przegląd | "
    "Kwartalnik | Rocznik | Časopis | Sborník | Szemle | Folyóirat | Вестник | Вопросы | Известия | Журнал | Труды | Вісник | Питання | Записки | Списание | Часопис | Dergisi | Mecmuası | Jurnal | Majalah | Tạp chí | مجلة | حولية | فصلنامه | مجله | Περιοδικό | Επετηρίς | Revista de"
)
"""Words in the names of journals."""
CITY_NAMES = """
    paris lyon vic girona lleida palma bp pitești craiova brașov sibiu oradea žilina trnava prešov nitra osijek zadar pula maribor rijeka veszprém pécs miskolc marseille toulouse rennes grenoble bruxelles brüssel brussel louvain leuven genève genf lausanne neuchâtel fribourg montréal québec london londres londra berlin berlín wien vienna viena vienne
    münchen munich hamburg leipzig stuttgart köln cologne bonn bielefeld göttingen heidelberg freiburg darmstadt wiesbaden hannover dresden weimar jena halle mainz mannheim marburg münster konstanz opladen reinbek
    frankfurt tübingen würzburg zürich zurich basel bern graz innsbruck salzburg madrid barcelona valencia sevilla granada salamanca pamplona bilbao zaragoza santiago bogotá lima caracas quito
    montevideo asunción habana milano torino roma rome bologna firenze napoli venezia padova pisa bari genova palermo palerme lisboa lisbon coimbra porto braga brasília campinas curitiba salvador recife petrópolis
    boston chicago oxford cambridge princeton berkeley москва ленинград санкт-петербург петербург петроград киев киів київ харьков харків львів одеса минск новосибирск екатеринбург казань софия пловдив београд београд скопје
    dordrecht amsterdam leiden utrecht rotterdam haarlem groningen nijmegen delft assen antwerpen gent 's-gravenhage stockholm lund uppsala göteborg malmö linköping umeå københavn copenhagen aarhus århus odense oslo bergen
    trondheim stavanger helsinki tampere turku åbo jyväskylä oulu porvoo helsingfors reykjavík warszawa kraków wrocław poznań gdańsk łódź lublin toruń katowice praha brno olomouc ostrava plzeň bratislava košice martin
    budapest szeged debrecen pécs bucurești cluj cluj-napoca iași timișoara sibiu zagreb beograd ljubljana sarajevo split rijeka skopje sofia istanbul ankara izmir i̇stanbul i̇zmir bursa αθήνα θεσσαλονίκη πάτρα ηράκλειο
    λευκωσία بيروت القاهرة دمشق بغداد عمان الرباط تونس الجزائر الكويت الرياض جدة لندن باريس تهران اصفهان شیراز مشهد קום ירושלים hanoi huế jakarta yogyakarta bandung surabaya tallinn tartu
    rīga vilnius kaunas delhi दिल्ली manila méxico
"""
"""Cities where books are published, as their languages write them, in small letters, those of one word."""
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
