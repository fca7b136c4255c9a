"""Reference strings that were segmented by hand: the text, and the field that each part of it says."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from guardrail.errors import InputError
from guardrail.references.citations.fields import Stretch

__all__ = ["Example", "read_strings"]

_FIELD = {
    "container-title": "container", "collection-title": "series", "citation-number": "number",
    "director": "editor", "producer": "editor", "medium": "genre", "source": "note",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Example:
    """A string, and the fields that its characters belong to."""

    text: str
    stretches: tuple[Stretch, ...]

    def written(self, *fields: str) -> str:
        """The text of the first stretch of one of the fields, "" if there is none."""
        return next((self.text[s.start : s.end] for s in self.stretches if s.field in fields), "")


def read_strings(path: Path) -> list[Example]:
    """The strings of `reference_strings/core.jsonl`.

    Raises:
        InputError: the file cannot be read, or its segments do not make up the text.
    """
    try:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
    except (OSError, ValueError) as error:
        raise InputError(
            f"expected JSON lines with 'text' and 'segments' in {path.name!r}, got {error!r}"
        ) from error
    return [_example(row["text"], row["segments"]) for row in rows]


def _example(text: str, segments: Sequence[tuple[str, str]]) -> Example:
    if text != " ".join(written for _, written in segments):
        raise InputError(f"the segments do not make up the text {text[:80]!r}")
    stretches = []
    at = 0
    for label, written in segments:
        stretches.append(Stretch(_FIELD.get(label, label), at, at + len(written)))
        at += len(written) + 1
    return Example(text, tuple(stretches))
