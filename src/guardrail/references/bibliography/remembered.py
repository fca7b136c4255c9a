"""Indexes made of files (`refs.bib`): each set of files is imported once, then its index is found by the files' content."""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from guardrail._version import __version__
from guardrail.errors import InputError

_SQLITE = b"SQLite format 3\x00"
INDEX_NAMES = {".sqlite", ".sqlite3", ".db", ".index", ".idx"}
_KEPT = 20  # the latest


def cache_folder(kept: str = "bibliographies") -> Path:
    """Where they are kept, or what else of references is."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "guardrail" / kept


def is_index(file: Path) -> bool:
    """Whether a file is an index, or has the name of one.

    Raises:
        InputError: it is not there, or cannot be read.
    """
    try:
        with file.open("rb") as stream:
            return stream.read(len(_SQLITE)) == _SQLITE or file.suffix.lower() in INDEX_NAMES
    except FileNotFoundError as error:
        raise InputError(
            f"expected a bibliography at {str(file)!r}, found nothing: check the path"
        ) from error
    except OSError as error:
        raise InputError(f"cannot read the bibliography {str(file)!r}: {error.strerror}") from error


def remembered(files: Sequence[Path]) -> tuple[Path, list[str]]:
    """The index of these files, made if there is none yet, and warnings about what was left out of it.

    Where the cache folder cannot be written, the index lives until the process ends.

    Raises:
        InputError: a file cannot be read, is of no known format, or there are no works in them.
    """
    folder = _writable(cache_folder())
    if folder is None:
        folder = Path(tempfile.mkdtemp(prefix="guardrail-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
    kept = folder / f"{_digest(files)}.sqlite"
    said = kept.with_suffix(".txt")
    if kept.is_file():
        with contextlib.suppress(OSError):
            os.utime(kept)
        return kept, said.read_text(encoding="utf-8").splitlines() if said.is_file() else []
    with tempfile.TemporaryDirectory(
        prefix="guardrail-", dir=folder, ignore_cleanup_errors=True
    ) as temporary:
        made = Path(temporary) / "bibliography.sqlite"
        warnings = _imported(made, files)
        if warnings:
            said.write_text("\n".join(warnings), encoding="utf-8")
        made.replace(kept)  # last: an index that is there is whole, and its warnings are written
    _forget(folder)
    return kept, warnings


def _imported(target: Path, files: Sequence[Path]) -> list[str]:
    from guardrail.references.bibliography.importers import import_files
    from guardrail.references.bibliography.index import Index

    with Index.create(target) as index:
        imported = import_files(index, files)
        if not len(index):
            raise InputError(f"expected works in {', '.join(repr(str(f)) for f in files)}, found none in it")
    return imported.left_out()


def _digest(files: Sequence[Path]) -> str:
    digest = hashlib.sha256(f"{__version__}+abstracts".encode())
    for file in files:
        with file.open("rb") as stream:
            digest.update(file.suffix.lower().encode() + hashlib.file_digest(stream, "sha256").digest())
    return digest.hexdigest()[:40]


def _writable(folder: Path) -> Path | None:
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

    for file in sorted(folder.glob("*.sqlite"), key=age)[:-_KEPT]:
        for old in (file, file.with_suffix(".txt")):
            old.unlink(missing_ok=True)
