"""Numeric marks that are links: "Most of them recover [[2]](https://…)." Each is a page, unless the answer lists its address."""

from __future__ import annotations

import re
from collections.abc import Iterator

from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.identifiers import identifiers, with_identifiers
from guardrail.references.citations.model import Citation
from guardrail.report import Span

__all__ = ["linked_marks", "without_linked_marks"]

_MARK = re.compile(
    r"\[[\[(]?\^?\d{1,3}\^?[\])]?\]\((?P<url>https?://[^()\s]{4,400}(?:\([^()\s]{0,80}\)[^()\s]{0,80})?)\)"
)


def linked_marks(answer: str) -> Iterator[Citation]:
    """Marks whose address appears nowhere else in the answer. If a list of sources has the address, the entry in the list is the reference.

    Example:
        >>> text = "Most recover [[2]](https://example.org/a), some do not [3](https://example.org/b). Sources: https://example.org/b"
        >>> [one.reference.url for one in linked_marks(text)]
        ['https://example.org/a']
    """
    listed = {i.url for i in identifiers(without_linked_marks(answer)) if i.url}
    for mark in _MARK.finditer(answer):
        said = with_identifiers(Reference(url=mark["url"]), identifiers(mark["url"]))
        if mark["url"] not in listed:
            yield Citation(Span(start=mark.start(), end=mark.end()), said, "unmarked", kind="page")


def without_linked_marks(answer: str) -> str:
    """The text with blanks for these marks, every place unchanged: nothing before one is its title."""
    return _MARK.sub(lambda mark: " " * len(mark[0]), answer)
