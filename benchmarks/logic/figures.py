"""Figures 13 and 18 in form: rates by model, by model and domain, by model and rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._plots import STYLE, save
from benchmarks.logic.generation import DOMAINS
from benchmarks.logic.recorded import RULES, Recorded, tally
from guardrail.errors import MissingExtra

__all__ = ["recorded_plots"]


def recorded_plots(replies: Sequence[Recorded], folder: Path) -> None:
    """All three, from the corrected labels."""
    models = sorted({one.model for one in replies})
    _bars(replies, models, folder)
    _map(replies, models, ("domain", DOMAINS, lambda one: one.domain), folder, "figure-13b-domains")
    _map(replies, models, ("rule", tuple(RULES.values()), lambda one: one.rule), folder, "figure-18-rules")


def _bars(replies: Sequence[Recorded], models: Sequence[str], folder: Path) -> None:
    figure, axes, context = _figure("wrong replies, %", "")
    with context():
        for place, model in enumerate(reversed(models)):
            found = tally([one for one in replies if one.model == model])
            low, high = found.interval or (0.0, 0.0)
            rate = found.rate or 0.0
            axes.barh(place, rate, color="#0072B2", height=0.6)
            axes.plot([low, high], [place, place], color="black", linewidth=1.2)
            axes.text(
                max(high, rate) + 1, place, f"says Yes {found.says_yes or 0:.0f} %", va="center", fontsize=7
            )
        axes.set_yticks(range(len(models)), list(reversed(models)))
        axes.set_xlim(0, 100)
        axes.grid(axis="y", visible=False)
    save(figure, folder, "figure-13a-models")


def _map(
    replies: Sequence[Recorded],
    models: Sequence[str],
    across: tuple[str, Sequence[str], Callable[[Recorded], str]],
    folder: Path,
    name: str,
) -> None:
    title, order, key = across
    columns = [column for column in order if any(key(one) == column for one in replies)]
    cells = [
        [tally([one for one in replies if one.model == model and key(one) == column]) for column in columns]
        for model in models
    ]
    figure, axes, context = _figure("", "")
    with context():
        shown = np.ma.masked_invalid(
            [[cell.rate if cell.rate is not None else np.nan for cell in row] for row in cells]
        )
        axes.imshow(shown, cmap="Blues", vmin=0, vmax=100, aspect="auto")
        for i, row in enumerate(cells):
            for j, cell in enumerate(row):
                text = "–" if cell.rate is None else f"{cell.rate:.0f}\n({cell.replies})"
                colour = "white" if (cell.rate or 0) > 60 else "black"
                axes.text(j, i, text, ha="center", va="center", fontsize=6, color=colour)
        axes.set_xticks(range(len(columns)), columns, rotation=30, ha="right")
        axes.set_yticks(range(len(models)), list(models))
        axes.set_title(f"wrong replies by {title}, % (replies)")
        axes.grid(visible=False)
    save(figure, folder, name)


def _figure(across: str, up: str) -> tuple[Any, Any, Callable[[], Any]]:
    try:
        import matplotlib as mpl
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtra("matplotlib, which draws the plots,", extra="bench") from error
    settings: dict[Any, Any] = {**mpl.rcParamsDefault, **STYLE, "backend": "agg"}

    def context() -> Any:
        return mpl.rc_context(settings)

    with context():
        figure = Figure(figsize=(5.6, 3.8), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        axes.set(xlabel=across, ylabel=up)
    return figure, axes, context
