r"""Files and folders of facts of every kind that is read here, distinguished by name and by the content of a line.

TSV has three columns: subject, relation, object. A first line with these words is skipped. In a label, tab, line
break, carriage return, NUL and backslash are written `\t`, `\n`, `\r`, `\0` and `\\`, so that every label can be
there; any other use of a backslash is a problem of its line.

A line of JSON is a triple, an event or an entity; other fields are ignored:

    {"subject": "Paris", "relation": "country", "object": "France"}
    {"event": "Cold War", "begin": 1947, "end": 1991}
    {"label": "Paris", "aliases": ["City of Light"], "identifier": "Q90"}

CSV has events in the columns event, name, begin, end; dates are ISO, the first column is ignored. A folder has the data
released with Drowzee [li2025], which have no licence and are not in this package.
"""

from __future__ import annotations

import csv
import os
import re
from pathlib import Path

from guardrail.errors import InputError
from guardrail.logic.knowledge.facts import DatedEvent, Entity, Triple
from guardrail.logic.knowledge.sources.reading import ReadFacts, json_lines, text_lines, year_of

_FACTS, _EVENTS = "nontemporal_facts.jsonl", "temporal_facts.csv"  # of a folder
_COLUMNS = ["event", "name", "begin", "end"]
_HEADERS = {("subject", "relation", "object"), ("subject", "predicate", "object")}
_READ = {"t": "\t", "n": "\n", "r": "\r", "0": "\0", "\\": "\\"}
_ESCAPE = re.compile(r"\\(.?)", re.DOTALL)


def read_facts(path: str | os.PathLike[str]) -> ReadFacts:
    """What a file or folder contains: `.tsv` and `.jsonl` facts, `.csv` events, or a folder of the Drowzee data.

    Raises:
        InputError: it cannot be read, or is not one of these.
    """
    place, found = Path(path), ReadFacts()
    if place.is_dir():
        if not (place / _FACTS).is_file():
            raise InputError(f"expected a folder with {_FACTS!r} (the Drowzee data), got {str(path)!r}.")
        _read_json(place / _FACTS, found)
        _read_events(place / _EVENTS, found)
        return found
    match place.suffix.lower():
        case ".jsonl" | ".ndjson":
            _read_json(place, found)
        case ".csv":
            _read_events(place, found)
        case ".tsv" | ".txt":
            _read_tsv(place, found)
        case other:
            raise InputError(
                f"{str(path)!r}: expected facts (.tsv, .jsonl), events (.csv) or a folder, got {other or 'no suffix'!r}."
            )
    return found


def _read_tsv(path: Path, found: ReadFacts) -> None:
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
            found.facts.append(Triple(*(_ESCAPE.sub(_character, label) for label in columns)))
        except (InputError, ValueError) as error:
            found.problem(path, number, error)


def _character(match: re.Match[str]) -> str:
    if match[1] not in _READ:
        raise ValueError(f"expected \\t, \\n, \\r, \\0 or \\\\ in a label, got {match[0]!r}")
    return _READ[match[1]]


def _read_events(path: Path, found: ReadFacts) -> None:
    rows = text_lines(path, found)
    _, header = next(rows, (0, ""))
    if next(csv.reader([header]), []) != _COLUMNS:
        raise InputError(f"{str(path)!r}: expected the columns {_COLUMNS!r}, got {header!r}.")
    for number, text in rows:
        values = next(csv.reader([text]), [])
        if len(values) != len(_COLUMNS):
            found.problem(path, number, f"expected {len(_COLUMNS)} values, got {text[:60]!r}")
            continue
        _, name, begin, end = values
        try:
            found.events.append(DatedEvent(name, [(year_of(begin), year_of(end))]))
        except InputError as error:
            found.problem(path, number, error)


def _read_json(path: Path, found: ReadFacts) -> None:
    for number, entry in json_lines(path, found):
        try:
            if "event" in entry:
                found.events.append(_event(entry))
            elif "label" in entry:
                found.entities.append(_entity(entry))
            else:
                found.facts.append(_triple(entry))
        except InputError as error:
            found.problem(path, number, error)


def _triple(entry: dict[str, object]) -> Triple:
    parts = (entry.get("subject"), entry.get("relation", entry.get("predicate")), entry.get("object"))
    if not all(isinstance(part, str) for part in parts):
        raise InputError(f"expected text for subject, relation and object, got {parts!r}.")
    return Triple(*map(str, parts))


def _event(entry: dict[str, object]) -> DatedEvent:
    name, begin, end = entry["event"], entry.get("begin"), entry.get("end")
    if not isinstance(name, str) or not isinstance(begin, int) or not isinstance(end, int):
        raise InputError(
            f"expected a name and whole years for event, begin and end, got {(name, begin, end)!r}."
        )
    return DatedEvent(name, [(begin, end)])


def _entity(entry: dict[str, object]) -> Entity:
    label, aliases = entry["label"], entry.get("aliases", [])
    if not isinstance(label, str) or not isinstance(aliases, list):
        raise InputError(
            f"expected a text and a list of texts for label and aliases, got {(label, aliases)!r}."
        )
    return Entity(label, tuple(aliases), str(entry.get("identifier", "")))
