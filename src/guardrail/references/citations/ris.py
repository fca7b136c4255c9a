"""RIS entries in an answer, fenced or bare: lines of a tag and a value, from TY to ER."""

from __future__ import annotations

import re
from collections.abc import Iterator

from guardrail.references.bibliography.formats.fields import listed_authors, year_of
from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.identifiers import identifiers, with_identifiers
from guardrail.references.citations.model import Citation
from guardrail.report import Span

__all__ = ["ris"]

_LINE = re.compile(r"^[ \t]{0,8}([A-Z][A-Z0-9]) {1,4}- ?([^\r\n]*)", re.MULTILINE)
_TITLES = ("TI", "T1", "CT", "BT")
_AUTHORS = ("AU", "A1")
_VENUES = ("T2", "JO", "JF", "JA", "J2", "PB")


def ris(text: str) -> Iterator[Citation]:
    r"""The RIS entries of a text, in order; one that is not closed ends with the last line of its kind.

    Example:
        >>> [one.reference.authors for one in ris("TY  - JOUR\nAU  - Doe, Jane\nTI  - A Title\nER  -\n")]
        [('Doe, Jane',)]
    """
    entry: list[re.Match[str]] = []
    for line in _LINE.finditer(text):
        begins = line[1] == "TY"
        if entry and (begins or text[entry[-1].end() : line.start()].strip()):
            yield from _citation(entry)
            entry = []
        if entry or begins:
            entry.append(line)
        if line[1] == "ER" and entry:
            yield from _citation(entry)
            entry = []
    yield from _citation(entry)


def _citation(lines: list[re.Match[str]]) -> Iterator[Citation]:
    fields: dict[str, list[str]] = {}
    for line in lines:
        if value := line[2].strip():
            fields.setdefault(line[1], []).append(value)

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
        yield Citation(span, reference, "ris", span)
