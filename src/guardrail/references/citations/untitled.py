"""Works that a sentence names without their titles: Haslam and Reicher's 2012 essay in *PLoS Biology*."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.people import PEOPLE, PERSON, body, people
from guardrail.references.citations.unmarked import abbreviates, without_opener
from guardrail.references.citations.venues import NAME, is_journal, is_named, is_venue
from guardrail.report import Span

__all__ = ["untitled"]

_YEAR = r"(?:1[5-9]|20)\d\d"
_NOUN = r"(?:papers?|books?|articles?|study|essays?|report|comment|commentary|thesis|dissertation|monograph|review|chapter|treatise|textbook|survey|preprint|meta-analysis|letter|note|column|op-ed)"
_VENUE = rf"(?P<mark>[*_]?)(?P<venue>{NAME})(?P=mark)"
_SMALL = r"(?:[a-z][\w-]{1,19}\s)"
_NEAR = re.compile(rf"\s(?P<noun>{_NOUN})(?![\w’'-])")
_SAYS = re.compile(
    r",?\s(?:writing|wrote|writes|reported|reports|argued?|published|noted|showed|suggested|proposed)\s(?=in\s)"
)
# Haslam & Reicher's 2012 essay; Milgram's (1974) book
_OWNER = re.compile(
    rf"(?<![\w.’'-])(?P<by>{PEOPLE})(?:['’]s|(?<=s)['’])\s{_SMALL}{{0,2}}(?:(?P<dated>\()?(?P<year>{_YEAR})\)?\s)?{_SMALL}{{0,2}}$"
)
# Laura Martin in a 1986 *American Anthropologist* article
_IN_A = re.compile(
    rf"(?<![\w.’'-])(?P<by>{PEOPLE}),?\s(?:in|with)\s(?:an?|their|his|her)\s{_SMALL}{{0,2}}(?:(?P<year>{_YEAR})\s)?{_SMALL}?{_VENUE}(?P<dated>)$"
)
# a 2015 paper in *Science* by the Open Science Collaboration; In a 2009 article in *Nature*, Johan Rockström and colleagues
_BY = re.compile(
    rf"(?P<where>(?:\spublished)?\sin\s(?:the\s)?(?:journal\s)?(?P<mark>[*_]?)(?P<venue>{NAME})(?P=mark)(?:,?\s(?:in\s|\()(?P<later>{_YEAR})\)?(?!\d))?)?(?:(?:,?\sby\s(?:the\s)?|,\s(?=[^,.;]{{5,60}}\s[a-z]))(?P<by>{PEOPLE}|{NAME}))"
)
# a meta-analysis by Peter Fischer and colleagues in *Psychological Bulletin* (2011)
_BY_AND_WHERE = re.compile(
    rf"\sby\s(?P<by>{PEOPLE}),?\sin\s(?:the\s)?(?:journal\s)?{_VENUE}(?:,?\s(?:in\s)?\(?(?P<year>{_YEAR})\)?)(?!\d)"
)
_DATED = re.compile(rf"(?P<year>{_YEAR})\s(?:[a-z-]{{2,20}}\s){{0,2}}$")
_PEOPLE_END = re.compile(
    rf"(?<![\w.’'-])(?P<by>(?:{PERSON},\s){{0,5}}{PEOPLE}(?:\sand\s(?:two|three|four|five|six|seven|eight|nine|ten|\d{{1,2}})\s(?:others|colleagues|co-?authors))?)$"
)
_MORE = re.compile(r"\sand\s(?:[a-z]+|\d{1,2})\s(?:others|colleagues|co-?authors)$")
_WHERE = re.compile(
    rf"\sin\s(?:the\s)?(?:journal\s)?{_VENUE}(?:,?\s(?:in\s(?P<year>{_YEAR})|\((?P<later>{_YEAR})(?:[,;:][^()\r\n]{{0,40}})?\))(?!\d))?"
)
_WHEN = re.compile(
    rf"\sin\s(?P<year>{_YEAR})(?P<later>)\s\((?:in\s(?:the\s)?)?{_VENUE}\)"
)  # reported in 2014 (*Nature*)
_ABOUT = re.compile(
    rf"\s(?:of|on|about)\s[^.!?;()\r\n\"“]{{3,100}}?\s\({_VENUE}(?:,?\s(?P<year>{_YEAR})(?!\d))?(?:,?\s\d[^()\r\n]{{0,30}})?\)"
)
_DATE = re.compile(rf"\s(?:\(|in\s)(?P<year>{_YEAR})\)?(?!\d)")
_SAME = re.compile(r"\sin\sthe\ssame\s(?:journal|issue|volume)(?!\w)")
# People with a journal and a year in brackets: Watson and Crick (Nature, 1953)
_NAMED_AND_PLACED = re.compile(
    rf"(?<![\w.’'-])(?P<by>{PEOPLE})\s\({_VENUE},?\s(?:\d[\d(): –-]{{0,20}},\s)?(?P<year>{_YEAR})\)"
)
# Stroop (1935) in the Journal of Experimental Psychology
_DATED_AND_PLACED = re.compile(
    rf"(?<![\w.’'-])(?P<by>{PEOPLE})\s\((?P<year>{_YEAR})\),?\s(?:writing\s)?in\s(?:the\s(?:[a-z]{{2,10}}\s){{1,2}}of\s)?(?:the\s)?(?:journal\s)?{_VENUE}"
)
_DATED_IN = re.compile(rf"\s\({_YEAR}\),?\s(?:writing\s)?in\s")
# In a 1999 Psychological Science article, Chabris and Simons reported
_ARTICLE_BY = re.compile(
    rf"\b[Ii]n\san?\s(?P<year>{_YEAR})\s(?:paper\sin\s(?:the\s)?)?{_VENUE}(?:\s(?:article|paper|study|report))?,\s(?P<by>{PEOPLE})(?=\s[a-z])"
)
# published by Dawber and colleagues in 1951 in the American Journal of Public Health
_BY_WHOM = re.compile(
    r"\s(?:published|reported|described|shown|introduced|proposed|demonstrated|reviewed)(?=\sby\s)"
)
_PASSIVE = re.compile(
    rf"\sby\s(?P<by>{PEOPLE})(?:,?\sin\s(?P<early>{_YEAR}))?,?\sin\s(?:the\s)?(?:journal\s)?{_VENUE}(?:,?\s(?:in\s|\()(?P<year>{_YEAR})\)?(?!\d))?"
)
_BEFORE_PLACE = re.compile(rf"[a-z.]\s\((?=[*_]?[^\W\d_a-z][^()\r\n]{{2,100}}{_YEAR}\))")
_TITLE_FOLLOWS = re.compile(r"[,:]?\s(?:called\s|titled\s|entitled\s)?[\"“‘«*_]")
_REACH = 140  # characters before a word for a work
_MOST = 400  # such words that are looked at


def untitled(answer: str) -> Iterator[tuple[Span, Reference]]:
    """The works that have people, and a year or a journal, but no title.

    Example:
        >>> text = "Haslam and Reicher's 2012 essay in PLoS Biology rethinks it."
        >>> [(span.of(text), said.authors, said.year, said.venue) for span, said in untitled(text)]
        [("Haslam and Reicher's 2012 essay in PLoS Biology", ('Haslam', 'Reicher'), 2012, 'PLoS Biology')]
    """
    for noun in islice(_NEAR.finditer(answer), _MOST):
        yield from _at_noun(answer, noun.start(), noun.end())
    for bracket in islice(_BEFORE_PLACE.finditer(answer), _MOST):
        since = _reach(answer, bracket.start())
        placed = _NAMED_AND_PLACED.search(answer, since, bracket.end() + 160)
        if (
            placed
            and placed.start() < bracket.start() < placed.end()
            and is_named(placed["venue"])
            and not abbreviates(placed["venue"], placed["by"])
        ):
            yield from _cited(placed, 0, placed.end(), placed["year"], placed["venue"])
    for dated in islice(_DATED_IN.finditer(answer), _MOST):
        since = _reach(answer, dated.start())
        placed = _DATED_AND_PLACED.search(answer, since, dated.end() + 160)
        if placed and placed.start() < dated.start() < placed.end() and _is_named(placed):
            yield from _cited(placed, 0, placed.end(), placed["year"], placed["venue"])
    for article in islice(_ARTICLE_BY.finditer(answer), _MOST):
        names = people(article["by"])
        if names and _is_named(article):
            said = Reference("", names[0], names[1], int(article["year"]), article["venue"])
            yield Span(start=article.start("year"), end=article.end()), said
    for verb in islice(_BY_WHOM.finditer(answer), _MOST):
        passive = _PASSIVE.match(answer, verb.end())
        year = (passive["year"] or passive["early"]) if passive else None
        if passive and year and _is_named(passive):
            yield from _cited(passive, 0, passive.end(), year, passive["venue"])
    for verb in islice(_SAYS.finditer(answer), _MOST):
        start = _reach(answer, verb.start())
        who = _PEOPLE_END.search(answer[start : verb.start()])
        where = _WHERE.match(answer, verb.end() - 1) or _WHEN.match(answer, verb.end() - 1)
        year = (where["year"] or where["later"]) if where else None
        if who and where and year and _is_named(where):
            yield from _cited(who, start, where.end(), year, where["venue"])


def _reach(answer: str, at: int) -> int:
    """From where what is before a place may belong to it: at most `_REACH` characters, within the line."""
    return max(at - _REACH, answer.rfind("\n", 0, at) + 1, 0)


def _at_noun(answer: str, start: int, end: int) -> Iterator[tuple[Span, Reference]]:
    """A word for a work, with whose it is before it, and where and when it appeared on either side."""
    since = _reach(answer, start)
    before = answer[since : start + 1]
    who = _OWNER.search(before) or _IN_A.search(before[:-1])
    if who is None:
        yield from _by(answer, since, before, end)
        return
    venue = who.groupdict().get("venue") or ""
    if venue and not _is_named(who):
        return
    where = None if venue else _WHERE.match(answer, end) or _ABOUT.match(answer, end)
    where = where if where and _is_named(where) else None
    date = None if where else _DATE.match(answer, end)
    found = [*(match.groupdict() for match in (where, date) if match), {}][0]
    year = who["year"] or found.get("year") or found.get("later")
    venue = venue or (where["venue"] if where else "")
    same = _SAME.match(answer, end)
    stop = next((one.end() for one in (where, date, same) if one), end)
    if who["dated"] and not venue:
        return  # Hoch et al.'s (2018) meta-analysis: the mark is enough
    if (year or venue) and not _TITLE_FOLLOWS.match(answer, stop) and not _TITLE_FOLLOWS.match(answer, end):
        yield from _cited(who, since, stop, year, venue)


def _by(answer: str, since: int, before: str, end: int) -> Iterator[tuple[Span, Reference]]:
    """A dated paper in some journal, by somebody."""
    by = _BY_AND_WHERE.match(answer, end)
    if by and _is_named(by):
        who, more = by["by"], _MORE.search(by["by"])
        names = people(who[: more.start()] if more else who)
        if names:
            said = Reference("", names[0], names[1] or more is not None, int(by["year"]), by["venue"])
            yield Span(start=since + len(before.rstrip()) + 1, end=by.end()), said
        return
    date, by = _DATED.search(before), _BY.match(answer, end)
    if by is None or not by["where"] or not (date or by["later"]) or not _is_named(by):
        return
    names = people(by["by"]) or body(by["by"])
    if names and not is_journal(by["by"]):
        year, start = (date["year"], since + date.start()) if date else (by["later"], end + 1)
        yield Span(start=start, end=by.end()), Reference("", names[0], names[1], int(year), by["venue"])


def _cited(
    who: re.Match[str], offset: int, end: int, year: str | None, venue: str
) -> Iterator[tuple[Span, Reference]]:
    by, skipped = without_opener(who["by"])
    more = _MORE.search(by)
    names = people(by[: more.start()] if more else by)
    if names and not is_venue(by):
        said = Reference("", names[0], names[1] or more is not None, int(year) if year else None, venue)
        yield Span(start=offset + who.start("by") + skipped, end=end), said


def _is_named(where: re.Match[str]) -> bool:
    return bool(where["mark"]) or is_venue(where["venue"])
