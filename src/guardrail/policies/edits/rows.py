r"""Rows: titles, or markers, one after another: `"A", "B" and "C"`; `[1], [2] and [3]`; `\cite{a} and \cite{b}`."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from guardrail.policies.edits.application import replacement
from guardrail.policies.edits.cuts import Cut, inside
from guardrail.policies.edits.numbering import CITE, MARKER, NUMBERED_AGAIN
from guardrail.report import Edit
from guardrail.text.layout import Layout

_TITLE = (
    r"(?:\"[^\"\n]{1,300}\"|“[^“”\n]{1,300}”|‘[^‘’\n]{1,300}’|«[^«»\n]{1,300}»|「[^「」\n]{1,300}」"
    r"|『[^『』\n]{1,300}』|《[^《》\n]{1,300}》|!?\[[^\[\]\n]{1,300}\]\([^()\s]{1,300}\)"
    r"|(?<![*\w])(?P<stars>\*{1,2})(?=[^\s*])[^*\n]{1,300}(?P=stars)(?![*\w]))"
    r"(?: \((?:1[5-9]|20)\d\d[a-z]?\))?(?:[ ]?\[\^?\d[\d,; –—-]{0,40}\]){0,3}"
)
_MEMBER = re.compile(f"(?P<marker>{MARKER}|{CITE})|{_TITLE}")
_JOINT = re.compile(r"[ \t]*[,;，、]?\s?[ \t]*(?:(?:and|or)\b|&)?\s?[ \t]*")
_CONJUNCTION = re.compile(r"\b(?:and|or)\b|&")
_GOVERNED = re.compile(
    r"(?:[:(（]|\b(?:in|by|see|as|from|of|to|per|cf\.?|with|on|than|following|via|at|like|unlike|both|refs?\.?|references?))\s*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Row:
    """One or more members, within one region of the text."""

    members: list[tuple[int, int]]
    markers: bool

    @property
    def start(self) -> int:
        """Where the first member begins."""
        return self.members[0][0]

    @property
    def end(self) -> int:
        """Where the last member ends."""
        return self.members[-1][1]


class Rows:
    """All rows of a text: markers, and titles of which there are at least two."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.rows = [row for row in _rows(layout) if row.markers or len(row.members) > 1]
        self._members = [member for row in self.rows for member in row.members]

    def member_around(self, start: int, end: int) -> tuple[int, int] | None:
        """The member that contains `text[start:end]`."""
        index = bisect_right(self._members, start, key=lambda member: member[0]) - 1
        return self._members[index] if index >= 0 and end <= self._members[index][1] else None

    def gone(self, cuts: list[Cut]) -> Iterator[Row]:
        """The rows of which nothing is left."""
        for row in self.rows:
            if all(inside(cuts, *member) for member in row.members):
                yield row

    def shortened(self, cuts: list[Cut]) -> tuple[list[Cut], list[Edit]]:
        """For the rows of which something is left: what else to cut, and new joints."""
        more: list[Cut] = []
        joints: list[Edit] = []
        for row in self.rows:
            left = [index for index, member in enumerate(row.members) if not inside(cuts, *member)]
            if 0 < len(left) < len(row.members):
                more += _closed(row.members, left)
                joints += _joint(self.layout.text, row.members, left)
        return more, joints

    def is_governed(self, row: Row) -> bool:
        """Whether the sentence around a row of markers cannot do without it: "In [2], …", "[2] says …"."""
        text = self.layout.text
        region = self.layout.region_at(row.start)
        if region is None:
            return False
        first = region.item.content if region.item is not None else region.start
        sentences = self.layout.sentences(first, region.end)
        before = sentences[max(bisect_right(sentences, row.start, key=lambda s: s[0]) - 1, 0)][0]
        return (
            before == row.start or _GOVERNED.search(text, max(before, row.start - 12), row.start) is not None
        )


def _rows(layout: Layout) -> Iterator[Row]:
    text = layout.text
    starts = {item.digits[0] for owner in layout.lists for item in owner.items}
    row: Row | None = None
    for match in _MEMBER.finditer(text):
        markers = match.group("marker") is not None
        block = layout.block_at(match.start() + 1)
        if (block is not None and block.kind != "math") or (
            markers and match.start() + 1 + match.group().startswith("[^") in starts
        ):
            continue
        joined = (
            row is not None
            and row.markers == markers
            and match.start() - row.end <= 12
            and _JOINT.fullmatch(text, row.end, match.start())
            and layout.region_at(row.start) is layout.region_at(match.start())
        )
        if row is not None and joined:
            row.members.append(match.span())
            continue
        if row is not None:
            yield row
        row = Row([match.span()], markers)
    if row is not None:
        yield row


def _closed(members: list[tuple[int, int]], left: list[int]) -> Iterator[Cut]:
    """What is gone, with the joint before it; at the beginning, with the joint after it."""
    if left[0] > 0:
        yield Cut(members[0][0], members[left[0]][0])
    for one, other in zip(left, [*left[1:], len(members)], strict=True):
        if other - one > 1:
            yield Cut(members[one][1], members[other - 1][1])


def _joint(text: str, members: list[tuple[int, int]], left: list[int]) -> Iterator[Edit]:
    """The "and" of the last joint where it belongs now, without a comma between two."""
    last = text[members[-2][1] : members[-1][0]]
    if len(left) < 2 or not _CONJUNCTION.search(last):
        return
    if len(left) == 2:
        last = last.lstrip(",;")
    start, end = members[left[-1] - 1][1], members[left[-1]][0]
    if text[start:end] != last:
        yield replacement(start, end, last, NUMBERED_AGAIN)
