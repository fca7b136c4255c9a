"""Labelled rows of a run of `guardrail evaluate`, as thresholds are learnt from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from guardrail.calibration.rows import Rows
from guardrail.calibration.scoring import Scoring, position
from guardrail.errors import InputError
from guardrail.evaluation.rows import ResultRow, RunInfo, read_rows, read_run
from guardrail.report import Scale

__all__ = ["labelled", "read_labelled"]

_COLUMNS = ("file", "row", "source", "detector", "finding", "start", "end", "score", "verdict", "label")
NOTHING = -1


def read_labelled(folder: str | Path, *, by: Sequence[str] = ()) -> tuple[Rows, Scoring, dict[str, Scale]]:
    """The labelled findings of a run, what scored them, and the detectors' scales.

    Args:
        folder: what `guardrail evaluate --out` wrote.
        by: names that make groups: columns kept by `--group`.

    Raises:
        InputError: there is no run, no labels, or a name that the run did not keep.
    """
    run = read_run(folder)
    for name in by:
        if name not in run.groups:
            kept = ", ".join(run.groups) or "none"
            raise InputError(
                f"expected a column that the run kept, got {name!r} (kept: {kept}): evaluate again with --group {name}"
            )
    scales = {name: Scale(**scale) for name, scale in run.scales.items()}
    found = labelled(
        read_rows(folder, (*_COLUMNS, "answer_label", *(("groups",) if by else ()))), scales, by=by
    )
    if not len(found):
        raise InputError(
            "expected a run with labels, got none: evaluate with labelled answers (--map label=…)"
        )
    return found, _scoring(run), scales


def _scoring(run: RunInfo) -> Scoring:
    return Scoring.of(run.signatures, run.backends, model=run.answering_model, package=run.package)


def labelled(rows: Iterable[ResultRow], scales: Mapping[str, Scale], *, by: Sequence[str] = ()) -> Rows:
    """One row per span of an answer: the worst position of all detectors that judged it, with its label.

    A detector that failed leaves a row without a score where no other judged the answer. What has no label is left out.
    """
    worst: dict[tuple[Any, ...], list[Any]] = {}
    failed: dict[tuple[str, int], tuple[ResultRow, str]] = {}
    judged: set[tuple[str, int]] = set()
    for row in rows:
        group = ", ".join(row.groups.get(name, "") for name in by)
        if row.finding == NOTHING:
            if row.verdict is not None:
                failed[row.answer] = row, group
            continue
        judged.add(row.answer)
        if row.label is None:
            continue
        place = np.nan if row.score is None else position(row.score, scales[row.detector])
        key = (*row.answer, row.start, row.end)
        known = worst.get(key)
        if known is None:
            worst[key] = [place, row.label, row.source, f"{row.file}:{row.row}", group]
        else:
            known[0] = np.fmax(known[0], place)
    kept = list(worst.values()) + [
        [np.nan, row.answer_label, row.source, f"{row.file}:{row.row}", group]
        for answer, (row, group) in failed.items()
        if answer not in judged and row.answer_label is not None
    ]
    columns = list(zip(*kept, strict=True)) if kept else [()] * 5
    return Rows.of(columns[0], columns[1], sources=columns[2], answers=columns[3], groups=columns[4])
