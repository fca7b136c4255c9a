"""The paper's Figures 2, 3, 8 and 12 to 16, and the loss curve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from benchmarks._plots import COLOURS, DASHES, MARKERS, STYLE, save
from benchmarks.phr.process.functions import NOISE
from benchmarks.phr.process.measure import EPSILONS, MAIN
from benchmarks.phr.process.statistics import calibration, calibration_error, correlation, interval, mean
from benchmarks.phr.process.survey import CONTEXTS, HORIZON, Line, Survey
from benchmarks.phr.process.table import corrected
from guardrail.errors import MissingExtra

__all__ = ["draw", "losses"]

Floats: TypeAlias = NDArray[np.float64]

WIDE = 1.959964  # of a 95 % likely set, in standard deviations
SMOOTHED = 50  # steps of the loss curve's running mean


def draw(found: Survey, folder: Path) -> None:
    """All figures of the survey, as SVG and PNG."""
    with _style():
        _figure_2(found, folder)
        _figure_3(found, folder)
        _figure_8(found, folder)
        _figure_12(found, folder)
        _figure_13(found, folder)
        _figure_14(found, folder)
        _figure_15(found, folder)
        _figure_16(found, folder)
        _corrected(found, folder)


def losses(curve: Sequence[Mapping[str, float]], folder: Path) -> None:
    """The loss of a training by its steps, of inputs and of labels."""
    with _style():
        figure, ((axes,),) = _sheet(1, 1, size=4.8)
        steps = np.array([one["step"] for one in curve])
        size = min(SMOOTHED, len(steps))
        for i, (name, title) in enumerate((("y", "labels"), ("x", "inputs"))):
            values = np.array([one[name] for one in curve])
            smooth = np.convolve(values, np.full(size, 1 / size), mode="valid")
            axes.plot(steps, values, color=COLOURS[i], alpha=0.2, linewidth=0.6)
            axes.plot(steps[size - 1 :], smooth, color=COLOURS[i], linestyle=DASHES[i], label=title)
        floors = (0.5 + float(np.log(NOISE * np.sqrt(2 * np.pi))), float(np.log(4)))
        for i, floor in enumerate(floors):
            axes.axhline(floor, color=COLOURS[i], linestyle=":", linewidth=1)
        axes.set(xlabel="step", ylabel="mean −log density [nats]", title="Loss; dotted: the mechanism known")
        axes.set_ylim(floors[0] - 0.2, 2.5)
        axes.legend(loc="upper right")
        save(figure, folder, "loss")


def _style() -> Any:
    try:
        import matplotlib as mpl
    except ImportError as error:
        raise MissingExtra("matplotlib, which draws the plots,", extra="bench") from error
    settings: dict[Any, Any] = {**mpl.rcParamsDefault, **STYLE, "backend": "agg"}  # not the user's own
    return mpl.rc_context(settings)


def _sheet(rows: int, columns: int, *, size: float = 2.6, **shared: Any) -> tuple[Any, Any]:
    """A figure of panels, and the panels by row and column; matplotlib takes long to arrange many, so they are not."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    many = rows * columns > 8
    figure = Figure(figsize=(size * columns, size * rows), layout=None if many else "constrained")
    FigureCanvasAgg(figure)
    if many:
        margin = 0.55 / size
        figure.subplots_adjust(
            left=1.4 * margin / columns,
            right=0.99,
            bottom=margin / rows,
            top=1 - 0.2 / rows,
            wspace=0.12,
            hspace=0.25,
        )
    return figure, figure.subplots(rows, columns, squeeze=False, **shared)


def _look(i: int, *, line: bool = True) -> dict[str, Any]:
    look = {"color": COLOURS[i % len(COLOURS)], "marker": MARKERS[i % len(MARKERS)]}
    return {**look, "linestyle": DASHES[i % len(DASHES)], "markersize": 4} if line else look


def _band(axes: Any, line: Line, title: str) -> None:
    """The likely sets of the mechanism and of the model, and the pairs that the model has seen."""
    axes.fill_between(
        line.grid, line.low, line.high, color=COLOURS[3], alpha=0.35, linewidth=0, label="model"
    )
    half = WIDE * NOISE
    axes.fill_between(
        line.grid, line.mean - half, line.mean + half, color=COLOURS[0], alpha=0.55, linewidth=0, label="true"
    )
    axes.plot(line.x, line.y, linestyle="", marker="o", markersize=2.5, color=COLOURS[5])
    axes.set(xlabel="x", ylim=(float(line.mean.min()) - 2, float(line.mean.max()) + 2))
    axes.set_title(title, fontsize=8)


def _figure_2(found: Survey, folder: Path) -> None:
    lines = found.lines["inside"]
    sizes = (min(lines), max(lines))
    figure, ((*panels,),) = _sheet(1, 4)
    for size, (band, rates) in zip(sizes, (panels[:2], panels[2:]), strict=True):
        line = lines[size]
        _band(band, line, f"95 % likely sets, n = {size}")
        band.legend(loc="best")
        rate, error = line.measured.rate[MAIN][0], line.measured.error[MAIN][0]
        rates.fill_between(
            line.grid, rate - 2 * error, rate + 2 * error, color=COLOURS[0], alpha=0.15, linewidth=0
        )
        rates.plot(line.grid, rate, color=COLOURS[0], label="PHR ± 2 standard errors")
        rates.plot(line.grid, line.measured.true[MAIN][0], color=COLOURS[1], linestyle="--", label="THR")
        rates.set(xlabel="x", ylim=(-0.02, 1.3), yticks=[0, 0.2, 0.4, 0.6, 0.8, 1])
        rates.set_title(f"ε = .05, n = {size}", fontsize=8)
        rates.legend(loc="upper center")
    save(figure, folder, "phr-process-figure-2")


def _figure_8(found: Survey, folder: Path) -> None:
    sizes = sorted(found.lines["inside"])
    chosen = list(dict.fromkeys((sizes[0], sizes[len(sizes) // 2], sizes[-1])))
    figure, panels = _sheet(2, len(chosen))
    for row, (kind, word) in zip(
        panels, (("inside", "like training"), ("outside", "unlike training")), strict=True
    ):
        for axes, size in zip(row, chosen, strict=True):
            line = found.lines[kind][size]  # type: ignore[index]  # one of the two kinds
            _band(axes, line, f"{word}, n = {size}: THR {line.measured.true[MAIN].mean():.2f}")
    panels[0][0].legend(loc="best")
    save(figure, folder, "phr-process-figure-8")


def _against_size(axes: Any, found: Survey, values: Mapping[str, Mapping[int, Floats]]) -> None:
    """Means against n, with bars from resampled functions."""
    for i, (title, by_size) in enumerate(values.items()):
        sizes = list(by_size)
        means = [float(one.mean()) for one in by_size.values()]
        ends = [interval(mean, one, one) or (m, m) for one, m in zip(by_size.values(), means, strict=True)]
        reach = [
            [max(0.0, m - low) for m, (low, _) in zip(means, ends, strict=True)],
            [max(0.0, high - m) for m, (_, high) in zip(means, ends, strict=True)],
        ]
        axes.errorbar(sizes, means, yerr=reach, label=title, capsize=2, **_look(i))
    axes.set(xscale="log", xlabel="n", xticks=list(found.inside), xticklabels=list(map(str, found.inside)))
    axes.minorticks_off()
    axes.legend(loc="best")


def _by_size(found: Survey, name: str, epsilon: int | None = None) -> dict[int, Floats]:
    every = {size: getattr(one, name) for size, one in found.inside.items()}
    return every if epsilon is None else {size: values[epsilon] for size, values in every.items()}


def _calibrations(
    axes: Any, found: Survey, estimate: Mapping[int, Floats], truth: Mapping[int, Floats]
) -> None:
    for i, size in enumerate(found.inside):
        across, up = calibration(estimate[size].reshape(-1), truth[size].reshape(-1))
        axes.plot(across, up, label=f"n = {size}", **_look(i))
    axes.legend(loc="upper left", fontsize=7)


def _diagonal(axes: Any) -> None:
    axes.plot([0, 1], [0, 1], color="0.6", linewidth=1, zorder=1)


def _figure_3(found: Survey, folder: Path) -> None:
    figure, ((left, right),) = _sheet(1, 2, size=4)
    rate, true = _by_size(found, "rate", MAIN), _by_size(found, "true", MAIN)
    _against_size(left, found, {"THR": true, "PHR": rate})
    left.set(ylabel="rate", title=f"ε = .05, M = {CONTEXTS}, N − n = {HORIZON}")
    _diagonal(right)
    _calibrations(right, found, rate, true)
    right.set(xlabel="PHR", ylabel="THR", title="calibration by n: ten bins of queries")
    save(figure, folder, "phr-process-figure-3")


def _scatter(axes: Any, estimate: Floats, truth: Floats, i: int = 0) -> None:
    axes.scatter(estimate, truth, s=3, alpha=0.35, linewidth=0, **_look(i, line=False), rasterized=True)


def _figure_12(found: Survey, folder: Path) -> None:
    figure, panels = _sheet(len(EPSILONS), len(found.inside), size=1.9, sharex=True, sharey=True)
    for i, row in enumerate(panels):
        for axes, (size, one) in zip(row, found.inside.items(), strict=True):
            _diagonal(axes)
            _scatter(axes, one.rate[i], one.true[i])
            r = float(correlation(one.rate[i].reshape(-1), one.true[i].reshape(-1)))
            axes.set_title(f"ε = {EPSILONS[i]:g}, n = {size}: r = {r:.2f}", fontsize=7)
        row[0].set_ylabel("THR")
    for axes in panels[-1]:
        axes.set_xlabel("PHR")
    save(figure, folder, "phr-process-figure-12")


def _figure_13(found: Survey, folder: Path) -> None:
    figure, (row,) = _sheet(1, len(EPSILONS), sharey=True)
    for i, axes in enumerate(row):
        _against_size(axes, found, {"THR": _by_size(found, "true", i), "PHR": _by_size(found, "rate", i)})
        axes.set(title=f"ε = {EPSILONS[i]:g}")
    row[0].set(ylabel="rate")
    save(figure, folder, "phr-process-figure-13")


def _figure_14(found: Survey, folder: Path) -> None:
    figure, panels = _sheet(len(EPSILONS), len(found.inside), size=1.9, sharex=True, sharey=True)
    for i, row in enumerate(panels):
        for axes, (size, one) in zip(row, found.inside.items(), strict=True):
            _diagonal(axes)
            _scatter(axes, one.rate[i], one.true[MAIN])
            error = float(calibration_error(one.rate[i].reshape(-1), one.true[MAIN].reshape(-1)))
            axes.set_title(f"ε̃ = {EPSILONS[i]:g}, n = {size}: error {error:.2f}", fontsize=7)
        row[0].set_ylabel("THR at ε = .05")
    for axes in panels[-1]:
        axes.set_xlabel("PHR at ε̃")
    save(figure, folder, "phr-process-figure-14")


def _figure_15(found: Survey, folder: Path) -> None:
    figure, ((left, right),) = _sheet(1, 2, size=4)
    known, true = _by_size(found, "information"), _by_size(found, "true", MAIN)
    _against_size(left, found, {"THR": true, "mutual information [nats]": known})
    left.set(title="ε = .05")
    _calibrations(right, found, known, true)
    right.set(xlabel="mutual information [nats]", ylabel="THR", title="by n: ten bins of queries")
    save(figure, folder, "phr-process-figure-15")


def _figure_16(found: Survey, folder: Path) -> None:
    figure, (row,) = _sheet(1, 3, size=3.4)
    values = {
        "PHR": _by_size(found, "rate", MAIN),
        "mutual information [nats]": _by_size(found, "information"),
        "THR": _by_size(found, "true", MAIN),
    }
    pairs = (("PHR", "THR"), ("mutual information [nats]", "THR"), ("mutual information [nats]", "PHR"))
    for axes, (across, up) in zip(row, pairs, strict=True):
        for i, size in enumerate(found.inside):
            _scatter(axes, values[across][size], values[up][size], i)
        one, other = (
            np.concatenate([values[name][size].reshape(-1) for size in found.inside]) for name in (across, up)
        )
        axes.set(xlabel=across, ylabel=up, title=f"R² = {float(correlation(one, other)) ** 2:.2f}")
    for i, size in enumerate(found.inside):
        row[0].scatter([], [], label=f"n = {size}", s=12, **_look(i, line=False))
    row[0].legend(loc="lower right", fontsize=7)
    save(figure, folder, "phr-process-figure-16")


def _corrected(found: Survey, folder: Path) -> None:
    """What a fitted correction does to functions that it was not fitted to."""
    figure, (row,) = _sheet(1, 2, size=4, sharex=True, sharey=True)
    for axes, title in zip(row, ("PHR as it is", "PHR, corrected per n"), strict=True):
        _diagonal(axes)
        axes.set(xlabel="PHR", title=f"{title}: held-out functions")
    for i, (size, one) in enumerate(found.inside.items()):
        _, rate, true = corrected(one)
        for axes, estimate in zip(row, (one.half(1).rate[MAIN], rate), strict=True):
            across, up = calibration(estimate.reshape(-1), true.reshape(-1))
            axes.plot(across, up, label=f"n = {size}", **_look(i))
    row[0].set_ylabel("THR")
    row[0].legend(loc="upper left", fontsize=7)
    save(figure, folder, "phr-process-corrected")
