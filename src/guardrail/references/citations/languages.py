"""Words of references in the languages that answers are written in: who did what, where it appeared, pages, editions, places.

Phrases are parted by strokes; a period in them may be absent, but for those that end with an exclamation mark.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = [
    "AND",
    "EDITED",
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
PERSON_TITLES = either(
    "Prof. Dr. | Prof. | Dr. | Dra. | Drs. | Doç. Dr. | GS. TS. | PGS. TS. | GS. | PGS. | проф. | акад. | д-р | Ing. | Mgr. | PhDr. | Doc. | doc. | prof. | dr. | dr hab. | prof. dr hab. | د. | أ.د. | الدكتور | الدكتورة | دکتر | استاد | ד\"ר | פרופ' | "
    "Καθ. | καθ. | δρ. | Δρ. | Hr. | Frau | Herr | Mme"
)
"""Before a name, and no part of it."""
PARTICLES = (
    "van von vom zum zur zu der den de la le les du des del della delle dello degli dei di da dal dalla dos das do e y i bin ibn ben bint al el ter ten te af av st. "
    "wa und uit op het 't in't d l dela las los san santa ul abu abd pour z ze od ap na bar lo"
)
THINGS = either(
    "Spiel | Brettspiel | Computerspiel | Serie | Ausstellung | Begriff | Konzept | Gemälde | Oper | Lied | Bild | Stück | Sinfonie | Gericht | Rezept | Motto | Satz | Wort | Restaurant | Café | Band | Marke | Modell | tableau | toile | opéra | ballet | exposition | concept | notion | terme | mot | expression | "
    "formule | plat | recette | restaurant | série | jeu | chanson | symphonie | sculpture | cuadro | lienzo | ópera | canción | serie | exposición | edificio | término | concepto | palabra | expresión | plato | receta | juego | escultura | sinfonía | quadro | dipinto | affresco | opera | canzone | mostra | termine | "
    "concetto | parola | piatto | ricetta | ristorante | gioco | scultura | sinfonia | tela | pintura | exposição | conceito | palavra | expressão | prato | jogo | schilderij | opera | lied | tentoonstelling | begrip | term | woord | gerecht | spel | målning | utställning | begreppet | ordet | maleri | utstilling | "
    "udstilling | begrebet | maalaus | näyttely | käsite | obraz | opera | piosenka | wystawa | pojęcie | termin | hasło | danie | gra | serial | rzeźba | píseň | výstava | pojem | hra | seriál | festmény | kiállítás | fogalom | dal | játék | sorozat | pictura | tabloul | expoziția | conceptul | jocul | tablo | "
    "sergi | kavram | oyun | dizi | şarkı | πίνακας | έκθεση | όρος | τραγούδι | картина | картину | картины | песня | песню | балет | опера | выставка | понятие | термин | слово | игра | сериал | памятник | картину | пісня | виставка | поняття | термін | гра | серіал | слика | песма | изложба | појам | lukisan | "
    "lagu | pameran | istilah | konsep | permainan | bức tranh | bài hát | khái niệm | لوحة | أغنية | معرض | مفهوم | مصطلح | مسلسل | تابلو | ترانه | نمایشگاه | مفهوم"
)
"""What a title in marks may be the name of, right before it, and no written work."""
