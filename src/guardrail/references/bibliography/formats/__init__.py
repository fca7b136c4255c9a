"""Bibliography files, one reader for each format, into records.

A file is read piece by piece, unpacked if gzip packed it; each piece says how far it reaches, so that an import that was killed
goes on where the last transaction ended. A broken entry is reported with its line and the rest goes on; a file that is
no text, or of another format throughout, is refused.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from pathlib import Path

from guardrail.errors import InputError, ParseError
from guardrail.references.bibliography.formats.acl_xml import read_acl_xml
from guardrail.references.bibliography.formats.bibtex import read_bibtex
from guardrail.references.bibliography.formats.csl_json import read_crossref, read_csl_json, read_openalex
from guardrail.references.bibliography.formats.dblp import DBLP_KINDS, read_dblp
from guardrail.references.bibliography.formats.lines import Piece, Problem, opened, readable
from guardrail.references.bibliography.formats.retraction_watch import COLUMNS, read_retraction_watch
from guardrail.references.bibliography.formats.tagged import (
    read_endnote,
    read_pubmed,
    read_ris,
    read_web_of_science,
)
from guardrail.references.bibliography.formats.tsv import read_tsv
from guardrail.references.bibliography.records import Record


class Format(StrEnum):
    """What a bibliography file may be."""

    BIBTEX = "bibtex"
    CSL_JSON = "csl-json"
    TSV = "tsv"
    RIS = "ris"
    CROSSREF = "crossref"
    OPENALEX = "openalex"
    DBLP = "dblp"
    ACL_XML = "acl-xml"
    RETRACTION_WATCH = "retraction-watch"
    ENDNOTE = "endnote"
    PUBMED = "pubmed"
    WEB_OF_SCIENCE = "web-of-science"


READERS: Mapping[Format, Callable[[Path, int], Iterator[Piece]]] = {
    Format.BIBTEX: read_bibtex,
    Format.CSL_JSON: read_csl_json,
    Format.TSV: read_tsv,
    Format.RIS: read_ris,
    Format.CROSSREF: read_crossref,
    Format.OPENALEX: read_openalex,
    Format.DBLP: read_dblp,
    Format.ACL_XML: read_acl_xml,
    Format.RETRACTION_WATCH: read_retraction_watch,
    Format.ENDNOTE: read_endnote,
    Format.PUBMED: read_pubmed,
    Format.WEB_OF_SCIENCE: read_web_of_science,
}
BY_NAME = {
    ".bib": Format.BIBTEX, ".bibtex": Format.BIBTEX, ".tsv": Format.TSV, ".ris": Format.RIS, ".enw": Format.ENDNOTE,
    ".nbib": Format.PUBMED, ".ciw": Format.WEB_OF_SCIENCE,
}  # fmt: skip
JSON_NAMES = {".json", ".jsonl", ".ndjson"}
_ENTRY = rf"<(?:dblp\b|(?:{'|'.join(DBLP_KINDS)})\s[^<>]{{0,500}}\bkey=)"
# What is near the beginning of a file; the first that fits.
BEGINNINGS: tuple[tuple[Format, re.Pattern[str]], ...] = (
    (Format.OPENALEX, re.compile(r'\A[\[{].*"https://openalex\.org/W\d', re.DOTALL)),
    (
        Format.CROSSREF,
        re.compile(
            r'\A[\[{](?=.*"DOI"\s{0,9}:).*"(?:reference-count|is-referenced-by-count|message-type)"\s{0,9}:',
            re.DOTALL,
        ),
    ),
    (Format.CSL_JSON, re.compile(r"\A[\[{]")),
    (Format.DBLP, re.compile(rf"\A(?=<).*?{_ENTRY}", re.DOTALL)),
    (Format.ACL_XML, re.compile(r"\A(?=<).*?<collection\s[^<>]{0,500}\bid=", re.DOTALL)),
    (Format.RETRACTION_WATCH, re.compile(rf"\A[^\n]*\b{COLUMNS[0]}\b")),
    (Format.TSV, re.compile(r"\Atitle(?:[\t\r\n]|\Z)")),
    (Format.ENDNOTE, re.compile(r"\A%0 ")),
    (Format.PUBMED, re.compile(r"\APMID- ?\d")),
    (Format.WEB_OF_SCIENCE, re.compile(r"\A(?:FN [^\n]*\n(?:VR [^\n]*\n)?)?PT [A-Z]\s*\n")),
    (Format.RIS, re.compile(r"^[ \t]{0,9}TY[ \t]{1,4}-[ \t]", re.MULTILINE)),
    (Format.BIBTEX, re.compile(r"^[ \t]*@[A-Za-z]+[ \t]*[{(]", re.MULTILINE)),
)


def detect(path: Path) -> Format:
    """Recognise a file's format, by its name or else by how it begins.

    Raises:
        InputError: it is not one of the known formats, or cannot be read.
    """
    name = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    suffix = name.suffix.lower()
    if suffix in BY_NAME:
        return BY_NAME[suffix]
    with readable(path), opened(path) as stream:
        start = stream.read(1 << 20)
    text = start.decode("utf-8", "replace").removeprefix("\ufeff").lstrip()
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    found = next((kind for kind, beginning in BEGINNINGS if beginning.search(text)), None)
    if found or suffix in JSON_NAMES:
        return found or Format.CSL_JSON
    known = ", ".join(Format)
    raise InputError(
        f"{str(path)!r}: expected one of {known}, found {text[:40]!r}. Name the format if it is one."
    )


def read_records(
    path: str | os.PathLike[str],
    *,
    format: Format | str | None = None,  # noqa: A002  # the option's natural name
    problems: list[Problem] | None = None,
) -> Iterator[Record]:
    """Read a file's records, one after another.

    Args:
        path: the file, UTF-8; one packed by gzip is unpacked.
        format: what it is; recognised from the file by default.
        problems: entries left out are appended here; without it the first broken one is raised.

    Raises:
        ParseError: a broken entry, where `problems` is not given; a file that is not UTF-8.
        InputError: the file cannot be read, or its format is unknown.
    """
    source = Path(path)
    for piece in read_pieces(source, format_of(source, format), 0):
        for problem in piece.problems:
            if problems is None and problem.passed:
                continue
            if problems is None:
                raise ParseError(problem.message, source=problem.source, line=problem.line)
            problems.append(problem)
        yield from piece.records
        yield from (retraction.work for retraction in piece.retractions if retraction.work)


def format_of(path: Path, given: Format | str | None) -> Format:
    """The format that was given, or else the file's."""
    if given is None:
        return detect(path)
    try:
        return Format(given)
    except ValueError:
        raise InputError(f"expected a format of {', '.join(Format)}, got {given!r}.") from None


def read_pieces(path: Path, kind: Format, position: int) -> Iterator[Piece]:
    """A file piece by piece, from a position that an earlier piece gave; 0 for the start."""
    with readable(path):
        yield from READERS[kind](path, position)
