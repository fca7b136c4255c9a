"""The ACL Anthology's own XML, a file for each collection (data/xml/*.xml). Its BibTeX is read as BibTeX."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from xml.etree.ElementTree import Element

from guardrail.references.bibliography.formats.fields import checked_record, listed_authors, year_of
from guardrail.references.bibliography.formats.lines import Piece, piece_of
from guardrail.references.bibliography.formats.xml_elements import elements, inner_text
from guardrail.references.bibliography.normalise import normalise_doi, normalise_isbn
from guardrail.references.bibliography.records import Record

SITE = "https://aclanthology.org/"


def read_acl_xml(path: Path, position: int) -> Iterator[Piece]:
    """The papers and front matters of each volume; the position counts them and the volumes' descriptions."""
    meta = Element("meta")
    for count, (line, entry) in enumerate(elements(path, ("meta", "paper", "frontmatter")), 1):
        if entry.tag == "meta":
            meta = entry
        elif count > position:
            yield piece_of(path, line, count, partial(_record, meta), entry)


def _record(meta: Element, paper: Element) -> Record:
    """A paper; a volume's front matter is the volume itself."""

    def said(name: str) -> str:
        return inner_text(meta.find(name))

    volume = paper.tag == "frontmatter"
    people = meta.findall("editor") if volume else paper.findall("author")
    authors, et_al = listed_authors(map(_name, people or paper.findall("editor")))
    url = inner_text(paper.find("url"))
    retracted = paper.find("retracted")
    return checked_record(
        title=said("booktitle") if volume else _title(paper.find("title")),
        authors=authors,
        et_al=et_al,
        year=year_of(said("year")),
        venue=said("publisher") if volume else said("journal-title") or said("booktitle"),
        doi=normalise_doi(inner_text(paper.find("doi"))),
        isbn=normalise_isbn(said("isbn")) if volume else "",
        url=url if "://" in url or not url else f"{SITE}{url}",
        volume=said("journal-volume"),
        issue=said("journal-issue"),
        pages=inner_text(paper.find("pages")),
        retracted="" if retracted is None else _retracted(retracted),
        abstract="" if volume else inner_text(paper.find("abstract")),
    )


def _title(title: Element | None) -> str:
    """The title; formulas are TeX, and stay in dollars so that they are read as such."""
    for formula in [] if title is None else title.iter("tex-math"):
        formula.text, formula.tail = f"${formula.text or ''}", f"${formula.tail or ''}"
    return inner_text(title)


def _name(person: Element) -> str:
    last, first = inner_text(person.find("last")), inner_text(person.find("first"))
    return f"{last}, {first}" if last and first else last or first


def _retracted(element: Element) -> str:
    said = [element.get("date", ""), inner_text(element)]
    return ", ".join(filter(None, said)) or "retracted, says the ACL Anthology"
