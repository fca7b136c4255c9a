"""Importing files into an index, so that an import which was interrupted goes on where it stopped."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from guardrail.references.bibliography.formats import Format, format_of, read_pieces
from guardrail.references.bibliography.formats.lines import Piece, Problem, opened
from guardrail.references.bibliography.index import BATCH, Bookmark, Index, Progress
from guardrail.references.bibliography.records import Record

__all__ = ["Imported", "import_files"]

PROBLEMS_KEPT = 1000


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
        kind = format_of(path, format)
        content = f"{kind}:{_digest(path)}"
        mark = index.bookmark(content)
        if mark is not None and mark.done:
            total = replace(total, skipped=total.skipped + 1)
            continue
        if mark is not None:
            total = replace(total, resumed=total.resumed + 1)
        for piece in _batches(read_pieces(path, kind, mark.position if mark else 0)):
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


def _digest(path: Path) -> str:
    with opened(path) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
