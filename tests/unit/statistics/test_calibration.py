"""Logistic calibration and thresholds with a guarantee."""

import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from sklearn.linear_model import LogisticRegression

from guardrail.errors import InputError
from guardrail.statistics.calibration import LogisticCalibration, fit_logistic, threshold_for_fdr
from guardrail.statistics.testing import binomial_p_value


def rows(seed, size=300):
    rng = np.random.default_rng(seed)
    scores = rng.random(size)
    return scores, rng.random(size) < 1 / (1 + np.exp(3 - 5 * scores))


class TestFitLogistic:
    @pytest.mark.parametrize("seed", range(3))
    @pytest.mark.parametrize("scale", [1, -1, 1000])
    def test_maximum_likelihood_equals_sklearn(self, seed, scale):
        """Oracle: sklearn's LogisticRegression without a penalty."""
        scores, labels = rows(seed)
        peer = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(scores[:, None], labels)
        curve = fit_logistic(scale * scores, labels, smooth=False)
        assert curve.slope * scale == pytest.approx(peer.coef_[0, 0], rel=1e-4)
        assert curve.intercept == pytest.approx(peer.intercept_[0], rel=1e-4)

    def test_smooth_targets_equal_weighted_sklearn(self):
        """Platt's targets are the same as both labels for every row with the target as weight (oracle: sklearn)."""
        scores, labels = rows(4)
        positives, negatives = labels.sum(), (~labels).sum()
        target = np.where(labels, (positives + 1) / (positives + 2), 1 / (negatives + 2))
        peer = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(
            np.tile(scores, 2)[:, None], np.repeat([1, 0], 300), np.concatenate([target, 1 - target])
        )
        curve = fit_logistic(scores, labels)
        assert (curve.slope, curve.intercept) == pytest.approx(
            (peer.coef_[0, 0], peer.intercept_[0]), rel=1e-4
        )

    def test_survives_separation(self):
        """A threshold between the classes: finite and steep with smoothing, refused without."""
        curve = fit_logistic([0, 0.1, 0.9, 1], [False, False, True, True])
        assert 0 < curve.slope < 1e4
        with pytest.raises(InputError, match="smooth=True"):
            fit_logistic([0, 0.1, 0.9, 1], [False, False, True, True], smooth=False)

    def test_scores_alike_say_nothing(self):
        """Slope 0 and, unsmoothed, the share of true labels."""
        curve = fit_logistic([0.3] * 4, [True, False, False, False], smooth=False)
        assert curve.slope == 0
        assert curve.probability(0.9) == pytest.approx(0.25)

    @settings(max_examples=60, deadline=None)
    @given(st.lists(st.tuples(st.floats(-1e6, 1e6), st.booleans()), min_size=2, max_size=30))
    def test_is_always_finite_or_an_error(self, pairs):
        """Never NaN; the mean probability is the mean target, as at any optimum with an intercept."""
        scores, labels = np.array([s for s, _ in pairs]), np.array([y for _, y in pairs])
        if labels.all() or not labels.any():
            with pytest.raises(InputError, match="both classes"):
                fit_logistic(scores, labels)
            return
        curve = fit_logistic(scores, labels)
        positives, negatives = labels.sum(), (~labels).sum()
        target = np.where(labels, (positives + 1) / (positives + 2), 1 / (negatives + 2))
        assert math.isfinite(curve.slope)
        assert curve.probabilities(scores).mean() == pytest.approx(target.mean(), abs=1e-4)

    @pytest.mark.parametrize(
        ("scores", "labels"),
        [([], []), ([1, math.nan], [True, False]), ([1], [True, False]), ([1, 2], [0, 3])],
    )
    def test_refuses_bad_rows(self, scores, labels):
        """No rows, NaN, other lengths, other labels."""
        with pytest.raises(InputError):
            fit_logistic(scores, labels)


class TestLogisticCalibration:
    @given(st.floats(-1e3, 1e3), st.floats(-1e3, 1e3), st.floats(-1e3, 1e3))
    def test_one_and_many_agree(self, slope, intercept, score):
        """The scalar and the array form are the same number, in [0, 1], far out too."""
        curve = LogisticCalibration(slope, intercept)
        one = curve.probability(score)
        assert 0 <= one <= 1
        assert curve.probabilities([score])[0] == pytest.approx(one, abs=1e-12)

    def test_refuses_nan(self):
        """What could not be scored has no probability."""
        curve = LogisticCalibration(1.0, 0.0)
        with pytest.raises(InputError):
            curve.probability(math.nan)
        with pytest.raises(InputError):
            curve.probabilities([0.1, math.nan])


class TestThresholdForFdr:
    @pytest.mark.parametrize("discrete", [False, True])
    @pytest.mark.parametrize("size", [100, 500])
    def test_keeps_its_promise(self, discrete, size):
        """η(s) = .6 + .4 s has FDR(t) = .2 (1 − t), so ≤ .1 from t = .5 on: wrong in ≤ 5 % of 600 fits (+ 2.3 sd).

        Discrete: scores cut to elevenths; FDR(k/11) is the same line, at the lower edge.
        """
        rng = np.random.default_rng(size)
        wrong = 0
        for _ in range(600):
            raw = rng.random(size)
            labels = rng.random(size) < 0.6 + 0.4 * raw
            scores = np.floor(raw * 11) / 11 if discrete else raw
            found = threshold_for_fdr(scores, labels, sources=None)
            wrong += found is not None and found.value < 0.5
        assert wrong / 600 <= 0.07

    def test_finds_what_is_there(self):
        """Better than 2 % among the best half, chance below: a threshold in nearly every one of 100 fits."""
        rng = np.random.default_rng(0)
        kept = []
        for _ in range(100):
            scores = rng.random(400)
            labels = rng.random(400) < np.where(scores > 0.5, 0.98, 0.5)
            found = threshold_for_fdr(scores, labels, sources=None)
            kept.append(found.kept if found else 0)
        assert np.count_nonzero(kept) >= 95
        assert np.median(kept) >= 190

    def test_the_tail_equals_scipy(self):
        """Oracle: scipy.stats.binom.cdf."""
        for trials in (1, 29, 400):
            for rate in (0.01, 0.1, 0.7):
                for successes in {0, trials // 3, trials - 1, trials}:
                    found = binomial_p_value(successes, trials, rate)
                    assert found == pytest.approx(scipy_stats.binom.cdf(successes, trials, rate), rel=1e-9)

    def test_too_few_rows_prove_nothing(self):
        """.9^28 > .05: 28 faultless rows are not enough, 29 are."""
        assert threshold_for_fdr([1.0] * 28, [True] * 28, sources=None) is None
        assert threshold_for_fdr([1.0] * 29, [True] * 29, sources=None).kept == 29

    def test_degenerate(self):
        """No rows or false ones only: None; bad bounds and NaN: errors."""
        assert threshold_for_fdr([], [], sources=None) is None
        assert threshold_for_fdr(np.arange(100), [False] * 100, sources=None) is None
        for options in ({"max_fdr": 0}, {"max_fdr": 1}, {"confidence": 1}, {"max_fdr": math.nan}):
            with pytest.raises(InputError):
                threshold_for_fdr([1.0], [True], sources=None, **options)
        with pytest.raises(InputError):
            threshold_for_fdr([math.nan], [True], sources=None)

    @settings(max_examples=40, deadline=None)
    @given(st.integers(0, 1000), st.sampled_from([0.05, 0.1, 0.3]))
    def test_reports_what_it_keeps(self, seed, max_fdr):
        """The counts are those of the rows at or above the value, and a looser bound keeps no fewer rows."""
        scores, labels = rows(seed)
        found = threshold_for_fdr(scores, labels, sources=None, max_fdr=max_fdr)
        if found is None:
            return
        above = scores >= found.value
        assert (found.kept, found.false) == (above.sum(), (above & ~labels).sum())
        assert found.p_value <= 0.05
        assert found.false / found.kept <= max_fdr

    def test_keeps_its_promise_with_rows_that_hang_together(self):
        """100 sources whose 8 rows are all right or all wrong, rate .1 everywhere: certified in ≤ 5 % of 300 fits (+ 2 sd)."""
        rng = np.random.default_rng(5)
        sources = np.repeat(np.arange(100), 8)
        wrong = 0
        for _ in range(300):
            labels = np.repeat(rng.random(100) < 0.895, 8)
            wrong += threshold_for_fdr(rng.random(800), labels, sources=sources) is not None
        assert wrong / 300 <= 0.075

    def test_finds_what_is_there_with_several_rows_of_a_source(self):
        """200 sources of 4 rows, 1 % wrong: a threshold that keeps nearly all."""
        rng = np.random.default_rng(6)
        labels = rng.random(800) < 0.99
        found = threshold_for_fdr(rng.random(800), labels, sources=np.repeat(np.arange(200), 4))
        assert found.kept > 700

    def test_is_quick_on_many_rows(self):
        """100,000 distinct scores: tests of a chain are thinned out."""
        rng = np.random.default_rng(0)
        scores = rng.random(100_000)
        found = threshold_for_fdr(scores, rng.random(100_000) < 0.6 + 0.4 * scores, sources=None)
        assert found.value == pytest.approx(0.5, abs=0.03)


def test_importing_it_does_not_import_numpy():
    """The core stays light."""
    code = "import guardrail.statistics.calibration, sys; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
