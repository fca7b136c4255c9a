"""The plots of docs/benchmarks.md, from recorded results: `python -m scripts.plots [FOLDER]` (docs/images by default).

Read are `docs/figures/NAME.json`, each as `python -m benchmarks.NAME --json docs/figures/NAME.json` wrote it, and what the leak
benchmark recorded of other guards. Needs matplotlib (extra `bench`).
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from benchmarks._plots import COLOURS, MARKERS, STYLE

ROOT = Path(__file__).parents[1]
FIGURES = ROOT / "docs" / "figures"
LEAKS = ROOT / "benchmarks" / "performance" / "leaks" / "recorded.json"
QUERIES = ("IQ", "DQ1", "DQ2", "DQ3", "DQ", "IQ+DQ")
COLUMNS = {
    "NonFact": "NonFact, trapezoid",
    "NonFact*": "NonFact*, trapezoid",
    "Factual": "Factual, trapezoid",
    "Pearson": "Pearson",
    "Spearman": "Spearman",
}  # in the plot, and in the recorded result

LIVE_SHARES = {
    "references: share invented": ("references that it invents", 1),
    "references: share flagged": ("of its references flagged by asking it", 1),
    "references: well-known works flagged": ("well-known works flagged so", 1),
    "logic: all: wrong": ("facts: wrong answers", 100),
    "logic: temporal, all: wrong": ("time: wrong answers", 100),
    "documents with the answer: answers flagged": ("answers from documents flagged", 1),
    "documents of another question: answers flagged": ("… of another question", 1),
}
LIVE_AREAS = {
    "references: invented or well known, indirect, AUC": ("who wrote it?", 1),
    "references: invented or well known, direct, AUC": ("does it exist?", 1),
    "references: invented or well known, both, AUC": ("both", 1),
    "references: the same by the length of the title, AUC": ("length of the title", 1),
}
"""What the plot shows of the live rows: its words, and the unit of the figure."""

Row = Mapping[str, Any]


def rows(name: str) -> list[Row]:
    """Those of a recorded result."""
    found: list[Row] = json.loads((FIGURES / f"{name}.json").read_text(encoding="utf-8"))["rows"]
    return found


def references() -> dict[str, list[Row]]:
    """By model, the row of each kind of question, in the order of `QUERIES`."""
    by_name = {row["quantity"]: row for row in rows("references")}
    return {
        model: [by_name[f"{model} AUC {query}"] for query in QUERIES] for model in ("gpt-4", "gpt-3.5-turbo")
    }


def selfcheck() -> dict[str, list[Row]]:
    """By column of Table 7, its ten rows."""
    table = [row for row in rows("selfcheck") if re.match(r"Table 7 \d-gram", row["quantity"])]
    return {
        name: [row for row in table if row["quantity"].endswith(f": {column}")]
        for name, column in COLUMNS.items()
    }


def leaks() -> dict[str, float]:
    """By guard and setting, the share of what streams said that they released, in percent."""
    found = {}
    for line in json.loads(LEAKS.read_text(encoding="utf-8"))["lines"]:
        cells = [cell for name, cell in line["cells"].items() if name.endswith("stream")]
        if cells:
            released, said = map(sum, zip(*cells, strict=True))
            found[f"{line['guard']}, {line['setting']}, {line['policy']}"] = 100 * released / said
    return found


def live() -> dict[str, dict[str, Row]]:
    """By model, its rows with an interval, by what they measure."""
    found: dict[str, dict[str, Row]] = {}
    for row in rows("live"):
        model, _, quantity = row["quantity"].partition(", ")
        if row["interval"] is not None:
            found.setdefault(model, {})[re.sub(r" \(\d+\)| of \d+| \[%\]", "", quantity)] = row
    return found


def draw_references(figure: Any) -> None:
    """Published and reproduced, with the interval of ours."""
    panels = figure.subplots(1, 2, sharey=True)
    for panel, (model, found) in zip(panels, references().items(), strict=True):
        for at, row in enumerate(reversed(found)):
            panel.plot(row["interval"], [at, at], color=COLOURS[0], linewidth=1.6)
            panel.plot(
                row["ours"], at, "o", color=COLOURS[0], label="ours, 95 % interval" if not at else None
            )
            panel.plot(row["published"], at, "x", color=COLOURS[1], label="published" if not at else None)
        panel.set(title=model, xlabel="AUC", xlim=(0.45, 1), yticks=range(len(QUERIES)))
        panel.set_yticklabels(reversed(QUERIES))
    panels[0].legend(loc="lower left")


def draw_selfcheck(figure: Any) -> None:
    """Fifty cells on the diagonal."""
    axes = figure.subplots()
    axes.plot([30, 90], [30, 90], color="0.6", linewidth=1)
    for i, (column, found) in enumerate(selfcheck().items()):
        published, ours = ([row[key] for row in found] for key in ("published", "ours"))
        axes.plot(published, ours, MARKERS[i], color=COLOURS[i], label=column, markersize=5)
    axes.set(xlabel="published, Table 7 [%]", ylabel="ours [%]")
    axes.legend(loc="upper left")


def draw_leaks(figure: Any) -> None:
    """A bar per guard and setting."""
    axes = figure.subplots()
    found = leaks()
    places = range(len(found))[::-1]
    axes.barh(places, list(found.values()), color=COLOURS[1], height=0.6)
    for at, share in zip(places, found.values(), strict=True):
        axes.text(share + 1, at, f"{share:.0f} %", va="center")
    axes.set(xlabel="released by streams [%]", xlim=(0, 112), yticks=list(places))
    axes.set_yticklabels(list(found))


def draw_live(figure: Any) -> None:
    """Shares of each model on the left, how well its own replies distinguish works on the right."""
    panels = figure.subplots(1, 2, width_ratios=(3, 2))
    for panel, names in zip(panels, (LIVE_SHARES, LIVE_AREAS), strict=True):
        for i, (model, found) in enumerate(live().items()):
            for at, (quantity, (_, unit)) in enumerate(reversed(names.items())):
                if row := found.get(quantity):
                    place = at + 0.15 * (0.5 - i)
                    panel.plot(
                        [end / unit for end in row["interval"]], [place] * 2, color=COLOURS[i], linewidth=1.6
                    )
                    panel.plot(row["ours"] / unit, place, MARKERS[i], color=COLOURS[i], markersize=5)
            panel.plot([], [], MARKERS[i], color=COLOURS[i], label=model)
        panel.set(xlim=(0, 1.02), yticks=range(len(names)))
        panel.set_yticklabels([label for label, _ in reversed(names.values())])
    panels[0].set_xlabel("share")
    panels[1].set_xlabel("AUC")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=2)


PLOTS: Mapping[str, tuple[Callable[[Any], None], tuple[float, float]]] = {
    "references": (draw_references, (7.2, 2.8)),
    "selfcheck": (draw_selfcheck, (4.8, 4.2)),
    "leaks": (draw_leaks, (7.2, 3.6)),
    "live": (draw_live, (7.2, 3.2)),
}


def write(folder: Path) -> list[Path]:
    """Every plot as `benchmarks-NAME.svg`, on white, so that it can be read on a dark page."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    written = []
    with mpl.rc_context({**mpl.rcParamsDefault, **STYLE, "backend": "agg"}):
        for name, (draw, size) in PLOTS.items():
            figure = Figure(figsize=size, layout="constrained", facecolor="white")
            FigureCanvasAgg(figure)
            draw(figure)
            written.append(folder / f"benchmarks-{name}.svg")
            figure.savefig(written[-1], format="svg", metadata={"Date": None, "Creator": None})
    return written


if __name__ == "__main__":
    print(*write(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "images"), sep="\n")
