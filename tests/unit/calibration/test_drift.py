"""Whether live scores look like the calibration's."""

import numpy as np
import pytest

from guardrail.calibration import DriftMonitor
from guardrail.errors import InputError


def first(monitor, scores):
    """After how many answers the alarm is on; `None` = never."""
    return next((place for place, score in enumerate(scores, 1) if monitor.observe(score)), None)


class TestDriftMonitor:
    def test_is_quiet_where_nothing_changes(self):
        """Alarms in ≤ 5 % of 300 runs of 300 answers (+ 2 sd), with scores that tie too."""
        rng = np.random.default_rng(0)
        for digits in (6, 1):
            alarms = 0
            for seed in range(300):
                scores = np.round(rng.random(400), digits)
                alarms += first(DriftMonitor(scores[:100], seed=seed), scores[100:]) is not None
            assert alarms / 300 <= 0.075

    @pytest.mark.parametrize("shift", [-0.55, 0.55])
    def test_notices_a_shift_either_way(self, shift):
        """An AUC of .65 either way: within 200 answers in at least 46 of 50 runs."""
        rng = np.random.default_rng(1)
        found = [
            first(DriftMonitor(rng.normal(size=400), seed=seed), rng.normal(shift, 1, 200))
            for seed in range(50)
        ]
        assert sum(one is not None for one in found) >= 46

    def test_notices_another_spread(self):
        """The mean stays, the spread doubles."""
        rng = np.random.default_rng(2)
        assert first(DriftMonitor(rng.normal(size=400)), rng.normal(0, 3, 300)) is not None

    def test_notices_that_nothing_is_scored_any_more(self):
        """Answers without a score rank below all others."""
        assert first(DriftMonitor(np.linspace(0, 1, 100)), [None] * 30) is not None

    def test_is_sticky(self):
        """Ordinary scores do not end an alarm."""
        monitor = DriftMonitor(np.linspace(0, 1, 100))
        assert first(monitor, [0.99] * 50) is not None
        assert all(monitor.observe(score) for score in np.linspace(0, 1, 200))

    def test_capital_is_a_fair_game(self):
        """By hand: over the ten bins of the next answer the mean of the capital is what it was."""
        means = []
        for place in range(10):
            monitor = DriftMonitor(np.linspace(0, 1, 50))
            for earlier in (9, 9, 3):
                monitor._bet(earlier)
            before = monitor.capital
            monitor._bet(place)
            means.append(monitor.capital)
        # the histogram bets shares (counts + 1) / (answers + 10), so its fair mean is weighted evenly over the bins
        assert np.mean(means) == pytest.approx(before, rel=1e-12)

    def test_refuses_too_few(self):
        """Nineteen scores, an infinite one, and an error of 1."""
        for scores, error in (([0.1] * 19, 0.05), ([np.inf] * 30, 0.05), ([0.1] * 30, 1.0)):
            with pytest.raises(InputError):
                DriftMonitor(scores, error=error)
