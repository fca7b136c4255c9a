"""What the readers of all formats share: pieces of a file, and its lines as text."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BufferedReader
from pathlib import Path

from guardrail.errors import InputError, ParseError
from guardrail.references.bibliography.records import Record

__all__ = ["Piece", "Problem", "decoded", "numbered_lines", "opened"]

LONGEST_LINE = 1 << 20  # bytes


@dataclass(frozen=True, slots=True)
class Problem:
    """An entry that was left out, and why."""

    source: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.source}:{self.line}: {self.message}"


@dataclass(frozen=True, slots=True)
class Piece:
    """Part of a file: what was read, and the position from which to go on (bytes, or items of CSL-JSON)."""

    position: int
    records: list[Record] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def opened(path: Path) -> BufferedReader:
    """The file for reading bytes; `InputError` if it cannot be read."""
    try:
        return path.open("rb")
    except OSError as error:
        raise InputError(
            f"expected a bibliography at {str(path)!r}, cannot read it: {error.strerror}."
        ) from error


def numbered_lines(stream: BufferedReader, path: Path) -> Iterator[tuple[int, int, str]]:
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
        yield number, after, decoded(raw, path, number)


def decoded(raw: bytes, path: Path, number: int | None) -> str:
    """A line as text, or a whole file where `number` is `None`; `ParseError` if it is not UTF-8."""
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
