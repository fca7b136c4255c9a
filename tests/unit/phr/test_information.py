"""Mutual information, the martingale's bets and the correction. Oracles: by hand, scipy, and simulation."""

import math

import numpy as np
import pytest
from scipy import stats

from guardrail.errors import InputError
from guardrail.phr.estimators import entropy, entropy_of_draws, information
from guardrail.phr.reliability import ALPHA, STAKE, Correction, drifts, wealth


class TestEntropy:
    def test_exact(self):
        """scipy's, in nats; 0 log 0 is 0."""
        rows = [[0.5, 0.25, 0.25], [1.0, 0.0, 0.0], [0.1, 0.1, 0.8]]
        assert entropy(rows) == pytest.approx([stats.entropy(row) for row in rows], abs=1e-12)

    def test_drawn(self):
        """Of a standard normal: ½ log 2πe."""
        draws = np.random.default_rng(0).standard_normal(200_000)
        assert float(entropy_of_draws(stats.norm.logpdf(draws))) == pytest.approx(
            0.5 * math.log(2 * math.pi * math.e), abs=0.01
        )

    def test_refuse(self):
        """What is no probability, and what has no finite logarithm."""
        for call in (
            lambda: entropy([-0.1, 1.1]),
            lambda: entropy_of_draws([-math.inf]),
            lambda: entropy_of_draws([]),
        ):
            with pytest.raises(InputError):
                call()


class TestInformation:
    def test_by_hand(self):
        """Differences .2 and .4: mean .3, standard error .1, t of one degree 12.706."""
        found = information(0.6, [0.4, 0.2])
        assert found.value == pytest.approx(0.3)
        assert found.error == pytest.approx(0.1)
        assert found.interval == pytest.approx((0.3 - 1.27062, 0.3 + 1.27062), abs=1e-4)

    def test_one_context(self):
        """No error without a second."""
        assert information(0.6, [0.4]).interval is None

    @pytest.mark.parametrize("known", [[], [math.nan], [math.inf]])
    def test_refuses(self, known):
        """No context, NaN, infinity."""
        with pytest.raises(InputError):
            information(0.6, known)


class TestWealth:
    def test_by_hand(self):
        """One context, .8 where ½ is kept: up (1 + .9 · .6), down (1 − .9 · .6); the best of start and now."""
        up, down = 1 + STAKE * 0.6, 1 - STAKE * 0.6
        assert wealth([0.8], 0.5) == pytest.approx(max(1.0, (up + down) / 2))
        assert wealth([0.8, 0.8], 0.5) == pytest.approx((up**2 + down**2) / 2)

    def test_columns_share_it(self):
        """An outcome and its opposite say the same."""
        values = np.array([0.8, 0.7, 0.9])
        both = wealth(np.stack([values, 1 - values], axis=1), [0.5, 0.5])
        assert both == pytest.approx(wealth(values, 0.5))

    @pytest.mark.parametrize("mean", [0.5, 0.9, 0.98, 1.0, 0.0])
    def test_keeps_its_promise(self, mean):
        """Coins whose mean is kept: alarms in at most one of ten, up to noise, however long it goes on."""
        random = np.random.default_rng(1)
        runs = (random.random((2_000, 60)) < mean).astype(float)
        rate = sum(drifts(wealth(run, mean)) for run in runs) / len(runs)
        assert rate <= ALPHA + 3 * math.sqrt(ALPHA * (1 - ALPHA) / len(runs))

    def test_finds_a_drift(self):
        """And nothing where there is none."""
        assert drifts(wealth([0.9] * 10, 0.5))
        assert drifts(1 / ALPHA)
        assert not drifts(wealth([0.5] * 10_000, 0.5))
        assert not drifts(wealth([], 0.5))
        assert math.isfinite(wealth([1.0] * 10_000, 0.01))

    def test_refuses(self):
        """What is not in [0, 1]."""
        for values, mean in (([1.5], 0.5), ([0.5], math.nan), ([math.nan], 0.5)):
            with pytest.raises(InputError):
                wealth(values, mean)


class TestCorrection:
    def test_finds_the_curve(self):
        """Rates made by a curve of slope 1.5 and intercept ½."""
        estimates = np.linspace(0.05, 0.9, 30)
        truth = [Correction(1.5, 0.5)(x) for x in estimates.tolist()]
        found = Correction.fit(estimates, truth)
        assert (found.slope, found.intercept) == pytest.approx((1.5, 0.5), abs=1e-4)

    def test_lifts_what_is_too_low(self):
        """Observed rates twice as high."""
        estimates = np.linspace(0.02, 0.3, 20)
        found = Correction.fit(estimates, 2 * estimates)
        assert found(0.1) == pytest.approx(0.2, abs=0.02)

    def test_extremes(self):
        """Rates of 0 and 1, and rows of one estimate, have a finite curve."""
        for estimates, observed in (
            ([0.0, 1.0], [0.0, 1.0]),
            ([0.3, 0.3, 0.3], [0.5, 0.6, 0.7]),
            ([0, 0], [0, 0]),
        ):
            found = Correction.fit(estimates, observed)
            assert 0 <= found(0.3) <= 1
        assert Correction.fit([0.3] * 3, [0.5, 0.6, 0.7])(0.3) == pytest.approx(0.6, abs=1e-3)

    def test_refuses(self):
        """Other lengths, one row, no rates."""
        for rows in (([0.1], [0.1]), ([0.1, 0.2], [0.1]), ([0.1, 2.0], [0.1, 0.2])):
            with pytest.raises(InputError):
                Correction.fit(*rows)
        with pytest.raises(InputError):
            Correction(1.0, 0.0)(1.5)
        with pytest.raises(InputError):
            Correction(math.nan, 0.0)
