"""Entries of HALLMARK as references, records and BibTeX, and how they are divided."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from guardrail.references.bibliography.normalise import normalise, squeeze
from guardrail.references.bibliography.records import Record

__all__ = ["FABRICATED", "Entry", "bibtex", "read", "works"]

# The types in which the work itself is made up. A hybrid has a real identifier, an invented title and invented authors.
FABRICATED = frozenset({"plausible_fabrication", "hybrid_fabrication", "chimeric_title", "near_miss_title"})


@dataclass(frozen=True, eq=False)
class Entry:
    """One entry.

    Attributes:
        fields: of its BibTeX.
        kind: the type of hallucination, "" for a valid entry.
        nobodys: whether its title is said to be no work's.
    """

    fields: Mapping[str, str]
    kind: str = ""
    nobodys: bool = False

    @cached_property
    def key(self) -> str:
        """The title, squeezed: equal for entries about one work."""
        return squeeze(normalise(self.fields["title"]))

    @cached_property
    def half(self) -> int:
        """Half 0 or half 1, by the work."""
        return hashlib.sha256(self.key.encode()).digest()[0] % 2

    @property
    def authors(self) -> tuple[str, ...]:
        """One name each."""
        return tuple(self.fields["author"].split(" and "))

    @property
    def venue(self) -> str:
        """Where it appeared, "arXiv" for what is only there."""
        named = self.fields.get("booktitle") or self.fields.get("journal") or ""
        return named or ("arXiv" if "arXiv" in self.fields.get("note", "") else "")

    @property
    def record(self) -> Record:
        """As a bibliography has it."""
        return Record(
            title=self.fields["title"],
            authors=self.authors,
            year=int(self.fields["year"]),
            venue=self.venue,
            doi=self.fields.get("doi", ""),
            url=self.fields.get("url", ""),
            source="hallmark",
        )


def read(path: Path) -> list[Entry]:
    """The entries of a file."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [_entry(json.loads(line)) for line in lines if line.strip()]


def _entry(line: Mapping[str, Any]) -> Entry:
    kind = "" if line["label"] == "VALID" else str(line["hallucination_type"])
    return Entry(line["fields"], kind, line["subtests"].get("title_exists") is False)


def bibtex(fields: Mapping[str, str]) -> str:
    """The fields as one BibTeX entry."""
    lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items())
    return f"@inproceedings{{key,\n{lines}}}\n"


def works(entries: Iterable[Entry]) -> set[str]:
    """The keys of some entries."""
    return {entry.key for entry in entries}
