"""One line of the table for each guard and setting: bytes by API, whole and in streams."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from guardrail.testing import leaks

__all__ = ["COLUMNS", "Line", "filled", "read", "table", "write"]

_EXTRAS = ("logprobs", "reasoning")
COLUMNS = (
    *(f"{api} {how}" for api in leaks.APIS for how in ("whole", "stream")),
    "log-probs, reasoning",
    "faults",
)
"""Texts, tools, structured answers and several choices by API; then log-probabilities, reasoning and citations; then faults."""


@dataclass(frozen=True, slots=True)
class Line:
    """What one guard released in one setting.

    Attributes:
        guard: its name.
        version: of its package.
        setting: "default" or "safest".
        policy: what it does about what it finds.
        about: how it is configured.
        cells: bytes released and bytes said, by column; a column without cases is left out.
        unchecked: successes that no check stands behind.
        unanswered: answers that should have come.
        where: the cases that released something, or were a success unchecked.
        failed: why there is no figure; else "".
        date: when it was recorded; "" for this run.
    """

    guard: str
    version: str
    setting: str
    policy: str
    about: str
    cells: Mapping[str, Sequence[int]]
    unchecked: int = 0
    unanswered: int = 0
    where: Sequence[str] = ()
    failed: str = ""
    date: str = ""


def filled(named: Line, found: leaks.Table) -> Line:
    """A line with the figures of a run of the matrix."""
    cells: dict[str, list[int]] = {}
    for row in found.run:
        if row.case.policy == "annotate" or row.case.api == "all":
            continue
        cell = cells.setdefault(_column(row.case), [0, 0])
        cell[0] += row.bytes
        cell[1] += found.most
    where = [str(row.case) for row in found.bad]
    return replace(named, cells=cells, unchecked=found.unchecked, unanswered=found.unanswered, where=where)


def _column(case: leaks.Case) -> str:
    if case.fault:
        return "faults"
    if case.shape in _EXTRAS:
        return "log-probs, reasoning"
    return f"{case.api} {'stream' if case.streams else 'whole'}"


def table(lines: Iterable[Line]) -> str:
    """For people; a cell is bytes released of bytes said, "–" where the guard has no such cases."""
    heads = ["chat", "", "responses", "", "messages", "", "log-probs,", "faults", "un-", "no"]
    below = ["whole", "stream", "whole", "stream", "whole", "stream", "reasoning", "", "checked", "answer"]
    written = [_written("", "", heads), _written("guard and setting", "does", below)]
    for one in lines:
        name = f"{one.guard} {one.version}".strip()
        name += f", {one.setting}" if one.setting else ""
        name += f" ({one.date})" if one.date else ""
        if one.failed:
            written.append(f"{name}: no figures: {one.failed}")
            continue
        cells = [_cell(one.cells.get(column)) for column in COLUMNS]
        written.append(_written(name, one.policy, [*cells, str(one.unchecked), str(one.unanswered)]))
    return "\n".join(written)


def _cell(cell: Sequence[int] | None) -> str:
    if cell is None:
        return "–"
    return f"{cell[0]}/{cell[1]}" if cell[0] else "0"


def _written(name: str, policy: str, cells: Sequence[str]) -> str:
    return f"{name:<58}{policy:<11}" + "".join(f"{cell:>11}" for cell in cells)


def read(path: Path) -> list[Line]:
    """Recorded lines; none where nothing is recorded."""
    if not path.exists():
        return []
    return [Line(**one) for one in json.loads(path.read_text(encoding="utf-8"))["lines"]]


def write(path: Path, lines: Sequence[Line], environment: Mapping[str, Any]) -> None:
    """Record lines, in place of those of the same guards, settings and policies."""
    new = {(one.guard, one.setting, one.policy): one for one in lines}
    kept = {(one.guard, one.setting, one.policy): one for one in read(path)}
    content = {"environment": environment, "lines": [asdict(one) for one in (kept | new).values()]}
    path.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
