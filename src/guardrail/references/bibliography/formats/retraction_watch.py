"""Retraction Watch's CSV, as Crossref gives it away: which works were retracted.

The file also has expressions of concern and corrections, which retract nothing, and reinstatements, which take a retraction
back. Bytes that are damaged are read as replacement characters.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from guardrail.errors import ParseError
from guardrail.references.bibliography.formats.fields import checked_record, listed_authors, year_of
from guardrail.references.bibliography.formats.lines import Passed, Piece, opened, pieces_of
from guardrail.references.bibliography.normalise import normalise, normalise_doi, normalise_pmid
from guardrail.references.bibliography.retractions import Retraction

COLUMNS = ("RetractionNature", "RetractionDate", "OriginalPaperDOI", "OriginalPaperPubMedID", "Title")
DATE = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})")  # month first

Row = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Event:
    """What a row says happened, to which work."""

    nature: str
    date: str
    doi: str
    pmid: str
    title: str

    @property
    def works(self) -> set[str]:
        """What the work is known by: its identifiers, or else its title."""
        return {known for known in (self.doi, f"pmid:{self.pmid}" if self.pmid else "") if known} or {
            self.title
        }


def read_retraction_watch(path: Path, position: int) -> Iterator[Piece]:
    """One row after another; the position counts rows."""
    returned: dict[str, str] = {}  # when each work was reinstated last
    for _, row in _rows(path):
        if isinstance(row, dict) and (event := _event(row)).nature == "reinstatement":
            returned |= {work: max(event.date, returned.get(work, "")) for work in event.works}
    yield from pieces_of(path, position, lambda row: _retraction(row, returned), _rows(path))


def _rows(path: Path) -> Iterator[tuple[int, Row | ValueError]]:
    """The rows by column, with the line where each ends; a `ValueError` in the place of a broken one."""
    with opened(path) as binary:
        rows = csv.reader(io.TextIOWrapper(binary, "utf-8-sig", errors="replace", newline=""))
        header = next(rows, [])
        if missing := [name for name in COLUMNS if name not in header]:
            raise ParseError(
                f"expected Retraction Watch's columns, found none called {missing[0]!r}.",
                source=str(path),
                line=1,
            )
        while True:
            try:
                fields = next(rows)
            except StopIteration:
                return
            except csv.Error as error:
                yield rows.line_num, ValueError(f"expected a row of CSV: {error}.")
                continue
            if len(fields) == len(header):
                yield rows.line_num, dict(zip(header, map(str.strip, fields), strict=True))
            elif fields:
                yield rows.line_num, ValueError(f"expected {len(header)} fields, got {len(fields)}.")


def _event(row: Row) -> _Event:
    return _Event(
        nature=row["RetractionNature"].lower(),
        date=_date(row["RetractionDate"]),
        doi=normalise_doi(row["OriginalPaperDOI"]),
        pmid=normalise_pmid(row["OriginalPaperPubMedID"]),
        title=normalise(row["Title"]),
    )


def _date(text: str) -> str:
    found = DATE.match(text)
    if not found:
        return ""
    month, day, year = map(int, found.groups())
    month, day = (day, month) if month > 12 else (month, day)
    return f"{year:04}-{month:02}-{day:02}"


def _retraction(row: Row | ValueError, returned: Mapping[str, str]) -> Retraction:
    if isinstance(row, ValueError):
        raise row
    event = _event(row)
    if event.nature not in {"retraction", "reinstatement"}:
        raise Passed(event.nature[:40] or "no kind of notice given")
    text = ""
    if event.nature == "retraction":
        if any(event.date <= returned[work] for work in event.works if work in returned):
            raise Passed("retraction that was taken back later")
        notice = normalise_doi(row.get("RetractionDOI", ""))
        text = ", ".join(filter(None, [event.date, f"notice {notice}" if notice else ""])) or "retracted"
    authors, et_al = listed_authors(name.strip() for name in row.get("Author", "").split(";"))
    work = checked_record(
        title=" ".join(row["Title"].split()),
        authors=authors,
        et_al=et_al,
        year=year_of(row.get("OriginalPaperDate", "")),
        venue=row.get("Journal", ""),
        doi=event.doi,
        pmid=event.pmid,
        source="Retraction Watch",
        retracted=text,
    )
    return Retraction(event.doi, event.pmid, event.date, text, work)
