"""The bibliography of `--bibliography`: an index, or files of which an index is made and remembered."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from guardrail.cli._errors import Usage
from guardrail.cli._terminal import patience
from guardrail.errors import InputError
from guardrail.references.bibliography.opening import is_address, open_bibliography
from guardrail.references.bibliography.records import abstracts_of
from guardrail.references.bibliography.remembered import is_index, remembered

if TYPE_CHECKING:
    from guardrail.references.bibliography.importers import Imported
    from guardrail.references.bibliography.records import Bibliography, Match, Record, Reference

NAMED = 5  # kinds of entries passed over that are shown


class Complete:
    """A bibliography that the user declares to have everything."""

    def __init__(self, inner: Bibliography) -> None:
        self._inner = inner

    @property
    def fingerprint(self) -> str:
        """The inner one's, with the declaration."""
        return f"{self._inner.fingerprint}:declared"

    def find(self, reference: Reference) -> Match:
        """As the inner one; absent means absent."""
        return replace(self._inner.find(reference), complete=True)

    def find_all(self, references: Sequence[Reference]) -> list[Match]:
        """As `find`."""
        return [replace(match, complete=True) for match in self._inner.find_all(references)]

    def abstracts(self, records: Sequence[Record]) -> list[str]:
        """As the inner one."""
        return abstracts_of(self._inner, records)


@contextmanager
def opened(paths: Sequence[str], *, complete: bool) -> Iterator[tuple[Bibliography, list[str]]]:
    """The bibliography in these files, and warnings about what is in them.

    Raises:
        InputError: a file cannot be read, is of no known format, or lost an entry and is to be complete.
        IndexFault: an index is corrupt or of another version.
        Usage: an index together with other files.
    """
    addresses = [path for path in paths if is_address(path)]
    if addresses and len(paths) > 1:
        raise Usage(f"--bibliography: {addresses[0]!r} is an index and must be given alone")
    files = [] if addresses else [Path(path).expanduser() for path in paths]
    indexes = [file for file in files if is_index(file)]
    if indexes and len(files) > 1:
        raise Usage(
            f"--bibliography: {str(indexes[0])!r} is an index and must be given alone. Add the others to it: "
            f"guardrail references index add {shlex.join([str(indexes[0]), *(str(file) for file in files if file != indexes[0])])}"
        )
    alone: list[str | Path] = [*addresses, *indexes]
    if alone:
        with open_bibliography(alone[0]) as known:
            yield (Complete(known) if complete else known), []
        return
    from guardrail.references.bibliography.index import Index

    with patience("reading the bibliography"):
        made, warnings = remembered(files)
    if complete and warnings:
        raise InputError(
            f"--complete: the bibliography lacks works that could not be read; correct them, or leave --complete out. {' '.join(warnings)}"
        )
    with Index.open(made, called=", ".join(file.name for file in files)) as known:
        yield (Complete(known) if complete else known), warnings


def passed_over(imported: Imported) -> list[str]:
    """How many entries describe no work, if there are any."""
    if not imported.passed:
        return []
    kinds = sorted(imported.passed.items(), key=lambda kind: (-kind[1], kind[0]))
    listed = ", ".join(f"{what} {count:,}" for what, count in kinds[:NAMED])
    return [f"passed over {sum(imported.passed.values()):,} entries that describe no work: {listed}"]
