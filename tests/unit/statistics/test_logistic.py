"""Logistic regression with a ridge penalty."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from guardrail.statistics.logistic import ridge_logistic


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
