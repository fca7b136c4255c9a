"""What stands behind a title: authors, year, venue, pages, identifiers, until commentary begins."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from guardrail.references.citations.houses import EDITION, HOUSES, KINDS, is_press, press_at
from guardrail.references.citations.identifiers import Identifier
from guardrail.references.citations.languages import BY, EDITED_BY, IN, MONTHS, PERSON_TITLES, VOLUMES
from guardrail.references.citations.parts import (
    CITY,
    KIND,
    NUMBERS,
    SERIES,
    container_at,
    is_city,
    role_at,
    without_roles,
)
from guardrail.references.citations.people import authors, people
from guardrail.references.citations.titles import ORNAMENT
from guardrail.references.citations.venues import is_journal, is_named
from guardrail.references.citations.words import (
    VENUE,
    YEAR,
    is_comment,
    points,
    quotation_at,
    title_case,
    words,
)

__all__ = ["DAY", "HIDDEN", "Tail", "names_at", "read_tail"]

_BETWEEN = re.compile(r"[\s,.;:*_\]–—|·-]*")
_PAREN = re.compile(r"\(([^()]{1,200})\)|\[([^\[\]]{1,200})\]")
_BY = re.compile(
    rf"(?:(?:[Ww]ritten\s|[Ee]dited\s)?(?:{BY}|By)\s|[dD]['’](?=[^\W\d_a-z])|[Aa]utore?s?:|[Aa]uthor\(s\):|ل(?=[\u0621-\u064a]{{2}}))\s*(?=\S)"
)
_EDITED_BY = re.compile(rf"(?i:{EDITED_BY}):?\s(?=[^\W\d_a-z])")
_TITLED_PERSON = re.compile(rf"(?:{PERSON_TITLES}\s){{1,2}}(?=[^\W\d_a-z])")
_LABELS = re.compile(
    r"(?:doi|available (?:at|from)|retrieved from|accessed on|url|link|arxiv preprint|arxiv|isbn|pmid)[:\s.]*(?=\s|$)",
    re.IGNORECASE,
)
_SEGMENT = re.compile(
    r"[^,;(（\[]{1,250}?(?=[,;]|\s?[(（\[]|(?<![\s.][A-Z])(?<![„«][^\W\d_]{2})\.\s|\.$|\s[-–—·]\s|\s?\||:\s|\s(?=(?:1[4-9]|20)\d\d(?:\s{0,3}[^\w\s]|\s*$))|$)"
)
_SHORTENED = re.compile(  # Phys. Rev. Lett. 13; Geosci. Model Dev., vol. 9; Q. J. R. Meteorol. Soc., vol. 146
    r"(?P<name>(?:[A-Z]{2,6}\s)?[^\W\d_a-z][\w’'-]{0,14}\.(?:[\s-](?:[^\W\d_a-z][\w’'-]{0,20}\.?|&|and|of|on|for|in|de|der)){1,10})(?=,|\s\(?\d|\s\(|\s?\||\s{2}|\s?$)"
)
_ANY_MONTH = rf"(?:{MONTHS}|(?:Jan|Feb|Mar|Apr|June?|July?|Aug|Sept?|Oct|Nov|Dec)\b\.?)"
DAY = re.compile(
    rf",?\s?(?:(?<!\w)(?:\d{{1,2}}\.?\s(?:de\s)?)?{_ANY_MONTH}(?:\s\d{{1,2}})?(?:\sde)?|Eds?\.)[\s,]*$"
)
_DATED = re.compile(  # behind names: , May 21, 2015
    rf",\s(?={MONTHS}\s(?:\d{{1,2}},\s)?(?:1[4-9]|20)\d\d)"
)
_MONTH = re.compile(  # July 2009; 12 May 2020; May 12, 2020; 3 de mayo de 2020
    rf"(?:\d{{1,2}}\.?\s(?:de\s)?)?{_ANY_MONTH}(?:\s\d{{1,2}})?,?\s(?:de\s)?(?P<year>(?:1[4-9]|20)\d\d)(?!\d)"
)
_PART_TITLE = re.compile(r":\s[^\W\d_a-z][^.,;:()\d]{2,80}(?=\.\s)")  # Jilid 1: Tanah di Bawah Angin.
_QUOTED_JOURNAL = re.compile(
    rf"[,.]?\s\(?(?:(?:1[4-9]|20)\d\d|{VOLUMES}\s?\d)", re.IGNORECASE
)  # behind „Studia Socjologiczne”
_WITHIN = re.compile(r"(?:also\s)?(?:in|In|en|dans):?\s+(?:the\s)?(?=[*_])")
_PEOPLE_END = re.compile(
    r"\s?\(|\s[-–—·]\s|\s?\||:\s|(?<![\s.][^\W\d_])\.(?=\s|$)|;\s|$|\s(?=(?:1[4-9]|20)\d\d\b)|,\s(?=[^\w\"“]|\d|(?:ISBN|doi)\b)"
)
_OVER = re.compile(
    r"(?:see\b|also:|also\s(?!in\s)|cf\.|compare\s|related:|related work|based on|builds on|this\s|these\s|it\s|which\s|extends\s|inspired\s)",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"(?:and\s)?(?:(?:[A-Z]\.[\s-]?){1,3}[^\W\d_a-z][\w'’-]+,?\s|[^\W\d_a-z][\w'’-]+,\s[A-Z]\.|[^\W\d_a-z][\w'’-]+\set\sal\b"
    r"|[^\W\d_a-z][a-z'’-]+\s[A-Z]{1,3}(?:,\s|\.\s)|[A-Z][a-z]+\s(?:[A-Z]\.\s)?[A-Z][a-z]+\.\s[A-Z][^.]{8,200}\.\s)"
)
_TITLED = re.compile(
    r"(?:and\s)?(?P<title>[^\W\d_a-z][^.;()\[\]*\"]{8,200}?)\s"
    r"(?:by\s[A-Z][^.;()]{3,80}\s\((?:1[4-9]|20)\d\d\)|\([^\W\d_a-z][^()]{2,80}(?:1[4-9]|20)\d\d\))"
)
_MARKED = re.compile(r"(?:and\s)?(\*{1,2})[^*]{4,300}\1\s(?:by\s|\([^()]{0,80}(?:19|20)\d\d\))")
_ACRONYM = re.compile(r"\s*[A-Z][A-Za-z]?[A-Z][A-Za-z]{0,8}\s+")
_RESPONSIBLE = re.compile(r"[^—–|\n]{2,250}?\.?(?=\s[—–]|\s//|\s{0,8}\||$)")
_PREPOSITION = re.compile(
    r"^(?:in|In|en|dans|ebenfalls|auch|aussi|également|anche|también|também|też|również|ook|även|också|også|také|также|також)\b:?\s+(?:the\s|chez\s|bei\s)?"
)
_PRESS_CITIES = frozenset(["Oxford", "Cambridge", "Princeton", "Chicago", "Yale"])
_CASELESS = re.compile(r"[\u0590-\u08ff\u0900-\u0dff]")
_OWNER = re.compile(
    r"[^\W\d_a-z][^()\d,;:«»„“”\"*\n]{3,60}?\s\([^()\n]{0,60}\d{4}\)"
)  # „Cesarz” Jana Lisa (Znak, 1978)
_NUMBERED = re.compile(
    rf"[,.]?\s(?:{VOLUMES}\s?\d|\d{{1,4}}\s?[,(:]|(?:1[4-9]|20)\d\d,)", re.IGNORECASE
)  # behind a journal
_IN = re.compile(rf"^[\s,;]*(?:in:?\s|(?i:{IN}):?\s(?=[*_«„]))?")
_SHOUTED = re.compile(r"[^\W\d_a-z]{2,5}")
_ANY_WORD = re.compile(r"\w")
_SENTENCE = re.compile(r".{0,300}?(?:[.!?](?=\s|$)|(?=\s?\||\s[–—:]\s)|$)")
_GROUP = re.compile(r"\s(?:Collaboration|Collaborators|Consortium|Committee|Commission|Group|Team)[,\s]*$")
_SURELY = re.compile(r"(?:[^\W\d_a-z][\w’'-]{1,30}\s[A-Z]{1,3}(?:,\s|\b)){2}")
_CLAUSE = re.compile(r"\s(?:is|are|was|were|has|have|does|can|will)\s")
_PLACED_LATER = re.compile(rf"\.\s+(?:{CITY.pattern})")
HIDDEN = re.compile(
    r"[^\W\d_a-z][\w’'-]{1,30},\s(?:[^\W\d_a-z]\.[\s-]?){1,3}(?:,?\s?(?:&|and)\s[^()\d]{2,60}?)?,?\s?\(?(?:1[5-9]|20)\d\d[a-z]?\)?[.,:]\s+\S.{8,}"
)
"""Names, a year and more within brackets: another work, beside the one that they follow."""
_ARTICLE = re.compile(r"(?:das|der|des|le|la|les|el|los|las|il|het)\s\w+$")
_EXTENT = re.compile(  # 1,400 pages: a remark, where 431 p. belongs to a reference
    r"\d{1,2}(?:[.,]\d{3}|\d{0,2})\s(?:pages|Seiten|páginas|pagine|bladzijden|sidor|sider|sivua|stron|stran|oldal|pagini|sayfa|страниц|сторінок|σελίδες)\b"
)
_REMARK = re.compile(r"[^\W\d_A-Z][^\W\d_]*\.?(?:\s[^\s*_]+){6}")  # (vol. 8 de la Historia que dirigen …)
_SECTION = re.compile(
    r"(?:Section|Chapter|Book|Part|Kapitel|Abschnitt|Buch|Chapitre|Capítulo|Capitolo|Libro|§)\s(?:\d{1,3}|[IVXLC]{1,6})(?!\w)"
)
_FREE_AT = re.compile(  # free at Project Gutenberg: https://…, which stands as spaces
    r"(?:(?:freely|free|open access|full text|online|also|available|readable|hosted|archived|PDF)\s){1,3}(?:at|on|via|from|in|through)\s(?:the\s)?[^\W\d_a-z][\w.’' ]{2,40}?:?(?=\s{9})"
)
_TAIL_LIMIT = 40
_PICTURED = 6  # characters of a picture before an identifier
_BEHIND_ALL = re.compile(r"\||\s[–—]\s")
_BEFORE_YEAR = re.compile(r"\d{4}\s\((?:1[5-9]|20)\d\d\)")
_EDITION_FIRST = re.compile(  # (2nd ed., CRC Press, 2020)
    r"^\s*\d{1,2}(?:st|nd|rd|th|e|ª|\.)?\s(?:ed\.|edn\.?|edition|éd\.|Aufl\.|Auflage|wyd\.|изд\.)[,;]\s",
    re.IGNORECASE,
)
_HOUSE_LABEL = re.compile(  # (wyd. Mamania, 2012); (2 delen, Kessler, Den Haag 1965)
    r"^(?:(?:wyd|wydawn|nakł|nakl|изд|изд-во|вид|vyd|uitg|forl|kiad|izd)\.?\s(?=[^\W\d_a-z])|\d{1,2}\s(?:delen|Bände|Bde\.?|tomes|vols?\.|volumes|tomos|tomy|тома|sv\.|volumi),\s)"
)
_PAGES = re.compile(r"\d{4}\s?[-–—]\s?\d{4}")


@dataclass(slots=True)
class Tail:
    """What was read behind a title, and where it ends."""

    end: int
    authors: tuple[str, ...] = ()
    et_al: bool = False
    year: int | None = None
    venue: str = ""
    pages: bool = False
    placed: bool = False
    """Whether a publisher is named with its city, or is one that is known."""
    fixed: bool = False
    """Whether the venue is what a chapter or an article is in, which no publisher takes the place of."""
    inflected: bool = False
    """Whether only an ending of the authors' names may say that the work is theirs."""


def read_tail(
    text: str,
    at: int,
    found: Sequence[Identifier],
    *,
    knows_authors: bool,
    knows_year: bool = False,
    prose: bool = False,
) -> Tail:
    """Read from `at` as long as it goes on being a reference; `prose` takes less on trust."""
    tail = Tail(end=at)
    places = {i.start: i for i in found}
    for _ in range(_TAIL_LIMIT):
        start = _skip(text, at, places)
        if start >= len(text):
            tail.end = max(tail.end, at if prose else len(text.rstrip()))
            break
        if not prose and not _ANY_WORD.search(text, start) and not any(place >= start for place in places):
            tail.end = max(tail.end, len(text.rstrip()))
            break
        separator = text[at:start]
        behind_all = start not in places and _BEHIND_ALL.search(separator)
        if not prose and behind_all and (knows_authors or tail.authors) and not text[start].isdigit():
            dated = knows_year or tail.year is not None
            if (tail.venue and dated and not VENUE.match(text, start)) or (
                "|" not in separator and not _is_place(text, start, dated=dated)
            ):
                break  # a line of its own, or a dash, behind all that belongs to a reference
        if not prose and not tail.venue and (after := _quoted_journal(text, start, tail)):
            at = tail.end = after
            continue
        if _EXTENT.match(text, start) or (
            not prose and "|" in separator and start not in places and ORNAMENT.match(text, start)
        ):
            break  # 📍 Main Stacks, on the next line
        if not prose and _another(text, start, separator, knows_year=knows_year or tail.year is not None):
            break
        if start in places:
            stop: int | None = places[start].end
        else:
            knows = knows_authors or bool(tail.authors)
            stop = _take(text, start, tail, separator=separator, knows_authors=knows, prose=prose)
        if stop is None:
            break
        at = tail.end = stop
    if text[tail.end : tail.end + 1] == "." and not prose:
        tail.end += 1
    return tail


def _quoted_journal(text: str, at: int, tail: Tail) -> int | None:
    """A journal in quotation marks, with its year or volume: „Studia Socjologiczne” 1979, nr 4."""
    quotation = quotation_at(text, at)
    if quotation is None or not _QUOTED_JOURNAL.match(text, quotation.end):
        return None
    name = text[quotation.inner_start : quotation.inner_end]
    if title_case(name) < 0.5 or len(words(name)) > 8:
        return None
    tail.venue, tail.fixed = " ".join(name.split()), True
    return quotation.end


def _is_place(text: str, at: int, *, dated: bool) -> bool:
    """Whether what stands behind a dash says where a work appeared: – Knopf, 1974; and not: – Roman über eine Jugend, 1914–1933."""
    if text[at - 1] in "*_(" or text[at] in "([" or (SERIES.match(text, at) or CITY.match(text, at)):
        return True
    segment = _SEGMENT.match(text, at)
    if (
        segment is None
        or role_at(text, at)
        or container_at(text, at)
        or _LABELS.match(text, at)
        or _FREE_AT.match(text, at)
    ):
        return True
    piece = segment[0].strip(" .")
    year = YEAR.match(text, segment.end() + 2) or YEAR.match(text, segment.end() + 1)
    year = None if dated or (year and _PAGES.match(text, year.start())) else year
    return is_named(piece) or VENUE.search(piece) is not None or is_press(piece) or year is not None


def _another(text: str, at: int, separator: str, *, knows_year: bool) -> bool:
    """Whether the next reference begins here: a quoted title, or much more than a venue behind a semicolon."""
    joined = text.startswith("and ", at)
    quotation = quotation_at(text, at + 4 if joined else at)
    if quotation and len(words(text[quotation.inner_start : quotation.inner_end])) >= 2:
        return True
    if _OVER.match(text, at):
        return True
    if knows_year and YEAR.search(text, at, at + 500):
        stars = len(separator) - len(separator.rstrip("*"))
        titled = _TITLED.match(text, at)
        if _NAMED.match(text, at) or _MARKED.match(text, at - stars):
            return True
        if titled and len(words(titled["title"])) >= 3 and not VENUE.search(titled["title"]):
            return True
    if not knows_year or not re.search(r";\s", separator) or text[at : at + 1].isdigit():
        return False
    piece = text[at : at + 400].split(";", 1)[0]
    return YEAR.search(piece) is not None or (len(words(piece)) >= 3 and not VENUE.search(piece))


def _skip(text: str, at: int, places: dict[int, Identifier]) -> int:
    """Over separators, and a picture before an identifier, but not over an identifier, which stands as spaces in the text."""
    match = _BETWEEN.match(text, at)
    end = match.end() if match else at
    if (picture := ORNAMENT.match(text, end)) and (near := [p for p in places if 0 <= p - end < _PICTURED]):
        end = max(end, min(picture.end(), *near))  # Title (Roe, 2020) 🔗 https://…
    inside = [place for place in places if at <= place < end]
    return min(inside, default=end)


def _take(text: str, at: int, tail: Tail, *, separator: str, knows_authors: bool, prose: bool) -> int | None:
    """Take one piece; `None` where the reference is over."""
    paren = _PAREN.match(text, at)
    if paren:
        return _take_paren(paren, tail, knows_authors, prose)
    if after := _helped(text, at, tail, knows_authors=knows_authors, prose=prose):
        return after
    by = _BY.match(text, at)
    if by and not knows_authors:
        return _take_people(text, by.end(), tail)
    year = YEAR.match(text, at)
    if year and (
        _BEFORE_YEAR.match(text, at)
        or (_PAGES.match(text, at) and YEAR.search(text, year.end() + 5, at + 60))
    ):
        year = None  # 18, 1527 (2006); 105, 1786–1793, 2008
    if year and not tail.year and ("," in separator or not prose):
        tail.year = int(year[0])
        return year.end()
    if prose:
        return None
    if (dated := _MONTH.match(text, at)) and not tail.year:
        tail.year = int(dated["year"])
        return dated.end()
    if after := _labelled(text, at):
        return after
    numbers = NUMBERS.match(text, at)
    if numbers:
        tail.pages = tail.pages or len(numbers[0]) > 1
        named = _PART_TITLE.match(text, numbers.end())
        return named.end() if named else numbers.end()
    owned = (
        text[at - 2 : at - 1] in ("”", "»", "“") and separator == " " and _OWNER.match(text, at) is not None
    )
    bracketed = text[at - 2 : at - 1] in ("》", "』", "」") and separator == " "
    late = tail.year and tail.venue and separator.startswith(".") and not _SURELY.match(text, at)
    # …, ICML 2019. Short; but: Journal of Shade. 2023. Quill AM, Poe K
    if not knows_authors and not late and (owned or bracketed or re.search(r"[-–—,.|]", separator)):
        stop = _take_people(text, at, tail)
        if stop is not None:
            tail.inflected = owned
            return stop
    return _take_venue(text, at, separator, tail, sure=knows_authors)


def _labelled(text: str, at: int) -> int | None:
    """The end of a label of an identifier, of the kind of work, of a series, of a part of it, or of where it is free."""
    found = (pattern.match(text, at) for pattern in (_LABELS, KIND, SERIES, _SECTION, _FREE_AT))
    return next((match.end() for match in found if match), None)


def _take_paren(paren: re.Match[str], tail: Tail, knows_authors: bool, prose: bool) -> int | None:
    inner = paren[1] or paren[2]
    if HIDDEN.search(inner):
        return None
    year = YEAR.search(inner)
    head, behind = (inner[: year.start()], inner[year.end() :]) if year else (inner, "")
    head = DAY.sub("", DAY.sub("", head)) if year else head
    head = _HOUSE_LABEL.sub("", head)
    head = _EDITION_FIRST.sub("", EDITION.sub("", head.rstrip(" ,"))) if year else head
    edited = _EDITED_BY.match(head) if not knows_authors else None
    head = head[edited.end() :] if edited and people(re.split(r"[,;]\s", head[edited.end() :])[0]) else head
    head, behind = without_roles(head) if year else head, without_roles(behind)
    names = None
    parted = _names_and_place(head) if not knows_authors else None
    group = (
        authors(head) if not knows_authors and _GROUP.search(head) else None
    )  # (Open Science Collaboration)
    venue = VENUE.search(head) or (year and (_ACRONYM.fullmatch(head) or _is_press(head)))
    if group:
        names, venue = group, None
    elif parted:
        names, head, venue = parted[0], parted[1], True
    elif not knows_authors and not venue:
        names = people(head)
    if year and not tail.venue and not tail.year:
        tail.venue = _place_of(head) if venue or (knows_authors and head.strip()) else ""
        tail.venue = tail.venue or (_place_of(behind) if names or not head.strip(" ,") else "")
    if names and (year or not prose):
        tail.authors, tail.et_al = names
    if year:
        tail.year = tail.year or int(year[0])
    elif parted and not tail.venue:
        tail.venue = _place_of(head) or head.strip("*_ ")
    elif (is_press(inner) or is_journal(inner)) and not tail.venue:
        tail.venue = " ".join(inner.split())
    elif not names and (prose or is_comment(inner) or _REMARK.match(inner)):
        return None
    return paren.end()


def _names_and_place(head: str) -> tuple[tuple[tuple[str, ...], bool], str] | None:
    """Names, and behind a comma a publisher or a journal: (David Bordwell, Princeton University Press, 1988)."""
    for comma in list(re.finditer(r"[,;]\s", head))[:20]:
        place = head[comma.end() :]
        first = re.split(r"[,;]\s", place)[0]
        short = len(first) > 2 and first.isalpha() and first.isupper()  # (Mark Lee, UNESCO)
        marked = place[:1] in "*_" and place[:1] == place[-1:]  # (Michael Roe, *Site*)
        known = marked or short or is_press(first) or (" " in first and is_journal(first))
        if not (known or (VENUE.search(first) and not people(first))):
            continue
        names = people(head[: comma.start()])
        if names and not is_press(names[0][-1]):
            return names, place
        return None
    return None


def _is_press(head: str) -> bool:
    """Whether what stands before a year in brackets is a publisher: (Fayard, 1996), (Kraków: Znak, 1999), (PIW, 1973)."""
    name = head.strip(" ,;:")
    if _SHOUTED.fullmatch(name) and name.isupper():
        return True
    return is_press(name) or CITY.match(name) is not None or is_city(name.split(",")[0])


def _helped(text: str, at: int, tail: Tail, *, knows_authors: bool, prose: bool) -> int | None:
    """Editors in the place of authors, or else what stands between a title and its publisher."""
    edited = _EDITED_BY.match(text, at) if not knows_authors else None
    if edited and (stop := _take_people(text, edited.end(), tail)):
        return stop
    if prose:
        return None
    after = _responsible(text, at)
    if after and not knows_authors and (named := people(text[at + 2 : after].split(" ; ", maxsplit=1)[0])):
        tail.authors, tail.et_al = named
    return after or _between(text, at, tail)


def _between(text: str, at: int, tail: Tail) -> int | None:
    """What stands between a title and its publisher: who helped, what a chapter is in."""
    after = role_at(text, at)
    if after is None and not tail.venue and (container := container_at(text, at)):
        tail.venue, tail.fixed = " ".join(container.title.split()), True
        after = container.end
    return after


def _responsible(text: str, at: int) -> int | None:
    """Where the names behind a stroke end, as library catalogues write them: Title / A. B. Author ; ed. C. D. Roe. — City : House."""
    if not text.startswith("/ ", at):
        return None
    match = _RESPONSIBLE.match(text, at + 2)
    return match.end() if match else None


def _place_of(written: str) -> str:
    """What brackets with a year say of where a work appeared: (PhD thesis, Stanford, 2009), (Kimura M., 1968, Nature)."""
    if points(written):
        return ""  # (PDF, 2013)
    name = _IN.sub("", written).strip("*_«»„“”")  # (i *Historisk Tidsskrift*, 1992)
    kind = KINDS.match(name)
    if kind:
        name = name[kind.end() :].lstrip(" ,:")
    place = CITY.match(name)
    name = EDITION.sub("", " ".join(name[place.end() if place else 0 :].split()).strip(" ,;"))
    name = re.split(r",\s(?:pp?\.|vol\.|\d)|\s?['’]\d\d$", name)[0]
    if is_city(name):
        return name if name in _PRESS_CITIES else ""
    first, _, rest = name.partition(", ")
    name = rest if rest and is_city(first) else first if rest and is_city(rest) and not kind else name
    if VENUE.search(name):
        return name
    count = len(words(name))
    named = 0 < count <= 6 and title_case(name) >= 0.5 and not re.search(r"\d|[^\W\d_]{2}[.!?:]\s", name)
    return name if named and not is_comment(name) else ""


def names_at(text: str, at: int) -> bool:
    """Whether a list of names begins exactly here."""
    return _take_people(text, at, Tail(end=at)) is not None


def _take_people(text: str, at: int, tail: Tail) -> int | None:
    """The list of names that begins here, up to the next break or, within that, to a comma."""
    if titled := _TITLED_PERSON.match(text, at):
        at = titled.end()
    ends = [m.end() if m[0] == "." else m.start() for m in _PEOPLE_END.finditer(text, at, at + 900)][:4]
    if dated := _DATED.search(text, at, ends[0] if ends else at):
        ends.insert(0, dated.start())
    for end in ends:
        names = people(text[at:end])
        if names and _plausible(names[0]):
            tail.authors, tail.et_al = names
            return end
    return _people_until(text, at, ends[0], tail) if ends else None


def _people_until(text: str, at: int, end: int, tail: Tail) -> int | None:
    for _ in range(12):
        if end <= at:
            return None
        names = people(text[at:end])
        if names and _plausible(names[0]):
            tail.authors, tail.et_al = names
            return end
        end = text.rfind(",", at, end)
    return None


def _plausible(names: tuple[str, ...]) -> bool:
    """A single word behind full names is a venue ("Yuxi Li, Nature")."""
    if all(is_press(name) or is_city(name) for name in names) or any(
        is_named(name) and not is_press(name) for name in (names[0], names[-1])
    ):
        return False
    if len(names) > 1 and " " in names[-1] and is_press(names[-1]):
        return False  # Jana Stone, Basic Books
    if len(names) == 1 and _ARTICLE.match(names[0]):
        return False  # – das Standardwerk
    if len(names) == 1 and (len(names[0]) > 45 or re.match(r"[^,.]+\s[^,.]+,\s[^\s.]+$", names[0])):
        return False  # "Walter Rudin, McGraw-Hill"
    return not (len(names) > 1 and len(names[-1].split()) == 1 and len(names[0].split()) > 1)


def _sentence(text: str, at: int) -> str:
    match = _SENTENCE.match(text, at)
    return match[0] if match else ""


def _shortened(text: str, at: int) -> re.Match[str] | None:
    """The name of a journal in which words are cut short, each with a period."""
    match = _SHORTENED.match(text, at)
    return match if match and re.search(r"[^\W\d_]{2}\.", match[0]) else None


def _take_venue(text: str, at: int, separator: str, tail: Tail, *, sure: bool) -> int | None:
    mark = separator[-1:] if separator[-1:] in {"*", "_"} and separator[-2:] not in {"**", "__"} else ""
    if separator.endswith("**") and text.count("**", 0, at) % 2 == 1:
        mark = "**"  # **Physis: Revista de Saúde Coletiva**, Rio de Janeiro, v. 17
    if mark and (after := _take_emphasised(text, at, mark, tail)):
        return after
    within = _WITHIN.match(text, at)
    if within and not mark:  # in *Proc. IEEE Conf. Comput. Vis. Pattern Recognit.*, 2016
        inner = within.end() + 1
        return _take_venue(text, inner, text[inner - 1 : inner], tail, sure=sure)
    house = HOUSES.match(text, at) or press_at(text, at) or _shortened(text, at)
    if house and not tail.venue:
        tail.venue = " ".join(house[0].split())
        return house.end()
    segment = _SEGMENT.match(text, at)
    if segment is None:
        return None
    dated = is_press(segment[0]) and YEAR.match(text, segment.end() + 2)
    if not dated and is_comment(_sentence(text, at)):
        return None
    return _take_segment(text, segment, separator, tail, sure=sure)


def _take_emphasised(text: str, at: int, mark: str, tail: Tail) -> int | None:
    """A venue in italics, up to the closing mark."""
    closing = text.find(mark, at, at + 160)
    inner = text[at:closing] if closing > at else ""
    closed = closing + len(mark)
    if not inner or tail.venue or (len(mark) == 1 and text[closed : closed + 1] == mark) or is_comment(inner):
        return None
    name = inner.strip(" ,.:;") if inner.count(".") < 2 else inner.strip(" ,:;")
    name = re.sub(r"\s\([A-Z][\w-]*\s['’]?\d{2,4}\)$", "", name)  # (KDD '16)
    if not words(name) or (title_case(name) < 0.5 and not _NUMBERED.match(text, closed)):
        return None
    tail.venue, tail.fixed = " ".join(name.split()), True
    return closed


def _take_segment(text: str, segment: re.Match[str], separator: str, tail: Tail, *, sure: bool) -> int | None:
    """A venue up to the next comma or period, or what stands where one might: a city, a kind of work."""
    piece = segment[0]
    bare = _PREPOSITION.sub("", piece).strip()
    known = VENUE.search(piece) is not None or (
        ("|" in separator or bare != piece.strip()) and is_named(bare)
    )
    said = is_press(tail.venue) or (tail.year and tail.authors)
    remark = said and separator.startswith(
        "."
    )  # … – Lamport, 1978. Happens-before; (Phaidon). Chronological, calm
    if not known and (remark or _CLAUSE.search(piece)):
        return None
    if (
        "“" in piece
        or (piece.startswith(('"', 'the "', 'a "', 'an "')) and not known)
        or (
            not known
            and "|" in separator
            and sure
            and (tail.year or not YEAR.search(text, segment.end(), segment.end() + 40))
        )
    ):
        return None  # the “Gang of Four”; a line of its own behind names and a year
    city = CITY.match(text, segment.start())
    if city and not known and not tail.venue:  # Santiago: Editorial Universitaria
        after = _take_venue(text, city.end(), "", tail, sure=True)
        tail.placed = bool(tail.venue)
        return after if after is not None else segment.end()
    if not known and not _may_be_venue(piece, separator, tail, sure=sure):
        return None
    if not known and _PLACED_LATER.search(text, segment.end(), segment.start() + 300):
        return segment.end()  # Reine Rechtslehre. Einleitung. Leipzig: Franz Deuticke
    name = _PREPOSITION.sub("", piece).strip(' *_"“”.')
    name = EDITION.sub("", name)
    if KINDS.fullmatch(name) or is_city(name) or points(name):  # [PDF](https://…)
        tail.placed = tail.placed or is_city(name)
        return segment.end()
    instead = (
        tail.venue
        and not (tail.placed or tail.fixed)
        and not is_press(tail.venue)
        and not VENUE.search(tail.venue)
        and is_press(name)
    )
    if (
        (not tail.venue or (instead and not tail.year)) and words(piece) and name
    ):  # Pitești, Paralela 45, 2008
        tail.venue = " ".join(name.split())
        tail.placed = tail.placed or is_press(name)
    return segment.end()


def _may_be_venue(piece: str, separator: str, tail: Tail, *, sure: bool) -> bool:
    """Whether capitals and length are those of a venue that no word shows to be one."""
    count = len(words(piece))
    if tail.year and (piece[0].islower() or _CASELESS.match(piece)) and not is_press(piece):
        return False  # 1973) ile Ali Veli'nin; words of a script without capitals show nothing
    if piece[0].islower() and count >= 4 and not is_press(piece):
        return False  # publicado por la misma casa
    if count > 14 or title_case(piece) < (0.4 if sure and count <= 6 else 0.55):
        return False
    return not (":" in separator and (count > 3 or (sure and tail.year)))
