"""Labelled rows of a run, as thresholds are learnt from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import ne
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from guardrail.calibration.rows import Rows
from guardrail.calibration.scoring import Scoring, position
from guardrail.errors import InputError
from guardrail.evaluation.rows import ResultRow, RunInfo, read_rows, read_run
from guardrail.evaluation.table import NUMBERS
from guardrail.report import Scale

Unit: TypeAlias = Literal["finding", "answer"]

_NOTHING = -1


@dataclass(frozen=True)
class Labelled:
    """What a run says.

    Attributes:
        rows: labelled scores, as positions in [0, 1] of the detectors' scales.
        unit: whether a row is a finding, or an answer where only answers have labels.
        scoring: what scored them.
        scales: of the detectors.
    """

    rows: Rows
    unit: Unit
    scoring: Scoring
    scales: Mapping[str, Scale]

    @property
    def named(self) -> bool:
        """Whether the answers name their sources; else each counts as a source of its own."""
        return any(map(ne, self.rows.sources, self.rows.answers))


def read_labelled(folder: str | Path, *, by: Sequence[str] = ()) -> Labelled:
    """The labelled findings of a run, or its labelled answers where findings have no labels.

    Args:
        folder: what `guardrail evaluate --out` wrote.
        by: columns kept by `--group`; their values make the groups.

    Raises:
        InputError: there is no run, no labels, or a column that the run did not keep.
    """
    run = read_run(folder)
    for name in by:
        if name not in run.groups:
            kept = ", ".join(run.groups) or "none"
            raise InputError(
                f"expected a column that the run kept, got {name!r} (kept: {kept}): evaluate again with --group {name}"
            )
    scales = {name: Scale(**scale) for name, scale in run.scales.items()}
    columns = (*NUMBERS, "groups") if by else NUMBERS
    rows, unit = labelled(read_rows(folder, columns), scales, by=by)
    if not len(rows):
        raise InputError(
            "expected a run with labels, got none: evaluate with labelled answers (--map label=…)"
        )
    return Labelled(rows, unit, _scoring(run), scales)


def read_by_detector(folder: str | Path) -> dict[str, Labelled]:
    """The labelled findings of each detector by itself, or its labelled answers where findings have no labels.

    Raises:
        InputError: there is no run, or no labels.
    """
    run = read_run(folder)
    scales = {name: Scale(**scale) for name, scale in run.scales.items()}
    found = {}
    for name in scales:
        of = (row for row in read_rows(folder, NUMBERS) if row.detector == name)
        rows, unit = labelled(of, scales)
        if not len(rows):
            raise InputError(
                f"expected labels of what {name} judged, got none: evaluate with labelled answers (--map label=…)"
            )
        found[name] = Labelled(rows, unit, _scoring(run), scales)
    return found


def _scoring(run: RunInfo) -> Scoring:
    return Scoring.of(run.signatures, run.backends, model=run.answering_model, package=run.package)


def labelled(
    results: Iterable[ResultRow], scales: Mapping[str, Scale], *, by: Sequence[str] = ()
) -> tuple[Rows, Unit]:
    """One row per span of an answer with the worst position of all detectors that judged it, and its label.

    Where no finding has a label, one row per answer with the worst of its findings and the answer's label. A detector that failed
    leaves a row without a score where no other judged the answer. What has no label is left out.
    """
    spans: dict[tuple[Any, ...], list[Any]] = {}
    answers: dict[tuple[Any, ...], list[Any]] = {}
    judged: set[tuple[str, int]] = set()
    for row in results:
        if row.finding == _NOTHING and row.verdict is None:
            continue  # there was nothing to examine
        place = np.nan if row.score is None else position(row.score, scales[row.detector])
        about = [row.source, f"{row.file}:{row.row}", ", ".join(row.groups.get(name, "") for name in by)]
        _worst(answers, row.answer, place, row.answer_label, about)
        if row.finding != _NOTHING:
            judged.add(row.answer)
            _worst(spans, (*row.answer, row.start, row.end), place, row.label, about)
    found = [(one, answers[key[:2]][0]) for key, one in spans.items() if one[1] is not None]
    unit: Unit = "finding" if found else "answer"
    failed = [one for answer, one in answers.items() if not found or answer not in judged]
    found += [(one, one[0]) for one in failed if one[1] is not None]
    columns = list(zip(*((*one, worst) for one, worst in found), strict=True)) if found else [()] * 6
    scores, labels, sources, names, groups, worst = columns
    return Rows.of(scores, labels, sources=sources, answers=names, groups=groups, worst=worst), unit


def _worst(
    known: dict[tuple[Any, ...], list[Any]],
    key: tuple[Any, ...],
    place: float,
    label: bool | None,
    about: list[str],
) -> None:
    """Keep the worse of two positions; one that is known is worse than none."""
    if key in known:
        known[key][0] = float(np.fmax(known[key][0], place))
    else:
        known[key] = [place, label, *about]
