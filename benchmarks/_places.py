"""Labels of texts that belong to their publishers: only places are kept here, and the texts are read from the data sets."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from guardrail.errors import InputError

__all__ = ["Rows", "digest", "json_lines", "part"]


def digest(text: str) -> str:
    """Tells one text from another, and says nothing about it."""
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()


def part(text: str, start: int, end: int, *, digested: str, where: str) -> str:
    """The labelled part of a text.

    Args:
        text: the whole.
        start: of the part, in characters.
        end: behind it.
        digested: its `digest`.
        where: what is read, for the error.

    Raises:
        InputError: there is another text.
    """
    found = text[start:end]
    if digest(found) != digested:
        raise InputError(
            f"{where}: expected another text at {start}..{end}: is the data set another version?"
        )
    return found


def json_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a file.

    Raises:
        InputError: it is not there, or a line is no JSON.
    """
    try:
        with path.open(encoding="utf-8") as lines:
            yield from (json.loads(line) for line in lines if line.strip())
    except (OSError, ValueError) as error:
        raise InputError(f"expected JSON lines, got {error!r} from {path.name!r}.") from error


class Rows:
    """The rows of `real_answers` by file and id; each file is read once.

    Args:
        folder: of the data set.
        key: the field that is a row's id.
    """

    def __init__(self, folder: Path, *, key: str = "id") -> None:
        self._folder, self._key = folder, key
        self._files: dict[str, dict[str, dict[str, Any]]] = {}

    def row(self, file: str, key: str) -> dict[str, Any]:
        """One row.

        Args:
            file: below the folder, without ".jsonl".
            key: its id.

        Raises:
            InputError: the file or the row is not there.
        """
        if file not in self._files:
            self._files[file] = {
                str(row[self._key]): row for row in json_lines(self._folder / f"{file}.jsonl")
            }
        if key not in self._files[file]:
            raise InputError(f"expected an answer {key!r} in {file!r}: is the data set another version?")
        return self._files[file][key]
