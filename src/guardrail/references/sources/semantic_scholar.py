"""Semantic Scholar: papers of all fields (https://api.semanticscholar.org).

Without a key all callers share one allowance, which is spent most of the time.
"""

from __future__ import annotations

from typing import Any

from guardrail.references.bibliography.abstracts import plain_abstract
from guardrail.references.bibliography.normalise import normalise_arxiv, normalise_doi, normalise_pmid
from guardrail.references.bibliography.records import Record, Reference
from guardrail.references.sources.client import Manners, Query
from guardrail.references.sources.escaping import segment, words
from guardrail.references.sources.resolver import Resolver, Searches, loaded, text, year

_FIELDS = "title,authors,year,venue,publicationVenue,journal,externalIds,url,abstract"


class SemanticScholar(Resolver):
    """One request a second with a key."""

    name = "semantic_scholar"
    title = "Semantic Scholar"
    home = "https://api.semanticscholar.org"
    sends = "title, identifier"
    key_variable = "SEMANTIC_SCHOLAR_API_KEY"
    key_needed = True
    manners = Manners(seconds=1.05, concurrency=1, header="x-api-key")

    def searches(self, reference: Reference) -> Searches:
        """By an identifier, then the paper whose title matches best."""
        known = (
            ("DOI", normalise_doi(reference.doi)),
            ("ARXIV", normalise_arxiv(reference.arxiv)),
            ("PMID", normalise_pmid(reference.pmid)),
        )
        for kind, value in known:
            if value:
                path = f"/graph/v1/paper/{kind}:{segment(value)}"
                yield Query(path, {"fields": _FIELDS}, may_miss=True), _one
                break
        if title := words(reference.title):
            asked = {"query": title, "fields": _FIELDS}
            yield Query("/graph/v1/paper/search/match", asked, may_miss=True), _several


def _one(body: bytes) -> list[Record]:
    return [_record(loaded(body))]


def _several(body: bytes) -> list[Record]:
    return [_record(paper) for paper in loaded(body)["data"]]


def _record(paper: dict[str, Any]) -> Record:
    journal, ids = paper.get("journal") or {}, paper.get("externalIds") or {}
    return Record(
        title=text(paper["title"]),
        authors=tuple(filter(None, (text(author.get("name")) for author in paper.get("authors") or []))),
        year=year(paper.get("year")),
        venue=text((paper.get("publicationVenue") or {}).get("name")) or text(paper.get("venue")),
        doi=normalise_doi(text(ids.get("DOI"))),
        arxiv=normalise_arxiv(text(ids.get("ArXiv"))),
        pmid=normalise_pmid(text(ids.get("PubMed"))),
        url=text(paper.get("url")),
        source="semantic_scholar",
        volume=text(journal.get("volume")),
        pages=text(journal.get("pages")),
        abstract=plain_abstract(paper.get("abstract")),
    )
