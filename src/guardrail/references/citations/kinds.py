"""What kind of thing a citation names, where what read it did not say."""

from __future__ import annotations

import re
from dataclasses import replace

from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.laws import names_a_law
from guardrail.references.citations.model import Citation, Kind

__all__ = ["is_page", "with_kind"]

_PARTIES = re.compile(r"[\w.’')]\sv(?:s?\.|\s)\s?[A-Z]")  # Roe v. Wade, Donoghue v Stevenson


def with_kind(citation: Citation) -> Citation:
    """The citation with its kind: from its style, else from the fields that were read.

    Example:
        >>> from guardrail.report import Span
        >>> said = Reference("Measles", url="https://www.nhs.uk/conditions/measles/")
        >>> with_kind(Citation(Span(start=0, end=46), said, "unmarked")).kind
        'page'
    """
    return citation if citation.kind != "work" else replace(citation, kind=_kind(citation))


def _kind(citation: Citation) -> Kind:
    said = citation.reference
    identified = said.doi or said.arxiv or said.isbn or said.pmid
    if citation.style == "author-year":
        return "mark"
    if citation.style == "legal" or not identified:
        if names_a_law(said):
            return "law"
        if citation.style == "legal" or _is_case(said):
            return "case"
    if is_page(said):
        return "page"
    unnamed = not (said.title or identified)
    return "mark" if unnamed and said.authors and said.year else "work"


def is_page(said: Reference) -> bool:
    """Whether a title with an address is all that is said, so that it may be a page of the web."""
    identified = said.doi or said.arxiv or said.pmid or said.isbn
    return bool(said.url) and not (identified or said.authors or said.year)


def _is_case(said: Reference) -> bool:
    """Whether a title names two parties, and nobody claims to have written it."""
    return not said.authors and _PARTIES.search(said.title) is not None
