"""PubMed: articles of medicine and biology, through E-utilities (https://www.ncbi.nlm.nih.gov/books/NBK25500/)."""

from __future__ import annotations

import re
from typing import Any

from guardrail.references.bibliography.normalise import normalise_doi, normalise_pmid
from guardrail.references.bibliography.records import Record, Reference
from guardrail.references.sources.client import Manners, Query
from guardrail.references.sources.escaping import content_words
from guardrail.references.sources.resolver import Resolver, Searches, loaded, text, year

_SEARCH, _SUMMARY = "/entrez/eutils/esearch.fcgi", "/entrez/eutils/esummary.fcgi"
_PLAIN_DOI = re.compile(r"10\.\d{4,9}/[\w./-]{1,100}", re.ASCII)  # nothing that its query language knows


class PubMed(Resolver):
    """Three requests a second without a key, ten with one."""

    name = "pubmed"
    title = "PubMed"
    home = "https://eutils.ncbi.nlm.nih.gov"
    sends = "title, PubMed number, DOI"
    key_variable = "NCBI_API_KEY"
    manners = Manners(seconds=0.35, concurrency=2, parameter="api_key")

    def searches(self, reference: Reference) -> Searches:
        """By PubMed number, then by DOI, then by the words of the title."""
        if pmid := normalise_pmid(reference.pmid):
            yield _summary([pmid]), _articles
        doi = normalise_doi(reference.doi)
        terms = [f"{doi}[doi]"] if _PLAIN_DOI.fullmatch(doi) else []
        if title := content_words(reference.title):
            terms.append(" AND ".join(f"{word}[Title]" for word in title))
        for term in terms:
            numbers: list[str] = []

            def read(body: bytes, numbers: list[str] = numbers) -> list[Record]:
                numbers[:] = _numbers(body)
                return []

            yield Query(_SEARCH, {"db": "pubmed", "term": term, "retmode": "json", "retmax": "5"}), read
            if numbers:
                yield _summary(numbers), _articles


def _summary(numbers: list[str]) -> Query:
    return Query(_SUMMARY, {"db": "pubmed", "id": ",".join(numbers), "retmode": "json"})


def _numbers(body: bytes) -> list[str]:
    found = loaded(body)["esearchresult"]
    if "ERROR" in found:
        raise ValueError(found["ERROR"])
    return [number for one in found["idlist"] if (number := normalise_pmid(text(one)))]


def _articles(body: bytes) -> list[Record]:
    result = loaded(body)["result"]
    articles = [result[number] for number in result["uids"]]
    return [_record(article) for article in articles if "error" not in article]


def _record(article: dict[str, Any]) -> Record:
    ids = {text(one.get("idtype")): text(one.get("value")) for one in article.get("articleids") or []}
    title = text(article["title"]).removesuffix(".")
    retracted = "Retracted Publication" in (article.get("pubtype") or [])
    return Record(
        title=title.strip("[]") if title.startswith("[") else title,
        authors=tuple(filter(None, (text(one.get("name")) for one in article.get("authors") or []))),
        year=year(article.get("pubdate")),
        venue=text(article.get("fulljournalname")) or text(article.get("source")),
        doi=normalise_doi(ids.get("doi", "")),
        pmid=normalise_pmid(text(article["uid"])),
        url=f"https://pubmed.ncbi.nlm.nih.gov/{text(article['uid'])}/",
        source="pubmed",
        volume=text(article.get("volume")),
        issue=text(article.get("issue")),
        pages=text(article.get("pages")),
        retracted="PubMed lists it as retracted" if retracted else "",
    )
