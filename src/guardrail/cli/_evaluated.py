"""What `guardrail evaluate` says: what it reads, and what came out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from guardrail.evaluation.inputs import Mapped, Survey
    from guardrail.evaluation.library import Evaluation

__all__ = ["reading", "show"]

MUCH = 0.2
"""Share of unverified rows from which on the reason is said."""


def reading(found: Survey, mapped: Mapped) -> Iterator[str]:
    """What a file has, and which columns look as if they had been forgotten."""
    from guardrail.evaluation.columns import FIELDS, as_option, suggested

    counts = found.counts
    labels = counts.get("made up", 0) + counts.get("sound", 0)
    parts = [
        f"{counts[name]:,} with {name}" for name in ("context", "samples", "logprobs") if counts.get(name)
    ]
    parts.append(f"{labels:,} labelled ({counts.get('made up', 0):,} made up)" if labels else "no labels")
    if not counts.get("source"):
        parts.append("each its own source")
    yield f"{found.file.name}: {found.file.rows:,} answers, {', '.join(parts)}"
    used = {*FIELDS, *mapped.groups, *(column.removeprefix("!") for column in mapped.columns.values())}
    likely = suggested(found.columns, mapped.columns)
    if likely:
        yield f"not used: {', '.join(name for name in found.columns if name not in used)}. If they are meant: {as_option(likely)}"


def show(found: Evaluation, out: Path) -> None:
    """The table of figures, and why some of them are missing."""
    from rich.table import Table

    from guardrail.cli._terminal import console

    detectors: Mapping[str, Any] = found.summary["detectors"]
    asked = any(of["answer"]["cost"]["calls"] for of in detectors.values())
    table = Table(box=None, pad_edge=False)
    titles = ["detector", "rows", "flagged", "unverified", "AUROC (95 %)", "bal. acc.", "F1", "ms/answer"]
    for title in [*titles, *(["calls/answer"] if asked else [])]:
        table.add_column(title, justify="left" if title == "detector" else "right", no_wrap=True)
    for name, of in detectors.items():
        table.add_row(name, *_cells(of, asked=asked))
    screen = console()
    screen.print(table)
    for line in _notes(detectors):
        screen.print(line, soft_wrap=True)
    screen.print(f"{found.summary['answers']:,} answers; read {out / 'report.html'}", soft_wrap=True)


def _cells(of: Mapping[str, Any], *, asked: bool) -> list[str]:
    level, cost = of[of["judged_by"]], of["answer"]["cost"]
    shipped = level["shipped"]
    found = [
        f"{level['rows']:,} {of['judged_by']}s",
        *(_number(level[name]) for name in ("flagged", "unverified")),
        _number(level["auroc"], interval=True),
        *(_number(shipped[name]) for name in ("balanced_accuracy", "f1")),
        f"{1000 * (cost['seconds'] or 0):,.1f}",
    ]
    return [*found, f"{cost['calls'] or 0:.2f}"] if asked else found


def _number(figure: Mapping[str, Any], *, interval: bool = False) -> str:
    if figure["value"] is None:
        return "-"
    ends = (
        f" ({figure['interval'][0]:.2f}-{figure['interval'][1]:.2f})"
        if interval and figure["interval"]
        else ""
    )
    return f"{figure['value']:.3f}{ends}"


def _notes(detectors: Mapping[str, Any]) -> Iterator[str]:
    """Why rows are unverified, and why figures are missing; what is the same for all detectors once."""
    missing = {name: of[of["judged_by"]]["auroc"]["reason"] for name, of in detectors.items()}
    missing = {
        name: reason
        for name, reason in missing.items()
        if detectors[name][detectors[name]["judged_by"]]["auroc"]["value"] is None
    }
    for reason in dict.fromkeys(missing.values()):
        names = ", ".join(name for name, why in missing.items() if why == reason)
        yield f"{names}: no AUROC, since {reason}" + (
            "; name the column of labels with --map label=COLUMN" if "is labelled" in reason else ""
        )
    for name, of in detectors.items():
        level = of[of["judged_by"]]
        if of["unverified_because"] and (level["unverified"]["value"] or 0) >= MUCH:
            first = of["unverified_because"][0]
            yield f"{name}: {level['unverified']['value']:.0%} unverified, most often because: {first['reason']} ({first['rows']:,} rows)"
