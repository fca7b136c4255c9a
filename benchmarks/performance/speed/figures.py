"""One chart of the ratios, with the bars as lines."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks._plots import COLOURS, STYLE, save
from benchmarks._rows import Row
from guardrail.errors import MissingExtra

__all__ = ["MARK", "bar_of", "ratio_chart"]

MARK = ", times as fast as "


def bar_of(row: Row) -> float | None:
    """The least that a row's bar asks for; `None` where it has none."""
    return float(row.bar.removeprefix("≥ ")) if row.bar and row.bar.startswith("≥ ") else None


def ratio_chart(rows: Sequence[Row], folder: Path) -> list[Path]:
    """Draw every row that says how many times as fast ours is; nothing if there is none."""
    shown = [row for row in rows if MARK in row.quantity and isinstance(row.ours, float)][::-1]
    if not shown:
        return []
    try:
        import matplotlib as mpl
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtra("matplotlib, which draws the plots,", extra="bench") from error
    settings: dict[Any, Any] = {**mpl.rcParamsDefault, **STYLE, "backend": "agg"}
    with mpl.rc_context(settings):
        figure = Figure(figsize=(7.2, 1.2 + 0.36 * len(shown)), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        for place, row in enumerate(shown):
            value, limit = float(row.ours or 0.0), bar_of(row)
            low, high = row.interval or (value, value)
            colour = COLOURS[5] if limit is None else COLOURS[0] if row.ok else COLOURS[1]
            axes.barh(place, value, height=0.6, color=colour, alpha=0.8)
            axes.plot([low, high], [place, place], color="0.2", linewidth=1)
            if limit is not None:
                label = "bar to be met" if place == _first(shown) else None
                axes.plot(
                    [limit, limit], [place - 0.45, place + 0.45], color="black", linewidth=2, label=label
                )
            axes.annotate(f" {value:.2f}", (high, place), va="center", fontsize=7)
        axes.set(
            xlabel="times as fast as the peer; line: least to most of the rounds",
            xscale="log",
            xlim=(0.5, None),
        )
        axes.set_yticks(range(len(shown)), [row.quantity.replace(MARK, " / ") for row in shown], fontsize=7)
        if _first(shown) is not None:
            axes.legend(loc="lower right")
    return save(figure, folder, "speed-ratios")


def _first(rows: Sequence[Row]) -> int | None:
    return next((i for i, row in enumerate(rows) if bar_of(row) is not None), None)
