"""BibTeX files, entry by entry; a broken entry ends where the next begins."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from guardrail.references.bibliography.formats.fields import arxiv_of, checked_record, listed_authors, year_of
from guardrail.references.bibliography.formats.lines import Piece, Problem, numbered_lines, opened
from guardrail.references.bibliography.normalise import (
    decode_tex,
    normalise_arxiv,
    normalise_doi,
    normalise_isbn,
    normalise_pmid,
)
from guardrail.references.bibliography.records import Record

__all__ = ["read_bibtex"]

# Entries that bibtexparser reads together: it wants a whole text, and a bibliography may be larger than memory.
GROUP = 500

logging.getLogger("bibtexparser").addHandler(logging.NullHandler())

ENTRY = re.compile(r"[ \t]*@[ \t]*([A-Za-z]+)[ \t]*[{(]")
NO_WORKS = frozenset({"comment", "preamble", "string"})


def read_bibtex(path: Path, position: int) -> Iterator[Piece]:
    """Groups of entries; the position is that after the last one of a group."""
    strings = ""
    group: list[tuple[int, str]] = []
    end = 0
    for line, after, kind, text in _entries(path):
        if kind == "string":
            strings += text
        elif after > position and kind not in NO_WORKS:
            group.append((line, text))
            end = after
            if len(group) >= GROUP:
                yield _piece(path, strings, group, end)
                group = []
    if group:
        yield _piece(path, strings, group, end)


def _entries(path: Path) -> Iterator[tuple[int, int, str, str]]:
    """First line, position after it, kind and text of every entry; a line that begins "@word{" begins one."""
    with opened(path) as stream:
        start, kind, before = 1, "", 0
        lines: list[str] = []
        for number, after, line in numbered_lines(stream, path):
            found = ENTRY.match(line)
            if found:
                if kind:
                    yield start, before, kind, "\n".join(lines) + "\n"
                start, kind, lines = number, found.group(1).lower(), []
            if kind:
                lines.append(line)
            before = after
        if kind:
            yield start, before, kind, "\n".join(lines) + "\n"


def _piece(path: Path, strings: str, group: Sequence[tuple[int, str]], end: int) -> Piece:
    """The records of some entries, read together behind the abbreviations that they may use."""
    from bibtexparser.entrypoint import parse_string

    first = at = strings.count("\n")
    starts = []  # of each entry in the joined text, with its line in the file
    for line, text in group:
        starts.append((at, line))
        at += text.count("\n")
    piece = Piece(end)
    for block in parse_string(strings + "".join(text for _, text in group)).blocks:
        if block.start_line is not None and block.start_line < first:
            continue
        try:
            entry = _entry(block)
            if entry is not None:
                piece.records.append(_record({f.key.lower(): str(f.value) for f in entry.fields}))
        except ValueError as error:
            line = _line(starts, block.start_line or 0)
            piece.problems.append(Problem(str(path), line, str(error)))
    return piece


def _entry(block: Any) -> Any:
    """The entry in what bibtexparser found, `None` if it is none; `ValueError` if it is broken."""
    from bibtexparser.model import DuplicateBlockKeyBlock, DuplicateFieldKeyBlock, Entry, ParsingFailedBlock

    entry = block
    if isinstance(block, DuplicateBlockKeyBlock | DuplicateFieldKeyBlock):
        entry = block.ignore_error_block  # a repeated key or field does no harm here
    if isinstance(entry, Entry):
        return entry
    if isinstance(block, ParsingFailedBlock):
        raise ValueError(f"broken entry: {_one_line(str(block.error))}")
    return None


def _line(starts: Sequence[tuple[int, int]], offset: int) -> int:
    """The line in the file of a line in the joined text."""
    before = [(at, line) for at, line in starts if at <= offset]
    if not before:
        return 1
    at, line = before[-1]
    return line + offset - at


def _one_line(text: str) -> str:
    return " ".join(text.split())[:300]


def _record(fields: Mapping[str, str]) -> Record:
    def text(*names: str) -> str:
        return next((decode_tex(fields[name]).strip() for name in names if fields.get(name)), "")

    authors, et_al = listed_authors(_names(fields.get("author") or fields.get("editor") or ""))
    eprint = fields.get("eprint", "")
    archive = fields.get("archiveprefix", fields.get("eprinttype", "")).lower()
    doi = normalise_doi(fields.get("doi", "").replace("\\", "")) or normalise_doi(fields.get("url", ""))
    title, subtitle = text("title"), text("subtitle")
    return checked_record(
        title=f"{title}: {subtitle}" if subtitle else title,
        authors=authors,
        et_al=et_al,
        year=year_of(text("year", "date")),
        venue=text(
            "journal", "journaltitle", "booktitle", "publisher", "institution", "school", "howpublished"
        ),
        doi=doi,
        arxiv=normalise_arxiv(eprint if archive in {"", "arxiv"} else "")
        or arxiv_of(fields.get("url", ""), doi),
        isbn=normalise_isbn(fields.get("isbn", "").split(",")[0]),
        pmid=normalise_pmid(fields.get("pmid", "") or (eprint if archive == "pubmed" else "")),
        url=fields.get("url", "").replace("\\", ""),
        volume=text("volume"),
        issue=text("number", "issue"),
        pages=text("pages"),
        abstract=text("abstract"),
    )


def _names(text: str) -> list[str]:
    """Split at "and" outside of braces; "{World Health Organization}" stays one name."""
    names, depth = [""], 0
    for part in re.split(r"(\s+and\s+|[{}])", text, flags=re.IGNORECASE):
        depth += (part == "{") - (part == "}")
        if depth <= 0 and part.strip().lower() == "and" and part != part.strip():
            names.append("")
        else:
            names[-1] += part
    return [decode_tex(" ".join(name.split())) for name in names]
