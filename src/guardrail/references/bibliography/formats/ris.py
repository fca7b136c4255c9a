"""RIS, as publishers and reference managers export it: a tag and a value a line, "TY" to "ER" for each work."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from guardrail.references.bibliography.formats.fields import (
    arxiv_of,
    checked_record,
    listed_authors,
    page_range,
    year_of,
)
from guardrail.references.bibliography.formats.lines import Piece, Problem, numbered_lines, opened
from guardrail.references.bibliography.normalise import (
    normalise_arxiv,
    normalise_doi,
    normalise_isbn,
    normalise_pmid,
)
from guardrail.references.bibliography.records import Record

__all__ = ["TAGGED", "read_ris"]

TAGGED = re.compile(r"[ \t]*([A-Z][A-Z0-9])[ \t]{1,4}-(?:[ \t]+(.*))?$")
MOST_VALUES = 10_000  # of one work; a file without ends of entries would grow without end
MEDLINE = re.compile(r"pubmed|medline|\bnlm\b", re.IGNORECASE)

Values = dict[str, list[str]]


def read_ris(path: Path, position: int) -> Iterator[Piece]:
    """One work from "TY" to "ER"; the position is that after its last line."""
    for line, after, values in _entries(path):
        if after <= position:
            continue
        try:
            yield Piece(after, [_record(values)])
        except ValueError as error:
            yield Piece(after, problems=[Problem(str(path), line, str(error))])


def _entries(path: Path) -> Iterator[tuple[int, int, Values]]:
    """First line, position after it and values of every work; what stands between works is one without "TY"."""
    with opened(path) as stream:
        start = before = 0
        values: Values = {}
        tag = ""
        for number, after, line in numbered_lines(stream, path):
            found = TAGGED.match(line)
            if found:
                tag, value = found.group(1), (found.group(2) or "").strip()
                if values and (tag == "TY" or sum(map(len, values.values())) >= MOST_VALUES):
                    yield start, before, values  # its end is missing
                    values = {}
                if tag == "ER":
                    if values:
                        yield start, after, values
                    values, tag = {}, ""
                else:
                    start = start if values else number
                    values.setdefault(tag, []).append(value)
            elif tag and line.strip() and values:
                values[tag][-1] = f"{values[tag][-1]} {line.strip()}"[:100_000]  # a value that was wrapped
            before = after
        if values:
            yield start, before, values


def _record(values: Mapping[str, Sequence[str]]) -> Record:
    if "TY" not in values:
        raise ValueError(f"expected an entry that begins with 'TY  - ', got {next(iter(values))!r} first.")

    def text(*tags: str) -> str:
        return next((value for tag in tags for value in values.get(tag, ()) if value), "")

    authors, et_al = listed_authors(
        [name for tag in ("AU", "A1") for name in values.get(tag, ())]
        or list(values.get("A2", values.get("ED", ())))
    )
    addresses = " ".join([*values.get("UR", ()), *values.get("L1", ()), *values.get("L2", ())])
    doi = normalise_doi(text("DO", "DI")) or normalise_doi(addresses)
    return checked_record(
        title=text("TI", "T1", "CT", "BT"),
        authors=authors,
        et_al=et_al,
        year=year_of(text("PY", "Y1", "DA")),
        venue=text("JO", "JF", "T2", "BT", "JA", "J2", "PB") if text("TI", "T1", "CT") else text("PB"),
        doi=doi,
        arxiv=arxiv_of(addresses, doi) or normalise_arxiv(_labelled("arxiv", values)),
        isbn=normalise_isbn(text("SN").split(" ")[0]),
        pmid=normalise_pmid(text("AN")) if MEDLINE.search(text("DB", "DP")) else "",
        url=text("UR"),
        volume=text("VL"),
        issue=text("IS"),
        pages=page_range(text("SP"), text("EP")),
        abstract=text("AB", "N2"),
    )


def _labelled(label: str, values: Mapping[str, Sequence[str]]) -> str:
    """A value of a free field that names itself, "arXiv:1706.03762"."""
    free = (value for tag in ("AN", "ID", "M1", "N1", "C1") for value in values.get(tag, ()))
    return next((value for value in free if value.lower().startswith(f"{label}:")), "")
