"""The page of an evaluation: one file, without scripts, in which everything that an answer says is escaped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from guardrail.evaluation.charts import (
    CurveChart,
    calibration_curve,
    cost_chart,
    edges,
    precision_recall_curve,
    risk_curve,
    roc_curve,
    score_chart,
)
from guardrail.evaluation.rows import RunInfo
from guardrail.evaluation.summary import Pick
from guardrail.html.page import filled
from guardrail.html.view import ICONS

TEXT = 600
"""Characters of a finding that are shown."""


def render(
    info: RunInfo,
    summary: Mapping[str, Any],
    picks: Mapping[str, Sequence[Pick]],
    *,
    comparison: Sequence[Mapping[str, Any]] | None = None,
    other: RunInfo | None = None,
    names: tuple[str, str] = ("this run", "the other run"),
) -> str:
    """An evaluation as a complete HTML document.

    Args:
        info: what was run.
        summary: its figures, as in `summary.json`.
        picks: findings to read, by detector.
        comparison: of another run over the same answers, as `guardrail.evaluation.summary.compared` gives it.
        other: what that run was.
        names: what the two runs are called.
    """
    detectors = summary["detectors"]
    return filled(
        "guardrail.evaluation",
        "page",
        summary=summary,
        info=info,
        detectors={name: _shown(one) for name, one in detectors.items()},
        charts=_costs(detectors),
        asked=any(one["answer"]["cost"]["calls"] for one in detectors.values()),
        picks=picks,
        labelled=any(one[one["judged_by"]]["labelled"] for one in detectors.values()),
        comparison=comparison,
        other=other,
        names=names,
        icons=ICONS,
        most=TEXT,
        edges=edges(),
    )


def _shown(of: Mapping[str, Any]) -> dict[str, Any]:
    """One detector: its figures at the level by which it is judged, and their drawings."""
    level = of[of["judged_by"]]
    fitted = calibration_curve(level["calibration"]["fitted_bins"], "probability, fitted on other sources")
    drawings: list[tuple[str, CurveChart | None]] = [
        ("Scores", score_chart(level["histogram"])),
        ("ROC curve", roc_curve(level["curves"])),
        ("Precision and recall", precision_recall_curve(level["curves"])),
        ("Calibration of the score", calibration_curve(level["calibration"]["bins"], "score")),
        ("Calibration after a logistic fit", fitted),
        ("Risk and coverage", risk_curve(level["risk_coverage"]["points"])),
    ]
    return {
        **of,
        "level": level,
        "drawings": [(title, drawing) for title, drawing in drawings if drawing is not None],
        "figures": [*_figures(level), *of["noted"].items()],
    }


def _figures(level: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    """The figures of the table of one detector, in order."""
    shipped, best, fit = level["shipped"], level["best"], level["calibration"]
    return [
        ("flagged", level["flagged"]),
        ("unverified", level["unverified"]),
        ("made up, by the labels", level["made_up"]),
        ("AUROC (chance: 0.5)", level["auroc"]),
        ("average precision (chance: the share made up)", level["average_precision"]),
        ("AUC-PR, trapezoid", level["auc_pr"]),
        ("balanced accuracy, shipped threshold", shipped["balanced_accuracy"]),
        ("balanced accuracy, best threshold (other sources)", best["balanced_accuracy"]),
        ("F1, shipped threshold", shipped["f1"]),
        ("F1, best threshold (other sources)", best["f1"]),
        ("precision, shipped threshold", shipped["precision"]),
        ("recall, shipped threshold", shipped["recall"]),
        ("sound rows flagged, shipped threshold", shipped["false_alarms"]),
        ("calibration error of the score (ECE)", fit["ece"]),
        ("calibration error after a logistic fit (ECE)", fit["fitted_ece"]),
        ("area under risk and coverage (lower is better)", level["risk_coverage"]["area"]),
    ]


def _costs(detectors: Mapping[str, Any]) -> list[tuple[str, CurveChart]]:
    found = []
    for name, unit in (("calls", "paid calls"), ("seconds", "seconds")):
        weighed = {
            detector: (of["answer"]["cost"][name], of[of["judged_by"]]["auroc"]["value"])
            for detector, of in detectors.items()
        }
        drawing = cost_chart(weighed, unit)
        # the time is that of the whole run: where all have the same cost there is nothing to weigh
        if drawing is not None and len({cost for cost, _ in weighed.values()}) > 1:
            found.append((f"Quality and {unit}", drawing))
    return found
