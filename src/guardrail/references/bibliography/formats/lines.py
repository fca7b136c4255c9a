"""What the readers of all formats share: pieces of a file, and its lines as text."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TypeVar, cast

from guardrail.errors import InputError, ParseError
from guardrail.references.bibliography.records import Record
from guardrail.references.bibliography.retractions import Retraction

T = TypeVar("T")

LONGEST_LINE = 1 << 20  # bytes
GZIP = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class Problem:
    """An entry that was left out, and why.

    Attributes:
        passed: nothing is wrong with it, but it describes no work (a correction, a person's page).
    """

    source: str
    line: int
    message: str
    passed: bool = False

    def __str__(self) -> str:
        return f"{self.source}:{self.line}: {self.message}"


class Passed(Exception):  # nothing is wrong
    """What a reader found is no work; the message says what it is."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Part of a file: what was read, and the position from which to go on (bytes, or entries that were read)."""

    position: int
    records: list[Record] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    retractions: list[Retraction] = field(default_factory=list)


def piece_of(
    path: Path, line: int, position: int, read: Callable[[T], Record | Retraction], entry: T
) -> Piece:
    """What a reader makes of one entry: its record, or why there is none."""
    try:
        found = read(entry)
    except Passed as passed:
        return Piece(position, problems=[Problem(str(path), line, str(passed), passed=True)])
    except ValueError as error:
        return Piece(position, problems=[Problem(str(path), line, str(error))])
    return Piece(position, [found]) if isinstance(found, Record) else Piece(position, retractions=[found])


def pieces_of(
    path: Path, position: int, read: Callable[[T], Record | Retraction], entries: Iterable[tuple[int, T]]
) -> Iterator[Piece]:
    """A piece for each entry, which comes with its line; the position counts entries."""
    for count, (line, entry) in enumerate(entries, 1):
        if count > position:
            yield piece_of(path, line, count, read, entry)


def opened(path: Path) -> IO[bytes]:
    """The file for reading bytes, unpacked if it was packed by gzip; `InputError` if it cannot be read."""
    try:
        stream = path.open("rb")
        packed = stream.peek(len(GZIP)).startswith(GZIP)
    except OSError as error:
        raise InputError(
            f"expected a bibliography at {str(path)!r}, cannot read it: {error.strerror}."
        ) from error
    if not packed:
        return stream
    stream.close()
    return cast("IO[bytes]", gzip.open(path))


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Turn what reading a file may raise into an `InputError`."""
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ParseError(
            "expected a file packed by gzip, found it damaged or cut short. Fetch it again.", source=str(path)
        ) from error
    except OSError as error:
        raise InputError(f"cannot read {str(path)!r} to its end: {error.strerror or error}.") from error


def numbered_lines(stream: IO[bytes], path: Path) -> Iterator[tuple[int, int, str]]:
    """Number, position after it and text of every line from the stream's start; also lines of old Macs, that end with CR."""
    after = 0
    for number, raw in enumerate(_raw_lines(stream), 1):
        after += len(raw)
        if len(raw) >= LONGEST_LINE:
            raise ParseError(
                f"expected lines of less than {LONGEST_LINE} bytes.", source=str(path), line=number
            )
        yield number, after, decoded(raw, path, number)


def _raw_lines(stream: IO[bytes]) -> Iterator[bytes]:
    """The lines with their ends; of one that is too long its beginning."""
    rest = b""
    while chunk := stream.read(1 << 16):
        *whole, rest = (rest + chunk).splitlines(keepends=True)
        yield from whole
        if len(rest) >= LONGEST_LINE:
            break
    yield from rest.splitlines(keepends=True)


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
