"""Importing files into an index, so that an import which was interrupted goes on where it stopped."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from guardrail.errors import InputError
from guardrail.references.bibliography.formats import Format, format_of, read_pieces
from guardrail.references.bibliography.formats.lines import Piece, Problem
from guardrail.references.bibliography.index import BATCH, Added, Bookmark, Index, Progress

if TYPE_CHECKING:
    from guardrail.references.bibliography.opensearch import OpenSearch

PROBLEMS_KEPT = 1000
NAMED = 5  # entries left out that are shown
WITH_ABSTRACTS = frozenset(set(Format) - {Format.DBLP, Format.RETRACTION_WATCH})


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did.

    Attributes:
        read: records read now (those read before an interruption are not read again).
        added: those that were new.
        broken: entries that were left out because something is wrong with them.
        lost: as `broken`, with those of the same files that an earlier import left out: then these files are not in the index completely.
        resumed: files that went on where an interrupted import stopped.
        skipped: files whose content had been imported completely before.
        retractions: works of which it was not known that, or when, they were retracted.
        problems: the broken entries, the first thousand.
        passed: entries that describe no work, by what they are.
    """

    read: int = 0
    added: int = 0
    broken: int = 0
    lost: int = 0
    resumed: int = 0
    skipped: int = 0
    retractions: int = 0
    problems: tuple[Problem, ...] = ()
    passed: Mapping[str, int] = field(default_factory=dict)

    def left_out(self) -> list[str]:
        """Warnings about entries that could not be read, if there are any: how many, the first few, and why."""
        if not self.broken:
            return []
        entries = "1 entry was" if self.broken == 1 else f"{self.broken:,} entries were"
        first, *more = self.problems[:NAMED]
        warnings = [f"{entries} left out of the bibliography; the first: {first}"]
        warnings += [f"left out: {problem}" for problem in more]
        if self.broken > NAMED:
            warnings.append(f"left out: {self.broken - NAMED:,} more")
        return warnings

    def after(self, piece: Piece, added: Added) -> Imported:
        """This, and a piece more."""
        broken = [problem for problem in piece.problems if not problem.passed]
        passed = Counter(problem.message for problem in piece.problems if problem.passed)
        works = sum(retraction.work is not None for retraction in piece.retractions)
        return replace(
            self,
            read=self.read + len(piece.records) + works,
            added=self.added + added.works,
            broken=self.broken + len(broken),
            lost=self.lost + len(broken),
            retractions=self.retractions + added.retractions,
            problems=self.problems + tuple(broken[: PROBLEMS_KEPT - len(self.problems)]),
            passed=Counter(self.passed) + passed,
        )


def import_files(
    index: Index | OpenSearch,
    paths: Iterable[str | os.PathLike[str]],
    *,
    format: Format | str | None = None,  # noqa: A002  # the option's natural name
    abstracts: bool = True,
    progress: Progress | None = None,
) -> Imported:
    """Add files to an index; each batch of records is stored together with how far its file was read.

    Files are known by their content: one that was imported is skipped, also under another name, and one whose
    import was interrupted goes on where it stopped. An index that lost an entry is not complete: if it was declared so, it no longer is.

    Args:
        index: an `Index` that was opened for writing, or an `OpenSearch`.
        paths: the files.
        format: of all of them; recognised from each file by default.
        abstracts: whether those that the files have are kept, as texts that `SupportCheck` reads. A file that was imported without
            them is read again for them.
        progress: called after each transaction.

    Raises:
        InputError: a file cannot be read or is of an unknown format; what was read before stays in the index.
        IndexFault: the index cannot be written.
    """
    total = Imported()
    for path in map(Path, paths):
        kind = format_of(path, format)
        content = f"{kind}{'+abstracts' if abstracts and kind in WITH_ABSTRACTS else ''}:{_digest(path)}"
        mark, losses = index.bookmark(content), index.bookmark(f"lost:{content}")
        lost = losses.position if losses else 0
        total = replace(total, lost=total.lost + lost)
        if mark is not None and mark.done:
            total = replace(total, skipped=total.skipped + 1)
            continue
        if mark is not None:
            total = replace(total, resumed=total.resumed + 1)
        for piece in _batches(read_pieces(path, kind, mark.position if mark else 0)):
            if broken := sum(not problem.passed for problem in piece.problems):
                lost += broken
                index.add_batch([], bookmark=Bookmark(f"lost:{content}", lost, done=True))
                if index.complete:
                    index.declare_complete(False)
            records = piece.records if abstracts else [replace(one, abstract="") for one in piece.records]
            added = index.add_batch(
                records, retractions=piece.retractions, bookmark=Bookmark(content, piece.position)
            )
            total = total.after(piece, added)
            if progress is not None:
                progress(total.read, total.added)
        index.add_batch([], bookmark=Bookmark(content, path.stat().st_size, done=True))
    index.optimise()
    return total


def _batches(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Join small pieces up to the size of a transaction."""
    joined, position = Piece(0), None
    for piece in pieces:
        joined.records.extend(piece.records)
        joined.problems.extend(piece.problems)
        joined.retractions.extend(piece.retractions)
        position = piece.position
        if len(joined.records) + len(joined.problems) + len(joined.retractions) >= BATCH:
            yield replace(joined, position=position)
            joined, position = Piece(0), None
    if position is not None:
        yield replace(joined, position=position)


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"cannot read {str(path)!r} to its end: {error.strerror or error}.") from error
