r"""Files and folders of facts of every kind that is read here, distinguished by name and by the content of a line.

Besides triples, a line of JSON may be an event or an entity:

    {"subject": "Paris", "relation": "country", "object": "France"}
    {"event": "Cold War", "begin": 1947, "end": 1991}
    {"label": "Paris", "aliases": ["City of Light"], "identifier": "Q90"}
"""

from __future__ import annotations

import os
from pathlib import Path

from guardrail.errors import InputError
from guardrail.logic.knowledge.facts import DatedEvent, Entity, Triple
from guardrail.logic.knowledge.sources.drowzee import FACTS, read_drowzee, read_events
from guardrail.logic.knowledge.sources.reading import ReadFacts, json_lines
from guardrail.logic.knowledge.sources.triples import read_triples


def read_facts(path: str | os.PathLike[str]) -> ReadFacts:
    """What a file or folder contains: `.tsv` and `.jsonl` facts, `.csv` events, or a folder of the Drowzee data.

    Raises:
        InputError: it cannot be read, or is not one of these.
    """
    place = Path(path)
    if place.is_dir():
        if not (place / FACTS).is_file():
            raise InputError(f"expected a folder with {FACTS!r} (the Drowzee data), got {str(path)!r}.")
        return read_drowzee(place)
    match place.suffix.lower():
        case ".jsonl" | ".ndjson":
            return _read_lines(place)
        case ".csv":
            return read_events(place)
        case ".tsv" | ".txt":
            return read_triples(place)
        case other:
            raise InputError(
                f"{str(path)!r}: expected facts (.tsv, .jsonl), events (.csv) or a folder, got {other or 'no suffix'!r}."
            )


def _read_lines(path: Path) -> ReadFacts:
    found = ReadFacts()
    for number, entry in json_lines(path, found):
        try:
            _add(found, entry)
        except InputError as error:
            found.problem(path, number, error)
    return found


def _add(found: ReadFacts, entry: dict[str, object]) -> None:
    if "event" in entry:
        found.events.append(_event(entry))
    elif "label" in entry:
        found.entities.append(_entity(entry))
    else:
        parts = (entry.get("subject"), entry.get("relation", entry.get("predicate")), entry.get("object"))
        if not all(isinstance(part, str) for part in parts):
            raise InputError(f"expected text for subject, relation and object, got {parts!r}.")
        found.facts.append(Triple(*map(str, parts)))


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
