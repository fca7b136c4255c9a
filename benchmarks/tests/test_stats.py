"""The statistics against scikit-learn, scipy, slow direct formulas and cases worked by hand."""

import doctest
import math

import benchmarks._stats as module
import numpy as np
import pytest
from benchmarks._stats import (
    auc,
    brier,
    cohen_kappa,
    delong_interval,
    ece,
    fdr_band,
    fdr_curve,
    reliability,
    resampled,
    roc_band,
    roc_curve,
    wilson_interval,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from sklearn import metrics

from guardrail.errors import InputError

ROWS = st.lists(st.tuples(st.integers(-6, 6), st.booleans()), min_size=1, max_size=40)
MIXED = ROWS.filter(lambda rows: len({label for _, label in rows}) == 2)


def columns(rows):
    return [float(score) for score, _ in rows], [label for _, label in rows]


def sample(seed, size=200, ties=True):
    rng = np.random.default_rng(seed)
    labels = rng.random(size) < 0.4
    scores = rng.normal(labels * 1.0)
    return (np.round(scores, 1) if ties else scores), labels


def test_doctests_run():
    """Every example in the docstrings is true."""
    result = doctest.testmod(module)
    assert result.failed == 0
    assert result.attempted >= 7


class TestAuc:
    @settings(max_examples=60, deadline=None)
    @given(MIXED)
    def test_equals_sklearn(self, rows):
        """Ties and all (oracle: sklearn.metrics.roc_auc_score)."""
        scores, labels = columns(rows)
        assert auc(scores, labels) == pytest.approx(metrics.roc_auc_score(labels, scores), abs=1e-12)

    @settings(max_examples=60, deadline=None)
    @given(MIXED)
    def test_depends_on_the_order_only(self, rows):
        """A rising transformation changes nothing; a falling one mirrors it."""
        scores, labels = columns(rows)
        value = auc(scores, labels)
        assert auc(np.exp(scores), labels) == pytest.approx(value, abs=1e-12)
        assert auc(-np.array(scores), labels) == pytest.approx(1 - value, abs=1e-12)

    def test_all_ties_are_one_half(self):
        """No information is one half, not undefined."""
        assert auc([3, 3, 3], [True, False, False]) == 0.5

    @pytest.mark.parametrize("labels", [[], [True], [False, False]])
    def test_is_undefined_without_both_classes(self, labels):
        """One class or no rows: None."""
        assert auc([0.5] * len(labels), labels) is None
        assert delong_interval([0.5] * len(labels), labels) is None
        assert roc_curve([0.5] * len(labels), labels) is None
        assert roc_band([0.5] * len(labels), labels) is None

    @pytest.mark.parametrize("function", [auc, delong_interval, roc_curve, roc_band, brier, ece])
    @pytest.mark.parametrize(
        ("scores", "labels"),
        [
            ([math.nan, 1], [True, False]),
            ([math.inf, 1], [True, False]),
            ([1.0], [True, False]),
            ([1, 0], [2, 0]),
        ],
    )
    def test_refuses_what_is_no_score(self, function, scores, labels):
        """NaN, infinity, other lengths and other labels are errors, not numbers."""
        with pytest.raises(InputError):
            function(scores, labels)


def slow_delong(scores, labels):
    """DeLong's variance by its definition, O(mn): covariances of the structural components."""
    true = [s for s, y in zip(scores, labels, strict=True) if y]
    false = [s for s, y in zip(scores, labels, strict=True) if not y]
    psi = [[1.0 if t > f else 0.5 if t == f else 0.0 for f in false] for t in true]
    v10 = [sum(row) / len(false) for row in psi]
    v01 = [sum(row[j] for row in psi) / len(true) for j in range(len(false))]
    area = sum(v10) / len(true)
    s10 = sum((v - area) ** 2 for v in v10) / (len(true) - 1)
    s01 = sum((v - area) ** 2 for v in v01) / (len(false) - 1)
    return area, s10 / len(true) + s01 / len(false)


class TestDelong:
    @pytest.mark.parametrize("seed", range(4))
    def test_equals_the_direct_formula(self, seed):
        """Oracle: `slow_delong` above."""
        scores, labels = sample(seed, 60)
        area, variance = slow_delong(scores, labels)
        half = scipy_stats.norm.ppf(0.975) * math.sqrt(variance)
        expected = (max(0, area - half), min(1, area + half))
        assert delong_interval(scores, labels) == pytest.approx(expected, abs=1e-12)

    @settings(max_examples=60, deadline=None)
    @given(MIXED)
    def test_holds_the_area(self, rows):
        """The interval contains its AUC and stays in [0, 1]."""
        scores, labels = columns(rows)
        interval = delong_interval(scores, labels)
        if interval is None:
            assert min(labels.count(True), labels.count(False)) < 2
        else:
            assert -1e-12 <= interval.low <= auc(scores, labels) + 1e-12
            assert auc(scores, labels) - 1e-12 <= interval.high <= 1

    def test_covers_the_true_area(self):
        """Two normals one deviation apart: AUC = Φ(1/√2); 400 samples of 100 + 100, fixed seed."""
        truth = scipy_stats.norm.cdf(1 / math.sqrt(2))
        rng = np.random.default_rng(0)
        labels = np.repeat([True, False], 100)
        hits = 0
        for _ in range(400):
            low, high = delong_interval(rng.normal(labels * 1.0), labels)
            hits += low <= truth <= high
        assert 0.92 <= hits / 400 <= 0.975


class TestRoc:
    @pytest.mark.parametrize("seed", range(3))
    def test_equals_sklearn(self, seed):
        """Oracle: sklearn.metrics.roc_curve with every threshold kept."""
        scores, labels = sample(seed)
        expected = metrics.roc_curve(labels, scores, drop_intermediate=False)
        false_rate, true_rate = roc_curve(scores, labels)
        np.testing.assert_allclose(false_rate, expected[0])
        np.testing.assert_allclose(true_rate, expected[1])

    def test_band_is_seeded_and_surrounds_the_curve(self):
        """The same seed gives the same band; the data's curve lies in it nearly everywhere."""
        scores, labels = sample(1)
        band, again = roc_band(scores, labels), roc_band(scores, labels)
        np.testing.assert_array_equal(band.low, again.low)
        assert not np.array_equal(band.low, roc_band(scores, labels, seed=1).low)
        inside = (band.low - 1e-12 <= band.y) & (band.y <= band.high + 1e-12)
        assert inside.mean() > 0.97
        assert band.low.min() >= 0
        assert band.high.max() <= 1

    def test_band_equals_a_slow_bootstrap(self):
        """Oracle: rows drawn one by one and sklearn's curve, 400 replicates each; means agree within 3 errors."""
        scores, labels = sample(2, 120)
        grid = np.linspace(0, 1, 21)
        rng = np.random.default_rng(5)
        curves = []
        for _ in range(400):
            rows = np.concatenate(
                [rng.choice(np.flatnonzero(labels == c), (labels == c).sum()) for c in (True, False)]
            )
            x, y, _ = metrics.roc_curve(labels[rows], scores[rows], drop_intermediate=False)
            curves.append(np.interp(grid, x, y))
        curves = np.array(curves)
        band = roc_band(scores, labels, replicates=400, points=21)
        inner = slice(2, -2)  # where the band is not cut at 0 or 1
        error = 3 * curves.std(axis=0, ddof=1) * math.sqrt(2 / 400) + 1e-9
        assert (np.abs((band.low + band.high) / 2 - curves.mean(axis=0)) <= error)[inner][:6].all()

    def test_band_needs_two_replicates(self):
        """One replicate has no deviation."""
        with pytest.raises(InputError, match="two"):
            roc_band([1, 2], [True, False], replicates=1)


class TestFdr:
    def test_hand_worked(self):
        """Scores 3 3 2 1, the second and last false: a tie is subsampled, so 1/4 and 1/2 kept are both half false."""
        found = fdr_curve([3, 3, 2, 1], [True, False, True, False], [0.1, 0.25, 0.5, 0.75, 1])
        assert found.tolist() == pytest.approx([0.5, 0.5, 0.5, 1 / 3, 0.5])

    @pytest.mark.parametrize("seed", range(3))
    def test_equals_subsampling(self, seed):
        """Oracle: ties broken at random 3,000 times, the best k rows kept."""
        scores, labels = sample(seed, 40)
        scores = np.round(scores)
        rng = np.random.default_rng(seed)
        kept = np.array([4, 13, 27])
        rates = []
        for _ in range(3000):
            order = np.lexsort((rng.random(40), -scores))
            rates.append(np.cumsum(~labels[order])[kept - 1] / kept)
        np.testing.assert_allclose(fdr_curve(scores, labels, kept / 40), np.mean(rates, axis=0), atol=0.015)

    @settings(max_examples=60, deadline=None)
    @given(ROWS)
    def test_keeping_all_gives_the_share_of_false(self, rows):
        """At fraction 1 the score does not matter; the rate stays in [0, 1] below."""
        scores, labels = columns(rows)
        found = fdr_curve(scores, labels, np.linspace(0.05, 1, 20))
        assert found[-1] == pytest.approx(labels.count(False) / len(labels))
        assert ((found >= 0) & (found <= 1)).all()

    def test_is_level_below_the_smallest_reachable_fraction(self):
        """Figure 10's extrapolation."""
        labels = [True] * 6 + [False] * 4
        found = fdr_curve([1.0] * 5 + [0.0] * 3 + [1.0] * 2, labels[:10], [0.01, 0.3, 0.7])
        assert found.tolist() == pytest.approx([2 / 7] * 3)

    def test_band_follows_the_formula(self):
        """Keeping everything, the bootstrap error is √(p(1−p)/n); 2,000 replicates come within 6 %."""
        labels = np.arange(200) % 4 == 0
        band = fdr_band(np.arange(200), labels, [1.0], replicates=2000)
        assert (band.high - band.low)[0] / 2 == pytest.approx(1.96 * math.sqrt(0.75 * 0.25 / 200), rel=0.06)

    def test_degenerate(self):
        """No rows: None. Keeping nothing has no rate. One class is fine: the rate is 0 or 1."""
        assert fdr_curve([], [], [0.5]) is None
        assert fdr_band([], [], [0.5]) is None
        assert fdr_curve([1, 2], [False, False], [0.5]).tolist() == [1.0]
        with pytest.raises(InputError, match="nothing kept"):
            fdr_curve([1, 2], [True, False], [0.0])


def delta_method(table):
    """Standard error of κ by numeric differentiation over the multinomial's cells."""
    n = table.sum()

    def kappa(p):
        observed, chance = np.trace(p), p.sum(axis=1) @ p.sum(axis=0)
        return (observed - chance) / (1 - chance)

    p = table / n
    gradient = np.zeros_like(p)
    for cell in np.ndindex(p.shape):
        step = np.zeros_like(p)
        step[cell] = 1e-6
        gradient[cell] = (kappa(p + step) - kappa(p - step)) / 2e-6
    return math.sqrt(((p * gradient**2).sum() - (p * gradient).sum() ** 2) / n)


class TestKappa:
    def test_hand_worked(self):
        """20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no: agreement .7, by chance .5, so κ = .4."""
        first = "y" * 25 + "n" * 25
        second = "y" * 20 + "n" * 5 + "y" * 10 + "n" * 15
        assert cohen_kappa(first, second).value == pytest.approx(0.4)

    @pytest.mark.parametrize("table", [[[20, 5], [10, 15]], [[9, 2, 1], [3, 8, 0], [1, 1, 14]]])
    def test_interval_equals_the_delta_method(self, table):
        """Oracle: `delta_method` above."""
        table = np.array(table, dtype=float)
        pairs = [cell for cell in np.ndindex(table.shape) for _ in range(int(table[cell]))]
        found = cohen_kappa([i for i, _ in pairs], [j for _, j in pairs])
        half = scipy_stats.norm.ppf(0.975) * delta_method(table)
        assert found.interval == pytest.approx((found.value - half, found.value + half), abs=1e-6)

    @settings(max_examples=60, deadline=None)
    @given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), max_size=30))
    def test_equals_sklearn_and_is_symmetric(self, pairs):
        """Oracle: sklearn.metrics.cohen_kappa_score; undefined where both gave one label throughout."""
        first, second = [a for a, _ in pairs], [b for _, b in pairs]
        found = cohen_kappa(first, second)
        if len({*first, *second}) < 2:
            assert found is None
            return
        assert found.value == pytest.approx(metrics.cohen_kappa_score(first, second), abs=1e-12)
        assert found.value == pytest.approx(cohen_kappa(second, first).value, abs=1e-12)
        assert -1 <= found.interval.low <= found.value + 1e-12
        assert found.value - 1e-12 <= found.interval.high <= 1

    def test_refuses_gaps(self):
        """Other lengths and NaN labels are errors."""
        with pytest.raises(InputError, match="two ratings"):
            cohen_kappa("GG", "G")
        with pytest.raises(InputError, match="NaN"):
            cohen_kappa([1.0, math.nan], [1.0, 0.0])


class TestWilson:
    @settings(max_examples=60, deadline=None)
    @given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
    def test_equals_scipy(self, counts):
        """Oracle: scipy.stats.binomtest(...).proportion_ci(method="wilson")."""
        expected = scipy_stats.binomtest(*counts).proportion_ci(method="wilson")
        assert wilson_interval(*counts) == pytest.approx((expected.low, expected.high), abs=1e-9)

    def test_degenerate(self):
        """No trials: None; more successes than trials, or a confidence of 1: an error."""
        assert wilson_interval(0, 0) is None
        for arguments, options in (((2, 1), {}), ((1, 2), {"confidence": 1.0})):
            with pytest.raises(InputError):
                wilson_interval(*arguments, **options)


class TestCalibrationErrors:
    def test_brier_equals_sklearn(self):
        """Oracle: sklearn.metrics.brier_score_loss."""
        rng = np.random.default_rng(0)
        probabilities, labels = rng.random(50), rng.random(50) < 0.5
        assert brier(probabilities, labels) == pytest.approx(metrics.brier_score_loss(labels, probabilities))

    def test_ece_hand_worked(self):
        """Two bins: .2 and .4 (none true, gap .3), .9 and 1 (one true, gap .45): mean .375."""
        assert ece([0.2, 0.4, 0.9, 1.0], [False, False, True, False], bins=2) == pytest.approx(0.375)

    def test_reliability_keeps_every_row(self):
        """The bins' rows add up, their weighted means are the data's."""
        rng = np.random.default_rng(1)
        probabilities, labels = rng.random(99), rng.random(99) < 0.3
        points = reliability(probabilities, labels)
        assert points.rows.sum() == 99
        assert np.average(points.mean, weights=points.rows) == pytest.approx(probabilities.mean())
        assert np.average(points.share, weights=points.rows) == pytest.approx(labels.mean())

    def test_degenerate(self):
        """No rows: None. A number outside [0, 1] is no probability."""
        assert brier([], []) is None
        assert ece([], []) is None
        with pytest.raises(InputError, match="probabilities"):
            ece([1.5], [True])
        with pytest.raises(InputError, match="bin"):
            reliability([0.5], [True], bins=0)


class TestResampled:
    def test_groups_go_together(self):
        """Every draw holds whole groups; rows that always go together give no more than their groups do."""
        groups = np.array([0, 0, 0, 1])
        seen = set()

        def mean(rows):
            seen.add(tuple(sorted(rows.tolist())))
            return float(np.isin(rows, [3]).mean())

        low, high = resampled(groups, mean, replicates=200)
        assert seen == {(0, 0, 1, 1, 2, 2), (0, 1, 2, 3), (3, 3)}
        assert (low, high) == (0, 1)
        assert resampled(groups, lambda rows: None, replicates=3) is None
