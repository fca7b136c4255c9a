"""DBLP: publications of computer science (https://dblp.org/faq/How+to+use+the+dblp+search+API.html)."""

from __future__ import annotations

import html
import re
from typing import Any

from guardrail.references.bibliography.normalise import normalise_doi
from guardrail.references.bibliography.records import Record, Reference
from guardrail.references.sources.client import Manners, Query
from guardrail.references.sources.escaping import words
from guardrail.references.sources.resolver import Resolver, Searches, first, loaded, text, year

_NUMBER = re.compile(r" \d{4}$")  # behind a name that several people have


class Dblp(Resolver):
    """A request a second."""

    name = "dblp"
    title = "DBLP"
    home = "https://dblp.org"
    sends = "title"
    manners = Manners(seconds=1.0, concurrency=1)

    def searches(self, reference: Reference) -> Searches:
        """By title."""
        if title := words(reference.title):
            yield Query("/search/publ/api", {"q": title, "format": "json", "h": "5"}), _hits


def _hits(body: bytes) -> list[Record]:
    result = loaded(body)["result"]
    if result["status"]["@code"] != "200":
        raise ValueError(result["status"])
    return [_record(hit["info"]) for hit in result["hits"].get("hit", [])]


def _record(info: dict[str, Any]) -> Record:
    people = (info.get("authors") or {}).get("author") or []
    names = [text(person["text"]) for person in (people if isinstance(people, list) else [people])]
    return Record(
        title=html.unescape(text(info["title"])).removesuffix("."),
        authors=tuple(_NUMBER.sub("", html.unescape(name)) for name in names),
        year=year(info.get("year")),
        venue=html.unescape(text(first(info.get("venue")))),
        doi=normalise_doi(text(info.get("doi"))),
        url=text(first(info.get("ee"))),
        source="dblp",
        volume=text(info.get("volume")),
        issue=text(info.get("number")),
        pages=text(info.get("pages")),
    )
