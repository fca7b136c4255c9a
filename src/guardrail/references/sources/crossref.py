"""Crossref: articles, proceedings, books and chapters with a DOI of its members (https://api.crossref.org)."""

from __future__ import annotations

import os
from typing import Any

from guardrail.references.authors.names import parse_name
from guardrail.references.bibliography.abstracts import plain_abstract
from guardrail.references.bibliography.normalise import normalise_doi
from guardrail.references.bibliography.records import Record, Reference
from guardrail.references.sources.client import CONTACT, Manners, Query
from guardrail.references.sources.escaping import segment, words
from guardrail.references.sources.resolver import Resolver, Searches, first, loaded, text


class Crossref(Resolver):
    """Three searches a second for who gives an address, one for others."""

    name = "crossref"
    title = "Crossref"
    home = "https://api.crossref.org"
    sends = "title, first author, year, DOI"
    manners = Manners(seconds=1.0, concurrency=1)

    def __init__(self, *, manners: Manners | None = None, **options: Any) -> None:
        known = Manners(seconds=0.35, concurrency=3) if os.environ.get(CONTACT) else None
        super().__init__(manners=manners or known, **options)

    def searches(self, reference: Reference) -> Searches:
        """By DOI, then by title, first author and year."""
        if doi := normalise_doi(reference.doi):
            yield Query(f"/works/{segment(doi)}", may_miss=True), _one
        if title := words(reference.title):
            name = words(parse_name(reference.authors[0]).family, 60) if reference.authors else ""
            said = " ".join(filter(None, (title, name, str(reference.year or ""))))
            yield Query("/works", {"query.bibliographic": said, "rows": "5"}), _several


def _one(body: bytes) -> list[Record]:
    return [csl_record(loaded(body)["message"], "crossref")]


def _several(body: bytes) -> list[Record]:
    items = loaded(body)["message"]["items"]
    return [csl_record(item, "crossref") for item in items if item.get("title")]


def csl_record(item: dict[str, Any], source: str) -> Record:
    """A record of Crossref's JSON, or of CSL JSON, which is nearly the same.

    Raises:
        ValueError, KeyError, TypeError: it is something else.
    """
    kind = text(item.get("type"))
    return Record(
        title=_titled(text(first(item["title"])), text(first(item.get("subtitle")))),
        authors=tuple(filter(None, map(_name, item.get("author") or item.get("editor") or []))),
        year=_year(item),
        venue=text(first(item.get("container-title")))
        or (text(item.get("publisher")) if "book" in kind else ""),
        doi=normalise_doi(text(item.get("DOI"))),
        isbn=text(first(item.get("ISBN"))),
        url=text(item.get("URL")),
        source=source,
        volume=text(item.get("volume")),
        issue=text(item.get("issue")),
        pages=text(item.get("page")),
        retracted=_retracted(item),
        abstract=plain_abstract(item.get("abstract")),
    )


def _titled(main: str, sub: str) -> str:
    return f"{main}: {sub}" if sub and words(sub) not in words(main) else main


def _name(person: dict[str, Any]) -> str:
    given, family = text(person.get("given")), text(person.get("family"))
    return f"{given} {family}".strip() or text(person.get("name")) or text(person.get("literal"))


def _year(item: dict[str, Any]) -> int | None:
    for date in ("issued", "published-print", "published-online", "published"):
        parts = (item.get(date) or {}).get("date-parts")
        found = first(first(parts))
        if found is not None:
            return int(str(found))
    return None


def _retracted(item: dict[str, Any]) -> str:
    for notice in item.get("updated-by") or []:
        if notice.get("type") == "retraction":
            date = first((notice.get("updated") or {}).get("date-parts")) or []
            day = "-".join(f"{int(part):02}" for part in date) if isinstance(date, list) else ""
            return " ".join(filter(None, ("retracted", day, text(notice.get("DOI")))))
    return ""
