"""What stands between a title and its publisher in any language: translators, editors, editions, what a chapter is in."""

from __future__ import annotations

import re
from dataclasses import dataclass

from guardrail.references.citations.houses import CITIES, HOUSES, is_press
from guardrail.references.citations.languages import (
    AND,
    CAPITAL,
    EDITED,
    EDITIONS,
    IN,
    PAGES,
    ROLES,
    ROLES_BEHIND,
    THESES,
    VOLUMES,
)
from guardrail.references.citations.people import people
from guardrail.references.citations.words import quotation_at

__all__ = [
    "CITY",
    "KIND",
    "NUMBERS",
    "SERIES",
    "Container",
    "container_at",
    "is_city",
    "role_at",
    "without_roles",
]

_NAME = (
    rf"(?:{CAPITAL}\.(?:[\s-]|(?=\w))?){{0,3}}(?:(?:[dl][’']|\w{{1,3}}[\s’'-])?{CAPITAL}[\w’'‘-]+)"
    rf"(?:\s(?:{CAPITAL}\.\s?){{0,2}}(?:(?:[^\W\d_]{{1,3}}\s){{0,2}}|[dl][’'])?{CAPITAL}[\w’'‘-]+){{0,3}}"
)
_NAMES = rf"{_NAME}(?:(?:,\s{_NAME}){{0,4}},?\s(?:{AND}|&|–)\s{_NAME})?"
_FROM = r"(?:\s(?:с|з|із|od|z|ze|från|fra|fra det|från det|a|de|del|do|dall?[’']?|de l[’'])\s?[^\W\d_]{2,14}\.?(?:\s(?:von|de|par|por|di|av|af|door|by|przez))?)"
_ROLE = re.compile(
    rf"(?<!\w)(?i:{ROLES})(?!\w){_FROM}?(?:\s[^\W\d_]{{4,14}}\s(?:von|par|por|av|door))?:?\s{{1,2}}(?P<names>{_NAMES})"
)
_ROLE_BEHIND = re.compile(rf"{_NAMES}\s{ROLES_BEHIND}(?!\w)")
_EDITION = rf"(?:{EDITIONS}(?!\w)\.?)"
NUMBERS = re.compile(
    rf"(?:(?:{VOLUMES}|{PAGES}|{_EDITION}|№)\s?)?"
    r"(?:e|[a-z]{3,5}(?=\d{4}))?\d{1,9}[a-z]{0,2}(?:\s?\((?!(?:1[4-9]|20)\d\d\))\s?\d{1,4}(?:[-–/]\d{1,4})?\s?\))?"
    r"(?:\s?[:–—-]\s?e?\d{1,7}){0,3}(?=[\s,.;:)*_]|$)"
    rf"(?:\s(?:{VOLUMES}|{PAGES})(?=[\s,.;:)*_]|$))?"
    r"|[вуВУ]\s\d{1,2}(?:-?х)?\s(?:т|ч|кн)\.?(?=[\s,.;:)—–-]|$)"  # В 2 ч.
    rf"|{PAGES}\s?[ivxlc]{{1,7}}\s?[-–]\s?[ivxlc]{{1,7}}\b"
    rf"|\d{{1,2}}(?:\.?[ªºa]|[.]|-?[^\W\d_]{{1,3}}\.?)?[\s,]{{0,2}}{_EDITION}(?:[\s,]{{1,2}}(?:{AND}\s)?{_EDITION}){{0,4}}(?=\s?[,.;:)*–—-]|\s|$)"
    rf"|{_EDITION}(?:[\s,]{{1,2}}(?:{AND}\s)?{_EDITION}){{0,4}}(?=\s?[,.;:)–—-]|\s?$)",
    re.IGNORECASE,
)
"""Numbers of volumes, issues, pages and editions."""
KIND = re.compile(rf"{THESES}(?=\s?[,.;:)/]|\s?$)", re.IGNORECASE)
"""What a work is: thèse de doctorat."""
SERIES = re.compile(
    r"\(?(?:coll?\.|collection|collana|colección|coleção|Reihe|seria|serie|série)\s?:?\s?(?:«[^«»\n]{2,60}»|\"[^\"\n]{2,60}\"|„[^„“”\n]{2,60}[“”]|\*[^*\n]{2,60}\*)\)?",
    re.IGNORECASE,
)
"""The series of a book: coll. « Points »."""
_PLACE_NAME = r"[^\W\d_a-z][^\W\d_]{1,20}\.?(?:[\s-][^\W\d_a-z][^\W\d_]{1,20}\.?){0,2}"
CITY = re.compile(
    rf"(?:{_PLACE_NAME}(?:,\s(?:[A-Z]{{2,3}}|U\.[KS]\.(?:A\.)?|[A-Z][a-z]{{2,12}})){{0,2}}"
    r"|[^\W\d_a-z][^\W\d_]{1,20}\s(?:am|an der|im|a\.|de|del|do)\s?[^\W\d_a-z][^\W\d_]{0,20}\.?|[А-ЯІЇЄҐ](?:[а-яії]?[А-Яа-яії])?\.(?:[;,\s-]{1,2}[А-ЯІЇ]\.)?)"
    rf"(?:\s(?:{AND}|&)\s[^\W\d_a-z][^\W\d_]{{1,20}}|\s?[/–-]\s?{_PLACE_NAME})?\s?:\s(?=[^\W\d_a-z]|il\s|de\s)"
)
"""The city of a publisher with the colon behind it."""
_OF = r"(?:of|of the|de|de la|del|du|des|der|van de|van het|av|della|dell[’']|do|da)\s?"
_WITHIN = re.compile(
    rf"(?:\[?(?<!\w)(?i:{IN})(?!\w)\s?(?P<colon>:)?\]?:?\s+|(?P<slashes>//)\s*|(?P<part>{_OF})(?=[*_\"“«„]))"
)
_WITH_ROLE = re.compile(
    rf"[^\"“”«»„*_:()\d]{{2,150}}?(?:\s?[(\[](?i:{EDITED})[)\]]|,\s(?i:{EDITED}))[,.:]{{0,2}}\s+"
)
_WITH_NAMES = re.compile(r"(?P<names>[^\"“”«»„*_:()\d]{2,150}?)(?::\s+|[,.]?\s+(?=[*_\"“«„]))")
_TITLE_END = re.compile(r"\s/\s|[.]\s[–—]|[.,(;]|\s?:\s(?:сб|зб|collective)|\s[–—]\s|$")
_MEETING = re.compile(r"\s\([A-Z][\w-]*\s['’]?\d{2,4}\)$")  # (KDD '16)
_CITY_PARTS = re.compile(r"\s?[–/-]\s?|,\s|\s(?:und|et|y|e|i|a|и|та|και|&)\s")


@dataclass(frozen=True, slots=True)
class Container:
    """What a chapter or an article is in, and where its title ends in the text."""

    title: str
    end: int


def is_city(text: str) -> bool:
    """Whether a text is a city, or several: Łódź–Wrocław.

    Example:
        >>> is_city("Roma-Bari"), is_city("Laterza")
        (True, False)
    """
    name = text.strip(" .,;:*_")
    return 0 < len(name) < 60 and (
        name.casefold() in CITIES
        or all(
            part.strip(" .").casefold() in CITIES or part.strip(" .") in _SHORT
            for part in _CITY_PARTS.split(name)
        )
    )


_SHORT = frozenset(["Bari", "Bruxelles", "Cambridge", "Mass"])


def role_at(text: str, at: int) -> int | None:
    """Where the names of a translator, an editor or another helper end that begin here with a word for what they did.

    Example:
        >>> text = "przeł. T. Kunz, Kraków 2006"
        >>> text[: role_at(text, 0)]
        'przeł. T. Kunz'
    """
    match = _ROLE.match(text, at) or _ROLE_BEHIND.match(text, at)
    if match is None:
        return None
    for comma in re.finditer(r",\s", match[0]):
        place = match[0][comma.end() :]
        if is_press(place) or HOUSES.match(text, at + comma.end()):
            return at + comma.start()  # Translated by Ada Quill, Hill and Wang
    return match.end()


def without_roles(text: str) -> str:
    """A text in brackets without its editors and translators.

    Example:
        >>> without_roles("trad. de Ana Ruiz, Crítica, 2004")
        'Crítica, 2004'
    """
    for pattern in (_ROLE, _ROLE_BEHIND):
        text = pattern.sub("", text)
    return text.strip(" ,;:")


def container_at(text: str, at: int) -> Container | None:
    """The book or journal that a chapter or an article is in, if the words for that are here.

    Example:
        >>> container_at("In: Roe, Jane (Hrsg.): Handbuch der Bäume. Berlin: Springer.", 0).title
        'Handbuch der Bäume'
    """
    match = _WITHIN.match(text, at)
    if match is None:
        return None
    start, named = match.end(), False
    editors = _WITH_ROLE.match(text, start)
    names = None if editors or match["slashes"] else _WITH_NAMES.match(text, start)
    if editors or (names and _are_editors(names["names"])):
        start, named = (editors or names).end(), True  # type: ignore[union-attr]
    if start == len(text):
        return None  # cut off behind "In"
    marked = text[start : start + 1] in "*_" or quotation_at(text, start) is not None
    if (
        not (
            match["colon"] or match["part"] or match["slashes"] or named or text[start : start + 1] in "*_«„"
        )
        or text[start : start + 1].isdigit()
    ):
        return None
    if marked:
        return _marked(text, start)
    end = _TITLE_END.search(text, start, start + 250)
    title = text[start : end.start()].strip(" *_") if end else ""
    if end is None or len(title) < 3 or not (title[0].isupper() or not title[0].islower()):
        return None
    return Container(title, end.start())


def _are_editors(written: str) -> bool:
    return people(written) is not None or written.strip() in (
        "Ders.",
        "Dies.",
        "Id.",
        "idem",
        "ders.",
        "dies.",
    )


def _marked(text: str, start: int) -> Container | None:
    quotation = quotation_at(text, start)
    if quotation:
        return Container(text[quotation.inner_start : quotation.inner_end].strip(), quotation.end)
    mark = text[start]
    stars = len(text[start : start + 3]) - len(text[start : start + 3].lstrip(mark))
    closing = text.find(mark * stars, start + stars, start + 250)
    if closing < 0 or "\n" in text[start:closing]:
        return None
    title = _MEETING.sub("", text[start + stars : closing].strip())
    return Container(title, closing + stars)
