"""The data released with Drowzee [li2025], read from a folder that has them.

They have no licence and are not in this package; `read_drowzee` takes the path of a copy.
"""

from __future__ import annotations

import csv
import os
from pathlib import Path

from guardrail.errors import InputError
from guardrail.logic.knowledge.facts import DatedEvent
from guardrail.logic.knowledge.sources.reading import ReadFacts, text_lines
from guardrail.logic.knowledge.sources.triples import read_triples
from guardrail.logic.temporal.events import year_of

FACTS = "nontemporal_facts.jsonl"
TEMPORAL = "temporal_facts.csv"
_COLUMNS = ["event", "name", "begin", "end"]


def read_drowzee(folder: str | os.PathLike[str]) -> ReadFacts:
    """The base triples and the dated events of a folder.

    Raises:
        InputError: one of the two files is not there.
    """
    place = Path(folder)
    found = read_triples(place / FACTS)
    events = read_events(place / TEMPORAL)
    found.events += events.events
    found.problems += events.problems
    return found


def read_events(path: str | os.PathLike[str]) -> ReadFacts:
    """Events from CSV with the columns event, name, begin, end; dates are ISO, the first column is ignored.

    Raises:
        InputError: the file cannot be read or has other columns.
    """
    found = ReadFacts()
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
    return found
