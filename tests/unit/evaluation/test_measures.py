"""Figures of scores: against scikit-learn, by hand, and where they are undefined."""

import json
import math

import numpy as np
import pytest
from sklearn import metrics

from guardrail.evaluation.measures import (
    best,
    decided,
    folds,
    histogram,
    influences,
    measured,
    risk_coverage,
    share,
)
from guardrail.evaluation.table import FLAGGED, SOUND, UNVERIFIED, Units
from guardrail.statistics.clusters import by_cluster
from guardrail.statistics.ranking import auc, auc_influence

UNIT = {"least": 0.0, "most": 1.0}


def units(score, label, *, verdict=None, source=None):
    """Findings with these scores (`nan` = none) and labels (-1 = unknown)."""
    score = np.asarray(score, dtype=float)
    if verdict is None:
        verdict = np.where(np.isnan(score), UNVERIFIED, np.where(score >= 0.5, FLAGGED, SOUND))
    size = score.size
    return Units(
        "finding",
        np.arange(size),
        np.arange(size),
        np.arange(size) if source is None else np.asarray(source),
        score,
        np.asarray(verdict, dtype=np.int8),
        np.asarray(label, dtype=np.int8),
        np.zeros((size, 3)),
    )


def drawn(size=400, *, seed=0, sources=80):
    """Scores that rank well, of rows that hang together by source."""
    rng = np.random.default_rng(seed)
    source = rng.integers(sources, size=size)
    source = np.unique(source, return_inverse=True)[1]
    label = (rng.random(size) < 0.4).astype(int)
    score = np.clip(0.3 + 0.3 * label + rng.normal(0, 0.2, size) + rng.normal(0, 0.1, sources)[source], 0, 1)
    return units(score, label, source=source)


def numbers(value):
    """Every number in a nest of figures."""
    if isinstance(value, dict):
        return [one for part in value.values() for one in numbers(part)]
    if isinstance(value, list | tuple):
        return [one for part in value for one in numbers(part)]
    return [value] if isinstance(value, float) else []


class TestAgainstScikitLearn:
    def test_ranking_and_decisions(self):
        """Oracle: scikit-learn 1.5 or later, on 400 drawn rows."""
        rows = drawn()
        found, truth, flagged = measured(rows, UNIT), rows.label == 1, rows.verdict == FLAGGED
        expected = {
            "auroc": metrics.roc_auc_score(truth, rows.score),
            "average_precision": metrics.average_precision_score(truth, rows.score),
        }
        for name, value in expected.items():
            assert found[name]["value"] == pytest.approx(value, abs=1e-12)
        shipped = found["shipped"]
        assert shipped["balanced_accuracy"]["value"] == pytest.approx(
            metrics.balanced_accuracy_score(truth, flagged), abs=1e-12
        )
        assert shipped["f1"]["value"] == pytest.approx(metrics.f1_score(truth, flagged), abs=1e-12)
        assert shipped["precision"]["value"] == pytest.approx(
            metrics.precision_score(truth, flagged), abs=1e-12
        )
        assert shipped["recall"]["value"] == pytest.approx(metrics.recall_score(truth, flagged), abs=1e-12)

    def test_threshold(self):
        """The best threshold of all rows has the greatest balanced accuracy of any (oracle: trying every score)."""
        rows = drawn(seed=3)
        truth = rows.label == 1
        tried = max(metrics.balanced_accuracy_score(truth, rows.score >= one) for one in rows.score)
        threshold = best(rows, "")["threshold"]["balanced_accuracy"]
        assert metrics.balanced_accuracy_score(truth, rows.score >= threshold) == pytest.approx(tried)

    def test_every_level_of_ties(self):
        """Ties are handled as scikit-learn does."""
        rows = units([0.5, 0.5, 0.2, 0.2, 0.9, 0.5], [1, 0, 0, 1, 1, 0])
        assert measured(rows, UNIT)["auroc"]["value"] == metrics.roc_auc_score(rows.label, rows.score)


class TestIntervals:
    def test_area_by_cluster(self):
        """Where every row is a source of its own, the interval is DeLong's but for (n − 1)/n and Student's quantile."""
        from benchmarks._stats import delong_interval

        rows = drawn(3000, sources=3000)
        truth = rows.label == 1
        half = by_cluster(auc_influence(rows.score, truth), np.arange(truth.size))
        low, high = delong_interval(rows.score, truth)
        assert half == pytest.approx((high - low) / 2, rel=0.01)

    def test_area_of_dependent_rows(self):
        """Over 300 drawn sets with sources of ten rows, the clustered interval covers the truth about as often as it says."""
        rng, covered = np.random.default_rng(1), 0
        truth_area = 0.5 * (
            1 + math.erf(0.5)
        )  # Φ(1/√2): scores of both classes have variance ½ + ½, means 1 apart
        for _ in range(300):
            label = np.repeat(rng.random(60) < 0.5, 10)
            score = (
                label + np.repeat(rng.normal(0, math.sqrt(0.5), 60), 10) + rng.normal(0, math.sqrt(0.5), 600)
            )
            half = by_cluster(auc_influence(score, label), np.repeat(np.arange(60), 10))
            covered += abs(auc(score, label) - truth_area) <= half
        assert 0.9 <= covered / 300 <= 0.99

    def test_share_of_nothing(self):
        """No event in ten sources is no proof that there are none: Wilson's upper end for ten."""
        found = share(np.zeros(20, dtype=bool), np.repeat(np.arange(10), 2), "")
        assert found["value"] == 0.0
        assert found["interval"][0] == 0.0
        assert found["interval"][1] == pytest.approx(0.2775, abs=1e-4)

    def test_influence_of_balanced_accuracy(self):
        """Leaving a row out moves the figure as its influence says (oracle: the jackknife)."""
        rows = drawn(300)
        value, moved = influences(rows)["balanced_accuracy"]
        without = rows.only(np.arange(1, 300))
        jackknife = (300 - 1) * (value - influences(without)["balanced_accuracy"][0])
        assert jackknife == pytest.approx(moved[0], abs=0.05)


class TestFolds:
    def test_whole_sources(self):
        """No source is in two folds, and every fold has some."""
        source = np.repeat(np.arange(23), 3)
        fold = folds(source)
        assert len({(s, f) for s, f in zip(source.tolist(), fold.tolist(), strict=True)}) == 23
        assert set(fold.tolist()) == {0, 1, 2, 3, 4}

    def test_threshold_is_tried_on_other_sources(self):
        """On scores without worth, the cross-fitted figure is near one half, where choosing and trying on the same rows is above."""
        rng = np.random.default_rng(2)
        rows = units(rng.random(60), rng.integers(2, size=60))
        truth = rows.label == 1
        threshold = best(rows, "")["threshold"]["balanced_accuracy"]
        same = metrics.balanced_accuracy_score(truth, rows.score >= threshold)
        assert best(rows, "")["balanced_accuracy"]["value"] < same


class TestRiskCoverage:
    def test_by_hand(self):
        """Let through 1, 2, 3, 4 rows: 0, 0, 1/3, 1/2 made up."""
        found = risk_coverage(units([0.1, 0.2, 0.3, 0.4], [0, 0, 1, 1]), "")
        assert [one["risk"] for one in found["points"]] == pytest.approx([0, 0, 1 / 3, 1 / 2])
        assert found["area"]["value"] == pytest.approx((1 / 3 + 1 / 2) / 4)

    def test_ties(self):
        """Rows of one score are let through in part: the risk is their average."""
        found = risk_coverage(units([0.5] * 4, [1, 0, 0, 1]), "")
        assert [one["risk"] for one in found["points"]] == [0.5] * 4


NAN = float("nan")
DEGENERATE = {
    "no rows": units([], []),
    "no labels": units([0.1, 0.9], [-1, -1]),
    "one class, made up": units([0.1, 0.9, 0.8], [1, 1, 1]),
    "one class, sound": units([0.1, 0.9, 0.8], [0, 0, 0]),
    "all unverified": units([NAN] * 4, [0, 1, 0, 1]),
    "one source": units([0.1, 0.9, 0.4], [0, 1, 1], source=[0, 0, 0]),
    "one row": units([0.3], [1]),
    "all scores alike": units([0.5] * 6, [0, 1, 0, 1, 1, 0]),
    "nothing flagged": units([0.1, 0.2, 0.3, 0.4], [0, 1, 0, 1]),
}


class TestDegenerate:
    @pytest.mark.parametrize("name", DEGENERATE)
    def test_is_never_nan(self, name):
        """Every number is finite, and what is undefined says why."""
        found = measured(DEGENERATE[name], UNIT)
        json.dumps(found, allow_nan=False)
        assert all(math.isfinite(one) for one in numbers(found))
        figures = [
            *(found[key] for key in ("flagged", "auroc", "average_precision", "auc_pr")),
            *found["shipped"].values(),
            found["best"]["balanced_accuracy"],
            found["best"]["f1"],
            found["calibration"]["ece"],
            found["calibration"]["fitted_ece"],
            found["risk_coverage"]["area"],
        ]
        assert all(one["value"] is not None or one["reason"] for one in figures)

    def test_what_is_said(self):
        """The reasons name what is missing."""
        reasons = {name: measured(rows, UNIT)["auroc"]["reason"] for name, rows in DEGENERATE.items()}
        assert reasons["no rows"] == "there are no rows"
        assert reasons["no labels"] == "no row is labelled"
        assert reasons["one class, made up"] == "all scored rows are made up"
        assert reasons["one class, sound"] == "all scored rows are sound"
        assert reasons["all unverified"] == "no labelled row has a score"
        assert reasons["one source"] == "one source only: no interval"

    def test_all_unverified_decides_nothing(self):
        """A detector that could verify nothing has no balanced accuracy; it is not one half."""
        rows = DEGENERATE["all unverified"]
        assert decided(rows, rows.verdict == FLAGGED)["balanced_accuracy"]["value"] is None

    def test_unverified_is_not_flagged(self):
        """Among rows that were decided, one that was not counts as let through."""
        rows = units([0.9, NAN, 0.1], [1, 1, 0])
        assert decided(rows, rows.verdict == FLAGGED)["recall"]["value"] == 0.5


class TestHistogram:
    def test_counts_by_label(self):
        """Every scored row is in one bin; the line is at the lowest score that is flagged."""
        given = units([0.05, 0.5, 0.95, np.nan], [0, -1, 1, 1], verdict=[SOUND, FLAGGED, FLAGGED, UNVERIFIED])
        found = histogram(given.only(~np.isnan(given.score)), {"least": 0, "most": 1})
        assert [sum(found[kind]) for kind in ("sound", "made_up", "unlabelled")] == [1, 1, 1]
        assert (found["edges"][0], found["edges"][-1], found["flagged_from"]) == (0.0, 1.0, 0.5)
        assert found["sound"][1] == found["made_up"][-2] == 1  # 25 bins of .04

    def test_outliers_do_not_squash_an_unbounded_scale(self):
        """A score far out is counted in the last bin."""
        found = histogram(units([*np.linspace(0, 1, 999), 1e6], [0] * 1000), {})
        assert found["edges"][-1] < 1.01
        assert sum(found["sound"]) == 1000

    def test_no_line_where_verdicts_do_not_follow_scores(self):
        """A verdict that the score alone does not decide has no threshold to draw."""
        given = units([0.2, 0.8], [0, 1], verdict=[FLAGGED, SOUND])
        assert histogram(given, {"least": 0, "most": 1})["flagged_from"] is None
        assert histogram(units([], []), {})["edges"] == []
