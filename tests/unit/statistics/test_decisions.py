"""Flags against labels: against scikit-learn, and where they are undefined."""

import numpy as np
import pytest
from sklearn import metrics

from guardrail.statistics.decisions import balanced_accuracy, balanced_influence, f1, rates


class TestDecisions:
    def test_against_scikit_learn(self):
        """Oracle: scikit-learn 1.5 or later, on 300 drawn rows."""
        rng = np.random.default_rng(4)
        flagged, truth = rng.random(300) < 0.4, rng.random(300) < 0.3
        assert balanced_accuracy(flagged, truth) == pytest.approx(
            metrics.balanced_accuracy_score(truth, flagged)
        )
        assert f1(flagged, truth) == pytest.approx(metrics.f1_score(truth, flagged))

    def test_influence_is_the_derivative(self):
        """A row repeated once moves the figure by its influence over n, to first order."""
        rng = np.random.default_rng(5)
        flagged, truth = rng.random(4000) < 0.4, rng.random(4000) < 0.3
        moved, whole = balanced_influence(flagged, truth), balanced_accuracy(flagged, truth)
        assert moved.mean() == pytest.approx(0, abs=1e-12)
        for i in range(20):
            more = balanced_accuracy(np.append(flagged, flagged[i]), np.append(truth, truth[i]))
            assert (more - whole) * 4000 == pytest.approx(moved[i], abs=2e-3)

    def test_undefined(self):
        """One class only, and nothing to divide by."""
        assert (
            rates([True], [True]) is balanced_accuracy([True], [True]) is balanced_influence([True], [True])
        )
        assert rates([True], [True]) is None
        assert f1([False], [False]) is None
        assert f1([False, False], [True, False]) == 0
