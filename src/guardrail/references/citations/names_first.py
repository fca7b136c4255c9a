"""Readings of reference strings that begin with names: Doe, J. (2017). Title."""

from __future__ import annotations

import re

from guardrail.references.citations.eastern import SCRIPT
from guardrail.references.citations.houses import HOUSES, is_press
from guardrail.references.citations.languages import BY, OTHERS
from guardrail.references.citations.people import (
    authors,
    body,
    how_like_names,
    likely_names,
    people,
    surely_people,
)
from guardrail.references.citations.tail import names_at, read_tail
from guardrail.references.citations.titles import (
    DASH,
    DATE,
    EMPHASIS,
    PAREN,
    PLACED,
    STOP,
    Draft,
    before_listed,
    bracketed,
    sentence_end,
    title_after,
)
from guardrail.references.citations.venues import is_named
from guardrail.references.citations.words import VENUE, YEAR, is_comment, title_case, words

__all__ = [
    "IN_BOLD",
    "JOURNAL_AT_END",
    "LED",
    "abridged",
    "after_colon",
    "behind_dash",
    "dated",
    "in_bold",
    "in_commas",
    "listed_names",
    "names_follow",
    "run_on",
    "sentences",
]

_BARE_DATE = re.compile(r"[.,]\s+((?:1[4-9]|20)\d\d)[a-z]?[.,:]\s+")
_DATE_BEFORE_TITLE = re.compile(
    r"(?<=\.)\s((?:1[4-9]|20)\d\d)\s(?=[^\W\d_a-z])"
)  # Roe, J. P. 1981 Trees of the shore
_LOOSE_DATE = re.compile(r"[,.]?\s+\(?((?:1[4-9]|20)\d\d)[a-z]?\)?\s?(?:[-–—:]\s|\s[-–—]\s|[.,]\s)\s*")
_COLON = re.compile(r":\s+(?=\S)")
_ACRONYM = re.compile(r"[*_]{0,2}[A-Z][A-Z0-9]{1,7}[*_]{0,2}\.[*_]{0,2}\s*")  # IPCC. Climate Change 2023: …
_LABELLED = re.compile(r"[^:.()\d]{3,80}:\s+")
_RUN_ON = re.compile(
    r",\s(?:[^\W\d_]\.[\s-]?){1,3}\s?[^\W\d_]\w{2,}\s?\w"
)  # Sharpless, K. B. Click Chemistry: …
_YEAR_IN_TITLE = re.compile(  # James PA, et al. 2014 evidence-based guideline for … JAMA. 2014;311
    r"\.\s(?:19|20)\d\d\s(?=[^\W\d_])[^\n]{20,300}?\s(?:19|20)\d\d\s?(?:;|:|[A-Z][a-z]{2}\b)"
)
_GIVEN = re.compile(r"[*_]{0,2}[^\W\d_a-z][^\W\d_]{2,14}\s[^\W\d_a-z]\.")
_FAMILY = re.compile(r"(?P<name>[^\W\d_a-z][\w’'-]{2,25})\.\s(?=[^\W\d_a-z\"“*_])")
_NAMES_GO_ON = re.compile(rf"[^\W\d_]\.|and\b|&|et al|{OTHERS}(?!\w)")
_BY_NAMES = re.compile(rf"(?:\*{{2,3}}|__)?,?\s*(?:[-–—]\s)?(?:{BY}\s)?")
LED = re.compile(r"(?P<names>[^\d\"“”«»*_\[\](){}–—|:;]{3,150}?)\s[–—-]{1,2}\s(?=\S)")
"""What may be names before a title."""
IN_BOLD = re.compile(
    r"(?P<mark>\*\*|__)(?P<names>[^\d\"“”«»*_\[\](){}–—|:;]{3,100}?)(?:\s\((?P<year>(?:1[4-9]|20)\d\d)[a-z]?\))?"
    r"(?:[:.](?P=mark)\s|(?P=mark)(?:\s[–—-]{1,2}\s|[:.]\s|,\s))(?=[*_\"“]{0,2}[^\W\d_a-z])"
)
"""What may be names in bold before a title, and the year."""
_FIRST_PART = re.compile(r"(?:[^\W\d_]\.\s?){0,3}[^,:;(|.–—]{2,80}(?:\.[^,:;(|–—]{1,60})?")
_OF_SOMEBODY = re.compile(r"[^\W\d_]\w+['’]s\s[a-z]")  # Tolstoy's great novel of adultery
_MARKED = re.compile(r"[*_\"“]{1,2}(?P<title>[^*_\"“”\n]{2,300})[*_\"”]{1,2}")
_UNKNOWN_PRESS = re.compile(
    r"[^\W\d_a-z][\w.’'-]{1,20}(?:\s(?:&\s)?[^\W\d_a-z][\w.’'-]{1,20}){0,2}(?:,\s|\s\()(?:1[4-9]|20)\d\d\b"
)
_TO_TAIL = re.compile(r",\s|\s\(|\s[–—-]\s|\s\|\s")
_TO_PLACE = re.compile(r",\s(?=[^\W\d_a-z])|\s\(")
_COMMA = re.compile(r",\s")
JOURNAL_AT_END = re.compile(
    r",\s(?=(?P<rest>[^\W\d_a-z][\w.&’' ]{1,60}?\s\d{1,4},\s[A-Z]?\d{1,7}(?:[-–]\d{1,7})?\s\((?:1[4-9]|20)\d\d\)))"
)
"""Journal, volume, page and year, as journals of physics write them: , Phys. Rev. 108, 1175 (1957)."""
_BEFORE_QUOTATION = re.compile(r"[\s*_.,:–—-]{1,8}(?=[\"“«„])")
_MEDLINE = re.compile(r"[.?!]\s[^\W\d_a-z][\w &:()-]{1,60}\.\s(?:1[89]|20)\d\d[^.;\n]{0,12};\s?\d")
"""The journal and year behind a title, which may have several sentences: Walking: a trial. A new method. Ann River Med. 1990;113:94."""
_CLOSED = re.compile(r"[.,:]{0,2}(?:\*{2,3}|_{2,3})[.,:]{0,2}\s+(?:[-–—]+\s+)?")
_ET_AL_HEAD = re.compile(r"(?P<names>[^\d()\"“”*_]{2,200}?\bet\.? al\.?)(?:[,:]|\s[-–—])\s+(?=[^\W\d_a-z])")
_JOURNAL_FIRST = re.compile(
    r"[,:]?\s{0,3}([*_])(?P<journal>[^*_\n]{3,80})\1(?:(?P<behind>[:,]\s*(?=\S|$))|\s+(?=\d))"
)
"""A journal right behind the year, before the title or without one: Roe et al. (2017), *PLoS ONE*: Trees. …; Roe (2020), *Science* 368: 417."""


def dated(text: str, start: int) -> Draft | None:
    """Authors (2017). Title; or Authors. 2017. Title."""
    for pattern in (DATE, _BARE_DATE, _DATE_BEFORE_TITLE, _LOOSE_DATE):
        date = pattern.search(text, start, start + 700)
        if date is None or SCRIPT.match(text, date.end()) or _YEAR_IN_TITLE.match(text, date.start() - 1):
            continue  # 김철수(2016)의 권고
        if pattern is _LOOSE_DATE and not re.search(r"\bet\.? al|\band\b|&|,", text[start : date.start()]):
            continue
        if draft := _behind_date(text, start, date, certain=pattern is not DATE):
            return draft
    return None


def _behind_date(text: str, start: int, date: re.Match[str], *, certain: bool) -> Draft | None:
    """The reading by which a date parts names from a title; `certain` = it is not in brackets, as that of a title may be."""
    head, named = text[start : date.start()], 0
    names = None if not certain and _named_date(date) else authors(head)
    rest = date.end() + len(text[date.end() :]) - len(text[date.end() :].lstrip(" .,:"))
    if closed := _CLOSED.match(text, date.end()):
        rest = closed.end()  # **Walker, M. P. (2006).** *Sleep, memory, and plasticity.*
    if names is None and not certain and (labelled := _behind_label(head)):
        names, named = labelled[0], start + labelled[1]
    if names is None or rest >= len(text):
        return None
    if " " in names[0][0] and " " not in names[0][-1] and is_press(names[0][-1]):
        return None  # Jan Lis, Brzeg, Znak, 1990 – …
    if EMPHASIS.fullmatch(head.strip(" (")) and not surely_people(*names):
        by = _BY_NAMES.match(text, date.end())
        if by and by[0].strip() and names_at(text, by.end()):
            return None  # ***Nudge*** (2008), Richard Thaler & Cass Sunstein
    year = int(date[1]) if date[1] else None
    journal = _JOURNAL_FIRST.match(text, date.end())
    if journal and is_named(journal["journal"]):
        titled = journal["behind"] and re.match(r"[\"“«‘*_]*[^\W\d_]", text[journal.end() :])
        titled_at = title_after(text, journal.end()) if titled else None
        where = titled_at or (journal.start(), journal.start())
        marks, venue = {"apa", "venue"}, journal["journal"]
        return Draft(where, where[1], 0, *names, year=year, marks=marks, start=named, venue=venue)
    opened = _BEFORE_QUOTATION.match(text, date.end())
    if opened:
        rest = opened.end()  # **Vaswani et al. (2017)** – "Attention Is All You Need"
    title = title_after(text, rest)
    bare = not re.search(r"[,.;&]|\band\b|\bet al", head)
    if title is None or (bare and len(text[slice(*title)].split()) < 3):
        return None
    title = before_listed(text, title) if text[title[0]] not in '*_"“«„' else title
    emphasised = text[title[0]] in "*_" and len(words(text[slice(*title)])) >= 3
    marked = emphasised or (text[title[0]] in '"“«„*_' and (closed or opened))
    if not certain and not marked and not surely_people(*names) and _is_tail(text[date.end() :]):
        return None
    return Draft(title, title[1], 0, *names, year=year, marks={"apa"}, start=named)


def _behind_label(head: str) -> tuple[tuple[tuple[str, ...], bool], int] | None:
    """The names behind a label or a remark, and where they begin: Se leggi l'inglese: Roe, J. (2016). *Trees*."""
    label = _LABELLED.match(head)
    names = people(head[label.end() :]) if label else None
    return (names, label.end()) if label and names and surely_people(*names) else None


def abridged(text: str, start: int) -> Draft | None:
    """He et al., Title: names that end with "et al." without a year."""
    head = _ET_AL_HEAD.match(text, start)
    names = people(head["names"]) if head else None
    title = title_after(text, head.end()) if head and names else None
    if names is None or title is None or len(words(text[slice(*title)])) < 3:
        return None
    title = before_listed(text, title)
    dash = _dash(text, title)
    if dash and text[: title[0]].rstrip().endswith(("-", "–", "—")):
        return Draft((title[0], dash), dash, 0, *names)  # Roe et al. - Trees of the shore - Ecology - 1994
    return Draft(title, title[1], 0, *names, cut=dash)


def run_on(text: str, start: int) -> Draft | None:
    """J. Bardeen, L. N. Cooper, and J. R. Schrieffer, Theory of Superconductivity, Phys. Rev. 108, 1175 (1957): only commas."""
    where = JOURNAL_AT_END.search(text, start, start + 900)
    if where is None:
        return None
    head = text[start : where.start()]
    for comma in [len(head), *(found.start() for found in reversed([*_COMMA.finditer(head)][-40:]))]:
        names = people(head[:comma])
        if names and surely_people(*names) and re.search(r"\b[A-Z]\.", names[0][0]):
            at = start + comma + (2 if comma < len(head) else 0)
            return Draft((at, where.start()), where.start(), 0, *names, marks={"apa"})
    return None


def behind_dash(text: str, start: int, *, certain: bool) -> Draft | None:
    """Authors – Title (Press, 1998): names in full before a dash; unless that is certain, no names behind it, and a year."""
    head = LED.match(text, start)
    names = people(head["names"]) if head else None
    if head is None or names is None or not all(" " in name for name in names[0]):
        return None
    end = sentence_end(text, head.end())
    for paren in PAREN.finditer(text, head.end(), end):
        if YEAR.search(paren[1]) or is_press(paren[1]):
            end = paren.start()
            break
    for more in DASH.finditer(text, head.end(), end):
        if certain or is_comment(text[more.end() :]):
            end = more.start()
            break
    stop = STOP.search(text, head.end(), end)
    if stop and stop[0] == "." and title_case(text[head.end() : stop.start()]) >= 0.7:
        end = stop.end()  # in an informal answer a remark in lower case follows
    title = text[head.end() : end].strip()
    if not certain and (people(title) or len(words(title)) < 2 or not YEAR.search(text, end, end + 80)):
        return None
    return Draft((head.end(), end), end, 0, *names)


def in_bold(text: str, start: int, *, certain: bool) -> Draft | None:
    """**Hannah Arendt** – Eichmann in Jerusalem, Viking, 1963: full names in bold, and perhaps the year, before a title without marks.

    Unless that is certain, they must be like people's names, and what follows not: **Jane Eyre** – Charlotte Brontë.
    """
    head = IN_BOLD.match(text, start)
    names = people(head["names"]) if head else None
    if head is None or names is None or not _in_full(names, dated=head["year"]):
        return None
    year = int(head["year"]) if head["year"] else None
    if text[head.end()] in '*_"“':
        marked = _MARKED.match(text, head.end()) if year else None
        shown = {"emphasised" if text[head.end()] in "*_" else "quoted"}
        return (
            Draft(marked.span("title"), marked.end(), 0, *names, year=year, marks=shown) if marked else None
        )
    end = sentence_end(text, head.end())
    for at in _TO_TAIL.finditer(text, head.end(), end):
        if _is_tail_at(text, at, end, text[head.end() : at.start()]):
            end = at.start()
            break
    title = text[head.end() : end].strip()
    if is_comment(title) or _OF_SOMEBODY.match(title):
        return None
    if not year:
        alone = len(words(title)) < 2 and not YEAR.search(text, end, end + 40)
        if not certain and (how_like_names(names[0]) < 1 or names_follow(title) or alone):
            return None
    swapped = not year and not YEAR.search(text, head.end(), end + 60)
    return Draft((head.end(), end), end, 0, *names, year=year, swapped=swapped)


def names_follow(text: str) -> bool:
    """Whether a text begins with what looks like people's names, up to a comma, a colon, a dash or a bracket."""
    first = _FIRST_PART.match(text)
    names = people(first[0]) if first else None
    return names is not None and (names[1] or surely_people(*names) or how_like_names(names[0]) > 0)


def _in_full(names: tuple[tuple[str, ...], bool], *, dated: str | None) -> bool:
    """Whether names are given in full, or "et al." or a year shows that they are names."""
    return bool(dated) or names[1] or all(" " in name and "," not in name for name in names[0])


def _is_tail_at(text: str, at: re.Match[str], end: int, title: str) -> bool:
    """Whether the year or the publisher of a title follows a comma or a bracket, or a remark follows a dash."""
    if at[0].strip() in tuple("–—-|"):
        return True
    rest = text[at.end() : end + 80]
    behind = re.split(r"[,)]", rest, maxsplit=1)[0].strip(" *_.")
    last = re.match(r"[^,)]*(?:\)|,\s\(?\d{4}|$)", rest) is not None or at[0].strip() == "("
    if YEAR.match(behind) or HOUSES.match(rest) or (last and (is_press(behind) or is_named(behind))):
        return True
    return len(words(title)) > 1 and _UNKNOWN_PRESS.match(rest) is not None


def _named_date(date: re.Match[str]) -> bool:
    """Whether a date in brackets names authors, too: (He et al., 2016), (Dennett, MIT Press, 1984)."""
    said = re.split(r"\d", date[0])[0].strip("( ,")
    names = people(said)
    return "," in said or (names is not None and (names[1] or len(names[0]) > 1))


def after_colon(text: str, start: int, *, certain: bool) -> Draft | None:
    """Authors in full: Title. Venue (2015), as DBLP writes it; one author with a year or press in brackets, unless that is `certain`."""
    colon = _COLON.search(text, start, start + 700)
    marks = EMPHASIS.match(text, start)
    if colon is None or (marks and marks.end() > colon.end()):
        return None  # **Jana Lis: Das Ufer** (Beck, 1990)
    names = authors(text[start : colon.start()])
    title = title_after(text, colon.end()) if names else None
    if names is None or title is None or _RUN_ON.search(names[0][-1]):
        return None
    several = len(names[0]) > 1 or names[1] or re.search(r"\b[A-Z]\.|,", names[0][0]) or body(names[0][0])
    inverted = len(names[0]) == 1 and "," in names[0][0]
    whole = names[1] or inverted or all(" " in name for name in names[0])
    if not whole:
        return None
    alone = not several and not PLACED.search(text, title[1] - 1, title[1] + 200)
    bracket = bracketed(text, title) if alone else None
    title = bracket or before_listed(text, title)
    if alone and certain and not bracket and (dash := DASH.search(text, title[0], title[1])):
        title = (title[0], dash.start())
    if alone and not ((certain or bracket) and likely_names(names[0])):
        return None
    if not certain and not YEAR.search(text, title[1]):
        return None
    # a person may be what the work is about: Hans Holbein: Maler und Hof (1990)
    return Draft(title, title[1], 0, *names, parted=start if alone else None, cut=_dash(text, title))


def _dash(text: str, title: tuple[int, int]) -> int | None:
    """Where a dash in a title begins a subtitle, or a remark: – Metaanalyse von zehn Studien, The Lancet 2020."""
    dash = DASH.search(text, *title)
    return dash.start() if dash else None


def _is_tail(text: str) -> bool:
    """Whether what follows "X (2017)" continues a title that was X: a dash, "by", or commentary."""
    return re.match(r"\s*(?:[-–—]\s|by\s)", text) is not None or is_comment(text)


def sentences(text: str, start: int) -> Draft | None:
    """Authors. Title. Venue; or Title. Authors. Venue."""
    stops = [m.end() for m in STOP.finditer(text, start, start + 700)][:40]
    for stop in stops:
        rest = text[stop:].lstrip()
        if not rest or _NAMES_GO_ON.match(rest):
            continue
        head = text[start:stop]
        family = _FAMILY.match(rest) if _GIVEN.fullmatch(head) else None
        if family and how_like_names([family["name"]]) > 0:
            continue  # Cecilia H. | Payne. Stellar Atmospheres.
        names = people(head) if re.search(r"[^\W\d_]{2}", head) else None  # not: T. G. | Masaryk, Title
        if names and surely_people(*names):
            at = stop + len(text[stop:]) - len(text[stop:].lstrip())
            journal = _MEDLINE.search(text, at + 8, at + 600)
            title = (at, journal.start() + 1) if journal and text[at] not in '*_"“' else title_after(text, at)
            if title:
                return Draft(title, title[1], 0, *names)
            return None
        if (
            body(head)
            and (" " in head.strip(" .") or _ACRONYM.fullmatch(head))
            and YEAR.search(text, stop, stop + 300)
        ):
            at = stop + len(text[stop:]) - len(text[stop:].lstrip())
            title = title_after(text, at)
            if title and len(words(text[slice(*title)])) >= 2:
                return Draft(title, title[1], 0, *(authors(head) or ((), False)))
        if names and _title_follows(text, stop, names[0]):
            at = stop + len(text[stop:]) - len(text[stop:].lstrip())
            return Draft((at, sentence_end(text, at)), sentence_end(text, at), 0, *names)
        break_at = sentence_end(text, start)
        if stop >= break_at:
            return _title_first(text, start, break_at)
    return None


def in_commas(text: str, start: int, *, certain: bool) -> Draft | None:
    """J. Smit, De stille haven (Haarlem 1941); Eva Hahn (Hg.), Ufer und Quelle, Bonn: Kessler 1979: a title without marks.

    One with names in full and without a year is read only if that is `certain`.
    """
    for comma in list(_COMMA.finditer(text, start, start + 150))[:6]:
        head = text[start : comma.start()]
        names = people(head)
        edited = head.endswith((")", "]")) or (names is not None and surely_people(*names) and "." in head)
        full = names is not None and all(" " in name for name in names[0]) and likely_names(names[0])
        if names is None or not (edited or full) or not text[comma.end() : comma.end() + 1].isupper():
            continue
        for stop in list(_TO_PLACE.finditer(text, comma.end() + (8 if edited else 3), comma.end() + 250))[:8]:
            tail = read_tail(text, stop.start(), (), knows_authors=True)
            title = text[comma.end() : stop.start()]
            bracket = stop[0].endswith("(") and tail.end == text.find(")", stop.end()) + 1
            named = (
                None if edited else people(title)
            )  # Jan Lis, Brzeg, Znak, 1990; but: Jan Lis, Ewa Las, Znak, 1990
            if named and any(" " in name for name in named[0]):
                break
            placed = tail.placed or bracket if edited else is_press(tail.venue) or bracket
            if tail.year and placed and (len(words(title)) > 2 or not edited):
                parted = None if edited else start
                return Draft((comma.end(), stop.start()), stop.start(), 0, *names, parted=parted)
        dash = DASH.search(text, comma.end(), comma.end() + 150) if certain and not edited else None
        if dash:
            return Draft((comma.end(), dash.start()), dash.start(), 0, *names, parted=start)
    return None


def listed_names(text: str, start: int) -> Draft | None:
    """Names with surnames first, then a title in which "de" or "by" is no word before names: BUSS, Paulo. A saúde e os seus."""
    draft = sentences(text, start)
    return (
        draft
        if draft and draft.authors and any("," in name for name in draft.authors) and draft.title[0] > start
        else None
    )


def _title_follows(text: str, at: int, names: tuple[str, ...]) -> bool:
    """Whether full names and a period stand before a title, a venue and a year: "Mary Doe. Trees. ACL, 2021"."""
    if any(not 2 <= len(name.split()) <= 4 for name in names):
        return False
    at += len(text[at:]) - len(text[at:].lstrip())
    end = sentence_end(text, at)
    title = text[at:end]
    if len(words(title)) < 2 or VENUE.search(title) or YEAR.search(title) or people(title):
        return False
    return YEAR.search(text, end, end + 120) is not None and not is_comment(title)


def _title_first(text: str, start: int, end: int) -> Draft | None:
    after = text[end:]
    at = end + len(after) - len(after.lstrip())
    for stop in [m.end() for m in STOP.finditer(text, at, at + 500)][:20]:
        names = people(text[at:stop])
        if names and (surely_people(*names) or HOUSES.match(text[stop:].lstrip())):
            return Draft((start, end), stop, 0, *names)
    return None
