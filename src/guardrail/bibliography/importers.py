"""Reading bibliographies: BibTeX, CSL-JSON and tab-separated files, into records and into an index.

A file is read piece by piece; each piece tells how far it reaches, so that an import that was killed goes on
where the last transaction ended. A broken entry is reported with its line and the rest goes on; a file that is
no text, or of another format throughout, is refused.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import logging
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from io import BufferedReader
from pathlib import Path
from typing import Any

from guardrail.bibliography.index import BATCH, Bookmark, Index, Progress
from guardrail.bibliography.normalise import (
    decode_tex,
    normalise,
    normalise_arxiv,
    normalise_doi,
    normalise_isbn,
    normalise_pmid,
)
from guardrail.bibliography.records import Record
from guardrail.errors import InputError, ParseError

__all__ = ["Format", "Imported", "Problem", "detect", "import_files", "read_records"]

HEADER = ("title", "authors", "year", "venue", "source")
LONGEST_LINE = 1 << 20  # bytes
PROBLEMS_KEPT = 1000
# Entries that bibtexparser reads together: it wants a whole text, and a bibliography may be larger than memory.
GROUP = 500

logging.getLogger("bibtexparser").addHandler(logging.NullHandler())


class Format(StrEnum):
    """What a bibliography file may be."""

    BIBTEX = "bibtex"
    CSL_JSON = "csl-json"
    TSV = "tsv"


@dataclass(frozen=True, slots=True)
class Problem:
    """An entry that was left out, and why."""

    source: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.source}:{self.line}: {self.message}"


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did.

    Attributes:
        read: records read now (those read before an interruption are not read again).
        added: those that were new.
        resumed: files that went on where an interrupted import stopped.
        skipped: files whose content had been imported completely before.
        problems: entries left out, the first thousand; `broken` counts all.
    """

    read: int = 0
    added: int = 0
    broken: int = 0
    resumed: int = 0
    skipped: int = 0
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Piece:
    """Part of a file: what was read, and the position from which to go on."""

    position: int
    records: list[Record] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def detect(path: Path) -> Format:
    """Tell a file's format, by its name or else by how it begins.

    Raises:
        InputError: it is none of the known formats, or cannot be read.
    """
    by_name = {".bib": Format.BIBTEX, ".bibtex": Format.BIBTEX, ".tsv": Format.TSV, ".json": Format.CSL_JSON}
    if found := by_name.get(path.suffix.lower()):
        return found
    with _opened(path) as stream:
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
    for piece in _pieces(source, _format(source, format), 0):
        for problem in piece.problems:
            if problems is None:
                raise ParseError(problem.message, source=problem.source, line=problem.line)
            problems.append(problem)
        yield from piece.records


def import_files(
    index: Index,
    paths: Iterable[str | os.PathLike[str]],
    *,
    format: Format | str | None = None,  # noqa: A002  # the option's natural name
    progress: Progress | None = None,
) -> Imported:
    """Add files to an index; each batch of records is stored together with how far its file was read.

    Files are known by their content: one that was imported is skipped, also under another name, and one whose
    import was interrupted goes on where it stopped.

    Args:
        index: opened for writing.
        paths: the files.
        format: of all of them; told from each file by default.
        progress: called after each transaction.

    Raises:
        InputError: a file cannot be read or is of an unknown format; what was read before stays in the index.
        IndexFault: the index cannot be written.
    """
    total = Imported()
    for path in map(Path, paths):
        kind = _format(path, format)
        content = f"{kind}:{_digest(path)}"
        mark = index.bookmark(content)
        if mark is not None and mark.done:
            total = replace(total, skipped=total.skipped + 1)
            continue
        if mark is not None:
            total = replace(total, resumed=total.resumed + 1)
        for piece in _batches(_pieces(path, kind, mark.position if mark else 0)):
            added = index.add_batch(piece.records, bookmark=Bookmark(content, piece.position))
            kept = total.problems + tuple(piece.problems[: PROBLEMS_KEPT - len(total.problems)])
            total = replace(
                total,
                read=total.read + len(piece.records),
                added=total.added + added,
                broken=total.broken + len(piece.problems),
                problems=kept,
            )
            if progress is not None:
                progress(total.read, total.added)
        index.add_batch([], bookmark=Bookmark(content, path.stat().st_size, done=True))
    index.optimise()
    return total


def _batches(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Join small pieces up to the size of a transaction."""
    records: list[Record] = []
    problems: list[Problem] = []
    position = None
    for piece in pieces:
        records += piece.records
        problems += piece.problems
        position = piece.position
        if len(records) >= BATCH:
            yield Piece(position, records, problems)
            records, problems, position = [], [], None
    if position is not None:
        yield Piece(position, records, problems)


def _format(path: Path, given: Format | str | None) -> Format:
    if given is None:
        return detect(path)
    try:
        return Format(given)
    except ValueError:
        raise InputError(f"expected a format of {', '.join(Format)}, got {given!r}.") from None


def _opened(path: Path) -> BufferedReader:
    try:
        return path.open("rb")
    except OSError as error:
        raise InputError(
            f"expected a bibliography at {str(path)!r}, cannot read it: {error.strerror}."
        ) from error


def _digest(path: Path) -> str:
    with _opened(path) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _pieces(path: Path, kind: Format, position: int) -> Iterator[Piece]:
    readers: Mapping[Format, Callable[[Path, int], Iterator[Piece]]] = {
        Format.TSV: _tsv,
        Format.BIBTEX: _bibtex,
        Format.CSL_JSON: _csl,
    }
    return readers[kind](path, position)


def _lines(stream: BufferedReader, path: Path) -> Iterator[tuple[int, int, str]]:
    """Number, position after it and text of every line from the stream's start."""
    after = 0
    for number in itertools.count(1):
        raw = stream.readline(LONGEST_LINE)
        if not raw:
            return
        after += len(raw)
        if len(raw) == LONGEST_LINE and not raw.endswith(b"\n"):
            raise ParseError(
                f"expected lines of less than {LONGEST_LINE} bytes.", source=str(path), line=number
            )
        yield number, after, _decoded(raw, path, number)


def _decoded(raw: bytes, path: Path, number: int | None) -> str:
    try:
        text = raw.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        raise ParseError(
            f"expected UTF-8 text, got the bytes {raw[error.start : error.start + 8]!r}. Convert the file first, "
            "for instance with iconv -t utf-8.",
            source=str(path),
            line=number,
        ) from error
    return text.rstrip("\r\n") if number is not None else text


# --- tab-separated -----------------------------------------------------------------------------------------


def _tsv(path: Path, position: int) -> Iterator[Piece]:
    with _opened(path) as stream:
        columns: dict[str, int] = {}
        for number, after, line in _lines(stream, path):
            if number == 1:
                columns = _header(line, path)
            elif after > position and line.strip():
                try:
                    yield Piece(after, [_tsv_record(line.split("\t"), columns)])
                except ValueError as error:
                    yield Piece(after, problems=[Problem(str(path), number, str(error))])


def _header(line: str, path: Path) -> dict[str, int]:
    names = [name.strip().lower() for name in line.split("\t")]
    if "title" not in names:
        raise ParseError(
            f"expected a header of tab-separated names with 'title' (as in {' '.join(HEADER)!r}), got {line[:80]!r}.",
            source=str(path),
            line=1,
        )
    return {name: place for place, name in enumerate(names)}


def _tsv_record(fields: list[str], columns: Mapping[str, int]) -> Record:
    if len(fields) != len(columns):
        raise ValueError(f"expected {len(columns)} fields, got {len(fields)}.")
    value = {name: fields[place].strip() for name, place in columns.items()}
    authors, et_al = _cut([name.strip() for name in value.get("authors", "").split(";")])
    return _made(
        title=value["title"],
        authors=authors,
        et_al=et_al,
        year=_year(value.get("year", "")),
        venue=value.get("venue", ""),
        doi=normalise_doi(value.get("doi", "")),
        arxiv=normalise_arxiv(value.get("arxiv", "")),
        isbn=normalise_isbn(value.get("isbn", "")),
        pmid=normalise_pmid(value.get("pmid", "")),
        url=value.get("url", ""),
        source=value.get("source", ""),
    )


def _made(**fields: Any) -> Record:
    record = Record(**fields)
    if not normalise(record.title) and not (record.doi or record.arxiv or record.isbn or record.pmid):
        raise ValueError(f"expected a title or an identifier, got {record.title[:80]!r}.")
    return record


def _cut(names: Iterable[str]) -> tuple[tuple[str, ...], bool]:
    kept = [name for name in names if name]
    real = tuple(name for name in kept if name.lower().rstrip(".") not in {"et al", "others", "and others"})
    return real, len(real) < len(kept)


def _year(text: str) -> int | None:
    if not text:
        return None
    found = re.search(r"(?<!\d)(1[0-9]{3}|20[0-9]{2})(?!\d)", text)
    return int(found.group()) if found else None


# --- BibTeX ------------------------------------------------------------------------------------------------

ENTRY = re.compile(r"[ \t]*@[ \t]*([A-Za-z]+)[ \t]*[{(]")
NO_WORKS = frozenset({"comment", "preamble", "string"})


def _bibtex(path: Path, position: int) -> Iterator[Piece]:
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
                yield _bibtex_piece(path, strings, group, end)
                group = []
    if group:
        yield _bibtex_piece(path, strings, group, end)


def _entries(path: Path) -> Iterator[tuple[int, int, str, str]]:
    """First line, position after it, kind and text of every entry; a line that begins "@word{" begins one."""
    with _opened(path) as stream:
        start, kind, before = 1, "", 0
        lines: list[str] = []
        for number, after, line in _lines(stream, path):
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


def _bibtex_piece(path: Path, strings: str, group: Sequence[tuple[int, str]], end: int) -> Piece:
    from bibtexparser.entrypoint import parse_string
    from bibtexparser.model import DuplicateBlockKeyBlock, DuplicateFieldKeyBlock, Entry, ParsingFailedBlock

    piece = Piece(end)
    starts = []  # of each entry in the joined text, with its line in the file
    at = strings.count("\n")
    for line, text in group:
        starts.append((at, line))
        at += text.count("\n")
    library = parse_string(strings + "".join(text for _, text in group))
    here = strings.count("\n")
    for block in library.blocks:
        if block.start_line is not None and block.start_line < here:
            continue
        line = _line(starts, block.start_line or 0)
        if isinstance(block, DuplicateBlockKeyBlock | DuplicateFieldKeyBlock):
            entry = block.ignore_error_block  # a repeated key or field does no harm here
        else:
            entry = block
        if not isinstance(entry, Entry):
            if isinstance(block, ParsingFailedBlock):
                piece.problems.append(
                    Problem(str(path), line, f"broken entry: {_one_line(str(block.error))}")
                )
            continue
        try:
            piece.records.append(_bibtex_record({f.key.lower(): str(f.value) for f in entry.fields}))
        except ValueError as error:
            piece.problems.append(Problem(str(path), line, str(error)))
    return piece


def _line(starts: Sequence[tuple[int, int]], offset: int) -> int:
    before = [(at, line) for at, line in starts if at <= offset]
    if not before:
        return 1
    at, line = before[-1]
    return line + offset - at


def _one_line(text: str) -> str:
    return " ".join(text.split())[:300]


def _bibtex_record(fields: Mapping[str, str]) -> Record:
    def text(*names: str) -> str:
        return next((decode_tex(fields[name]).strip() for name in names if fields.get(name)), "")

    authors, et_al = _cut(_bibtex_names(fields.get("author") or fields.get("editor") or ""))
    eprint = fields.get("eprint", "")
    archive = fields.get("archiveprefix", fields.get("eprinttype", "")).lower()
    doi = normalise_doi(fields.get("doi", "").replace("\\", "")) or normalise_doi(fields.get("url", ""))
    title, subtitle = text("title"), text("subtitle")
    return _made(
        title=f"{title}: {subtitle}" if subtitle else title,
        authors=authors,
        et_al=et_al,
        year=_year(text("year", "date")),
        venue=text(
            "journal", "journaltitle", "booktitle", "publisher", "institution", "school", "howpublished"
        ),
        doi=doi,
        arxiv=normalise_arxiv(eprint if archive in {"", "arxiv"} else "")
        or _arxiv_of(fields.get("url", ""), doi),
        isbn=normalise_isbn(fields.get("isbn", "").split(",")[0]),
        pmid=normalise_pmid(fields.get("pmid", "") or (eprint if archive == "pubmed" else "")),
        url=fields.get("url", "").replace("\\", ""),
    )


def _arxiv_of(url: str, doi: str) -> str:
    if "arxiv.org/" in url.lower():
        return normalise_arxiv(url)
    return normalise_arxiv(doi.partition("arxiv.")[2]) if doi.startswith("10.48550/") else ""


def _bibtex_names(text: str) -> list[str]:
    """Split at "and" outside of braces; "{World Health Organization}" stays one name."""
    names, depth = [""], 0
    for part in re.split(r"(\s+and\s+|[{}])", text, flags=re.IGNORECASE):
        depth += (part == "{") - (part == "}")
        if depth <= 0 and part.strip().lower() == "and" and part != part.strip():
            names.append("")
        else:
            names[-1] += part
    return [decode_tex(" ".join(name.split())) for name in names]


# --- CSL-JSON ----------------------------------------------------------------------------------------------


def _csl(path: Path, position: int) -> Iterator[Piece]:
    """Items of a JSON list, or one item a line; the position counts items."""
    with _opened(path) as stream:
        text = _decoded(stream.read(), path, None).removeprefix("\ufeff")
    items = _items(text, path)
    for count, (line, item) in enumerate(items, 1):
        if count <= position:
            continue
        try:
            yield Piece(count, [_csl_record(item)])
        except ValueError as error:
            yield Piece(count, problems=[Problem(str(path), line, str(error))])


def _items(text: str, path: Path) -> Iterator[tuple[int, Any]]:
    """Decode items one by one, so that a list is never held twice."""
    decoder = json.JSONDecoder()
    blank = re.compile(r"[\s,\[]*")
    at, line, seen = 0, 1, 0
    while (at := _skip(blank, text, at)) < len(text) and text[at] != "]":
        line += text.count("\n", seen, at)
        seen = at
        try:
            item, at = decoder.raw_decode(text, at)
        except (json.JSONDecodeError, RecursionError) as error:
            place = error.lineno if isinstance(error, json.JSONDecodeError) else line
            raise ParseError(
                f"expected CSL-JSON, got {text[at : at + 40]!r}.", source=str(path), line=place
            ) from error
        yield line, item


def _skip(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at


def _csl_record(item: Any) -> Record:
    if not isinstance(item, dict):
        raise ValueError(f"expected an object, got {str(item)[:80]!r}.")
    doi = normalise_doi(_string(item.get("DOI")))
    url = _string(item.get("URL"))
    authors, et_al = _cut(_csl_name(name) for name in _list(item.get("author")) or _list(item.get("editor")))
    return _made(
        title=_string(item.get("title")),
        authors=authors,
        et_al=et_al,
        year=_csl_year(item.get("issued")),
        venue=_string(item.get("container-title")) or _string(item.get("publisher")),
        doi=doi,
        arxiv=_arxiv_of(url, doi),
        isbn=normalise_isbn(_string(item.get("ISBN")).split(" ")[0]),
        pmid=normalise_pmid(_string(item.get("PMID"))),
        url=url,
    )


def _string(value: Any) -> str:
    if isinstance(value, list):  # Crossref gives titles as lists
        value = value[0] if value else ""
    return "" if value is None or isinstance(value, dict | list) else str(value)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _csl_name(name: Any) -> str:
    if not isinstance(name, dict):
        return _string(name)
    literal = _string(name.get("literal")) or _string(name.get("name"))
    if literal:
        return literal
    family = f"{_string(name.get('non-dropping-particle'))} {_string(name.get('family'))}".strip()
    given = f"{_string(name.get('given'))} {_string(name.get('dropping-particle'))}".strip()
    suffix = _string(name.get("suffix"))
    return ", ".join(part for part in (family, given, suffix) if part)


def _csl_year(issued: Any) -> int | None:
    if not isinstance(issued, dict):
        return _year(_string(issued))
    parts = _list(issued.get("date-parts"))
    first = _list(parts[0]) if parts else []
    return _year(_string(first[:1])) or _year(_string(issued.get("raw")) or _string(issued.get("literal")))
