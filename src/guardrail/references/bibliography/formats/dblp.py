"""DBLP's XML: dblp.xml.gz, or the XML of single works."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import Element

from guardrail.references.bibliography.formats.fields import arxiv_of, checked_record, listed_authors, year_of
from guardrail.references.bibliography.formats.lines import Passed, Piece, pieces_of
from guardrail.references.bibliography.formats.xml_elements import elements, inner_text
from guardrail.references.bibliography.normalise import normalise_arxiv, normalise_doi, normalise_isbn
from guardrail.references.bibliography.records import Record

DBLP_KINDS = (
    "article", "inproceedings", "proceedings", "book", "incollection", "phdthesis", "mastersthesis", "data", "www",
)  # fmt: skip


def read_dblp(path: Path, position: int) -> Iterator[Piece]:
    """One entry after another; the position counts entries."""
    return pieces_of(path, position, _record, elements(path, DBLP_KINDS))


def _record(entry: Element) -> Record:
    if entry.tag == "www":
        raise Passed("a person's page")

    def text(*names: str) -> str:
        return next((found for name in names if (found := inner_text(entry.find(name)))), "")

    authors, et_al = listed_authors(
        inner_text(name) for name in entry.findall("author") or entry.findall("editor")
    )
    addresses = [inner_text(address) for address in entry.findall("ee")]
    doi = next(filter(None, map(normalise_doi, addresses)), "")
    volume = text("volume")
    preprint = normalise_arxiv(volume.removeprefix("abs/")) if volume.startswith("abs/") else ""
    return checked_record(
        title=text("title").removesuffix("."),
        authors=authors,
        et_al=et_al,
        year=year_of(text("year")),
        venue=text("journal", "booktitle", "publisher", "school"),
        doi=doi,
        arxiv=preprint or next((found for at in addresses if (found := arxiv_of(at, doi))), ""),
        isbn=next(
            (found for number in entry.findall("isbn") if (found := normalise_isbn(inner_text(number)))), ""
        ),
        url=next(iter(addresses), ""),
        volume="" if preprint else volume,
        issue=text("number"),
        pages=text("pages"),
        retracted="withdrawn, says DBLP" if "withdrawn" in entry.get("publtype", "").split() else "",
    )
