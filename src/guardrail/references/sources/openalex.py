"""OpenAlex: works of all fields and kinds (https://developers.openalex.org).

Since February 2026 a key belongs to it: about $1 a day is free with one, $0.10 without. A work by its DOI costs nothing and
is asked first; a search takes 10 credits. "403" means too fast, "429" that the day's allowance is spent.
"""

from __future__ import annotations

from typing import Any

from guardrail.references.bibliography.abstracts import from_positions
from guardrail.references.bibliography.normalise import normalise_doi, normalise_pmid
from guardrail.references.bibliography.records import Record, Reference
from guardrail.references.sources.client import Manners, Query
from guardrail.references.sources.escaping import segment, words
from guardrail.references.sources.resolver import Resolver, Searches, loaded, text, year

_FIELDS = "id,doi,ids,title,publication_year,authorships,primary_location,biblio,is_retracted,type,abstract_inverted_index"
_MOST_AUTHORS = 100  # of a work in a list; it cuts longer ones


class OpenAlex(Resolver):
    """Its key goes into the query string, behind what is kept."""

    name = "openalex"
    title = "OpenAlex"
    home = "https://api.openalex.org"
    sends = "title, DOI, PubMed number"
    key_variable = "OPENALEX_API_KEY"
    manners = Manners(
        seconds=0.1,
        concurrency=6,
        parameter="api_key",
        too_fast=frozenset({403}),
        spent=frozenset({429}),
        missing_is_html=True,
    )

    def searches(self, reference: Reference) -> Searches:
        """By DOI or PubMed number, then by title."""
        for kind, value in (("doi", normalise_doi(reference.doi)), ("pmid", normalise_pmid(reference.pmid))):
            if value:
                yield Query(f"/works/{kind}:{segment(value)}", {"select": _FIELDS}, may_miss=True), _one
        if title := words(reference.title):
            asked = {"filter": f"title.search:{title}", "per_page": "5", "select": _FIELDS}
            yield Query("/works", asked, credits=10), _several


def _one(body: bytes) -> list[Record]:
    work = loaded(body)
    work["id"]  # an object without it is no work
    return [_record(work)]


def _several(body: bytes) -> list[Record]:
    return [_record(work) for work in loaded(body)["results"] if work.get("title")]


def _record(work: dict[str, Any]) -> Record:
    authors = [
        text((entry.get("author") or {}).get("display_name")) for entry in work.get("authorships") or []
    ]
    source = ((work.get("primary_location") or {}).get("source") or {}).get("display_name")
    biblio = work.get("biblio") or {}
    pages = "-".join(filter(None, (text(biblio.get("first_page")), text(biblio.get("last_page")))))
    return Record(
        title=text(work["title"]),
        authors=tuple(filter(None, authors)),
        et_al=len(authors) >= _MOST_AUTHORS,
        year=year(work.get("publication_year")),
        venue=text(source),
        doi=normalise_doi(text(work.get("doi"))),
        pmid=normalise_pmid(text((work.get("ids") or {}).get("pmid"))),
        url=text(work.get("id")),
        source="openalex",
        volume=text(biblio.get("volume")),
        issue=text(biblio.get("issue")),
        pages=pages,
        retracted="OpenAlex lists it as retracted" if work.get("is_retracted") is True else "",
        abstract=from_positions(work.get("abstract_inverted_index")),
    )
