"""External consistency in form: the 2-D density against each metric alone, Figures 3 to 5, and the intervals.

The subject is simulated, so labels and rates are known. The first half of the documents makes the fit, the second is
scored; English and Chinese apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks._stats import auc, delong_interval
from benchmarks._table import Row, Run
from benchmarks.memory.comparing import NEEDS, SETTINGS, Setting, comparer
from benchmarks.memory.corpus import Corpus, Half, corpus, fit_of, halves, measured, simulate
from benchmarks.memory.rag import true_rephrasings
from benchmarks.memory.rates import Known, corrected_share, flagged_share
from guardrail.backends.packaged import encoder_installed
from guardrail.memory.external import (
    ExternalFit,
    Measured,
    packaged_fit,
)

__all__ = ["Scores", "rows", "scored"]

SEEDS = 2_000
ANSWERS = 60
"""n of Figure 5: documents per model; four rephrasings each."""

LABELLED = 200
"""Labelled answers per seed, from which the errors of the detector are known."""

RATES = (0.05, 0.6)
"""Where injected rates are drawn from, evenly."""

MODELS = (0.1, 0.3, 0.6)
"""h of the subjects of Figure 5."""

FAST = 200  # documents
DIFFERENCES = 2_000  # bootstrap replicates


@dataclass(frozen=True, slots=True)
class Scores:
    """The scored half by each measure; larger = rather invented.

    Attributes:
        density: the 2-D score, only below the mean.
        both_sides: the paper's density, far on either side.
        consistency: less of it.
        relevance: less of it.
    """

    density: NDArray[np.float64]
    both_sides: NDArray[np.float64]
    consistency: NDArray[np.float64]
    relevance: NDArray[np.float64]

    def named(self) -> Mapping[str, NDArray[np.float64]]:
        """By what a reader calls them."""
        return {
            "2-D density": self.density,
            "2-D density, both sides": self.both_sides,
            "consistency alone": self.consistency,
            "relevance alone": self.relevance,
        }


def scored(half: Half, fit: ExternalFit) -> Scores:
    """Score a half by a fit of the other."""
    points = half.points
    return Scores(
        np.array([fit.normal.score((x, y), sides="below") for x, y in points]),
        np.array([fit.normal.score((x, y), sides="both") for x, y in points]),
        -points[:, 0],
        -points[:, 1],
    )


def rows(run: Run) -> list[Row]:
    """Every language and encoder."""
    folder = run.data()
    most = FAST if run.fast else None
    run.parameters |= {"external.seed": 0, "external.documents": most or "all"}
    found: list[Row] = []
    for name, setting in SETTINGS.items():
        if setting[1] == "packaged" and not encoder_installed():
            found.append(Row.missing(f"{name}: 2-D density, AUROC", NEEDS))
            continue
        run.say(f"external: {name}")
        found += _setting_rows(run, folder, name, setting, most)
    return found


def _setting_rows(run: Run, folder: Path, name: str, setting: Setting, most: int | None) -> list[Row]:
    both = corpus(folder, setting, most=most)
    fit = fit_of(both.fitted, setting, true_rephrasings(setting[0], comparer(setting[1])))
    scores = scored(both.scored, fit)
    found = _against_single(name, both, scores)
    found += _verdicts(name, both, fit)
    if most is None:
        shipped = packaged_fit("summary", *setting)
        same = shipped is not None and np.allclose(
            [*shipped.normal.mean, shipped.threshold], [*fit.normal.mean, fit.threshold], atol=1e-3
        )
        found.append(Row.equal(f"{name}: the packaged fit is this one", bool(same), True))
    found += _coverage(name, both, fit)
    shares, more = _by_model(name, folder, setting, fit, _known(both.scored, fit))
    found += more
    if run.out is not None:
        from benchmarks.memory import external_figures

        slug = name.lower().replace(", ", "-")
        external_figures.scatter(both.scored, fit, run.out, f"memory-external-scatter-{slug}", title=name)
        external_figures.roc(
            scores.named(), both.scored.invented, run.out, f"memory-external-roc-{slug}", title=name
        )
        external_figures.by_model(shares, run.out, f"memory-external-rates-{slug}", title=name)
    return found


def _against_single(name: str, both: Corpus, scores: Scores) -> list[Row]:
    labels = both.scored.invented
    found = [
        Row.shown(f"{name}: documents scored", len(labels), digits=0),
        Row.shown(f"{name}: r_1 invented", int(labels.sum()), digits=0),
    ]
    areas = {what: auc(values, labels) for what, values in scores.named().items()}
    for what, values in scores.named().items():
        published = 0.91 if what == "2-D density, both sides" else None
        found.append(
            Row.shown(
                f"{name}: {what}, AUROC",
                areas[what],
                interval=delong_interval(values, labels),
                published=published,
            )
        )
    for what, values in (("consistency", scores.consistency), ("relevance", scores.relevance)):
        low, high = _difference(scores.density, values, labels)
        gain = (areas["2-D density"] or 0.0) - (areas[f"{what} alone"] or 0.0)
        quantity = f"{name}: 2-D density less {what} alone, AUROC"
        found.append(Row.at_least(quantity, gain, 0.0, interval=(low, high)))
    for what, chosen in (("misread as a whole", both.scored.settled), ("slips", ~both.scored.settled)):
        some = ~labels | chosen
        for measure, values in scores.named().items():
            found.append(Row.shown(f"{name}, {what}: {measure}, AUROC", auc(values[some], labels[some])))
    return found


def _difference(
    first: NDArray[np.float64], second: NDArray[np.float64], labels: NDArray[np.bool_]
) -> tuple[float, float]:
    """The 95 % percentile interval of a difference of two AUROCs on the same rows."""
    rng = np.random.default_rng(0)
    true, false = np.flatnonzero(labels), np.flatnonzero(~labels)
    found = []
    for _ in range(DIFFERENCES):
        chosen = np.concatenate([rng.choice(true, true.size), rng.choice(false, false.size)])
        found.append(
            (auc(first[chosen], labels[chosen]) or 0.0) - (auc(second[chosen], labels[chosen]) or 0.0)
        )
    low, high = np.quantile(found, [0.025, 0.975])
    return float(low), float(high)


def _flagged(responses: Sequence[Measured], fit: ExternalFit) -> NDArray[np.bool_]:
    judged = [fit.judge(one) for one in responses]
    return np.array([one is not None and one.score >= one.threshold for one in judged])


def _known(half: Half, fit: ExternalFit) -> Known:
    flagged, bad = _flagged(half.measured, fit), half.invented
    return Known(int(bad.sum()), int((flagged & bad).sum()), int((~bad).sum()), int((~flagged & ~bad).sum()))


def _verdicts(name: str, both: Corpus, fit: ExternalFit) -> list[Row]:
    known = _known(both.scored, fit)
    caught, alarms = (
        flagged_share(known.caught, known.invented),
        flagged_share(known.normal - known.passed, known.normal),
    )
    return [
        Row.shown(f"{name}: invented answers flagged", caught.value, interval=caught.interval),
        Row.shown(
            f"{name}: false alarms (stated: {fit.false_alarms:g})", alarms.value, interval=alarms.interval
        ),
    ]


def _coverage(name: str, both: Corpus, fit: ExternalFit) -> list[Row]:
    """Intervals of the rate of invention, for injected rates: answers are drawn from the measured ones."""
    flagged, bad = _flagged(both.scored.measured, fit), both.scored.invented
    of_bad, of_normal = flagged[bad], flagged[~bad]
    rng = np.random.default_rng(0)
    right, right_shares, gaps = 0, 0, []
    for _ in range(SEEDS):
        rate = rng.uniform(*RATES)
        invented = int(rng.binomial(ANSWERS, rate))
        hits = int(rng.choice(of_bad, invented).sum()) + int(rng.choice(of_normal, ANSWERS - invented).sum())
        half = LABELLED // 2
        caught, passed = int(rng.choice(of_bad, half).sum()), half - int(rng.choice(of_normal, half).sum())
        found = corrected_share(hits, ANSWERS, Known(half, caught, half, passed))
        expected = rate * of_bad.mean() + (1 - rate) * of_normal.mean()
        raw = flagged_share(hits, ANSWERS).interval
        right_shares += raw is not None and raw[0] <= expected <= raw[1]
        if found.value is not None and found.interval is not None:
            right += found.interval[0] <= rate <= found.interval[1]
            gaps.append(found.value - rate)
    limits = (0.93, 0.97)
    return [
        Row.between(
            f"{name}: coverage of the interval of the injected rate, {SEEDS:,} seeds", right / SEEDS, limits
        ),
        Row.between(
            f"{name}: coverage of Wilson's interval of the flagged share", right_shares / SEEDS, limits
        ),
        Row.shown(f"{name}: mean error of the corrected rate", float(np.mean(gaps))),
    ]


def _by_model(
    name: str, folder: Path, setting: Setting, fit: ExternalFit, known: Known
) -> tuple[dict[str, tuple[float, tuple[float, float]]], list[Row]]:
    """Figure 5 in form: the flagged share of subjects that invent more and less often, and the rate behind it."""
    language, encoder = setting
    compare = comparer(encoder)
    documents = halves(folder, language, seed=0, most=None)[1][:ANSWERS]
    shares, found = {}, []
    for rate in MODELS:
        half = measured(simulate(documents, language, rate=rate, seed=int(100 * rate)), compare)
        hits = int(_flagged(half.measured, fit).sum())
        share, corrected = flagged_share(hits, len(documents)), corrected_share(hits, len(documents), known)
        if share.value is not None and share.interval is not None:
            shares[f"h = {rate:g}"] = share.value, share.interval
        title = f"{name}: subject that invents {rate:g} of its answers"
        found += [
            Row.shown(f"{title}, P flagged", share.value, interval=share.interval),
            Row.shown(f"{title}, rate behind it", corrected.value, interval=corrected.interval),
        ]
    return shares, found
