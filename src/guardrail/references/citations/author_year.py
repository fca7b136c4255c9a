"""Author-year marks in brackets, "(Roe et al., 2001; Doe and Poe 1999)", which have a form of their own."""

from __future__ import annotations

import re
from collections.abc import Iterator

from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.model import Citation
from guardrail.references.citations.venues import is_venue
from guardrail.report import Span

__all__ = ["author_year_marks"]

_BRACKETS = re.compile(r"[(\[](?P<marks>[^()\[\]\n]{8,600})[)\]]")
_NAME = r"(?:(?:van|von|de|der|den|la|le|del|da|di|dos|el|al|ten|ter)\s){0,3}[^\W\d_a-z][\w’'.-]{0,30}"
_LEAD = r"(?:(?:[^\W\d_A-Z][\w’'.]{0,15},?\s){1,3})?"  # in small letters: see also, vgl., par exemple,
_MARK = re.compile(
    rf"\s*{_LEAD}(?P<number>\d{{1,3}},\s)?(?P<mark>(?P<first>{_NAME})"
    rf"(?:(?P<cut>,?\set\sal\.?)|,?\s(?:and|&|und|et|y|e)\s(?P<second>{_NAME}))?,?\s(?P<year>(?:1[6-9]|20)\d\d)[a-z]?)\s*"
)


def author_year_marks(answer: str) -> Iterator[Citation]:
    """The marks of brackets that hold nothing else; one name and a year alone may be a firm or a town.

    Example:
        >>> text = "It grows (3, Roe et al., 2001; Doe, 1999). In a book (Anchor, 1961) and (Simon & Schuster, 2019)."
        >>> [one.span.of(text) for one in author_year_marks(text)]
        ['Roe et al., 2001', 'Doe, 1999']
    """
    for brackets in _BRACKETS.finditer(answer):
        at, found = brackets.start("marks"), list[re.Match[str]]()
        for part in brackets["marks"].split(";"):
            mark = _MARK.fullmatch(answer, at, at + len(part))
            at += len(part) + 1
            if mark is None or (mark["second"] and is_venue(f"{mark['first']} & {mark['second']}")):
                found.clear()
                break
            found.append(mark)
        several = len(found) > 1 and not any(is_venue(mark["first"]) for mark in found)
        if several or any(mark["cut"] or mark["second"] or mark["number"] for mark in found):
            yield from map(_citation, found)


def _citation(mark: re.Match[str]) -> Citation:
    names = (
        mark["first"],
        *([mark["second"]] if mark["second"] else []),
        *(["et al."] if mark["cut"] else []),
    )
    said = Reference(authors=names, year=int(mark["year"]))
    return Citation(Span(start=mark.start("mark"), end=mark.end("mark")), said, "author-year", kind="mark")
