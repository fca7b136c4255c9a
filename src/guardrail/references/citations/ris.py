"""RIS entries in an answer, and those of EndNote, fenced or bare: lines of a tag and a value, from TY to ER, or from %0 to the next entry."""

from __future__ import annotations

import re
from collections.abc import Iterator

from guardrail.references.bibliography.formats.fields import listed_authors, year_of
from guardrail.references.bibliography.formats.tagged import tags_of
from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.identifiers import identifiers, with_identifiers
from guardrail.references.citations.model import Citation
from guardrail.report import Span

__all__ = ["ris"]

_LINE = re.compile(r"^[ \t]{0,8}([A-Z][A-Z0-9]) {1,4}- ?([^\r\n]*)", re.MULTILINE)
_TAGGED = re.compile(r"^[ \t]{0,8}(%[0-9A-Z@>]) {1,4}([^\r\n]*)", re.MULTILINE)
_TITLES = ("TI", "T1", "CT", "BT")
_AUTHORS = ("AU", "A1")
_VENUES = ("T2", "JO", "JF", "JA", "J2", "PB")


def ris(text: str) -> Iterator[Citation]:
    r"""The entries of a text; one that is not closed ends with the last line of its kind.

    Example:
        >>> [one.reference.authors for one in ris("TY  - JOUR\nAU  - Doe, Jane\nTI  - A Title\nER  -\n")]
        [('Doe, Jane',)]
    """
    for lines in (_LINE, _TAGGED):
        entry: list[re.Match[str]] = []
        for line in lines.finditer(text):
            begins = _tag(line) == "TY"
            if entry and (begins or text[entry[-1].end() : line.start()].strip()):
                yield from _citation(entry)
                entry = []
            if entry or begins:
                entry.append(line)
            if line[1] == "ER" and entry:
                yield from _citation(entry)
                entry = []
        yield from _citation(entry)


def _tag(line: re.Match[str]) -> str:
    """The tag of a line, as RIS has it."""
    return (tags_of("endnote").tags or {}).get(line[1], line[1])


def _citation(lines: list[re.Match[str]]) -> Iterator[Citation]:
    fields: dict[str, list[str]] = {}
    for line in lines:
        if value := line[2].strip():
            fields.setdefault(_tag(line), []).append(value)

    if fields.keys().isdisjoint({*_TITLES, "DO"}):
        return

    def first(*tags: str) -> str:
        return next((fields[tag][0] for tag in tags if tag in fields), "")

    authors, et_al = listed_authors(name for tag in _AUTHORS for name in fields.get(tag, ()))
    pages = "–".join(part for part in (first("SP"), first("EP")) if part)
    bare = Reference(
        title=first(*_TITLES).rstrip("."),
        authors=authors,
        et_al=et_al,
        year=year_of(first("PY", "Y1", "DA")),
        venue=first(*_VENUES),
        volume=first("VL"),
        issue=first("IS"),
        pages=pages,
    )
    said = [f"doi:{first('DO').removeprefix('doi:')}", f"ISBN {first('SN')}", *fields.get("UR", [])]
    reference = with_identifiers(bare, identifiers("\n".join(said)))
    if reference != Reference():
        span = Span(start=lines[0].start(), end=lines[-1].end())
        yield Citation(span, reference, "ris")
