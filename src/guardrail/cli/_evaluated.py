"""What `guardrail evaluate` says: what it reads, and what came out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from guardrail.evaluation.inputs import Mapped, Survey
    from guardrail.evaluation.library import Evaluation

MUCH = 0.2
"""Share of unverified rows from which on the reason is said."""


def reading(found: Survey, mapped: Mapped) -> Iterator[str]:
    """What a file has, and which columns look as if they had been forgotten."""
    from guardrail.evaluation.columns import FIELDS, as_option, suggested
    from guardrail.html.page import many

    counts = found.counts
    labels = counts.get("made up", 0) + counts.get("sound", 0)
    parts = [
        f"{counts[name]:,} with {name}" for name in ("context", "samples", "logprobs") if counts.get(name)
    ]
    parts.append(f"{labels:,} labelled ({counts.get('made up', 0):,} made up)" if labels else "no labels")
    if not counts.get("source"):
        parts.append("each its own source")
    if found.form:
        yield f"{found.file.name}: {found.form}"
    yield f"{found.file.name}: {many(found.file.rows, 'answer')}, {', '.join(parts)}"
    used = {*FIELDS, *mapped.groups, *(column.removeprefix("!") for column in mapped.columns.values())}
    likely = suggested(found.columns, mapped.columns)
    if likely:
        yield f"not used: {', '.join(name for name in found.columns if name not in used)}. If they are meant: {as_option(likely)}"


def show(found: Evaluation, out: Path) -> None:
    """The table of figures, and why some of them are missing."""
    from rich.table import Table

    from guardrail.cli._terminal import console
    from guardrail.html.page import many

    detectors: Mapping[str, Any] = found.summary["detectors"]
    asked = any(of["answer"]["cost"]["calls"] for of in detectors.values())
    units = {of["judged_by"] for of in detectors.values()}
    rows = f"{units.pop()}s" if len(units) == 1 else "rows"
    titles = ["detector", rows, "flagged", "not\nverified", "AUROC", "bal.\nacc.", "F1", "ms /\nanswer"]
    titles += ["calls /\nanswer"] if asked else []
    cells = [[name, *_cells(of, asked=asked, unit=rows == "rows")] for name, of in detectors.items()]
    table = Table(box=None, pad_edge=False, collapse_padding=True)
    for title, *column in zip(titles, *cells, strict=True):
        widest = max(map(len, (*title.split("\n"), *column)))
        table.add_column(title, justify="left" if title == "detector" else "right", min_width=widest)
    for row in cells:
        table.add_row(*row)
    screen = console()
    screen.print(table)
    for line in _notes(detectors):
        screen.print(line, soft_wrap=True)
    screen.print(f"{many(found.summary['answers'], 'answer')}; read {out / 'report.html'}", soft_wrap=True)


def _cells(of: Mapping[str, Any], *, asked: bool, unit: bool) -> list[str]:
    level, cost = of[of["judged_by"]], of["answer"]["cost"]
    shipped = level["shipped"]
    found = [
        f"{level['rows']:,}{' ' + of['judged_by'] + 's' if unit else ''}",
        *(_number(level[name]) for name in ("flagged", "unverified")),
        _number(level["auroc"], interval=True),
        *(_number(shipped[name]) for name in ("balanced_accuracy", "f1")),
        f"{1000 * (cost['seconds'] or 0):,.1f}",
    ]
    return [*found, f"{cost['calls'] or 0:.2f}"] if asked else found


def _number(figure: Mapping[str, Any], *, interval: bool = False) -> str:
    if figure["value"] is None:
        return "-"
    ends = figure["interval"] if interval else None
    half = (
        "" if ends is None else f"±{max(abs(end - figure['value']) for end in ends):.3f}".replace("±0", "±")
    )
    return f"{figure['value']:.3f}{half}"


def _notes(detectors: Mapping[str, Any]) -> Iterator[str]:
    """Why rows are unverified, and why figures are missing; what is the same for all detectors once."""
    from guardrail.html.page import many

    judged = {name: of[of["judged_by"]] for name, of in detectors.items()}
    why = {name: of["auroc"]["reason"] for name, of in judged.items() if of["auroc"]["value"] is None}
    for reason in dict.fromkeys(why.values()):
        names = ", ".join(name for name, mine in why.items() if mine == reason)
        advice = ": name the column of labels with --map label=COLUMN" if "is labelled" in reason else ""
        yield f"{names}: no AUROC, since {reason}{advice}"
    for name, of in detectors.items():
        for title, figure in of["noted"].items():
            yield f"{name}: {title} {_number(figure, interval=True)}, {figure['reason']}"
    for name, of in judged.items():
        share, reasons = of["unverified"]["value"] or 0, detectors[name]["unverified_because"]
        if share >= MUCH and reasons:
            yield f"{name}: {share:.0%} not verified, most often ({many(reasons[0]['rows'], 'row')}): {reasons[0]['reason']}"
