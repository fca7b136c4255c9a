"""Publishers with a comma in their names, kinds of publications, editions, and cities of publishers."""

from __future__ import annotations

import re

from guardrail.references.citations.languages import CITY_NAMES, HOUSE_NAMES, HOUSE_WORDS, either

__all__ = [
    "CITIES",
    "EDITION",
    "HOUSES",
    "KINDS",
    "is_in_series",
    "is_named_press",
    "is_press",
    "one_house",
    "press_at",
]

HOUSES = re.compile(
    r"(?:Farrar,? Straus,? (?:and|&) (?:Giroux|Young|Cudahy)|Little,? Brown(?: and Company)?|Harcourt,? Brace(?:,? Jovanovich)?(?: and Company)?|"
    r"Holt,? Rinehart,? (?:and|&) Winston|Charles Scribner['’]s Sons|G\. ?P\. Putnam['’]s Sons|W\. ?W\. Norton(?: (?:and|&) Company)?|W\. ?H\. Freeman(?: and Company)?|"
    r"John Wiley (?:and|&) Sons|Alfred A\. Knopf|L\. Erlbaum(?: Associates)?|J\. ?Wiley(?: (?:and|&) Sons)?|J\. ?B\. Lippincott|B\. ?G\. Teubner|Mohr(?: Siebeck)?(?:,? Paul Siebeck)?)"
)
"""Publishers whose names have a comma or a period in them."""
_PRESSES = frozenset(
    name.strip()
    for name in [
        "\n    abrams",
        "ace",
        "addison-wesley",
        "akal",
        "alianza",
        "allen lane",
        "allen & unwin",
        "allen and unwin",
        "albin michel",
        "actes sud",
        "adelphi",
        "alfaguara",
        "alfred a. knopf",
        "almedina",
        "anagrama",
        "anchor",
        "anchor books",
        "\n    ariel",
        "armand colin",
        "ashgate",
        "athlone",
        "aufbau",
        "ballantine",
        "bantam",
        "basic books",
        "beacon",
        "belknap",
        "belles lettres",
        "les belles lettres",
        "berghahn",
        "birkhäuser",
        "blackwell",
        "bloomsbury",
        "bollati boringhieri",
        "\n    bompiani",
        "bonniers",
        "brill",
        "böhlau",
        "c.h. beck",
        "c. h. beck",
        "beck",
        "cambridge",
        "cape",
        "jonathan cape",
        "carocci",
        "cátedra",
        "cengage",
        "chapman & hall",
        "chapman and hall",
        "chatto & windus",
        "chelsea green",
        "chronicle",
        "\n    chronicle books",
        "civilização brasileira",
        "clarendon",
        "collins",
        "companhia das letras",
        "continuum",
        "crc",
        "crítica",
        "crown",
        "currency",
        "czytelnik",
        "de bezige bij",
        "de gruyter",
        "walter de gruyter",
        "doubleday",
        "dover",
        "\n    dtv",
        "dunod",
        "dutton",
        "e.p. dutton",
        "ecco",
        "editora 34",
        "edward elgar",
        "einaudi",
        "elsevier",
        "erlbaum",
        "lawrence erlbaum",
        "faber",
        "faber & faber",
        "faber and faber",
        "fayard",
        "feltrinelli",
        "fischer",
        "s. fischer",
        "\n    flammarion",
        "fondo de cultura económica",
        "fsg",
        "gallimard",
        "garland",
        "garzanti",
        "gedisa",
        "gollancz",
        "victor gollancz",
        "gradiva",
        "granta",
        "grasset",
        "greenwood",
        "gredos",
        "grove",
        "hachette",
        "hackett",
        "hanser",
        "carl hanser",
        "\n    harcourt",
        "harcourt brace",
        "harper",
        "harper & brothers",
        "harper & row",
        "harper and row",
        "harpercollins",
        "harper perennial",
        "harvill",
        "heinemann",
        "henry holt",
        "herder",
        "hodder",
        "hill & wang",
        "hill and wang",
        "hogarth",
        "holt",
        "houghton mifflin",
        "\n    hutchinson",
        "il mulino",
        "iletişim",
        "i̇letişim",
        "iletişim yayınları",
        "insel",
        "james currey",
        "jossey-bass",
        "karger",
        "kiepenheuer & witsch",
        "klett-cotta",
        "vittorio klostermann",
        "klostermann",
        "knopf",
        "kluwer",
        "knaus",
        "\n    la découverte",
        "laterza",
        "le seuil",
        "seuil",
        "lippincott",
        "lippincott williams & wilkins",
        "little, brown",
        "luchterhand",
        "macmillan",
        "manning",
        "mariner",
        "mcgraw-hill",
        "methuen",
        "metis",
        "max niemeyer",
        "niemeyer",
        "\n    michael joseph",
        "minuit",
        "les éditions de minuit",
        "mondadori",
        "morgan kaufmann",
        "mosby",
        "no starch",
        "norstedts",
        "north-holland",
        "norton",
        "open court",
        "o'reilly",
        "palgrave",
        "palgrave macmillan",
        "pantheon",
        "\n    payot",
        "pelican",
        "penguin",
        "pergamon",
        "perseus",
        "perspectiva",
        "phaidon",
        "picador",
        "piper",
        "planeta",
        "plenum",
        "plon",
        "polity",
        "prentice hall",
        "prentice-hall",
        "presença",
        "profile",
        "prometheus",
        "puf",
        "putnam",
        "\n    pwn",
        "random house",
        "reclam",
        "record",
        "relógio d'água",
        "riverhead",
        "rizzoli",
        "rodale",
        "routledge",
        "routledge & kegan paul",
        "rowman & littlefield",
        "rowohlt",
        "rutledge",
        "sage",
        "saunders",
        "schocken",
        "schöningh",
        "\n    scribe",
        "scribner",
        "scribner's",
        "secker & warburg",
        "seix barral",
        "siglo xxi",
        "signet",
        "simon & schuster",
        "simon and schuster",
        "sinauer",
        "springer",
        "st. martin's",
        "suhrkamp",
        "sudamericana",
        "tarcher",
        "taurus",
        "\n    taylor & francis",
        "ten speed",
        "thames & hudson",
        "thames and hudson",
        "thieme",
        "times books",
        "tor",
        "trotta",
        "tusquets",
        "ullstein",
        "utet",
        "van nostrand",
        "vandenhoeck & ruprecht",
        "verso",
        "viking",
        "vintage",
        "virago",
        "\n    voltaire foundation",
        "vozes",
        "vrin",
        "w. w. norton",
        "w.w. norton",
        "wbg",
        "weidenfeld & nicolson",
        "westview",
        "wiley",
        "wiley-blackwell",
        "john wiley",
        "wiley-vch",
        "workman",
        "yapı kredi",
        "yapı kredi yayınları",
        "zahar",
        "\n    zed books",
        "znak",
        "zone books",
        "zsolnay",
        "наука",
        "мысль",
        "прогресс",
        "аст",
        "азбука",
        "эксмо",
        "высшая школа",
        "художественная литература",
        "новое литературное обозрение",
        "нло",
        "языки славянских культур\n    ",
    ]
)
_WITH_PRESS = re.compile(
    rf"(?<!\w)(?:Press|UP|U\.P\.|Publish\w{{2,4}}|Publications|Books|Editions|Editrice|University|Univ\.|{either(HOUSE_WORDS)})(?!\w)"
)
_NAMED_PRESS = re.compile(HOUSE_NAMES)


def is_named_press(name: str) -> bool:
    """Whether a text is the name of a known publisher outside the English-speaking countries."""
    return _NAMED_PRESS.fullmatch(name) is not None


def press_at(text: str, at: int) -> re.Match[str] | None:
    """A known publisher with a period in its name, if it is named here in whole: Худож. лит., 1969."""
    found = _NAMED_PRESS.match(text, at)
    return (
        found
        if found and "." in found[0][:-1] and text[found.end() : found.end() + 1] in tuple(",;)")
        else None
    )


def is_press(name: str) -> bool:
    """Whether a text is the name of a publisher: a known one, or one that says so.

    Example:
        >>> is_press("Palgrave Macmillan"), is_press("Duke University Press"), is_press("Donald Richie")
        (True, True, False)
    """
    bare = " ".join(name.replace("’", "'").split()).strip(" .,;:*_").removesuffix(" & Co")
    return (
        bare.casefold() in _PRESSES
        or _NAMED_PRESS.fullmatch(bare) is not None
        or _WITH_PRESS.search(bare) is not None
        or HOUSES.fullmatch(bare) is not None
        or ("/" in bare and all(is_press(part) for part in bare.split("/", 3)))  # Gallimard/Seuil
    )


_FAMILIES = [
    frozenset(name.strip() for name in family.split("|"))
    for family in (
        "penguin|viking|random house|knopf|vintage|crown|bantam|dell|allen lane|doubleday|pantheon|anchor|ballantine|dutton|putnam|riverhead|hamish hamilton|jonathan cape|"  # noqa: ISC004  # one family on two lines
        "chatto & windus|chatto and windus|secker & warburg|harvill secker|bodley head|michael joseph|schocken|modern library|everyman's library|puffin|berkley|tarcher|portfolio",
        "macmillan|farrar, straus and giroux|farrar|fsg|henry holt|holt|picador|st. martin's|st martin's|tor|palgrave|pan|metropolitan|flatiron|hill and wang|times books",
        "harpercollins|harper|harper & row|harper & brothers|harperperennial|perennial|william morrow|morrow|collins|fontana|basic books|ecco|avon|houghton mifflin|mariner|harcourt",
        "simon & schuster|simon and schuster|scribner|scribner's|free press|atria|pocket books|touchstone|gallery",
        "hachette|little, brown|little brown|grand central|basic books|publicaffairs|perseus|orion|weidenfeld & nicolson|weidenfeld and nicolson|hodder & stoughton|hodder|john murray|da capo|virago",
        "pearson|prentice hall|prentice-hall|phi|addison-wesley|addison wesley|longman|allyn & bacon|benjamin cummings",
        "harvard university press|belknap|hup|loeb classical library",
        "oxford university press|clarendon|oup",
        "wiley|jossey-bass|john wiley|blackwell|wiley-blackwell|wiley-interscience",
        "routledge|taylor & francis|taylor and francis|crc|chapman & hall|chapman and hall|psychology press|lawrence erlbaum|erlbaum|kegan paul|tavistock|garland",
        "springer|birkhäuser|palgrave|apress|kluwer|plenum|teubner",
        "elsevier|academic press|morgan kaufmann|north-holland|north holland|butterworth|pergamon|churchill livingstone|saunders|mosby",
        "american mathematical society|ams|ams chelsea|chelsea",
        "rowohlt|rororo",
        "suhrkamp|insel",
        "verso|new left books|nlb",
        "bloomsbury|continuum|a&c black|methuen|berg",
    )
]
"""Houses that belong together, and their imprints: of one book, either may be named."""


def one_house(name: str, other: str) -> bool:
    """Whether two names are of publishers that belong together.

    Example:
        >>> one_house("Allen Lane", "Penguin Press"), one_house("Prentice Hall", "Knopf")
        (True, False)
    """
    ours, theirs = (f" {one.replace('’', chr(39)).casefold()} " for one in (name, other))
    return any(
        any(f" {house} " in ours for house in family) and any(f" {house} " in theirs for house in family)
        for family in _FAMILIES
    )


EDITION = re.compile(
    r",?\s(?:\d{1,2}(?:st|nd|rd|th)?|[Ff]irst|[Ss]econd|[Tt]hird|[Ff]ourth|[Nn]ew|[Uu]pdated|[Ee]nlarged|[Ee]xpanded|[Rr]ev(?:ised|\.)?)\s(?:ed\.|edn\.?|edition)$|,?\s(?:ed\.|edn\.?|edition)$"
)
KINDS = re.compile(
    r"(?:(?:un)?published\s)?(?:technical report|tech\.? rep\.?|working paper|discussion paper|(?:doctoral|phd|ph\.d\.|master[’']?s?|m\.?sc\.?)\s(?:thesis|dissertation)|"
    r"dissertation|thesis|report|preprint|white paper|paperback|hardcover|e-?book|translated by .{3,40}|trans\. .{3,40})(?:\s(?:no\.?\s)?[\w/-]*\d[\w/-]*)?",
    re.IGNORECASE,
)
_IN_SERIES = re.compile(
    r"(?:[A-Z][\w.&’'-]{1,20}\s){0,4}(?:working|discussion|technical)\s(?:paper|report|memo)(?:\sseries)?,?\s(?:no\.?\s?|number\s|#)?[\w/.-]{0,12}\d",
    re.IGNORECASE,
)


def is_in_series(name: str) -> bool:
    """Whether a text is a place in a series of papers, and no title.

    Example:
        >>> is_in_series("NBER Working Paper No. 4509"), is_in_series("The Working Paper Problem")
        (True, False)
    """
    return _IN_SERIES.fullmatch(name) is not None


CITIES = frozenset(CITY_NAMES.split()) | {
    "new york",
    "buenos aires",
    "são paulo",
    "rio de janeiro",
    "belo horizonte",
    "porto alegre",
    "frankfurt am main",
    "frankfurt a. m",
    "frankfurt/m",
    "freiburg im breisgau",
    "ciudad de méxico",
    "méxico d. f",
    "hà nội",
    "den haag",
    "novi sad",
    "tel aviv",
    "thành phố hồ chí minh",
    "tp. hồ chí minh",
    "tp hcm",
    "м",
    "л",
    "спб",
    "к",
}
