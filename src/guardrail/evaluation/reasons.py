"""Why rows are unverified: the most frequent reasons of each detector."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

from guardrail.evaluation.rows import ResultRow, read_columns

Reasons: TypeAlias = dict[str, list[dict[str, Any]]]

MOST = 3
_DIFFERENT = 10_000
"""Reasons that are counted at once: some name what is in the answer, and a million rows may have a million of those."""


_TIMES = re.compile(r" \(×\d+\)$")
"""How many requests of one answer failed alike."""


def unverified_because(source: Path | Iterable[ResultRow]) -> Reasons:
    """By detector the reasons of its unverified rows with their number, the most frequent first."""
    counts: dict[str, Counter[str]] = {}
    for detector, reason in _unverified(source):
        mine = counts.setdefault(detector, Counter())
        mine[_TIMES.sub("", reason)] += 1
        if len(mine) > _DIFFERENT:
            counts[detector] = Counter(dict(mine.most_common(_DIFFERENT // 2)))
    return {
        name: [{"reason": reason, "rows": rows} for reason, rows in mine.most_common(MOST)]
        for name, mine in counts.items()
    }


def _unverified(source: Path | Iterable[ResultRow]) -> Iterator[tuple[str, str]]:
    if isinstance(source, Path):
        for batch in read_columns(source, ("detector", "verdict", "reason")):
            yield from (
                (detector, reason)
                for detector, verdict, reason in zip(
                    batch["detector"], batch["verdict"], batch["reason"], strict=True
                )
                if verdict == "unverified"
            )
        return
    yield from ((row.detector, row.reason) for row in source if row.verdict == "unverified")
