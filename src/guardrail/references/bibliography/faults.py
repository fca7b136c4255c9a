"""What SQLite and the file system raise about an index, as one error with the path and what to do."""

from __future__ import annotations

import os
import shlex
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from guardrail.errors import IndexFault

_SOURCES = {
    ".bib",
    ".bibtex",
    ".tsv",
    ".json",
    ".jsonl",
    ".ris",
    ".xml",
    ".csv",
    ".gz",
}  # what an index is built of


def is_source(path: Path) -> bool:
    """Whether a path has the ending of a file that an index is built of."""
    return path.suffix.lower() in _SOURCES


def remedy(path: str | os.PathLike[str]) -> str:
    """The command that builds an index: of a bibliography's own file, which is not written over, another."""
    given = Path(path)
    if is_source(given):
        built = str(given.with_suffix(".sqlite"))
        command = shlex.join(["guardrail", "references", "index", "add", built, str(given)])
        return f"Build one of it with: {command}; and give that."
    if given.is_dir():
        return f"Name a file, such as {str(given / 'refs.sqlite')!r}."
    command = shlex.join(["guardrail", "references", "index", "add", os.fspath(path)])
    return f"Build it (a broken file moved away first) with: {command} FILE"


@contextmanager
def faults(path: Path) -> Iterator[None]:
    """Turn every error of SQLite and the file system into an `IndexFault`."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if "locked" in str(error) or "busy" in str(error):
            raise IndexFault(
                f"the index {str(path)!r} is locked by another writer. Wait until it has finished, then try again."
            ) from error
        raise IndexFault(f"the index {str(path)!r} cannot be used: {error}. {remedy(path)}") from error
    except sqlite3.Error as error:
        raise IndexFault(
            f"expected a bibliography index at {str(path)!r}, could not read it: {error}. {remedy(path)}"
        ) from error
    except OSError as error:
        raise IndexFault(f"the index {str(path)!r} cannot be used: {error}.") from error
