"""Titles in marks with names next to them, in sentences of languages other than English.

C. Durand, « Le fleuve muet », Paris, Vrin, 1962; *De stille haven* van Piet Smit; Durand montre dans *Le fleuve muet* (1962): the
words of each language are in tables (`languages`), what decides are names, years and publishers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.eastern import SCRIPT
from guardrail.references.citations.houses import is_press
from guardrail.references.citations.languages import (
    BY,
    EDITED_BY,
    ENGLISH,
    IN,
    JOURNAL_WORDS,
    OPENERS,
    either,
)
from guardrail.references.citations.model import Citation, Style
from guardrail.references.citations.parts import without_roles
from guardrail.references.citations.people import people
from guardrail.references.citations.tail import Tail, read_tail
from guardrail.references.citations.titles import clean_title
from guardrail.references.citations.unmarked import MEDIA
from guardrail.references.citations.words import VENUE, YEAR, words
from guardrail.report import Span

__all__ = ["beside"]

_MARK = re.compile(
    r"«(?P<a>[^«»\n]{3,250}+)»|»(?P<g>[^«»\n]{3,250}+)«|„(?P<b>[^„“”\"\n]{3,250}+)[“”\"]|“(?P<c>[^“”\n]{3,250}+)”|\"(?P<d>[^\"\n]{3,250}+)\""
    r"|(?<![\w*])(?P<stars>\*{1,2})(?=[^\s*])(?P<e>[^*\n]{3,250}+)(?P=stars)(?![\w*])|(?<!\w)_(?=[^\s_])(?P<f>[^_\n]{3,250}+)_(?!\w)"
    r"|(?<!\w)['‘](?P<h>[^\W\d_a-z][^'‘’\n]{6,150}+)['’](?=\s(?:van|door|von|av|af)\s[^\W\d_a-z])"
)
_YEAR = r"(?<!\d)(?:1[4-9]|20)\d\d(?!\d)"
_SENTENCE_ENDS = re.compile(r"(?<=[\w)\]»”*\"]{3})[.!?…](?=\s+[^\W\d_a-z]|\s*$)|[;\n]|\.{3}")
_SENTENCE_BEGINS = re.compile(r"(?<=[\w)\]»”*\"]{3})[.!?…]\s+(?=[^\W\d_a-z])|[;\n]|\((?![^()]*\))")
_ABBREVIATION = re.compile(r"\b[^\W\d_]{1,4}$")
_TOKEN = re.compile(r"\S+")
_POSSESSED = re.compile(r"(?<=[^\W\d_])['’][^\W\d_]{1,4}\s$")
_SEPARATED = re.compile(r"(?:[*_]{0,3}[,:]|[*_]{1,3}|\s[–—-])?\s{1,2}[*_„«“\"]{0,2}$")
_GAP = re.compile(r"(?<=[^\W\d_])[*_]{0,2},?\s[^.!?;:«»„“”\"*_()\n]{2,90}\s$")
_DATED = re.compile(rf"[*_\"”»\s]{{0,4}}\((?:[^()\d\n]{{2,60}}\s)?(?P<year>{_YEAR})\)")
_SUBJECT = re.compile(r",\s(?P<names>[^\W\d_a-z][^()\d,;:«»„“”\"*\n]{3,80})")
_LISTED = re.compile(r"[*_\"”»]{0,3},\s(?P<names>[^\W\d_a-z][^()\d;:«»„“”\"*\n]{3,80})")
_OWNER = re.compile(
    r"(?:['’]\w{1,4})?[*_]{0,2}\s(?P<names>[^\W\d_a-z][^()\d,;:«»„“”\"*\n]{3,60}?)\s(?=\([^()\n]{0,60}\d{4}\))"
)
_LOOSE = re.compile(
    rf"[*_\"”»]{{0,2}},?\s(?:[^\W\d_A-Z][^\W\d_]{{0,14}}\s){{1,6}}(?P<year>{_YEAR})"
    r"(?:\s[^\W\d_]{1,6}\s(?:[^\W\d_]{2,3}\s|l[’'])?(?:[*_«]\s?(?P<venue>[^*_«»\n]{3,100}?)\s?[*_»]"
    r"|(?P<house>(?:[^\W\d_a-z]\.\s?)*[^\W\d_a-z][\w’'-]+(?:\s[^\W\d_a-z][\w’'-]+){0,3})))?"
)
_WITHIN = re.compile(
    rf"(?<!\w)(?i:{IN})(?!\w):?\s(?:(?:les?|la|den?|der|die|das|el|los|las|il|i|gli|o|os|as|het)\s|l[’'])?[*_]{{0,2}}$"
)
_IN = re.compile(rf"(?<![\w'’])(?i:{IN})(?!\w)")
_JOURNAL = re.compile(rf"{either(JOURNAL_WORDS)}(?!\w)")
_BY = re.compile(
    rf"[*_\"”»]{{0,3}},?\s(?:(?:[^\W\d_A-Z]{{2,12}}\s)?(?:{BY})|{EDITED_BY})\s|[*_\"”»]{{0,3}}\sل(?=[\u0621-\u064a])"
)
_ENDING = re.compile(r"['’]\w{1,5}(?=\s)")  # *Sessiz Irmak*'ı
_STOP = re.compile(r"[^\W\d_]{3}[.!?](?=\s)")
_GERMAN = re.compile(
    r"\b(?:der|die|das|den|dem|ist|sich|und|von|mit|auch|als|gilt|siehe|man|zu|noch|am|im|ein|eine|für|steht|lohnt|liest|lesen)\b"
)
_RUSSIAN = re.compile(r"\b(?:книг|учебник|работ|роман|стать|монографи|пособи|задачник)\w{0,4}\s$")
_CASELESS = re.compile(r"[\u0590-\u08ff\u0900-\u0dff]")
_ENGLISH, _QUOTED_ENGLISH = (
    0.09,
    0.2,
)  # share of frequent English words from which an answer, or a sentence in it, is English
_LANGUAGE = 4_000  # characters that show the language of an answer
_MOST = 1_000  # marks of an answer that are looked at
_BEFORE, _AFTER = 160, 360  # characters
_LEAST_WORDS = 3  # of a title that may be called wrong


@dataclass(frozen=True, slots=True)
class _Named:
    """Who is named before a title, where that begins; `loose`: words or only an ending part the names from it."""

    start: int
    names: tuple[str, ...]
    et_al: bool
    loose: bool
    owned: bool = False
    """Whether the form of the names says that the title is theirs: Anna Webers „Ufer“, книги И. М. Лесова «Реки»."""


def beside(answer: str, taken: bytearray, *, among: bool) -> Iterator[Citation]:
    """The works in sentences that are not English, outside what is `taken`, without overlap.

    Args:
        answer: the text.
        taken: which characters belong to other references.
        among: whether the answer has other references.

    Example:
        >>> text = "Lisez C. Durand, « Le fleuve muet », Paris, Vrin, 1962."
        >>> [(one.reference.title, one.reference.authors, one.reference.venue) for one in beside(text, bytearray(len(text)), among=False)]
        [('Le fleuve muet', ('C. Durand',), 'Vrin')]
    """
    if _is_english(answer[:_LANGUAGE], _ENGLISH):
        return
    edge = 0
    for number, match in enumerate(_MARK.finditer(answer)):
        if number >= _MOST:
            break
        if match.start() < edge or taken.find(1, match.start(), match.end()) >= 0:
            continue
        citation = _citation(answer, match, edge, among=among)
        if citation is not None and taken.find(1, citation.span.start, citation.span.end) < 0:
            yield citation
            edge = citation.span.end


def _citation(answer: str, match: re.Match[str], edge: int, *, among: bool) -> Citation | None:
    start, end = match.span()
    before = answer[max(edge, start - _BEFORE) : start]
    cuts = [
        cut.end()
        for cut in _SENTENCE_BEGINS.finditer(before)
        if not _ABBREVIATION.search(before, 0, cut.start())
    ]
    before = before[cuts[-1] :] if cuts else before
    ending = _ENDING.match(answer, end)
    end = ending.end() if ending else end
    after = _without_next(_sentence(answer, end))
    around = f"{before} {match[0]} {after}"
    if (
        not (YEAR.search(around) or among)
        or _is_english(around, _QUOTED_ENGLISH)
        or MEDIA.search(around)
        or SCRIPT.search(around)
    ):
        return None
    title = clean_title(match[match.lastgroup or 0])
    if (
        not words(title)
        or title.endswith(":")
        or (match["stars"] == "**" and people(title))
        or _is_journal(title)
    ):
        return None
    named = _before(before, dated=YEAR.search(around) is not None)
    if named is None and _WITHIN.search(before) and not _DATED.match(after):
        return None  # publié dans *L'Année sociologique*
    tail = _tail(after, named=named is not None)
    names, et_al = (named.names, named.et_al) if named else (tail.authors, tail.et_al)
    year = tail.year
    if named and named.loose and year is None and (said := YEAR.search(before, named.start)):
        year = int(said[0])
    placed = is_press(tail.venue) or tail.placed
    full = any(" " in name for name in names)
    marked = match["stars"] == "*" and title[:1].isupper() and len(words(title)) > 1
    apart = named is None or (marked and not named.loose) or named.owned
    enough = (names and (year or placed)) or (year and placed)
    if not enough and not (among and ((full and apart) or (marked and names and named is None))):
        return None
    owned = among and named is not None and named.owned and len(words(title)) > 1
    if named and named.loose and year is None and not owned:
        return None
    begin = start - len(before) + named.start if named else start
    inflected = any(letter > "\u00ff" for name in names for letter in name)
    sure = (
        named is not None and not named.loose and tail.year is not None and len(words(title)) >= _LEAST_WORDS
    )
    style: Style = "unmarked" if not sure or inflected else "emphasised" if match["stars"] else "quoted"
    reference = Reference(title, names, et_al, year, tail.venue)
    end += len(after[: tail.end].rstrip(" ,;:–—-"))
    while answer[end - 1] in ")." and answer.count("(", begin, end) < answer.count(")", begin, end):
        end -= 1
    return Citation(Span(start=begin, end=end), reference, style)


def _sentence(answer: str, at: int) -> str:
    """The text up to the end of its sentence."""
    for stop in _SENTENCE_ENDS.finditer(answer, at, at + _AFTER):
        if stop[0] in (";", "\n", "...") or not _ABBREVIATION.search(answer, at, stop.start()):
            return answer[at : stop.start()]
    return answer[at : at + _AFTER]


def _is_journal(title: str) -> bool:
    return VENUE.search(title) is not None or _JOURNAL.match(title) is not None


def _without_next(text: str) -> str:
    """The text up to the next title in marks, unless that is what this one is in: dans P. Morel, *Eaux et rives*."""
    for mark in _MARK.finditer(text):
        between = text[: mark.start()]
        if len(between) > 3 and not _IN.search(between[-80:]):
            return between
    return text


def _is_english(text: str, most: float) -> bool:
    """Whether more than this share of the words are frequent ones of English."""
    found = [word.lower() for word in words(text)]
    return sum(word in ENGLISH for word in found) > most * len(found)


def _before(text: str, *, dated: bool) -> _Named | None:
    """The names that end before a title, or before the words between: Durand montre en 1962 dans *Le fleuve muet*."""
    plain = without_roles(text) if text.rstrip(" *_").endswith(",") else ""
    if plain and len(plain) < len(text.strip()) - 3 and text.startswith(plain.rstrip(",")):
        text = plain + ", "  # Jacques Morel, en collaboration avec Alain Petit, *L'eau et la rive*
    possessed = _POSSESSED.search(text)
    separated = possessed or _SEPARATED.search(text)
    if separated and (found := _names_ending(text[: separated.start()], whole=True)):
        bare = not possessed and not re.search(r"[,:*_–—-]", separated[0])
        if bare and _CASELESS.match(found.names[0]):
            return None
        owner = _owner(text[: separated.start()], found) if bare else None
        return owner or replace(found, loose=bare or possessed is not None)
    if dated:
        for gap in reversed(list(re.finditer(r"[*_]{0,2},?\s(?=[^\W\d_A-Z])", text))[-8:]):
            if _GAP.match(text, gap.start()) and (found := _names_ending(text[: gap.start()], whole=False)):
                return replace(found, loose=True)
    return None


def _owner(before: str, found: _Named) -> _Named | None:
    """The names in the nominative, if they are in the genitive before a title, as nothing else says in German and Russian."""
    name = found.names[-1]
    if _GERMAN.search(before) and re.search(r"\w{3}s$", name) and " " in name and not found.et_al:
        return replace(found, names=(*found.names[:-1], name[:-1]), loose=True, owned=True)
    if _RUSSIAN.search(before, 0, found.start) and re.search(r"(?:[оеё]в|[иы]н)а$", name):
        return replace(found, names=(*found.names[:-1], name[:-1]), loose=True, owned=True)
    return None


def _names_ending(text: str, *, whole: bool) -> _Named | None:
    """The longest list of names at the end of a text; `whole`: in full, or with initials. One word alone begins no sentence."""
    tokens = list(_TOKEN.finditer(text))
    last = len(tokens) - 1
    for number in range(max(0, last - 9), last + 1):
        token = tokens[number]
        word = token[0].strip("*_")
        if not word or word[0].islower() or not word[0].isalpha() or word.casefold() in OPENERS:
            continue
        if _CASELESS.match(word) and number and not tokens[number - 1][0].endswith((",", ":", ".", ")")):
            continue
        written = text[token.start() :].strip("*_ ")
        names = people(written)
        full = names is not None and all(" " in name or "," in name for name in names[0])
        if names and (full or names[1] or (not whole and number and len(word) > 3)):
            return _Named(token.start(), *names, loose=False)
    return None


def _tail(after: str, *, named: bool) -> Tail:
    """What follows a title in its sentence: authors behind a word such as "de", a publisher, a year."""
    tail = read_tail(after, 0, (), knows_authors=True)
    dated = _DATED.match(after)
    if not named:
        tail = _with_authors(after, tail, dated)
    if tail.venue[:1].islower() and not is_press(tail.venue):
        tail = Tail(end=0)  # *Título*, y Ana Ruiz (1972)
    if tail.year is None and (loose := _LOOSE.match(after, tail.end)):
        venue = tail.venue or loose["venue"] or loose["house"] or ""
        tail = replace(tail, year=int(loose["year"]), venue=venue, end=loose.end())
    return tail


def _with_authors(after: str, tail: Tail, dated: re.Match[str] | None) -> Tail:
    """The tail with the names behind a title: *Titel* van Piet Smit; „Tytuł” Jana Lisa (Znak, 1999); *Titre* (1962), Paul Morel montre."""
    by = _BY.match(after, dated.end() if dated else 0)
    owner = _OWNER.match(after)
    place = by or owner or (_SUBJECT.match(after, dated.end()) if dated else _LISTED.match(after))
    if place is None:
        return tail
    start = place.end() if place is by else place.start("names")
    found = _leading(after[start : start + 80])
    if found is None or (place is not by and not all(" " in name for name in found[0][0])):
        return tail
    rest = read_tail(after, start + found[1], (), knows_authors=True)
    if not (rest.year or rest.venue):
        rest = Tail(end=start + found[1])  # de Ana Ruiz (numerosas reediciones)
    if place.re is _LISTED and not (rest.year and (rest.placed or is_press(rest.venue))):
        return tail
    year = rest.year or (int(dated["year"]) if dated else None)
    return replace(rest, authors=found[0][0], et_al=found[0][1], year=year)


def _leading(text: str) -> tuple[tuple[tuple[str, ...], bool], int] | None:
    """The longest list of names at the beginning of a text, and where it ends."""
    stop = _STOP.search(text)
    for token in reversed(list(_TOKEN.finditer(text, 0, stop.end() if stop else len(text)))[:8]):
        written = text[: token.end()].rstrip(" .,;:)")
        names = people(written)
        if names and not is_press(written.rpartition(", ")[2]):
            return names, len(written)
    return None
