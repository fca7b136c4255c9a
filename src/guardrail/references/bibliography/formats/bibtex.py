"""BibTeX and biblatex files, entry by entry, with what entries inherit; a broken entry ends where the next begins."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from guardrail.references.bibliography.formats.bibtex_entries import Entry, entries
from guardrail.references.bibliography.formats.bibtex_fields import plain, work_of
from guardrail.references.bibliography.formats.fields import checked_record
from guardrail.references.bibliography.formats.lines import Piece, Problem, numbered_lines, opened

# A line that begins an entry; "@article{x}" in an abstract does not.
BEGIN = re.compile(r"[ \t]*@[ \t]*[A-Za-z]\w*[ \t]*[{(][^{}]*?(?:[,=]|$)")
LONGEST = 1 << 20  # characters that are read together where no entry begins
NO_WORKS = frozenset({"xdata", "set", "control", "ieeetranbstctl", "revtexcontrol", "achemsocontrol"})
BORROWS = re.compile(r"\b(?:crossref|xdata)\s{0,9}=", re.IGNORECASE)
MOST = 20  # entries that one inherits from
# What is an entry's own: identifiers, editors and kinds of title of what it is in are not the part's.
OWN = frozenset(
    {"subtitle", "editor", "doi", "eprint", "url", "isbn", "pmid", "pages", "note", "howpublished", "crossref",
     "xdata"}
)  # fmt: skip
DATES = frozenset({"date", "year"})  # one is enough
_WHOLES = ("book", "collection", "proceedings", "reference", "periodical")
WHOLES = frozenset(_WHOLES) | {f"mv{kind}" for kind in _WHOLES}


def read_bibtex(path: Path, position: int) -> Iterator[Piece]:
    """The entries that begin in one line, or few; the position is that after them."""
    strings: dict[str, str] = {}
    parents = _parents(path)
    for line, after, text in _chunks(path):
        if after <= position and "@string" not in text.lower():
            continue
        piece, number, counted = Piece(after), line, 0
        for entry in entries(text, strings):
            number += text.count("\n", counted, entry.start)
            counted = entry.start
            if entry.kind in NO_WORKS:
                piece.problems.append(Problem(str(path), number, entry.kind, passed=True))
                continue
            if entry.fault:
                broken = f"broken entry {entry.key!r}: {entry.fault}"
                piece.problems.append(Problem(str(path), number, broken))
                continue
            try:
                said = _with_inherited(entry, parents, set())
                piece.records.append(
                    checked_record(**work_of(said), abstract=plain(said.get("abstract", "")))
                )
            except ValueError as error:
                piece.problems.append(Problem(str(path), number, str(error)))
        if after > position and (piece.records or piece.problems):
            yield piece


def _chunks(path: Path) -> Iterator[tuple[int, int, str]]:
    """First line, position after it and text of what is from one line that begins an entry to the next."""
    with opened(path) as stream:
        start, before, length = 1, 0, 0
        lines: list[str] = []
        for number, after, line in numbered_lines(stream, path):
            if lines and (BEGIN.match(line) or length > LONGEST):
                yield start, before, "\n".join(lines)
                start, length, lines = number, 0, []
            lines.append(line)
            length += len(line)
            before = after
        yield start, before, "\n".join(lines)


def _parents(path: Path) -> dict[str, Entry]:
    """The entries that others inherit from, wherever they are, by their keys in lower case."""
    wanted = {
        key
        for _, _, text in _chunks(path)
        if BORROWS.search(text)
        for entry in entries(text, {})
        for name in ("xdata", "crossref")
        for key in _keys(entry, name)
    }
    strings: dict[str, str] = {}
    every = (entry for _, _, text in (_chunks(path) if wanted else ()) for entry in entries(text, strings))
    return {
        key: entry for entry in every for key in (entry.key.lower(), *_keys(entry, "ids")) if key in wanted
    }


def _keys(entry: Entry, name: str) -> list[str]:
    return [key.strip().lower() for key in entry.fields.get(name, "").split(",")]


def _with_inherited(entry: Entry, parents: Mapping[str, Entry], seen: set[str]) -> dict[str, str]:
    """An entry's fields, and those that it lacks from its `xdata` and its `crossref`; each is asked once."""
    found = {name: value for name, value in entry.fields.items() if value.strip()}
    for name in ("xdata", "crossref"):
        for key in _keys(entry, name) if name in found else ():
            parent = parents.get(key)
            if parent is None or key in seen or len(seen) >= MOST:
                continue
            seen.add(key)
            lent = _with_inherited(parent, parents, seen)
            if name == "crossref":
                lent = _lent(lent, parent.kind, to=entry.kind)
            if not DATES.isdisjoint(found):
                lent = {name: value for name, value in lent.items() if name not in DATES}
            found = {**lent, **found}
    return found


def _lent(fields: Mapping[str, str], kind: str, *, to: str) -> dict[str, str]:
    """What an entry gives to one that names it as `crossref`: to a part its title, as that of what the part is in."""
    lent = {
        name: value for name, value in fields.items() if name not in OWN
    }  # its title to one that has none
    if to not in WHOLES and "title" in fields:
        lent.setdefault("journaltitle" if kind == "periodical" else "booktitle", fields["title"])
    return lent
