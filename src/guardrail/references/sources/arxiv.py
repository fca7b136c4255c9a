"""arXiv: preprints of physics, mathematics, computer science and their neighbours (https://info.arxiv.org/help/api).

It answers in Atom. The XML is read by defusedxml: entities and document types are refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from guardrail.errors import MissingExtra
from guardrail.references.bibliography.abstracts import plain_abstract
from guardrail.references.bibliography.normalise import normalise_arxiv, normalise_doi
from guardrail.references.bibliography.records import Record, Reference
from guardrail.references.sources.client import Manners, Query
from guardrail.references.sources.escaping import content_words, words
from guardrail.references.sources.resolver import Resolver, Searches, text, year

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_ATOM, _OWN = "{http://www.w3.org/2005/Atom}", "{http://arxiv.org/schemas/atom}"


class Arxiv(Resolver):
    """One request every three seconds, one at a time."""

    name = "arxiv"
    title = "arXiv"
    home = "https://export.arxiv.org"
    sends = "title, arXiv number"
    manners = Manners(seconds=3.0, concurrency=1)

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        _parser()

    def searches(self, reference: Reference) -> Searches:
        """By number, then by title to the letter, then by its words: somebody may have quoted it with a slip."""
        if number := normalise_arxiv(reference.arxiv):
            yield Query("/api/query", {"id_list": number, "max_results": "1"}), _entries
        if title := words(reference.title, 200):
            yield Query("/api/query", {"search_query": f'ti:"{title}"', "max_results": "5"}), _entries
            some = " OR ".join(f"ti:{word}" for word in content_words(reference.title, 8))
            yield Query("/api/query", {"search_query": some, "max_results": "5"}), _entries


def _parser() -> Callable[[bytes], Element]:
    try:
        from defusedxml.ElementTree import fromstring
    except ImportError as error:
        raise MissingExtra("defusedxml, which reads arXiv's replies,", extra="online") from error
    read: Callable[[bytes], Element] = fromstring
    return read


def _entries(body: bytes) -> list[Record]:
    feed = _parser()(body)
    if feed.tag != f"{_ATOM}feed":
        raise ValueError(f"expected an Atom feed, got {feed.tag!r}")
    found = []
    for entry in feed.findall(f"{_ATOM}entry"):
        address = text(entry.findtext(f"{_ATOM}id"))
        if "/api/errors" in address:
            raise ValueError(text(entry.findtext(f"{_ATOM}summary")))
        if title := text(entry.findtext(f"{_ATOM}title")):
            found.append(_record(entry, title, address))
    return found


def _record(entry: Element, title: str, address: str) -> Record:
    names = (text(author.findtext(f"{_ATOM}name")) for author in entry.findall(f"{_ATOM}author"))
    return Record(
        title=title,
        authors=tuple(filter(None, names)),
        year=year(entry.findtext(f"{_ATOM}published")),
        venue="arXiv",
        doi=normalise_doi(text(entry.findtext(f"{_OWN}doi"))),
        arxiv=normalise_arxiv(address.partition("/abs/")[2]),
        url=address,
        source="arxiv",
        abstract=plain_abstract(entry.findtext(f"{_ATOM}summary")),
    )
