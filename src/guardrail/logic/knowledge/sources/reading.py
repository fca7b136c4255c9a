"""What an import yields, and the lines that it could not read."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from guardrail.errors import InputError
from guardrail.logic.knowledge.facts import DatedEvent, Entity, Triple

_DATE = re.compile(r"([+-]?\d{1,9})(?:-\d{1,2}){0,2}(?:T.*)?")


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Something that was left out.

    Attributes:
        source: the file, or the address.
        line: the 1-based line, or the number of the entry.
        what: what was expected and what came.
    """

    source: str
    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.source}:{self.line}: {self.what}"


@dataclass(slots=True)
class ReadFacts:
    """What was read; `build` takes the first three.

    Attributes:
        facts: in the order they were read, repetitions included.
        events: dated events.
        entities: aliases and identifiers.
        problems: all that was left out.
    """

    facts: list[Triple] = field(default_factory=list)
    events: list[DatedEvent] = field(default_factory=list)
    entities: list[Entity] = field(default_factory=list)
    problems: list[LeftOut] = field(default_factory=list)

    def problem(self, source: object, line: int, what: object) -> None:
        """Note something that was left out."""
        self.problems.append(LeftOut(str(source), line, str(what)))


def text_lines(path: str | os.PathLike[str], found: ReadFacts) -> Iterator[tuple[int, str]]:
    """The lines of a file with their numbers, without line breaks; those that are no UTF-8 are problems.

    Raises:
        InputError: the file cannot be read.
    """
    try:
        with Path(path).open("rb") as stream:
            for number, line in enumerate(stream, start=1):
                try:
                    text = line.decode("utf-8-sig" if number == 1 else "utf-8")
                except UnicodeDecodeError as error:
                    found.problem(path, number, f"expected UTF-8: {error.reason} at byte {error.start}")
                    continue
                yield number, text.removesuffix("\n").removesuffix("\r")
    except OSError as error:
        raise InputError(f"expected a file at {str(path)!r}, could not read it: {error.strerror}.") from error


def json_lines(path: str | os.PathLike[str], found: ReadFacts) -> Iterator[tuple[int, dict[str, object]]]:
    """The objects of a file of JSON lines with their line numbers; other lines are problems, empty ones not."""
    for number, text in text_lines(path, found):
        if not text.strip():
            continue
        try:
            entry = json.loads(text)
        except ValueError as error:
            found.problem(path, number, f"expected JSON: {error}")
            continue
        except RecursionError:
            found.problem(path, number, "expected JSON, found brackets nested too deep")
            continue
        if isinstance(entry, dict):
            yield number, entry
        else:
            found.problem(path, number, f"expected an object, got {text[:60]!r}")


def year_of(date: str) -> int:
    """The year of an ISO date; years before 1 are 0 and negative, as in ISO 8601.

    Raises:
        InputError: the text is no such date.

    Example:
        >>> year_of("1837-06-20"), year_of("-0043-03-15")
        (1837, -43)
    """
    match = _DATE.fullmatch(date.strip())
    if match is None:
        raise InputError(f"expected an ISO date such as '1837-06-20' or '1837', got {date!r:.100}")
    return int(match[1])
