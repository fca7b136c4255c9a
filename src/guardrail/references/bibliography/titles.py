"""How near two titles are: pure functions on words, no index, no I/O.

Two titles are the same work where they differ only by noise: case, punctuation, mark-up, joined or split words,
characters that scanners confuse, a typing error that leaves no real word. A title in which a real word stands for
another is another title, however similar the strings are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, field
from enum import Enum, IntEnum, auto
from functools import cached_property
from itertools import product

from rapidfuzz.distance import OSA, Levenshtein

from guardrail.references.authors.words import word_set
from guardrail.references.bibliography.normalise import main_parts, normalise, squeeze

Frequency = Callable[[str], int]
"""In how many known titles a word occurs."""

FUNCTION_WORDS = word_set(
    "a an the of for in on and or to with by from via using at as is are into over under toward towards its "
    "through between among"
)
_ARTICLES = word_set("a an the der die das le la les el los las il lo i gli o os as")
PREFIXES = word_set(
    "a an un in im ir il non de re dis anti pre post sub super bi co multi semi mono poly inter intra over under "
    "hyper"
)
# What scanners confuse, read as one letter each; longer patterns first.
CONFUSED = (("rn", "m"), ("vv", "w"), ("cl", "d"))
CONFUSED_TABLE = str.maketrans("10i58q", "lolsbg")
NEAR = 0.75  # titles less similar than this are not worth showing as a near miss


_PART, _CONTENT, _EASTERN_PART = (
    3,
    2,
    6,
)  # words of a part of a title, those with content, signs of Chinese or Japanese


_OFTEN_LEFT_OUT = re.compile(
    r",?\s(?:1\d|20)\d\d\s?[-–—]\s?(?:1\d|20)?\d\d(?!\d)"
    r"|,?\s(?:1\d|20)\d\d(?=\s*(?:$|[:.]\s|[–—]))"
    r"|,?\s(?:and|&)\s(?:Selected\s|Collected\s)?(?:Other\s)?(?:\w+\s){0,2}"
    r"(?:Essays|Stories|Tales|Poems|Writings|Papers|Plays|Lectures|Adventures|Works|Fables|Sketches)\b"
    r"|\s(?:und\sandere|et\sautres|y\sotros|e\soutros|en\sandere|og\sandre|och\sandra|e\saltri)\s"
)
_EDITION = re.compile(
    r",?\s\(?(?:\d{1,2}(?:st|nd|rd|th)|[Ff]irst|[Ss]econd|[Tt]hird|[Rr]ev(?:ised|\.)|[Uu]pdated)\s[Ee]d(?:ition|n|\.)?\)?$"
)
_NUMBER = (
    r"(?:RFC|PEP|BCP|FIPS|NIST\sSP|(?:(?:ISO|IEC|IEEE|EN|DIN|BS|ANSI|ASTM|UL|NFPA|JIS|GB(?:/T)?|ITU-T|ETSI|ASME|IAS|IFRS)[\s/-]){1,3}(?:Std\.?\s)?)"
    r"\s?(?=[\w.-]{0,6}\d)[\w.:—–-]{1,20}(?:\sRev\.?\s\d{1,2})?"
)
_NUMBERED = re.compile(  # RFC 2119: Key words …; GB/T 35273—2020 信息安全技术 …; IEEE Standard for …, IEEE Std 754-2019; 中华人民共和国网络安全法
    rf"(?P<number>{_NUMBER})(?:\s?[:,.–—-])?\s(?P<rest>\S.*)"
    rf"|(?P<name>\S[^\n]{{5,300}}?)(?:,\s|\s?[（(])(?P<behind>{_NUMBER})[)）]?"
    r"|中华人民共和国(?P<law>[\u3400-\u9fff]{2,20}[法典例])"
)

_SAID = ("number", "rest", "name", "behind", "law")


class Closeness(IntEnum):
    """How near two titles are; from `REWORDED` upwards they name the same work."""

    DIFFERENT = 0
    NEAR = 1  # similar, but a word that carries meaning differs
    LETTER = 2  # one letter makes another word of a word: a slip if the authors agree, else another title
    PART = 3  # some of its words in a row: The Wealth of Nations; the work's if the authors agree
    REWORDED = 4  # same content words; an article, a preposition or a plural differs
    LONGER = 5  # a subtitle was added to the work's title, or another one
    SHORTER = 6  # the work's subtitle was left out
    NOISE = 7  # a typing or scanning error
    EXACT = 8


@dataclass(frozen=True)
class Title:
    """A title with what is derived from it, computed once."""

    raw: str
    normalised: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "normalised", normalise(_in_full(self.raw)))

    @cached_property
    def words(self) -> list[str]:
        """The words of the normalised title."""
        return self.normalised.split()

    @cached_property
    def squeezed(self) -> str:
        """The normalised title without blanks."""
        return squeeze(self.normalised)

    @cached_property
    def with_other_articles(self) -> list[str]:
        """The title without blanks, with an article in front if it has none, and without one if it has."""
        if len(self.words) < 2:
            return []
        if self.words[0] in _ARTICLES:
            return [squeeze(" ".join(self.words[1:]))]
        return [squeeze(f"{article} {self.normalised}") for article in ("the", "a", "an")]

    @cached_property
    def mains(self) -> list[Title]:
        """The parts before what may be a subtitle, shortest first."""
        parts = [Title(part) for part in main_parts(self.raw)]
        return [part for part in parts if part.normalised and part.normalised != self.normalised]

    @cached_property
    def left_out(self) -> list[Title]:
        """The title before what is often left out without being a subtitle: the years that it is about, and Other Essays, the edition; and the number of a standard and its name."""
        cut = (_OFTEN_LEFT_OUT.search(self.raw, 1), _EDITION.search(self.raw, 1))
        parts = [self.raw[: found.start()] for found in cut if found]
        if numbered := _NUMBERED.fullmatch(self.raw):
            parts += [numbered[name] for name in _SAID if numbered[name]]
        return [Title(part) for part in parts]


@dataclass(frozen=True, slots=True)
class TitleMatch:
    """How two titles compare; `similarity` in [0, 1], 1 exactly where they are equal after normalisation."""

    closeness: Closeness
    similarity: float


# What legal writing cuts short in the names of cases; "Co.", "Corp." and "Inc." are never written out.
_CUT_SHORT = {
    "acad": "academy", "accts": "accounts", "admin": "administration", "adver": "advertising", "agric": "agricultural", "am": "american",
    "ass'n": "association", "assocs": "associates", "att'y": "attorney", "auth": "authority", "auto": "automobile", "bd": "board",
    "bldg": "building", "broad": "broadcasting", "cas": "casualty", "cath": "catholic", "cent": "central", "chem": "chemical",
    "chems": "chemicals", "cnty": "county", "coll": "college", "comm": "committee", "comm'n": "commission", "commc'n": "communication",
    "commc'ns": "communications", "cmtys": "communities", "cmty": "community", "comput": "computer", "consol": "consolidated",
    "constr": "construction", "cont'l": "continental", "ctr": "center", "ctrs": "centers", "def": "defense", "dep't": "department",
    "dev": "development", "dist": "district", "distribs": "distributors", "div": "division", "econ": "economic", "educ": "education",
    "elec": "electric", "elecs": "electronics", "emp": "employee", "emps": "employees", "eng'g": "engineering", "ent": "entertainment",
    "enter": "enterprise", "enters": "enterprises", "env't": "environment", "env't'l": "environmental", "equip": "equipment", "exch": "exchange",
    "fed": "federal", "fed'n": "federation", "fin": "financial", "found": "foundation", "gen": "general", "gov't": "government", "grp": "group",
    "guar": "guaranty", "hosp": "hospital", "hous": "housing", "indep": "independent", "indus": "industries", "ins": "insurance",
    "inst": "institute", "int'l": "international", "inv": "investment", "invs": "investments", "lab": "laboratory", "labs": "laboratories",
    "liab": "liability", "litig": "litigation", "mach": "machine", "med": "medical", "mem'l": "memorial", "metro": "metropolitan",
    "mfg": "manufacturing", "mfrs": "manufacturers", "mgmt": "management", "mktg": "marketing", "mkts": "markets", "mun": "municipal",
    "mut": "mutual", "nat'l": "national", "pac": "pacific", "petrol": "petroleum", "pharm": "pharmaceuticals", "pharms": "pharmaceuticals",
    "prod": "product", "prods": "products", "prof'l": "professional", "prop": "property", "props": "properties", "prot": "protection",
    "pub": "public", "publ'g": "publishing", "publ'ns": "publications", "reg'l": "regional", "rehab": "rehabilitation", "rsch": "research",
    "ry": "railway", "sav": "savings", "sch": "school", "schs": "schools", "sci": "science", "sec": "security", "secs": "securities",
    "serv": "service", "servs": "services", "soc": "social", "soc'y": "society", "sols": "solutions", "sys": "systems", "tech": "technology",
    "techs": "technologies", "tel": "telephone", "telecomms": "telecommunications", "transp": "transportation", "twp": "township",
    "univ": "university", "util": "utility", "utils": "utilities",
}  # fmt: skip
_SHORT_WORD = re.compile(r"\b(?P<word>[A-Z][a-z]*(?:['’][a-z]{1,3}){0,2})\.?(?=\s|,|$)")


def _in_full(title: str) -> str:
    """The name of a case with its words in full; any other title as it is.

    Example:
        >>> _in_full("Zippo Mfg. Co. v. Nat'l Ass'n of Towns"), _in_full("Ins and outs of dist. learning")
        ('Zippo manufacturing Co. v. national association of Towns', 'Ins and outs of dist. learning')
    """
    if " v. " not in title:
        return title
    return _SHORT_WORD.sub(
        lambda found: _CUT_SHORT.get(found["word"].lower().replace("’", "'"), found[0]),
        title.replace(" of Am.", " of America"),
    )


def fold(word: str) -> str:
    """Read the characters that scanners confuse as one.

    Example:
        >>> fold("c1assification") == fold("classification"), fold("modem") == fold("modern")
        (True, True)
    """
    word = word.translate(CONFUSED_TABLE)
    for pattern, letter in CONFUSED:
        word = word.replace(pattern, letter)
    return word


def unknown(_word: str) -> int:
    """The frequency of a word where no vocabulary is at hand."""
    return 0


def compare(claimed: Title, found: Title, frequency: Frequency = unknown) -> TitleMatch:
    """Compare a quoted title with a real one.

    Args:
        claimed: the title as quoted.
        found: the title of a real work.
        frequency: in how many known titles a word occurs; distinguishes a typing error from another word.

    Example:
        >>> compare(Title("Atention is all you need"), Title("Attention Is All You Need")).closeness.name
        'NOISE'
        >>> compare(Title("Attention is all they need"), Title("Attention Is All You Need")).closeness.name
        'NEAR'
    """
    whole = _compare(claimed, found, frequency)
    if whole.closeness >= Closeness.REWORDED:
        return whole
    if any(
        _bare(claimed.words) == _bare(part.words)
        or _compare(claimed, part, frequency).closeness >= Closeness.NOISE
        for part in (*found.mains, *found.left_out)
    ):
        return TitleMatch(Closeness.SHORTER, max(whole.similarity, 0.9))
    if _is_short_case(claimed.normalised, found.normalised):
        return TitleMatch(Closeness.SHORTER, max(whole.similarity, 0.9))
    names = {found.squeezed, *(part.squeezed for part in found.mains)}
    if any(part.squeezed in names for part in claimed.mains):
        return TitleMatch(Closeness.LONGER, whole.similarity)
    if is_part(claimed.words, found.words):
        return TitleMatch(Closeness.PART, max(whole.similarity, NEAR))
    return whole


def is_part(claimed: list[str], found: list[str]) -> bool:
    """Whether a title is a stretch of another one, and says enough: three words, two of them with content, or its first two words if both have.

    Example:
        >>> is_part("origin of species".split(), "on the origin of species".split()), is_part(["of", "species"], ["on", "species"])
        (True, False)
    """
    count, content = len(claimed), len([word for word in claimed if word not in FUNCTION_WORDS])
    if content < _CONTENT or count >= len(found):
        return False
    if count < _PART:  # Max Havelaar, of de koffij-veilingen …
        return found[:count] == claimed and not all(len(word) == 1 for word in claimed)
    least = _EASTERN_PART if all(len(word) == 1 for word in claimed) else _PART  # each sign is a word
    return count >= least and any(found[at : at + count] == claimed for at in range(len(found) - count + 1))


def _is_short_case(claimed: str, found: str) -> bool:
    """Whether both are cases, and the parties of one are those of the other cut short: Tinker v. Des Moines."""
    ours, theirs = claimed.split(" v "), found.split(" v ")
    return (
        len(ours) == len(theirs) == 2
        and claimed != found
        and all(f"{their} ".startswith(f"{our} ") for our, their in zip(ours, theirs, strict=True))
    )


def renumbered(claimed: Title, found: Title, known: Container[str] = ()) -> bool:
    """Whether a number of the real title was quoted as another one: IEEE Std 754-2008 for 754-2019, 3rd ed. for 2nd edition.

    Args:
        claimed: the title as quoted.
        found: the title of a real work.
        known: numbers that the work has as well, such as its year.

    Example:
        >>> renumbered(Title("Bells (3rd ed.)"), Title("Bells (2nd edition)")), renumbered(Title("Bells (3rd ed.)"), Title("Bells"))
        (True, False)
    """
    pairs = product((claimed, *claimed.mains), (found, *found.mains))
    return any(
        _renumbered(theirs, ours, known)
        for one, other in pairs
        for theirs, ours in _blocks(other.words, one.words)
    )


def _renumbered(theirs: list[str], ours: list[str], known: Container[str]) -> bool:
    """Whether two stretches of words differ in numbers alone."""
    if len(theirs) != len(ours):
        return False
    apart = [
        (their, our)
        for their, our in zip(theirs, ours, strict=True)
        if _digits(their) or not (our.startswith(their) or their.startswith(our))  # edition, ed.
    ]
    other = all(_digits(their) and _digits(our) and fold(their) != fold(our) for their, our in apart)
    return other and any(our not in known for _, our in apart)


def _compare(claimed: Title, found: Title, frequency: Frequency) -> TitleMatch:
    if not claimed.squeezed or not found.squeezed:
        return TitleMatch(Closeness.DIFFERENT, 0.0)
    if claimed.squeezed == found.squeezed:
        return TitleMatch(Closeness.EXACT, 1.0)
    similarity = min(Levenshtein.normalized_similarity(claimed.normalised, found.normalised), 0.999)
    if similarity < 0.6:
        return TitleMatch(Closeness.DIFFERENT, similarity)
    closeness = _words(claimed.words, found.words, frequency)
    if closeness is Closeness.DIFFERENT and similarity >= NEAR:
        closeness = Closeness.NEAR
    return TitleMatch(closeness, similarity)


def _bare(words: list[str]) -> list[str]:
    """The words without an article in front, which speakers leave out: "Kuhn's Structure of Scientific Revolutions"."""
    return words[1:] if len(words) > 2 and words[0] in _ARTICLES else words


def _words(claimed: list[str], found: list[str], frequency: Frequency) -> Closeness:
    """The closeness of two titles, word by word."""
    counts = Counter(
        _kind(their_word, our_word, frequency, alone=len(found) == 1)
        for theirs, ours in _blocks(found, claimed)
        for their_word, our_word in _pairs(theirs, ours)
        if their_word != our_word
    )
    if counts[_Kind.OTHER]:
        return Closeness.DIFFERENT
    slips, reworded, letters = counts[_Kind.SLIP], counts[_Kind.REWORDED], counts[_Kind.LETTER]
    content = sum(word not in FUNCTION_WORDS for word in found)
    if slips > 1 + len(found) // 4 or reworded > 1 or (reworded and content < 3):
        return Closeness.DIFFERENT
    if letters:
        return Closeness.LETTER if letters == 1 and not slips and not reworded else Closeness.DIFFERENT
    return Closeness.REWORDED if reworded else Closeness.NOISE


def _blocks(found: list[str], claimed: list[str]) -> Iterable[tuple[list[str], list[str]]]:
    """The stretches of words that differ; neighbours are taken together."""
    theirs: list[str] = []
    ours: list[str] = []
    for step in Levenshtein.opcodes(found, claimed):
        if step.tag == "equal":
            if theirs or ours:
                yield theirs, ours
            theirs, ours = [], []
        else:
            theirs += found[step.src_start : step.src_end]
            ours += claimed[step.dest_start : step.dest_end]
    if theirs or ours:
        yield theirs, ours


def _pairs(theirs: list[str], ours: list[str]) -> list[tuple[str, str]]:
    if len(theirs) == len(ours):
        return list(zip(theirs, ours, strict=True))
    if not theirs or not ours:
        return [(word, "") for word in theirs] or [("", word) for word in ours]
    joined = "".join(theirs), "".join(ours)
    if OSA.distance(*joined) <= 1 or fold(joined[0]) == fold(joined[1]):
        return [joined]  # joined or split words
    # One side has a word too many: a function word beside a slip, or a join beside one.
    left, right = (
        [word for word in theirs if word in FUNCTION_WORDS],
        [w for w in ours if w in FUNCTION_WORDS],
    )
    rest = [word for word in theirs if word not in left], [word for word in ours if word not in right]
    if (left or right) and len(rest[0]) == len(rest[1]):
        return [*zip(*rest, strict=True), *((word, "") for word in left), *(("", word) for word in right)]
    return [joined]


def _reworded(found: str, claimed: str, frequency: Frequency) -> bool:
    if {found, claimed} <= FUNCTION_WORDS | {""}:
        return True
    short, long = sorted((found, claimed), key=len)
    return len(short) > 3 and long in {f"{short}s", f"{short}es"} and frequency(claimed) >= 3


class _Kind(Enum):
    """How a quoted word differs from the real one."""

    REWORDED = auto()
    SCANNED = auto()  # only in characters that scanners confuse
    SLIP = auto()
    LETTER = auto()
    OTHER = auto()


def _kind(found: str, claimed: str, frequency: Frequency, *, alone: bool) -> _Kind:
    if _reworded(found, claimed, frequency):
        return _Kind.REWORDED
    if not found or not claimed or (found.isdigit() and claimed.isdigit()):
        return _Kind.OTHER
    folded = fold(found), fold(claimed)
    another = _another_word(found, claimed, frequency)
    if folded[0] == folded[1]:
        return _Kind.LETTER if another else _Kind.SCANNED
    if _digits(found) != _digits(claimed) or _prefixed(found, claimed):
        return _Kind.OTHER  # 2D for 3D, GPT3 for GPT4; supervised for unsupervised
    length = max(len(found), len(claimed))
    distance = min(OSA.distance(found, claimed), OSA.distance(*folded))
    allowed = 0 if length < 3 or (alone and length < 6) else 1 if length < 9 or alone else 2
    if distance > allowed:
        return _Kind.OTHER
    if another:
        return _Kind.LETTER if distance == 1 and length > 3 else _Kind.OTHER
    return _Kind.SLIP


def _prefixed(found: str, claimed: str) -> bool:
    short, long = sorted((found, claimed), key=len)
    return long.endswith(short) and long[: len(long) - len(short)] in PREFIXES


def _digits(word: str) -> str:
    return "".join(letter for letter in word if letter.isdigit())


def _another_word(found: str, claimed: str, frequency: Frequency) -> bool:
    """Whether what was written is a word by itself, rather than a slip in the one that was meant."""
    times = frequency(claimed)
    chopped = len(claimed) >= 5 and found.startswith(claimed) and not found.endswith("s")
    return times >= 3 and times * (20 if chopped else 200) >= frequency(found)
