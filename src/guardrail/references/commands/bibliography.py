"""A bibliography from whatever the user has: an index, or files of which an index is made and remembered."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from guardrail._version import __version__
from guardrail.cli._errors import Usage
from guardrail.errors import InputError
from guardrail.references.bibliography.opening import is_address, open_bibliography

if TYPE_CHECKING:
    from guardrail.references.bibliography.importers import Imported
    from guardrail.references.bibliography.index import Index
    from guardrail.references.bibliography.records import Bibliography, Match, Reference

SQLITE = b"SQLite format 3\x00"
INDEX_NAMES = {".sqlite", ".sqlite3", ".db", ".index", ".idx"}
NAMED = 5  # entries left out that are shown
KEPT = 20  # indexes made of files, the latest


class Complete:
    """A bibliography that the user declares to hold everything."""

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


@contextmanager
def opened(paths: Sequence[str], *, complete: bool) -> Iterator[tuple[Bibliography, list[str]]]:
    """The bibliography in these files, and warnings about what is in them.

    Raises:
        InputError: a file cannot be read, or is of no known format.
        IndexFault: an index is corrupt or of another version.
        Usage: an index together with other files.
    """
    if addresses := [path for path in paths if is_address(path)]:
        if len(paths) > 1:
            raise Usage(f"--bibliography: {addresses[0]!r} is an index and must stand alone")
        with open_bibliography(addresses[0]) as known:
            yield (Complete(known) if complete else known), []
        return
    files = [Path(path).expanduser() for path in paths]
    indexes = [file for file in files if _is_index(file)]
    if indexes and len(files) > 1:
        raise Usage(
            f"--bibliography: {str(indexes[0])!r} is an index and must stand alone. "
            f"Add the others to it: guardrail references index add {indexes[0]} FILE…"
        )
    with contextlib.ExitStack() as stack:
        if indexes:
            from guardrail.references.bibliography.index import Index

            index, warnings = stack.enter_context(Index.open(indexes[0])), list[str]()
        else:
            index, warnings = stack.enter_context(_made(files))
        yield (Complete(index) if complete else index), warnings


def cache_folder() -> Path:
    """Where indexes made of files are kept."""
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "guardrail" / "bibliographies"


def _is_index(file: Path) -> bool:
    try:
        with file.open("rb") as stream:
            return stream.read(len(SQLITE)) == SQLITE or file.suffix.lower() in INDEX_NAMES
    except FileNotFoundError as error:
        raise InputError(
            f"expected a bibliography at {str(file)!r}, found nothing: check the path"
        ) from error
    except OSError as error:
        raise InputError(f"cannot read the bibliography {str(file)!r}: {error.strerror}") from error


@contextmanager
def _made(files: Sequence[Path]) -> Iterator[tuple[Index, list[str]]]:
    """An index of these files: the remembered one, or a new one, remembered if nothing was left out."""
    from guardrail.references.bibliography.index import Index

    folder = _writable(cache_folder())
    kept = folder / f"{_digest(files)}.sqlite" if folder is not None else None
    if kept is not None and kept.is_file():
        with contextlib.suppress(OSError):
            os.utime(kept)
        with Index.open(kept) as index:
            yield index, []
        return
    with tempfile.TemporaryDirectory(
        prefix="guardrail-", dir=folder, ignore_cleanup_errors=True
    ) as temporary:
        target = Path(temporary) / "bibliography.sqlite"
        warnings = _import(target, files)
        if kept is not None and folder is not None and not warnings:
            target.replace(kept)
            target = kept
            _forget(folder)
        with Index.open(target) as index:
            yield index, warnings


def _import(target: Path, files: Sequence[Path]) -> list[str]:
    from guardrail.cli._terminal import patience
    from guardrail.references.bibliography.importers import import_files
    from guardrail.references.bibliography.index import Index

    with Index.create(target) as index, patience("reading the bibliography"):
        imported = import_files(index, files)
        if not len(index):
            raise InputError(f"expected works in {', '.join(repr(str(f)) for f in files)}, found none in it")
    return left_out(imported)


def left_out(imported: Imported) -> list[str]:
    """A warning about entries that could not be read, if there are any."""
    if not imported.broken:
        return []
    entries = "1 entry was" if imported.broken == 1 else f"{imported.broken:,} entries were"
    return [f"{entries} left out of the bibliography; the first: {imported.problems[0]}"]


def others_left_out(imported: Imported) -> list[str]:
    """The next few entries that could not be read, how many more there are, and how many describe no work."""
    shown = imported.problems[1:NAMED]
    notes = [f"left out: {problem}" for problem in shown]
    if rest := imported.broken - 1 - len(shown) if shown else 0:
        notes.append(f"left out: {rest:,} more")
    if imported.passed:
        kinds = sorted(imported.passed.items(), key=lambda kind: (-kind[1], kind[0]))
        listed = ", ".join(f"{what} {count:,}" for what, count in kinds[:NAMED])
        notes.append(f"passed over {sum(imported.passed.values()):,} entries that describe no work: {listed}")
    return notes


def _digest(files: Sequence[Path]) -> str:
    digest = hashlib.sha256(__version__.encode())
    for file in files:
        with file.open("rb") as stream:
            digest.update(file.suffix.lower().encode() + hashlib.file_digest(stream, "sha256").digest())
    return digest.hexdigest()[:40]


def _writable(folder: Path) -> Path | None:
    """The folder, made if need be; `None`: use the system's temporary folder and remember nothing."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK) else None


def _forget(folder: Path) -> None:
    def age(file: Path) -> float:
        with contextlib.suppress(OSError):
            return file.stat().st_mtime
        return 0.0

    for file in sorted(folder.glob("*.sqlite"), key=age)[:-KEPT]:
        with contextlib.suppress(OSError):
            file.unlink()
