r"""Files of triples: tab-separated values and JSON lines.

TSV has three columns: subject, relation, object. A first line with these words is skipped. In a label, tab, line
break, carriage return, NUL and backslash are written `\t`, `\n`, `\r`, `\0` and `\\`, so that every label can be
there; any other use of a backslash is a problem of its line.

JSON lines have the fields `subject`, `relation` (or `predicate`) and `object`; others are ignored.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from guardrail.errors import InputError
from guardrail.logic.knowledge.facts import Triple
from guardrail.logic.knowledge.sources.reading import ReadFacts, json_lines, text_lines

_HEADERS = {("subject", "relation", "object"), ("subject", "predicate", "object")}
_READ = {"t": "\t", "n": "\n", "r": "\r", "0": "\0", "\\": "\\"}
_ESCAPE = re.compile(r"\\(.?)", re.DOTALL)


def read_triples(path: str | os.PathLike[str]) -> ReadFacts:
    """The triples of a file, by its name: `.tsv`, or `.jsonl`.

    Raises:
        InputError: the file cannot be read, or has another name.
    """
    found = ReadFacts()
    match Path(path).suffix.lower():
        case ".tsv" | ".txt":
            _read_tsv(path, found)
        case ".jsonl" | ".ndjson":
            _read_jsonl(path, found)
        case other:
            raise InputError(f"{str(path)!r}: expected a name that ends in .tsv or .jsonl, got {other!r}.")
    return found


def _read_tsv(path: str | os.PathLike[str], found: ReadFacts) -> None:
    for number, text in text_lines(path, found):
        if not text.strip():
            continue
        columns = text.split("\t")
        if number == 1 and tuple(columns) in _HEADERS:
            continue
        if len(columns) != 3:
            found.problem(path, number, f"expected 3 columns, got {len(columns)}: {text[:60]!r}")
            continue
        try:
            found.facts.append(Triple(*map(_unescaped, columns)))
        except (InputError, ValueError) as error:
            found.problem(path, number, error)


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(_character, text) if "\\" in text else text


def _character(match: re.Match[str]) -> str:
    if match[1] not in _READ:
        raise ValueError(f"expected \\t, \\n, \\r, \\0 or \\\\ in a label, got {match[0]!r}")
    return _READ[match[1]]


def _read_jsonl(path: str | os.PathLike[str], found: ReadFacts) -> None:
    for number, entry in json_lines(path, found):
        try:
            found.facts.append(_triple(entry))
        except InputError as error:
            found.problem(path, number, error)


def _triple(entry: dict[str, object]) -> Triple:
    relation = entry.get("relation", entry.get("predicate"))
    parts = (entry.get("subject"), relation, entry.get("object"))
    if not all(isinstance(part, str) for part in parts):
        raise InputError(f"expected text for subject, relation and object, got {parts!r}.")
    subject, relation, object_ = (str(part) for part in parts)
    return Triple(subject, relation, object_)
