"""What the readers of all formats make of a field: a year, a list of names, an arXiv identifier, a record."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from guardrail.references.bibliography.abstracts import plain_abstract
from guardrail.references.bibliography.normalise import normalise, normalise_arxiv
from guardrail.references.bibliography.records import Record


def checked_record(*, abstract: str = "", **fields: Any) -> Record:
    """A record that can be found by something, its abstract as plain text; `ValueError` if it has neither title nor identifier."""
    record = Record(abstract=plain_abstract(abstract), **fields)
    if not normalise(record.title) and not (record.doi or record.arxiv or record.isbn or record.pmid):
        raise ValueError(f"expected a title or an identifier, got {record.title[:80]!r}.")
    return record


def listed_authors(names: Iterable[str]) -> tuple[tuple[str, ...], bool]:
    """The names without "et al.", and whether that was among them."""
    kept = [name for name in names if name]
    real = tuple(name for name in kept if name.lower().rstrip(".") not in {"et al", "others", "and others"})
    return real, len(real) < len(kept)


def year_of(text: str) -> int | None:
    """The first year from 1000 to 2099 in a text."""
    if not text:
        return None
    found = re.search(r"(?<!\d)(1[0-9]{3}|20[0-9]{2})(?!\d)", text)
    return int(found.group()) if found else None


def page_range(first: str, last: str) -> str:
    """Pages from a first to a last one; the first alone where no other is known.

    Example:
        >>> page_range("12", "19"), page_range("12-19", ""), page_range("e7", "e7")
        ('12-19', '12-19', 'e7')
    """
    return f"{first}-{last}" if first and last and last != first and "-" not in first else first or last


def arxiv_of(url: str, doi: str) -> str:
    """The arXiv identifier in an address or in a DOI that arXiv gave; "" if there is none."""
    if "arxiv.org/" in url.lower():
        return normalise_arxiv(url)
    return normalise_arxiv(doi.partition("arxiv.")[2]) if doi.startswith("10.48550/") else ""
