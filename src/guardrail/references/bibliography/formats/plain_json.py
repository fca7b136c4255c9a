"""Works of JSON that names its fields plainly, as saved replies of Semantic Scholar, arXiv's list of metadata and lists of PubMed do."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from guardrail.references.authors.lists import LONGEST_REPLY, MOST_AUTHORS, parse_authors
from guardrail.references.bibliography.formats.fields import (
    arxiv_of,
    checked_record,
    listed_authors,
    year_of,
)
from guardrail.references.bibliography.formats.json_items import as_list, as_object, as_text
from guardrail.references.bibliography.normalise import normalise_arxiv, normalise_doi, normalise_pmid
from guardrail.references.bibliography.records import Record

_CSL = frozenset({"author", "editor", "issued", "DOI", "container-title"})
_PLAIN = frozenset({"authors", "externalIds", "year", "pmid"})
_BETWEEN = re.compile(r"\s*;\s*|,?\s+and\s+|,\s+(?=[^\W\d_]\.|[^\W\d_]{2})")
"""Between names that `parse_authors` does not read, or that are too many for it."""
_ET_AL = re.compile(r",?\set\.? al\.?$")


def is_plain(item: Mapping[str, Any]) -> bool:
    """Whether an item has such fields, and none of those that CSL has."""
    return _CSL.isdisjoint(item) and not _PLAIN.isdisjoint(item)


def plain_record(item: Mapping[str, Any]) -> Record:
    """The record of an item; `ValueError` if nothing leads to it."""
    ids = as_object(item.get("externalIds"))
    doi = normalise_doi(as_text(item.get("doi")) or as_text(ids.get("DOI")))
    number = as_text(ids.get("ArXiv")) or (as_text(item.get("id")) if "categories" in item else "")
    journal = as_object(item.get("journal"))
    authors, et_al = listed_authors(_names(item.get("authors")))
    dates = [item.get(name) for name in ("year", "publicationDate", "pubdate", "published")]
    dates += [as_object(one).get("created") for one in as_list(item.get("versions"))[:1]]  # arXiv's first
    return checked_record(
        title=" ".join(as_text(item.get("title")).split()),
        authors=authors,
        et_al=et_al,
        year=next(filter(None, (year_of(as_text(date)) for date in dates)), None),
        venue=as_text(item.get("venue")) or as_text(journal.get("name")) or as_text(item.get("journal")),
        doi=doi,
        arxiv=normalise_arxiv(number) or arxiv_of(as_text(item.get("url")), doi),
        pmid=normalise_pmid(as_text(item.get("pmid")) or as_text(ids.get("PubMed"))),
        url=as_text(item.get("url")),
        volume=as_text(journal.get("volume")) or as_text(item.get("volume")),
        issue=as_text(item.get("issue")),
        pages=as_text(journal.get("pages")) or as_text(item.get("pages")),
        abstract=as_text(item.get("abstract")),
    )


def _names(authors: Any) -> list[str]:
    """The names of a list of texts or objects, or of one text.

    Example:
        >>> _names([{"name": "Ann Lee"}, "Bo Ito"]), _names("C. Balázs, E. L. Berger and P. M. Nadolsky"), _names("Lee, Ann; Ito, Bo")
        (['Ann Lee', 'Bo Ito'], ['C. Balázs', 'E. L. Berger', 'P. M. Nadolsky'], ['Lee, Ann', 'Ito, Bo'])
    """
    if isinstance(authors, str):
        names, cut = _ET_AL.subn("", " ".join(authors[:100_000].split()))
        if len(names) <= LONGEST_REPLY and (read := parse_authors(names)) and len(read) < MOST_AUTHORS:
            parts = [name.raw for name in read]
        else:
            parts = names.split("; ") if "; " in names else _BETWEEN.split(names)
        return [*filter(None, parts), *["et al"] * cut]
    return [as_text(one.get("name")) if isinstance(one, dict) else as_text(one) for one in as_list(authors)]
