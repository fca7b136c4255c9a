"""Bibliography files: BibTeX, CSL-JSON and tab-separated, one reader each, into records.

A file is read piece by piece; each piece tells how far it reaches, so that an import that was killed goes on
where the last transaction ended. A broken entry is reported with its line and the rest goes on; a file that is
no text, or of another format throughout, is refused.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from pathlib import Path

from guardrail.errors import InputError, ParseError
from guardrail.references.bibliography.formats.bibtex import read_bibtex
from guardrail.references.bibliography.formats.csl_json import read_csl_json
from guardrail.references.bibliography.formats.lines import Piece, Problem, opened
from guardrail.references.bibliography.formats.tsv import read_tsv
from guardrail.references.bibliography.records import Record

__all__ = ["Format", "Piece", "Problem", "detect", "format_of", "read_pieces", "read_records"]


class Format(StrEnum):
    """What a bibliography file may be."""

    BIBTEX = "bibtex"
    CSL_JSON = "csl-json"
    TSV = "tsv"


def detect(path: Path) -> Format:
    """Tell a file's format, by its name or else by how it begins.

    Raises:
        InputError: it is none of the known formats, or cannot be read.
    """
    by_name = {".bib": Format.BIBTEX, ".bibtex": Format.BIBTEX, ".tsv": Format.TSV, ".json": Format.CSL_JSON}
    if found := by_name.get(path.suffix.lower()):
        return found
    with opened(path) as stream:
        start = stream.read(1 << 16)
    text = start.decode("utf-8", "replace").removeprefix("\ufeff").lstrip()
    if text.startswith(("[", "{")):
        return Format.CSL_JSON
    if tuple(text.partition("\n")[0].rstrip("\r").split("\t"))[:1] == ("title",):
        return Format.TSV
    if re.search(r"^[ \t]*@[A-Za-z]+[ \t]*[{(]", text, re.MULTILINE):
        return Format.BIBTEX
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
        path: the file, UTF-8.
        format: what it is; told from the file by default.
        problems: broken entries are appended here; without it the first one is raised.

    Raises:
        ParseError: a broken entry, where `problems` is not given; a file that is not UTF-8.
        InputError: the file cannot be read, or its format is unknown.
    """
    source = Path(path)
    for piece in read_pieces(source, format_of(source, format), 0):
        for problem in piece.problems:
            if problems is None:
                raise ParseError(problem.message, source=problem.source, line=problem.line)
            problems.append(problem)
        yield from piece.records


def format_of(path: Path, given: Format | str | None) -> Format:
    """The format that was given, or else the file's."""
    if given is None:
        return detect(path)
    try:
        return Format(given)
    except ValueError:
        raise InputError(f"expected a format of {', '.join(Format)}, got {given!r}.") from None


def read_pieces(path: Path, kind: Format, position: int) -> Iterator[Piece]:
    """A file piece by piece, from a position that an earlier piece told; 0 for the start."""
    readers: Mapping[Format, Callable[[Path, int], Iterator[Piece]]] = {
        Format.TSV: read_tsv,
        Format.BIBTEX: read_bibtex,
        Format.CSL_JSON: read_csl_json,
    }
    return readers[kind](path, position)
