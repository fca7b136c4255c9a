"""Tab-separated files: a header of names, then one work a line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

from guardrail.errors import ParseError
from guardrail.references.bibliography.formats.fields import checked_record, listed_authors, year_of
from guardrail.references.bibliography.formats.lines import Piece, numbered_lines, opened, piece_of
from guardrail.references.bibliography.normalise import IDENTIFIERS
from guardrail.references.bibliography.records import Record

HEADER = ("title", "authors", "year", "venue", "source")
TEXTS = ("venue", "url", "source", "volume", "issue", "pages", "abstract")


def read_tsv(path: Path, position: int) -> Iterator[Piece]:
    """One work a line; the position is that after the line."""
    with opened(path) as stream:
        columns: dict[str, int] = {}
        for number, after, line in numbered_lines(stream, path):
            if number == 1:
                columns = _header(line, path)
            elif after > position and line.strip():
                yield piece_of(path, number, after, partial(_record, columns), line.split("\t"))


def _header(line: str, path: Path) -> dict[str, int]:
    names = [name.strip().lower() for name in line.split("\t")]
    if "title" not in names:
        raise ParseError(
            f"expected a header of tab-separated names with 'title' (as in {' '.join(HEADER)!r}), got {line[:80]!r}.",
            source=str(path),
            line=1,
        )
    if len(set(names)) < len(names):
        raise ParseError(
            f"expected every name of the header once, got {line[:80]!r}.", source=str(path), line=1
        )
    return {name: place for place, name in enumerate(names)}


def _record(columns: Mapping[str, int], fields: list[str]) -> Record:
    if len(fields) != len(columns):
        raise ValueError(f"expected {len(columns)} fields, got {len(fields)}.")
    value = {name: fields[place].strip() for name, place in columns.items()}
    authors, et_al = listed_authors([name.strip() for name in value.get("authors", "").split(";")])
    return checked_record(
        title=value["title"],
        authors=authors,
        et_al=et_al,
        year=year_of(value.get("year", "")),
        **{kind: read(value.get(kind, "")) for kind, read in IDENTIFIERS.items()},
        **{name: value.get(name, "") for name in TEXTS},
    )
