"""Reading pairs from a file: JSON lines or CSV, two of their fields."""

from __future__ import annotations

import csv
import difflib
import io
import json
from collections.abc import Iterator, Mapping
from typing import Any

from guardrail.cli._read import read_text
from guardrail.errors import InputError, ParseError
from guardrail.memory.internal import Pair

_NOUNS = {
    "line": "诗句",
    "verse": "诗句",
    "poem": "诗",
    "title": "标题",
    "author": "作者",
    "poet": "诗人",
    "country": "国家",
    "capital": "首都",
    "capitals": "首都",
}
_SUFFIXES = ("_simplified", "_zh", "_en")


def read_pairs(path: str, left: str, right: str, also: str | None = None) -> list[Pair]:
    """The pairs of a file, one a row; a field may be a list of names, each of them right.

    Raises:
        InputError: the file cannot be read, or has no rows.
        ParseError: a row cannot be read, or lacks a field.
    """
    text = read_text(path, "the pairs")
    rows = _from_csv(text, path) if path.lower().endswith(".csv") else _from_json(text, path)
    found = []
    for line, row in rows:
        names = [*_names(row, right, path, line), *(_names(row, also, path, line) if also else [])]
        lefts = _names(row, left, path, line)
        found.append(Pair(lefts[0] if lefts else "", names[0] if names else "", tuple(names[1:])))
    if not found:
        raise InputError(f"expected one pair a line, got an empty file {path!r}")
    return found


def noun(field: str, language: str) -> str:
    """What a field's values are called in a question."""
    for suffix in _SUFFIXES:
        field = field.removesuffix(suffix)
    if language == "zh":
        return _NOUNS.get(field.lower(), field)
    return field.replace("_", " ")


def _from_json(text: str, path: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise ParseError(
                f"expected a JSON object, got {line[:60]!r}", source=path, line=number
            ) from error
        if not isinstance(row, dict):
            raise ParseError(f"expected a JSON object, got {line[:60]!r}", source=path, line=number)
        yield number, row


def _from_csv(text: str, path: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    reader = csv.DictReader(io.StringIO(text, newline=""), restval="")
    try:
        for row in reader:
            yield reader.line_num, row
    except csv.Error as error:
        raise ParseError(
            f"expected CSV with a header, got {error}", source=path, line=reader.line_num
        ) from error


def _names(row: Mapping[str, Any], field: str, path: str, line: int) -> list[str]:
    if field not in row:
        near = difflib.get_close_matches(field, [str(name) for name in row], n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        there = ", ".join(str(name) for name in row)
        raise ParseError(f"expected a field {field!r}, got {there}.{hint}", source=path, line=line)
    value = row[field]
    values = value if isinstance(value, list) else [value]
    if not all(one is None or isinstance(one, str | int | float) for one in values):
        raise ParseError(f"expected a text in {field!r}, got {value!r}", source=path, line=line)
    return [str(one) for one in values if one not in {None, ""}]
