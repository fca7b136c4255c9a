"""Open Library: books (https://openlibrary.org/dev/docs/api/search).

A book is one work with many editions. Of years, publishers and ISBNs of its editions, that which is quoted is taken if it is
among them, else the first.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from guardrail.references.bibliography.normalise import main_part, normalise_isbn
from guardrail.references.bibliography.records import Record, Reference
from guardrail.references.bibliography.venues import same_venue
from guardrail.references.sources.client import Manners, Query
from guardrail.references.sources.escaping import words
from guardrail.references.sources.resolver import Resolver, Searches, first, loaded, text, year

_FIELDS = "key,title,subtitle,author_name,first_publish_year,publish_year,publisher,isbn"


class OpenLibrary(Resolver):
    """A request a second."""

    name = "open_library"
    title = "Open Library"
    home = "https://openlibrary.org"
    sends = "title, ISBN"
    manners = Manners(seconds=1.0, concurrency=2)

    def searches(self, reference: Reference) -> Searches:
        """By ISBN, then by title; subtitles are a field of their own there."""
        read = partial(_books, reference=reference)
        if isbn := normalise_isbn(reference.isbn):
            yield Query("/search.json", {"isbn": isbn, "fields": _FIELDS, "limit": "5"}), read
        if title := words(main_part(reference.title) or reference.title):
            yield Query("/search.json", {"title": title, "fields": _FIELDS, "limit": "5"}), read


def _books(body: bytes, reference: Reference) -> list[Record]:
    return [_record(book, reference) for book in loaded(body)["docs"]]


def _record(book: dict[str, Any], reference: Reference) -> Record:
    years = [found for one in book.get("publish_year") or [] if (found := year(one))]
    publishers = [text(one) for one in book.get("publisher") or []]
    isbns = [text(one) for one in book.get("isbn") or []]
    claimed = normalise_isbn(reference.isbn)
    known = next((one for one in isbns if claimed and normalise_isbn(one) == claimed), "")
    title, sub = text(book["title"]), text(book.get("subtitle"))
    return Record(
        title=f"{title}: {sub}" if sub else title,
        authors=tuple(filter(None, map(text, book.get("author_name") or []))),
        year=reference.year
        if reference.year in years
        else year(book.get("first_publish_year")) or first(years),  # type: ignore[arg-type]  # a year
        venue=next((one for one in publishers if same_venue(reference.venue, one)), text(first(publishers))),
        isbn=known or text(first(isbns)),
        url=f"https://openlibrary.org{text(book['key'])}",
        source="open_library",
    )
