"""Names and a year that lead to an identifier: "Kahneman & Tversky 1979: 10.2307/1914185", "[Roe et al., 2011](https://doi.org/…)"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.author_year import (
    PEOPLE,
    YEAR,
    after_capital,
    named_otherwise,
    read_marks,
)
from guardrail.references.citations.model import Citation, Style
from guardrail.references.citations.venues import NAME, is_venue
from guardrail.report import Span

__all__ = ["named_before", "with_names"]

_NAMED = (  # Roe & Poe 1979; Roe et al. (2019, Lancet; Roe et al., *Lancet* 2019; Roe & Poe
    rf"(?P<people>{PEOPLE})(?:,?\s[(\[]?(?P<years>{YEAR})(?![\w-])[)\]]?(?:,\s[*_]?(?P<venue>{NAME})[*_]?)?"
    rf"|,\s[*_]?(?P<before>{NAME})[*_]?,?\s[(\[]?(?P<later>{YEAR})(?![\w-])[)\]]?)?"
)
_NAMED_BEFORE = re.compile(  # and what leads to an identifier
    rf"(?:\A|(?<![\w.’'-]))(?P<mark>{_NAMED})(?P<gap>[\s,:;.–—→|<>=(\[*_-]{{1,8}}(?:\[?(?:doi|link|paper|pdf|arxiv)[:\]]?[\s(]{{0,2}})?)\Z",
    re.DOTALL,
)
_NAMED_WHOLE = re.compile(_NAMED)
# Nature 2017, which is no title
_VENUE_YEAR = re.compile(rf"[*_]?(?P<venue>{NAME})[*_]?,?\s(?P<year>{YEAR})")
_OPENING = {")": "(", "]": "[", ">": "<"}
_THING = re.compile(r"[^\W\d_A-Z][A-Z]|^[A-Z]{2,}")  # RoBERTa, BERT
_LONGEST_NAMED = 150  # characters before an identifier in which names and a year may stand
_IDENTIFIED: frozenset[Style] = frozenset({"doi", "arxiv", "pmid"})
_OF_A_LINE: frozenset[Style] = frozenset({*_IDENTIFIED, "numbered", "bulleted", "line"})


def with_names(answer: str, found: Sequence[Citation]) -> list[Citation]:
    """The citations, and with identifiers that have no title the names and the year before them, which a title may have been taken for.

    A single name may be that of a thing, "BERT (2018): arXiv:1810.04805", so it counts only where several names, or "et al.", lead to
    another identifier of the answer; and none that is written like RoBERTa, or is known as a journal. Two names without a year or
    "et al." may be two things.

    Example:
        >>> text = "Kahneman & Tversky 1979: 10.2307/1914185"
        >>> [one] = with_names(text, [Citation(Span(start=25, end=40), Reference(doi="10.2307/1914185"), "doi")])
        >>> one.reference.authors, one.reference.year, one.span.start
        (('Kahneman', 'Tversky'), 1979, 0)
    """
    found = list(_once(answer, found))
    read = [
        (one, _named(answer, one, before.span.end if before else 0))
        for before, one in pairwise([None, *found])
        if one is not None
    ]
    among = any(new and _several(new.reference) for _, new in read)
    return [new if new and (among or new.reference.venue) else one for one, new in read]


def named_before(answer: str, at: int, begin: int) -> bool:
    """Whether several names and a year lead to an identifier at `at`, in the text from `begin` on: it is that work's."""
    match = _NAMED_BEFORE.search(answer[max(begin, at - _LONGEST_NAMED) : at])
    return match is not None and bool((match["last"] or match["cut"]) and (match["years"] or match["later"]))


def _once(answer: str, found: Sequence[Citation]) -> Iterator[Citation]:
    """An identifier that is the text of a link to it is read once: [doi:10.1126/aax2342](https://doi.org/10.1126/aax2342)."""
    held: Citation | None = None
    for one in found:
        if held is not None and held.reference == replace(one.reference, url=held.reference.url):
            between = answer[held.span.end : one.span.start]
            if between == "](" and one.style in _IDENTIFIED and held.style in _IDENTIFIED:
                start = held.span.start - answer.startswith("[", held.span.start - 1)
                end = one.span.end + answer.startswith(")", one.span.end)
                held = replace(one, span=Span(start=start, end=end))
                continue
        if held is not None:
            yield held
        held = one
    if held is not None:
        yield held


def _named(answer: str, one: Citation, at: int) -> Citation | None:
    """The citation with the names and the year that stand before its identifier, from `at` on, or in place of its title."""
    said = one.reference
    if not (said.doi or said.arxiv or said.pmid) or said.year is not None:
        return None
    if said.title:
        if said.authors:
            placed = _VENUE_YEAR.fullmatch(said.title)
            if placed is None or not is_venue(placed["venue"]):
                return None
            more = replace(said, title="", venue=placed["venue"], year=int(placed["year"][:4]))
            return replace(one, reference=more)
        match, begin = _NAMED_WHOLE.fullmatch(said.title), None
    elif one.style in _OF_A_LINE and not said.authors:
        begin = max(answer.rfind("\n", 0, one.span.start) + 1, at, one.span.start - _LONGEST_NAMED)
        match = _NAMED_BEFORE.search(answer[begin : one.span.start])
    else:
        return None
    venue = (match["venue"] or match["before"] or "") if match else ""
    if match is None or named_otherwise(match["people"]) or (venue and not is_venue(venue)):
        return None
    year = match["years"] or match["later"]
    (mark,) = read_marks(match, 0, 0, sure=False)
    names, cut = mark.reference.authors, mark.reference.et_al
    if not year and not cut:
        return None
    behind = begin is not None and after_capital(answer, begin + match.start("mark"))
    if not _several(mark.reference) and (behind or _THING.search(names[0]) or is_venue(names[0])):
        return None
    more = replace(
        said, title="", authors=names, et_al=cut, venue=venue, year=int(year[:4]) if year else None
    )
    if begin is None:
        return replace(one, reference=more)
    start, end = begin + match.start("mark"), one.span.end
    while (opening := _OPENING.get(answer[end : end + 1])) and answer.count(
        opening, start, end
    ) > answer.count(answer[end], start, end):
        end += 1
    return replace(one, reference=more, span=Span(start=start, end=end))


def _several(said: Reference) -> bool:
    return len(said.authors) > 1 or said.et_al
