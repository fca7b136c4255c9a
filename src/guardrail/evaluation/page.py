"""The page of an evaluation: one file, without scripts, in which everything that an answer says is escaped."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from guardrail.evaluation.charts import (
    Cost,
    Curve,
    calibration_curve,
    cost_chart,
    edges,
    risk_curve,
    score_chart,
)
from guardrail.evaluation.rows import RunInfo
from guardrail.evaluation.summary import Pick
from guardrail.html.page import few, many, number, visible

if TYPE_CHECKING:
    from jinja2 import Template

TEXT = 600
"""Characters of a finding that are shown."""

_ICONS = {"supported": "✓", "unverified": "?", "unsupported": "✕"}


def render(
    info: RunInfo,
    summary: Mapping[str, Any],
    picks: Mapping[str, Sequence[Pick]],
    *,
    comparison: Sequence[Mapping[str, Any]] | None = None,
    other: RunInfo | None = None,
) -> str:
    """An evaluation as a complete HTML document.

    Args:
        info: what was run.
        summary: its figures, as in `summary.json`.
        picks: findings to read, by detector.
        comparison: of another run over the same answers, as `guardrail.evaluation.summary.compared` gives it.
        other: what that run was.
    """
    template, css = _template()
    digest = base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    detectors = summary["detectors"]
    return template.render(
        css=css,
        policy=policy,
        summary=summary,
        info=info,
        detectors={name: _shown(one) for name, one in detectors.items()},
        charts=_costs(detectors),
        asked=any(one["answer"]["cost"]["calls"] for one in detectors.values()),
        picks=picks,
        labelled=any(one[one["judged_by"]]["labelled"] for one in detectors.values()),
        comparison=comparison,
        other=other,
        icons=_ICONS,
        edges=edges(),
    )


def _shown(of: Mapping[str, Any]) -> dict[str, Any]:
    """One detector: its figures at the level by which it is judged, and their drawings."""
    level = of[of["judged_by"]]
    fitted = calibration_curve(level["calibration"]["fitted_bins"], "probability, fitted on other sources")
    drawings: list[tuple[str, Curve | None]] = [
        ("Scores", score_chart(level["histogram"])),
        ("Calibration of the score", calibration_curve(level["calibration"]["bins"], "score")),
        ("Calibration after a logistic fit", fitted),
        ("Risk and coverage", risk_curve(level["risk_coverage"]["points"])),
    ]
    return {
        **of,
        "level": level,
        "drawings": [(title, drawing) for title, drawing in drawings if drawing is not None],
        "figures": _figures(level),
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


def _costs(detectors: Mapping[str, Any]) -> list[tuple[str, Curve]]:
    found = []
    for name, unit in (("calls", "paid calls"), ("seconds", "seconds")):
        listed = [
            Cost(detector, of["answer"]["cost"][name], of[of["judged_by"]]["auroc"]["value"])
            for detector, of in detectors.items()
        ]
        drawing = cost_chart(listed, unit)
        # the time is that of the whole run: where all have the same cost there is nothing to weigh
        if drawing is not None and len({one.cost for one in listed}) > 1:
            found.append((f"Quality and {unit}", drawing))
    return found


def fixed(value: float | None) -> str:
    """A figure of a table, with three decimals, so that those below each other can be compared; `None` is a dash."""
    return "–" if value is None else f"{value:.3f}"


@cache
def _template() -> tuple[Template, str]:
    from jinja2 import Environment, StrictUndefined

    own = resources.files(__package__)
    css = "\n".join(
        folder.joinpath(name).read_text(encoding="utf-8")
        for folder, name in ((resources.files("guardrail.html"), "report.css"), (own, "page.css"))
    )
    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"visible": visible, "number": number, "few": few, "many": many, "fixed": fixed}
    environment.globals |= {"TEXT": TEXT}
    return environment.from_string(own.joinpath("page.html.j2").read_text(encoding="utf-8")), css
