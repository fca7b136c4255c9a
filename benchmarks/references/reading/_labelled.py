"""Where the fields of a label are in a labelled answer, for the training of the network."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from benchmarks.references.answers.labels import HERE, Label
from guardrail.references.bibliography.records import Reference

__all__ = ["kinds", "said"]

_BOOKISH = frozenset({"book", "report", "thesis", "web"})
_CONTAINED = frozenset({"chapter", "conference", "paper"})
_OTHERS = re.compile(
    r"[*_,\s]{0,4}(?:(?:and|&|und|et|y|e|и)\s(?:\w+\s)?(?:colleagues|others|co-authors|coauthors|collaborators|al\b\.?)|et\.?\sal\b\.?|등|외|等人?|ら|ほか|и\sдр\.?|u\.\s?a\.)[*_]{0,3}"
)
_BY = re.compile(r"\b[Bb]y\s[*_]{0,3}$")
_Run = tuple[str, int, int]


def kinds(half: str) -> dict[str, str]:
    """What each work is that a half cites ("book", "article", "case", …), by key."""
    rows = (
        json.loads(line) for line in (HERE / f"{half}_works.jsonl").read_text("utf-8").splitlines() if line
    )
    return {row["key"]: row.get("kind", "") for row in rows}


def said(text: str, label: Label, kind: str) -> list[tuple[str, int, int]]:
    """The fields of a label that are found within its span: field, start, end.

    Args:
        text: of the answer.
        label: one of its labels.
        kind: of the work: "book", "article", …
    """
    return list(_Said(text, label.span.start, label.span.end).fields(label.reference, kind))


class _Said:
    """A stretch of a text in which fields are found, each where no other is."""

    def __init__(self, text: str, start: int, end: int) -> None:
        self.text, self.start, self.end = text, start, end
        self.taken: list[tuple[int, int]] = []

    def fields(self, said: Reference, kind: str) -> Iterator[_Run]:
        """Where the fields are that are said."""
        if place := self._find(said.title):
            self.taken.append(place)
            yield "title", *place
        if place := self._authors(said):
            self.taken.append(place)
            yield "author", *place
        if place := self._find(said.venue):
            self.taken.append(place)
            yield (
                "publisher" if kind in _BOOKISH else "container" if kind in _CONTAINED else "journal",
                *place,
            )
        if said.year and (place := self._find(str(said.year), alone=True)):
            yield "date", *place
        for field, value in (("doi", said.doi), ("isbn", said.isbn), ("url", said.url)):
            at = self.text.lower().find(value.lower(), self.start, self.end) if value else -1
            if at >= 0:
                yield field, at, at + len(value)

    def _authors(self, said: Reference) -> tuple[int, int] | None:
        """All names that are on the same side of the title, with "by" before them and "et al." behind them."""
        names: list[tuple[int, int]] = []
        for name in said.authors:
            if place := self._find(name, names[-1][1] if names else self.start):
                names.append(place)
        if not names:
            return None
        first, last = names[0][0], names[-1][1]
        title = self.taken[0] if self.taken else (0, 0)
        if first < title[0] < last:
            last = max(b for _, b in names if b <= title[0])
        if said.et_al and (more := _OTHERS.match(self.text, last, self.end)):
            last = more.end()
        by = _BY.search(self.text[self.start : first])
        return self.start + by.start() if by else first, last

    def _find(self, what: str, since: int | None = None, *, alone: bool = False) -> tuple[int, int] | None:
        at = self.text.find(what, self.start if since is None else since, self.end) if what else -1
        while at >= 0:
            stop = at + len(what)
            apart = not (self.text[at - 1 : at].isdigit() or self.text[stop : stop + 1].isdigit())
            if (apart or not alone) and all(stop <= a or b <= at for a, b in self.taken):
                return at, stop
            at = self.text.find(what, at + 1, self.end)
        return None
