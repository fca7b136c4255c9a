"""Identifiers of works: DOI, arXiv, PubMed, ISBN, and plain addresses."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias
from urllib.parse import unquote

from guardrail.references.bibliography.records import Reference

__all__ = ["Identifier", "Kind", "identifiers", "with_identifiers"]

Kind: TypeAlias = Literal["doi", "arxiv", "pmid", "isbn", "url"]

# Every repetition is bounded or runs over a class that its follower excludes: matching is linear.
_ENDS = r"\s<>\"“”«»{}|\\^`\[\]（）。，、；：《》〈〉「」『』【】"  # what no address has unescaped, of Chinese and Japanese texts too
_BARE = r"(?<![\w./@-])(?:www\.(?=[\w-]{1,60}\.[a-z]{2})|(?=(?:dx\.)?doi\.org/10\.\d{4}|arxiv\.org/(?:abs|pdf|html)/))"
_URL = rf"(?:https?://|{_BARE})[^{_ENDS}]{{1,2000}}"
_DOI = rf"10\.\d{{4,9}}(?:/|%2[Ff])[^{_ENDS}]{{1,200}}"
_ARXIV_ID = (
    r"(?:\d{4}\.\d{4,5}(?!\d)"
    r"|(?:astro-ph|cond-mat|gr-qc|hep-ex|hep-lat|hep-ph|hep-th|math-ph|nlin|nucl-ex|nucl-th|physics|quant-ph|"
    r"alg-geom|chao-dyn|cmp-lg|comp-gas|dg-ga|funct-an|patt-sol|q-alg|q-bio|q-fin|solv-int|math|cs|stat)"
    r"(?:\.[A-Z]{2})?/\d{7}(?!\d))(?:v\d{1,2})?"
)
_FIND = re.compile(
    rf"(?=[a-z\d-])(?:(?=[hwad])(?P<url>{_URL})|(?<!\w)(?:"  # what most places lack is looked at first
    rf"(?P<doi>(?<![./])(?:\bdoi[:\s]\s?)?(?P<doi_id>{_DOI}))"
    rf"|(?P<arxiv>arxiv[:\s]\s?(?P<arxiv_id>{_ARXIV_ID})(?:\s\[[a-z-]{{2,10}}(?:\.[a-z]{{2}})?\])?)"
    rf"|(?P<old>(?<![./-])(?P<old_id>[a-z-]{{2,8}}(?:\.[A-Z]{{2}})?/\d{{7}}(?!\d)(?:v\d{{1,2}})?))"
    r"|(?P<pmid>pmid[:\s]\s?(?P<pmid_id>\d{1,8})(?!\d))"
    r"|(?P<isbn>isbn(?:-1[03])?[:\s]\s?(?P<isbn_id>(?:\d[\s‐–-]?){9}(?:(?:\d[\s‐–-]?){3})?[\dx])(?!\d))))",
    re.IGNORECASE,
)
_OLD = re.compile(_ARXIV_ID)
_DOI_URL = re.compile(rf"https?://(?:dx\.|www\.)?doi\.org/({_DOI})", re.IGNORECASE)
_ARXIV_URL = re.compile(
    rf"https?://(?:www\.|export\.)?arxiv\.org/(?:abs|pdf|html)/({_ARXIV_ID})(?:\.pdf)?", re.IGNORECASE
)
_PUBMED_URL = re.compile(
    r"https?://(?:pubmed\.ncbi\.nlm\.nih\.gov|(?:www\.)?ncbi\.nlm\.nih\.gov/pubmed)/(\d{1,8})(?!\d)/?",
    re.IGNORECASE,
)
_WITHIN_URL = re.compile(  # https://www.science.org/doi/10.1126/science.aac4716; ?id=10.1371/journal.pmed.0020124&type=printable
    r"https?://[^?#\s]{1,300}?(?:/|[?&](?:id|doi|DOI)=)(10\.\d{4,9}(?:/|%2[Ff])[^?#&\s]{1,200})"
)
_PARTS_OF_PAGES = re.compile(  # behind a DOI: /full, .pdf, v2.full.pdf
    r"(?:(?:(?<=\d)v\d{1,2})?[/.](?:full|abstract|abs|pdf|epdf|html?|meta|summary|fulltext|full-text|xml|text))+/?$|/$"
)
_VERSION = re.compile(r"v\d{1,2}$")


@dataclass(frozen=True, slots=True)
class Identifier:
    """An identifier in a text, at `text[start:end]`; `value` is normalised, `url` as written."""

    kind: Kind
    value: str
    start: int
    end: int
    url: str = ""


def identifiers(text: str) -> list[Identifier]:
    """All identifiers and addresses, in order, not overlapping.

    Example:
        >>> [(i.kind, i.value) for i in identifiers("See doi:10.1038/Nature14539, arXiv:1706.03762v5.")]
        [('doi', '10.1038/nature14539'), ('arxiv', '1706.03762')]
    """
    found = (_read(match) for match in _FIND.finditer(text))
    return [identifier for identifier in found if identifier is not None]


def _read(match: re.Match[str]) -> Identifier | None:
    start = match.start()
    if match["url"] is not None:
        return _address(_trimmed(match["url"]), start)
    if match["doi"] is not None:
        doi = _trimmed(match["doi_id"])
        return Identifier("doi", _decoded(doi).lower(), start, match.start("doi_id") + len(doi))
    if match["arxiv"] is not None:
        return Identifier("arxiv", _VERSION.sub("", match["arxiv_id"]), start, match.end())
    if match["old"] is not None:
        if _OLD.fullmatch(match["old_id"]) is None:
            return None
        return Identifier("arxiv", _VERSION.sub("", match["old_id"]), start, match.end())
    if match["pmid"] is not None:
        return Identifier("pmid", match["pmid_id"], start, match.end())
    digits = "".join(c for c in match["isbn_id"].upper() if c.isdigit() or c == "X")
    return Identifier("isbn", digits, start, match.end()) if len(digits) in (10, 13) else None


def _decoded(doi: str) -> str:
    """Without percent signs for the characters that an address may not hold."""
    return unquote(doi) if "%" in doi else doi


def _address(written: str, start: int) -> Identifier:
    end = start + len(written)
    url = written if "://" in written[:8] else f"https://{written}"
    if found := _DOI_URL.match(url):
        return Identifier("doi", _decoded(_trimmed(found[1])).lower(), start, end, url)
    if found := _ARXIV_URL.match(url):
        return Identifier("arxiv", _VERSION.sub("", found[1]), start, end, url)
    if found := _PUBMED_URL.match(url):
        return Identifier("pmid", found[1], start, end, url)
    if found := _WITHIN_URL.match(url):
        return Identifier("doi", _decoded(_PARTS_OF_PAGES.sub("", found[1])).lower(), start, end, url)
    return Identifier("url", url, start, end, url)


def _trimmed(text: str) -> str:
    """Without punctuation of the sentence around it, and without a closing bracket that opened before it."""
    for _ in range(8):
        shorter = text.rstrip(".,;:!?'’*_")
        if shorter.endswith(")") and shorter.count(")") > shorter.count("("):
            shorter = shorter[:-1]
        if shorter == text:
            break
        text = shorter
    return text


def with_identifiers(reference: Reference, found: Iterable[Identifier]) -> Reference:
    """The reference with identifiers that it lacks; the first of each kind counts."""
    values: dict[str, str] = {}
    for identifier in found:
        values.setdefault(identifier.kind, identifier.value)
        if identifier.url:
            values.setdefault("url", identifier.url)
    return replace(
        reference,
        doi=reference.doi or values.get("doi", ""),
        arxiv=reference.arxiv or values.get("arxiv", ""),
        isbn=reference.isbn or values.get("isbn", ""),
        pmid=reference.pmid or values.get("pmid", ""),
        url=reference.url or values.get("url", ""),
    )
