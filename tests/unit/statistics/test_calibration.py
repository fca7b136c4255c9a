"""Logistic calibration and thresholds with a guarantee."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from guardrail.errors import InputError
from guardrail.statistics.calibration import (
    LogisticCalibration,
    fit_logistic,
    ridge_logistic,
)


def rows(seed, size=300):
    rng = np.random.default_rng(seed)
    scores = rng.random(size)
    return scores, rng.random(size) < 1 / (1 + np.exp(3 - 5 * scores))


class TestFitLogistic:
    @pytest.mark.parametrize("seed", range(3))
    @pytest.mark.parametrize("scale", [1, -1, 1000])
    def test_equals_weighted_sklearn(self, seed, scale):
        """Platt's targets are the same as both labels for every row with the target as weight (oracle: sklearn)."""
        scores, labels = rows(seed)
        positives, negatives = labels.sum(), (~labels).sum()
        target = np.where(labels, (positives + 1) / (positives + 2), 1 / (negatives + 2))
        peer = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(
            np.tile(scores, 2)[:, None], np.repeat([1, 0], 300), np.concatenate([target, 1 - target])
        )
        curve = fit_logistic(scale * scores, labels)
        assert (curve.slope * scale, curve.intercept) == pytest.approx(
            (peer.coef_[0, 0], peer.intercept_[0]), rel=1e-4
        )

    def test_survives_separation(self):
        """A threshold between the classes: finite and steep."""
        curve = fit_logistic([0, 0.1, 0.9, 1], [False, False, True, True])
        assert 0 < curve.slope < 1e4

    def test_scores_alike_say_nothing(self):
        """Slope 0 and the mean of Platt's targets, (2/3 + 3 · 1/5) / 4."""
        curve = fit_logistic([0.3] * 4, [True, False, False, False])
        assert curve.slope == 0
        assert curve.probability(0.9) == pytest.approx(19 / 60)

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


def drawn(seed=0):
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(300, 3))
    labels = (rng.random(300) < 1 / (1 + np.exp(-features @ [1.0, -0.5, 0.0] - 0.3))).astype(float)
    return features, labels, rng.uniform(0.5, 2, 300)


class TestRidgeLogistic:
    @pytest.mark.parametrize("penalty", [0.1, 10.0])
    def test_equals_scikit_learn(self, penalty):
        """Weighted rows, and no penalty on the bias (oracle: LogisticRegression with C = 1 / penalty)."""
        features, labels, shares = drawn()
        peer = LogisticRegression(C=1 / penalty, tol=1e-10, max_iter=1000).fit(
            features, labels, sample_weight=shares
        )
        found = ridge_logistic(features, labels, penalty, shares=shares)
        assert found == pytest.approx([peer.intercept_[0], *peer.coef_[0]], abs=1e-5)

    def test_takes_labels_between_0_and_1(self):
        """A label of .3 is three rows in ten with the label 1."""
        features, labels, _ = drawn()
        soft = ridge_logistic(features, 0.3 + 0.4 * labels, 1.0)
        twice = np.vstack([features, features])
        hard = ridge_logistic(
            twice,
            np.repeat([1.0, 0.0], 300),
            1.0,
            shares=np.concatenate([0.3 + 0.4 * labels, 0.7 - 0.4 * labels]),
        )
        assert soft == pytest.approx(hard, abs=1e-8)

    def test_survives_separable_labels_and_one_kind(self):
        """The penalty keeps both finite."""
        features = np.linspace(-1, 1, 20)[:, None]
        assert np.isfinite(ridge_logistic(features, (features[:, 0] > 0).astype(float), 0.01)).all()
        assert np.isfinite(ridge_logistic(features, np.ones(20), 0.01)).all()

    def test_without_features_is_the_share(self):
        """The bias is the log-odds of the labels' mean."""
        bias = ridge_logistic(np.empty((10, 0)), np.array([1.0] * 3 + [0.0] * 7), 1.0)
        assert bias == pytest.approx([np.log(3 / 7)], abs=1e-4)

    def test_survives_a_step_that_overshoots(self):
        """Whole steps of Newton's end at -14,000,000 here (oracle: scikit-learn)."""
        near = [-5, -3, -3, -2, *[-1] * 5, *[0] * 6, *[1] * 4, 3, 4, 4, 9, 10]
        features, labels = np.array([*near, 357.0])[:, None], np.array([0.0] * 23 + [1.0] * 2)
        peer = LogisticRegression(C=1e4, tol=1e-12, max_iter=10_000).fit(features, labels)
        found = ridge_logistic(features, labels, 1e-4, on_bias=1e-12)
        assert found == pytest.approx([peer.intercept_[0], peer.coef_[0, 0]], rel=1e-3)
