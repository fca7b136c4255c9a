"""What the kit found: a row for each case, and their table."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field

from guardrail.given.accepted import Json
from guardrail.testing.leaks.cases import APIS, POLICIES, Case


@dataclass(frozen=True, slots=True)
class Row:
    """What came of one case.

    Attributes:
        case: which. Of what a guard wrote besides (logs, metrics, spans) the `shape` is the channel's name and the `api` is "all".
        status: of HTTP.
        released: bytes of forbidden texts by channel; empty where nothing got out. A byte counts once, however often it came.
        marks_missing: of annotate: forbidden texts that came without their mark, or before it.
        unchecked: a success without a check: an upstream's answer that broke off, or a check that raised.
        answered: the status is 2xx, and the harmless part of the answer came or a sign that it was withheld.
        not_offered: why the door does not have this; else "".
    """

    case: Case
    status: int = 0
    released: Mapping[str, int] = field(default_factory=dict)
    marks_missing: int = 0
    unchecked: bool = False
    answered: bool = False
    not_offered: str = ""

    @property
    def bytes(self) -> int:
        """Of the channel that gave away most."""
        return max(self.released.values(), default=0)

    @property
    def ok(self) -> bool:
        """Nothing got out, no mark is missing, and no success is unchecked."""
        return not self.released and not self.marks_missing and not self.unchecked


@dataclass(frozen=True, slots=True)
class Table:
    """All rows of a run.

    Attributes:
        rows: one for each case.
        most: bytes of all forbidden texts together, which a case can release at most.
    """

    rows: tuple[Row, ...]
    most: int

    @property
    def bytes(self) -> int:
        """Forbidden bytes released, over all cases."""
        return sum(row.bytes for row in self.rows)

    @property
    def marks_missing(self) -> int:
        """Forbidden texts without their mark."""
        return sum(row.marks_missing for row in self.rows)

    @property
    def unchecked(self) -> int:
        """Successes without a check."""
        return sum(row.unchecked for row in self.rows)

    @property
    def run(self) -> tuple[Row, ...]:
        """Rows of cases that the door has."""
        return tuple(row for row in self.rows if not row.not_offered)

    @property
    def unanswered(self) -> int:
        """Answers that should have come: of clean cases, and of cases without a fault except under block, which may refuse as it likes.

        A guard that refuses everything leaks nothing either.
        """
        return sum(not row.answered and _must_answer(row.case) for row in self.run)

    @property
    def bad(self) -> tuple[Row, ...]:
        """Rows that are not as they should be."""
        return tuple(row for row in self.rows if not row.ok)

    @property
    def ok(self) -> bool:
        """Nothing got out, nothing is unmarked, nothing unchecked, and every case without a fault was answered."""
        return bool(self.run) and not self.bad and not self.unanswered

    def as_dict(self) -> Json:
        """Totals, and every row that is not as it should be."""
        return {
            "cases": len(self.run),
            "not_offered": len(self.rows) - len(self.run),
            "bytes": self.bytes,
            "bytes_of_a_case_at_most": self.most,
            "marks_missing": self.marks_missing,
            "unchecked": self.unchecked,
            "unanswered": self.unanswered,
            "bad": [{**asdict(row), "released": dict(row.released)} for row in self.bad],
        }

    def to_json(self) -> str:
        """`as_dict` as JSON."""
        return json.dumps(self.as_dict(), ensure_ascii=False, indent=2) + "\n"

    def __str__(self) -> str:
        """For people: bytes by API and policy, then what else is wrong."""
        policies = [one for one in POLICIES if any(row.case.policy == one for row in self.rows)]
        lines = [f"forbidden bytes released (a case has {self.most})"]
        lines.append(_line("", policies))
        for name, rows in _groups(self.rows).items():
            found = [[row for row in rows if row.case.policy == one] for one in policies]
            lines.append(_line(name, [_cell(belonging) for belonging in found]))
        offered = len(self.rows) - len(self.run)
        lines.append(
            f"{len(self.run)} cases: {self.bytes} bytes, {self.marks_missing} marks missing, {self.unchecked} successes unchecked, "
            f"{self.unanswered} without an answer" + (f"; {offered} not offered" if offered else "")
        )
        lines += [f"  {_told(row)}" for row in self.bad[:20]]
        if len(self.bad) > 20:
            lines.append(f"  and {len(self.bad) - 20} more")
        return "\n".join(lines)


def _groups(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """The rows by API and by how they came; in the table's order."""
    order = [f"{api}, {how}" for api in APIS for how in ("whole", "streams", "faults")]
    found: dict[str, list[Row]] = {name: [] for name in order}
    for row in rows:
        found.setdefault(_group(row.case), []).append(row)
    return {name: belonging for name, belonging in found.items() if belonging}


def _must_answer(case: Case) -> bool:
    return case.fault == "clean" or (not case.fault and case.policy != "block")


def _group(case: Case) -> str:
    if case.api == "all":
        return case.shape
    if case.fault:
        return f"{case.api}, faults"
    return f"{case.api}, {'streams' if case.streams else 'whole'}"


def _cell(rows: Sequence[Row]) -> str:
    rows = [row for row in rows if not row.not_offered]
    if not rows:
        return "–"
    missing = sum(row.marks_missing for row in rows)
    return str(sum(row.bytes for row in rows)) + (f" ({missing} unmarked)" if missing else "")


def _line(name: str, cells: Sequence[str]) -> str:
    return f"{name:<20}" + "".join(f"{cell:>18}" for cell in cells)


def _told(row: Row) -> str:
    parts = [f"{count} bytes in {channel}" for channel, count in sorted(row.released.items())]
    parts += [f"{row.marks_missing} marks missing"] if row.marks_missing else []
    parts += ["success without a check"] if row.unchecked else []
    return f"{row.case}: {', '.join(parts)}"
