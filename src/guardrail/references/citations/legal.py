"""Cases of the courts of the United States: "Brown v. Board of Education, 347 U.S. 483 (1954)", read by `eyecite`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from itertools import groupby
from typing import Any

from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.model import Citation
from guardrail.report import Span

__all__ = ["cases", "installed"]

_REPORTED = re.compile(
    r"(?<!\w)\d{1,4}\s[A-Z][A-Za-z0-9.'’ ]{0,25}?(?:\s\([^()]{1,20}\))?\s(?:\d{1,5}|_{2,4})(?!\w)"
)
_BEFORE, _AFTER = 240, 120  # characters that may hold the parties, and the court with the year
_MARKUP = re.compile(r"[*>#|]|(?<!_)_(?!_)")
_PARTIES = re.compile(
    r"(?:(?:[Ii]n re|[Ee]x parte|[Mm]atter of)\s+[A-Z][^,;()\[\]]{1,80}|(?:[A-Z][\w.’'&-]*,?\s+(?:(?:of|the|for|and|de|ex rel\.|&)\s+){0,2}){1,10}"
    r"v(?:s?\.|ersus)?\s+[A-Z][^;()\[\]]{1,100}?)[\s,]*(?:\((?P<early>1[789]\d\d|20\d\d)\))?[\s,]*\Z"
)
_SENTENCE = re.compile(
    r"(?:In|See|also|Under|Cf|e\.g|As|And|But|Compare|From|Since|Following|By|The)\b[.,]?\s+(?!re\b)"
)
_LONGEST, _MOST = 1_000, 30_000  # characters of a window, and of all: eyecite reads some 100,000 a second


@cache
def installed() -> bool:
    """Whether `eyecite` is there (the extra `[legal]`)."""
    return find_spec("eyecite") is not None


def cases(answer: str) -> Iterator[Citation]:
    """The cases that an answer cites; parallel citations of one case are one. Nothing without `eyecite`.

    `title` is the name of the case, `venue` volume, reporter and page as written, `year` that of the decision.
    """
    left = _MOST if installed() else 0
    for start, end in _windows(answer) if left else ():
        left -= end - start
        if left < 0:
            return
        clean = _MARKUP.sub(" ", answer[start:end])
        found = [one for one in _cited(clean) if one.groups.get("reporter")]
        since = 0
        for _, group in groupby(found, key=lambda one: one.full_span()[1]):
            case = _case(answer, clean, start, since, list(group))
            since = case.span.end - start
            yield case


def _windows(answer: str) -> Iterator[tuple[int, int]]:
    """Where volume, something like a reporter, and page stand, with the text around, as far as the line goes."""
    start = end = 0
    for match in _REPORTED.finditer(answer):
        left = max(answer.rfind("\n", 0, match.start()) + 1, match.start() - _BEFORE)
        line = answer.find("\n", match.end(), match.end() + _AFTER)
        right = min(len(answer), match.end() + _AFTER) if line < 0 else line
        if end and left <= end and right - start <= _LONGEST:
            end = right
            continue
        if end:
            yield start, end
        start, end = max(left, end), right
    if end:
        yield start, end


def _cited(text: str) -> list[Any]:
    from eyecite import get_citations
    from eyecite.models import FullCaseCitation

    return [one for one in get_citations(text) if isinstance(one, FullCaseCitation)]


def _case(answer: str, clean: str, offset: int, since: int, group: list[Any]) -> Citation:
    """One case, from the first letter of its name to the year; what is before `since` belongs to another."""
    first, last = group[0], group[-1]
    at = first.span()[0]
    edge = max(since, at - _BEFORE)
    parties = _PARTIES.search(clean, edge, at)
    start, name = at, ""
    if parties:
        lead = _SENTENCE.match(clean, parties.start(), at)
        while lead:
            start = lead.end()
            lead = _SENTENCE.match(clean, start, at)
        start = start if start != at else parties.start()
        name = " ".join(clean[start : parties.start("early") - 1 if parties["early"] else at].split()).strip(
            " ,"
        )
    end = max(last.span()[1], last.full_span()[1] if last.full_span()[1] <= len(clean) else 0)
    while start + offset > 0 and answer[offset + start - 1] in "*_" and start > 0:
        start -= 1
    year = str(first.metadata.year or (parties["early"] if parties else "") or "")
    reference = Reference(
        title=name,
        year=int(year) if year.isdigit() else None,
        venue=" ".join(first.matched_text().split()),
        volume=first.groups.get("volume") or "",
        pages=first.groups.get("page") or "",
    )
    return Citation(Span(start=offset + start, end=offset + end), reference, "legal")
