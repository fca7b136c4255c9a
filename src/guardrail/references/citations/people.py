"""Lists of authors, as references write them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from guardrail.references.authors.words import CONJUNCTIONS
from guardrail.references.citations.houses import HOUSE_WORDS
from guardrail.references.citations.languages import (
    AND,
    EDITED,
    OTHERS,
    PARTICLES,
    PERSON_TITLES,
    TOGETHER,
)

__all__ = [
    "body",
    "people",
    "surnames_alone",
]

_PARTICLES = frozenset(PARTICLES.split())
_NOT_NAMES = frozenset(
    [
        "the",
        "a",
        "of",
        "for",
        "on",
        "in",
        "to",
        "and",
        "with",
        "from",
        "by",
        "at",
        "as",
        "is",
        "are",
        "introduction",
        "originally",
        "using",
        "learning",
        "analysis",
        "journal",
        "proceedings",
        "press",
        "systems",
        "conference",
        "transactions",
        "university",
        "handbook",
        "guide",
        "principles",
        "theory",
        "methods",
        "review",
        "survey",
        "overview",
        "approach",
        "study",
        "model",
        "models",
        "network",
        "networks",
        "data",
        "computer",
        "computing",
        "advances",
        "applications",
        "edition",
        "vol",
        "volume",
        "chapter",
        "this",
        "these",
        "it",
        "its",
        "how",
        "what",
        "why",
        "when",
        "your",
        "our",
        "my",
        "their",
        "we",
        "she",
        "they",
        "letters",
        "magazine",
        "arxiv",
        "preprint",
        "science",
        "nature",
        "springer",
        "elsevier",
        "wiley",
        "ieee",
        "acm",
    ]
)
_NOT_SURNAMES = re.compile(
    r"(?:(?!nation$).*(?:tions?|ology|ologies|isms?|ities|ics)|(?:.*-)?(?:train|programm|process|model|engineer|reason|understand|"
    r"plann|test|min|cluster|sampl|boost|prompt|tun|network|manufactur|monitor|market|think|comput)ing|examples?|"
    r"design|algorithms?|descent|search|policy|languages?|practice|code|software|technology|security|power|services?)",
    re.IGNORECASE,
)
_ORGANISATION = re.compile(
    r"\b(?:Organi[sz]ation|Association|Institution|Commission|Foundation|Nations|Administration|Federation|"
    r"Corporation|Institute|Committee|Department|Ministry|Agency|Society|Collaboration|Consortium|Group|Team)\b"
)
_BODY_WORD = re.compile(
    r"\b(?:Organi[sz]ations?|Association|Institut(?:ion|e|o|ut)?s?|Commission|Foundation|Nations|Administration|Federation|Corporation|"
    r"Committee|Department|Ministry|Agency|Society|Collaboration|Consortium|Group|Team|Task\sForce|Office|Bureau|Bank|Fund|Council|Centers?|Centres?|"
    r"University|Academy|Academies|Board|Panel|Service|Authority|Union|College|Network|Alliance|Parliament|Government|Statistics|"
    r"Initiative|Program(?:me)?|Bundesamt|Ministerium|Gesellschaft|Universität|Université|OpenAI|Google|DeepMind|Microsoft|Meta)\b"
)
_BODY = re.compile(
    r"[^\W\d_a-z][\w.’'-]{0,30}(?:,?\s(?:(?:of|for|on|the|and|&|in|to|de|des|du|la|für|und|y|e)\s){0,3}[^\W\d_a-z][\w.’'-]{0,30}){0,9}"
)
_SHORT_NAME = re.compile(r"\s[\[(](?P<short>[A-Z]{2,10})[\])]$")
_SUFFIX = re.compile(r"(?:jr|sr|ii|iii|iv|ph\.?d|m\.?d)\.?", re.IGNORECASE)
_DEGREES = re.compile(  # Rachel Stone, PhD
    r",\s(?:Ph\.?D|Psy\.?D|Ed\.?D|Pharm\.?D|M\.?D|D\.?Phil|D\.?Sc|M\.?Sc|M\.?P\.?H|MBA|DPT|RDN?|RN|LCSW|LMFT)\.?(?=[,;]|\s(?:and|&)\s|\s?$)"
)
_PREFIX = re.compile(r"(?:[dlDL][’']|(?:[aA][lnrsdtz]|[eE]l|[aA]s[hs]|[aA]th|[uU]l|[iI]bn|[bB]in)[-‐])(?=.)")
_INITIALS = re.compile(r"(?:(?:St\.|[^\W\d_]\.?)[\s-]?){1,5}")
_WITH_INITIALS = re.compile(
    r"[^\W\d_][\w'’ -]{1,40}(?:,\s.*\.(?:\s[\w'’ -]*)?|,?\s[A-Z]{1,3})"
)  # Cajal, S.; Cajal S
_INITIAL = re.compile(r"(?:St\.|[^\W\d_]\.)(?:-?[^\W\d_]\.?)*-?")
_COUNTED = r"and\s(?:two|three|four|five|six|several|\d{1,2})\s(?:other\s)?(?:co-?authors|co-?workers|colleagues|collaborators|others)"
_ET_AL = re.compile(
    rf"[,;]?\s{{0,3}}(?:(?<!\w)(?:{OTHERS}|{_COUNTED})(?!\w)|…|\.\.\.|等人?)\s*$", re.IGNORECASE
)
_ELLIPSIS = re.compile(
    r"(?:[,;]\s{0,3}|(?<=\.)\s{1,3})(?:…|\.\s?\.\s?\.)\s{0,3}[,;]?\s{0,3}(?:&\s{0,3}|and\s)?(?=[^\W\d_])"
)
_EDITORS = re.compile(
    rf"[,\s]{{0,3}}(?:\({EDITED}(?:,?\s(?:{AND}\s|&\s)?{EDITED})?\)|\[{EDITED}\]|,\s?{EDITED}(?:\s(?:{AND}|&)\s{EDITED})?|\s{EDITED}(?<=[.]))\s*$",
    re.IGNORECASE,
)
_BEHALF = re.compile(  # Roe PP, Poe TD, et al; RIVER Study Investigators
    r"[;,]\s(?:(?:for|on\sbehalf\sof)\s(?:the\s)?)?[A-Z][^;,.]{2,80}\s(?:Investigators|Collaborators|Collaboration|Consortium|Group|Network|Committee|Team)$"
)
_HOUSE = re.compile(rf"(?<!\w){HOUSE_WORDS}(?!\w)")
_TITLE = re.compile(rf"(?:{PERSON_TITLES}\s){{1,2}}(?=\S{{2}})")
_SPLIT = re.compile(
    rf",?\s+{TOGETHER}\s+|\s*[,，、]\s*(?:{AND}\s+|(?:And|Und)\s+|&\s*)?|\s+(?:{AND}|And|Und)\s+|\s*&\s*|(?<=[^\W\d_]{{3}})\s?/\s?(?=[^\W\d_]{{3}})|(?<=[^\W\d_]\.)\s/\s(?=[^\W\d_]{{2}})"
    r"|\s+و(?=[\u0621-\u064a]{3})(?!ليد|ائل|هبة|فاء|سيم|جيه|حيد)"
)
_FINAL_DOT = re.compile(  # Jane A., Олмстед Дж., Müller Th.
    r"(?:(?<![’'])\b[^\W\d_]|\b(?:[Ee]t [Aa]l|Jr|Sr|[Ee]ds?|[БВГДЖЗКЛМНПРСТФХЦЧШ][бвгджзклмнпрстфхцчш]|Th|Ch|Ph|Chr))\.$"
)
_COMPACT = re.compile(
    r"(?:[^\W\d_][\w'’-]{1,40}\s[A-Z]{1,3},\s){0,60}[^\W\d_][\w'’-]{1,40}\s[A-Z]\."
)  # "Watson J.": the dot ends the list
_WORD = re.compile(r"[^\W\d_][^\W\d_'’.\-]*(?:['’.\-][^\W\d_]+)*\.?")


_AT_END = re.compile(r"[\s,(]{0,3}(?:1[4-9]|20)\d\d[a-z]?\)?$")  # a year
_SURNAME = re.compile(
    r"(?:(?:[Vv]an|[Vv]on|[Dd]e[rn]?|[Dd]u|[Ll]a|[Ll]e|[Ee]l)\s){0,2}[^\W\d_][^\W\d_’'-]{1,}(?:[’'-][^\W\d_]+)?"
)


def body(text: str) -> tuple[tuple[str, ...], bool] | None:
    """The name of an organisation as an author; `None` if the text is no such name.

    Example:
        >>> body("Office for National Statistics"), body("A Study of National Statistics")
        ((('Office for National Statistics',), False), None)
    """
    text = " ".join(text.split()).strip(" ,;:*_–—-").removesuffix(".")
    short = _SHORT_NAME.search(text)
    text = text[: short.start()] if short else text  # Intergovernmental Panel on Climate Change (IPCC)
    if short and _abbreviates(short["short"], text):
        return ((text,), False)
    if not 2 <= len(text) <= 120 or text.startswith(("A ", "An ")) or _BODY.fullmatch(text) is None:
        return None
    return ((text,), False) if text.isupper() or _BODY_WORD.search(text) else None


def _abbreviates(short: str, name: str) -> bool:
    """Whether a short name consists of the initials of a name in capitals."""
    initials = "".join(word[0] for word in name.split() if word[:1].isupper())
    return initials.startswith(short) and _BODY.fullmatch(name) is not None


def people(text: str, *, longest: int = 1500) -> tuple[tuple[str, ...], bool] | None:
    """The names of a list of authors and whether it was cut short; `None` if the text is no such list.

    Example:
        >>> people("Vaswani, A., Shazeer, N., et al.")
        (('Vaswani, A.', 'Shazeer, N.'), True)
        >>> people("Thomas H. Cormen and Clifford Stein")
        (('Thomas H. Cormen', 'Clifford Stein'), False)
        >>> people("a study of neural networks") is None
        True
    """
    text = _tidy(text)
    if not text or len(text) > longest:
        return None
    text = _BEHALF.sub("", _EDITORS.sub("", _DEGREES.sub("", text)))
    text = _ELLIPSIS.sub("; …; " if ";" in text else ", …, ", text)
    shorter = _ET_AL.sub("", text)
    cut = shorter != text
    pieces = [
        _TITLE.sub("", piece) if _TITLE.match(piece) else piece for piece in _pieces(shorter.rstrip(" ,;"))
    ]
    if "…" in pieces:
        pieces, cut = [piece for piece in pieces if piece != "…"], True
    shouted = bool(pieces) and pieces[0].partition(",")[0].isupper()  # ČÁP, Jan a Jiří MAREŠ
    sure = cut and len(pieces) == 1 and " " not in pieces[0]  # Power et al.
    if not pieces or not all(_is_name(piece, shouted=shouted, sure=sure) for piece in pieces):
        return None
    return tuple(pieces), cut


def _tidy(text: str) -> str:
    text = " ".join(text.split()).strip(" ,;:*_–—-")
    if (text.endswith(".") and not _FINAL_DOT.search(text)) or (
        text.count(".") == 1 and _COMPACT.fullmatch(text)
    ):
        text = text[:-1]
    return text


def _pieces(text: str) -> list[str]:
    """Split into names, joining what belongs together ("Vaswani" and "A.")."""
    if ";" in text:
        return [piece for piece in (part.strip(" ,&") for part in text.split(";")) if piece]
    parts: list[str] = []
    joins: list[str] = []
    at = 0
    for match in _SPLIT.finditer(text):
        parts.append(text[at : match.start()])
        joins.append(match[0].strip())
        at = match.end()
    parts.append(text[at:])
    if parts and not parts[-1]:
        parts.pop()
    names: list[str] = []
    before: list[str] = []  # how each name is joined to the one before it
    joined = False
    for part, join in zip(parts, ["", *joins], strict=False):
        initials = _are_initials(part)
        if len(names) == 2 and _SUFFIX.fullmatch(part) and " " not in names[0] and joins[0] == ",":
            names = [f"{names[0]}, {names[1]}, {part}"]  # Gates, Henry Louis, Jr.
            before = before[:1]
        elif names and (
            _SUFFIX.fullmatch(part) or (initials and "," not in names[-1] and not _INITIAL.match(names[-1]))
        ):
            names[-1] = f"{names[-1]}, {part}"
            joined = True
        else:
            names.append(part)
            before.append(join)
    names = _with_double_names(names, before)
    if not joined and _paired(names, joins):
        return [f"{surname}, {given}" for surname, given in zip(names[::2], names[1::2], strict=True)]
    if not joined and len(names) > 1 and joins[0] == "," and _inverted(names):
        names[:2] = [f"{names[0]}, {names[1]}"]
    return names


def _are_initials(part: str) -> bool:
    """Whether a part is initials, also with particles behind them: C. J. F. ter."""
    words = part.split()
    while len(words) > 1 and words[-1].islower() and len(words[-1]) > 1:
        words.pop()
    bare = " ".join(word for word in words if not word.islower() or len(word) < 3)
    short = "." in bare or (bare.isupper() and len(bare) < 4)
    return short and _INITIALS.fullmatch(bare) is not None and re.search(r"[^\W\d_][a-z]{2}", bare) is None


def _with_double_names(names: list[str], before: list[str]) -> list[str]:
    """The names, with family names of two parts put together that a conjunction joins: Ramón y Cajal, S.; José Ortega y Gasset."""
    found: list[str] = []
    for name, join in zip(names, before, strict=True):
        if join in CONJUNCTIONS and found and _is_half(found[-1], name, among=len(names)):
            found[-1] = f"{found[-1]} {join} {name}"
        else:
            found.append(name)
    return found


def _is_half(first: str, second: str, *, among: int) -> bool:
    """Whether two names between which a conjunction is are one: the first has no initials and the second has, or it is one word behind a full name."""
    capitals = [word for word in first.split() if word[:1].isupper()]
    if "," in first or any(_INITIAL.fullmatch(word) or len(word) < 2 for word in capitals):
        return False
    if _WITH_INITIALS.fullmatch(second):
        return len(capitals) == 1 or len(capitals) < len(first.split())
    return among == 2 and len(second.split()) == 1 < len(first.split())


def _paired(names: list[str], joins: list[str]) -> bool:
    """Whether surnames and given names alternate: "He, Kaiming, Zhang, Xiangyu, and Sun, Jian"."""
    if len(names) < 4 or len(names) % 2 or any(len(name.split()) > 1 for name in names[::2]):
        return False
    if any(len(name.split()) > 2 for name in names[1::2]) or any(
        join != "," for join in joins[0 : len(names) : 2]
    ):
        return False
    return len(names) >= 6 or any(join != "," for join in joins[1 : len(names) : 2])


def _inverted(names: list[str]) -> bool:
    """Whether a list starts with "Surname, Given" as in MLA: "Cormen, Thomas H., and Clifford Stein"."""
    if len(names[0]) > 2 and names[0].isupper() and names[0][:2].isupper() and not names[1].isupper():
        return True  # CAMPOS, Gastão Wagner de Sousa et al., but not 대니얼 J. 시겔, where only J has a case
    if names[1].islower():
        return False  # von Jana Lis, das …
    surname = [word for word in names[0].split() if word not in _PARTICLES | {"Van", "Von", "De"}]
    if len(names) == 2 and len(surname) == 2 and len(names[1].split()) == 1 and "." not in names[0]:
        return True  # García Márquez, Gabriel: one word alone is no second author beside a full name
    if len(surname) != 1 or not 1 <= len(names[1].split()) <= 3:
        return False
    third = [word for word in names[2].split() if word not in _PARTICLES] if len(names) > 2 else []
    return len(names) == 2 or len(third) > 1  # not: Bender, Wagg et van der Heijden


def _is_name(name: str, *, shouted: bool = False, sure: bool = False) -> bool:
    words = name.replace(",", " ").split()
    if not 1 <= len(words) <= 7 or len(name) > 70 or _HOUSE.search(name):
        return False
    if words[-1].islower() and words[-1] in _PARTICLES and "," not in name:
        return False  # Zacznijcie od „…”
    full = 0
    shouted = shouted or ("," in name and name.partition(",")[0].isupper())  # CANDIDO, Antonio
    organisation = _ORGANISATION.search(name) is not None
    for word in words:
        initials = full and len(word) <= 3 and word.isupper() and not name.isupper()  # Mirabel AS
        if initials or _INITIAL.fullmatch(word) or word in _PARTICLES:
            continue
        surname = word in ("Springer", "Wiley") and word == words[-1] and len(words) > 1  # Filip Springer
        if _WORD.fullmatch(word) is None or (
            len(word) > 1 and word.lower().rstrip(".") in _NOT_NAMES and not surname
        ):
            return False
        if not (organisation or sure) and _NOT_SURNAMES.fullmatch(word):
            return False
        if not organisation and not shouted and len(word) > 3 and word.isupper() and not name.isupper():
            return False
        first = word[_PREFIX.match(word).end()] if _PREFIX.match(word) else word[0]  # type: ignore[union-attr]
        if first.islower():
            return False
        if word.endswith(".") and len(word) > 4 and not _SUFFIX.fullmatch(word):
            return False
        if not first.isupper() and len(word) > 12:  # a script without case: a name is short
            return False
        full += 1
    return full > 0


def surnames_alone(cells: Iterable[str]) -> bool:
    """Whether lists of authors give surnames alone, as one of three names or of one shows: "Roe, Poe" are then two.

    Example:
        >>> surnames_alone(["Roe, Poe", "Roe et al."]), surnames_alone(["Roe, Ann", "Poe, Jo"])
        (True, False)
    """
    sure = False
    for cell in cells:
        written = _AT_END.sub("", cell.strip(' *_"'))
        names = [name for name in _SPLIT.split(_ET_AL.sub("", written).replace(";", ",")) if name]
        if any(_SURNAME.fullmatch(name) is None for name in names):
            return False
        sure = sure or len(names) in (1, 3) or len(names) > 4
    return sure
