"""CSL-JSON, Crossref's works and OpenAlex's works: one item a line, a list, or the list in a dump or a reply."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from guardrail.references.bibliography.abstracts import from_positions
from guardrail.references.bibliography.formats.fields import (
    arxiv_of,
    checked_record,
    listed_authors,
    page_range,
    year_of,
)
from guardrail.references.bibliography.formats.json_items import as_list, as_object, as_text, read_items
from guardrail.references.bibliography.formats.lines import Passed, Piece
from guardrail.references.bibliography.formats.plain_json import is_plain, plain_record
from guardrail.references.bibliography.normalise import normalise_doi, normalise_isbn, normalise_pmid
from guardrail.references.bibliography.records import Record

# What Crossref registers beside works: parts of them, containers, and grants.
NO_WORKS = frozenset({"component", "journal", "journal-issue", "journal-volume", "book-series", "grant"})


def read_csl_json(path: Path, position: int) -> Iterator[Piece]:
    """Items as Zotero and other reference managers export them, or with plain names; the position counts items."""
    return read_items(path, position, lambda item: plain_record(item) if is_plain(item) else _csl(item))


def read_crossref(path: Path, position: int) -> Iterator[Piece]:
    """Crossref's works: its public data files, or replies of its API; the position counts items."""
    return read_items(path, position, _crossref)


def read_openalex(path: Path, position: int) -> Iterator[Piece]:
    """OpenAlex's works: its snapshot, or replies of its API; the position counts items."""
    return read_items(path, position, _openalex)


def _csl(item: dict[str, Any]) -> Record:
    doi = normalise_doi(as_text(item.get("DOI")))
    url = as_text(item.get("URL"))
    authors, et_al = listed_authors(
        _name(name) for name in as_list(item.get("author")) or as_list(item.get("editor"))
    )
    title, subtitle = as_text(item.get("title")), as_text(item.get("subtitle"))
    return checked_record(
        title=f"{title}: {subtitle}" if title and subtitle and subtitle not in title else title,
        authors=authors,
        et_al=et_al,
        year=_year(item.get("issued")),
        venue=as_text(item.get("container-title")) or as_text(item.get("publisher")),
        doi=doi,
        arxiv=arxiv_of(url, doi),
        isbn=normalise_isbn(as_text(item.get("ISBN")).rpartition("/")[2].split(" ")[0]),
        pmid=normalise_pmid(as_text(item.get("PMID"))),
        url=url,
        volume=as_text(item.get("volume")),
        issue=as_text(item.get("issue")),
        pages=as_text(item.get("page")),
        retracted=_updated(item),
        abstract=as_text(item.get("abstract")),
    )


def _crossref(item: dict[str, Any]) -> Record:
    kind = as_text(item.get("type"))
    if kind in NO_WORKS:
        raise Passed(kind)
    return _csl(item)


def _updated(item: dict[str, Any]) -> str:
    """What Crossref says of a work's retraction: `updated-by` has the notices about a work."""
    notices = [
        (_date(notice.get("updated")), normalise_doi(as_text(notice.get("DOI"))))
        for notice in map(as_object, as_list(item.get("updated-by")))
        if as_text(notice.get("type")) in {"retraction", "withdrawal", "removal"}
    ]
    if not notices:
        return ""
    date, doi = min(notices)
    said = [date, f"notice {doi}" if doi else ""]
    return ", ".join(filter(None, said)) or "retracted, says Crossref"


def _date(value: Any) -> str:
    parts = as_list(as_object(value).get("date-parts"))
    numbers = [part for part in as_list(parts[0])[:3] if isinstance(part, int)] if parts else []
    return "-".join(f"{number:04}" if place == 0 else f"{number:02}" for place, number in enumerate(numbers))


def _name(name: Any) -> str:
    if not isinstance(name, dict):
        return as_text(name)
    literal = as_text(name.get("literal")) or as_text(name.get("name"))
    if literal:
        return literal
    family = f"{as_text(name.get('non-dropping-particle'))} {as_text(name.get('family'))}".strip()
    given = f"{as_text(name.get('given'))} {as_text(name.get('dropping-particle'))}".strip()
    suffix = as_text(name.get("suffix"))
    return ", ".join(part for part in (family, given, suffix) if part)


def _year(issued: Any) -> int | None:
    """The year of a date of CSL: parts, of which the first is the year and may be a string, or a text in one of several fields."""
    if isinstance(issued, list):
        return _year(issued[0]) if issued else None
    if not isinstance(issued, dict):
        return year_of(as_text(issued))
    parts = as_list(issued.get("date-parts"))
    first = parts[0] if parts and isinstance(parts[0], list) else parts
    said = (as_text(issued.get(name)) for name in ("raw", "literal", "edtf", "year", "season"))
    return next(filter(None, map(year_of, (as_text(first[:1]), *said))), None)


def _openalex(item: dict[str, Any]) -> Record:
    if item.get("is_paratext") or item.get("type") == "paratext":
        raise Passed("paratext")
    if as_text(item.get("id")).rpartition("/")[2][:1] not in {"W", ""}:
        raise Passed("another kind of entity")
    places = [as_object(place) for place in [item.get("primary_location"), *as_list(item.get("locations"))]]
    pages = [as_text(place.get("landing_page_url")) for place in places]
    doi = normalise_doi(as_text(item.get("doi")))
    authors, cut = listed_authors(
        as_text(as_object(as_object(one).get("author")).get("display_name"))
        or as_text(as_object(one).get("raw_author_name"))
        for one in as_list(item.get("authorships"))
    )
    printed = as_object(item.get("biblio"))
    return checked_record(
        title=as_text(item.get("title")) or as_text(item.get("display_name")),
        authors=authors,
        et_al=cut or bool(item.get("is_authors_truncated")),
        year=year_of(as_text(item.get("publication_year"))),
        venue=as_text(as_object(places[0].get("source")).get("display_name")),
        doi=doi,
        arxiv=arxiv_of(next((page for page in pages if "arxiv.org/" in page.lower()), ""), doi),
        pmid=normalise_pmid(as_text(as_object(item.get("ids")).get("pmid")).rstrip("/").rpartition("/")[2]),
        url=pages[0],
        volume=as_text(printed.get("volume")),
        issue=as_text(printed.get("issue")),
        pages=page_range(as_text(printed.get("first_page")), as_text(printed.get("last_page"))),
        retracted="retracted, says OpenAlex" if item.get("is_retracted") is True else "",
        abstract=from_positions(item.get("abstract_inverted_index")),
    )
