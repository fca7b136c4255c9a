"""Marks of citation that no reference was read from: what looks like a citation and could not be read is said, not passed over."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from guardrail.references.authors.names import parse_name
from guardrail.references.citations.model import Citation
from guardrail.references.citations.structured import unread_entries
from guardrail.report import Span

__all__ = ["unread"]

_YEAR = r"(?:1[6-9]|20)\d\d[a-z]?"
_NAME = r"[^\W\d_a-z](?:[^\W\d_]{1,30}|[’'][^\W\d_]{2,30})(?:[-’'][^\W\d_]{1,30})?"
_PAIR = rf"(?:,?\s(?:and|&)\s{_NAME}|,?\set\sal\.?)"
_MARK = re.compile(
    rf"(?<!\w)(?P<narrative>(?P<first>{_NAME})(?:,?\set\sal\.?|(?P<two>\s(?:and|&)\s{_NAME}))\s?\((?P<dated>{_YEAR})\))"
    rf"|(?<!\w)(?P<bracketed>(?P<one>{_NAME}){_PAIR},?\s(?P<of>{_YEAR}))(?=[;,)\]])"
    rf"|(?<=[(;\s])(?P<single>(?P<alone>{_NAME}),\s(?P<then>{_YEAR}))(?=[;)])"
    r"|(?<!\w)(?P<legal>\d{1,4}\s(?:U\.\s?S\.|S\.\s?Ct\.|L\.\s?Ed\.(?:\s?2d)?|F\.(?:\s?[23]d|\s?4th)?|F\.\s?Supp\.(?:\s?[23]d)?)\s\d{1,4})(?!\w)"
    r"|(?<!\w)(?P<volume>(?:19|20)\d\d;\s?\d{1,4}(?:\(\d{1,3}\))?:\s?[eE]?\d{1,6}(?:[-–]\d{1,6})?)(?!\w)"
)
_NO_AUTHORS = frozenset(
    [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
        "spring",
        "summer",
        "autumn",
        "fall",
        "winter",
        "section",
        "chapter",
        "figure",
        "table",
        "part",
        "volume",
        "version",
        "since",
        "until",
        "before",
        "after",
        "around",
        "circa",
        "year",
    ]
)


def unread(answer: str, found: Sequence[Citation]) -> Iterator[Span]:
    """Where something looks like a citation, is part of none that was read, and means none of them.

    Names with a year ("(Hofmann et al., 2010)", "Vaswani et al. (2017)"), reporters of United States law ("347 U.S. 483"), volumes with
    pages ("2019;381:1995-2008"). What may be a place or a title with its year ("(Paris, 2019)", "Love and Life (2008)") counts only
    where there are other citations. Entries under a key of JSON such as "references" count as they are. A mark that names an author and the year of a reference in the same answer means that
    reference.

    Example:
        >>> text = "As shown (Hofmann et al., 2010; Goldin, 2011), and held in 347 U.S. 483 (1954)."
        >>> [span.of(text) for span in unread(text, [])]
        ['Hofmann et al., 2010', 'Goldin, 2011', '347 U.S. 483']
    """
    known = {
        (parse_name(name).family.casefold(), str(one.reference.year))
        for one in found
        for name in one.reference.authors[:20]
    }
    covered = sorted((one.span.start, one.span.end) for one in found)
    entries = list(unread_entries(answer, found))
    covered = sorted([*covered, *((span.start, span.end) for span in entries)])
    at, sure, doubtful = 0, entries, list[Span]()
    for match in _MARK.finditer(answer):
        while at < len(covered) and covered[at][1] <= match.start():
            at += 1
        if at < len(covered) and covered[at][0] < match.end():
            continue
        name = match["first"] or match["one"] or match["alone"] or ""
        year = (match["dated"] or match["of"] or match["then"] or "")[:4]
        if name.casefold() in _NO_AUTHORS or (name.casefold(), year) in known:
            continue
        span = Span(start=match.start(), end=match.end())
        (doubtful if match["single"] or match["two"] else sure).append(span)
    if sure or found or len(doubtful) > 1:
        yield from sorted([*sure, *doubtful], key=lambda span: span.start)
