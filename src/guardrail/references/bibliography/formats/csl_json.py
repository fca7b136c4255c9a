"""CSL-JSON: a list of items, or one item a line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from guardrail.errors import ParseError
from guardrail.references.bibliography.formats.fields import arxiv_of, checked_record, listed_authors, year_of
from guardrail.references.bibliography.formats.lines import Piece, Problem, decoded, opened
from guardrail.references.bibliography.normalise import normalise_doi, normalise_isbn, normalise_pmid
from guardrail.references.bibliography.records import Record

__all__ = ["read_csl_json"]


def read_csl_json(path: Path, position: int) -> Iterator[Piece]:
    """Items of a JSON list, or one item a line; the position counts items."""
    with opened(path) as stream:
        text = decoded(stream.read(), path, None).removeprefix("\ufeff")
    items = _items(text, path)
    for count, (line, item) in enumerate(items, 1):
        if count <= position:
            continue
        try:
            yield Piece(count, [_record(item)])
        except ValueError as error:
            yield Piece(count, problems=[Problem(str(path), line, str(error))])


def _items(text: str, path: Path) -> Iterator[tuple[int, Any]]:
    """The items with their lines, decoded one by one."""
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


def _record(item: Any) -> Record:
    if not isinstance(item, dict):
        raise ValueError(f"expected an object, got {str(item)[:80]!r}.")
    doi = normalise_doi(_string(item.get("DOI")))
    url = _string(item.get("URL"))
    authors, et_al = listed_authors(
        _name(name) for name in _list(item.get("author")) or _list(item.get("editor"))
    )
    return checked_record(
        title=_string(item.get("title")),
        authors=authors,
        et_al=et_al,
        year=_year(item.get("issued")),
        venue=_string(item.get("container-title")) or _string(item.get("publisher")),
        doi=doi,
        arxiv=arxiv_of(url, doi),
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


def _name(name: Any) -> str:
    if not isinstance(name, dict):
        return _string(name)
    literal = _string(name.get("literal")) or _string(name.get("name"))
    if literal:
        return literal
    family = f"{_string(name.get('non-dropping-particle'))} {_string(name.get('family'))}".strip()
    given = f"{_string(name.get('given'))} {_string(name.get('dropping-particle'))}".strip()
    suffix = _string(name.get("suffix"))
    return ", ".join(part for part in (family, given, suffix) if part)


def _year(issued: Any) -> int | None:
    if not isinstance(issued, dict):
        return year_of(_string(issued))
    parts = _list(issued.get("date-parts"))
    first = _list(parts[0]) if parts else []
    return year_of(_string(first[:1])) or year_of(
        _string(issued.get("raw")) or _string(issued.get("literal"))
    )
