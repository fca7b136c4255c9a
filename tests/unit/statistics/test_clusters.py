"""P of questions that come in combinations, with its interval."""

import math

import numpy as np
import pytest
from scipy import stats

from guardrail.errors import InputError
from guardrail.statistics.clusters import clustered
from guardrail.statistics.intervals import wilson


class TestClustered:
    def test_by_hand(self):
        """Shares 0, 0, 1, 1 of 2 each: p = ½, variance = 4/3 · (4 · 1²) / 8² = 1/12, ¼ ÷ 1/12 = 3, but 4 combinations."""
        found = clustered([0, 0, 2, 2], [2, 2, 2, 2])
        assert (found.value, found.size) == (0.5, 4.0)
        assert found.interval == pytest.approx(wilson(2, 4, quantile=stats.t.ppf(0.975, 3)), abs=1e-9)

    def test_spread_that_is_small(self):
        """Shares ⅓, ½, ⅔ of 6: p = ½, variance = 3/2 · (1² + 0 + 1²) / 18² = 1/108, so it is worth 27 questions."""
        assert clustered([2, 3, 4], [6, 6, 6]).size == pytest.approx(27.0)

    def test_variance_is_the_bootstraps(self):
        """p(1 − p) ÷ size is C/(C − 1) of the bootstrap's variance (40,000 replicates, ± 3 %), for unequal sizes too."""
        rng = np.random.default_rng(0)
        sizes = rng.integers(3, 7, 40)
        wrong = rng.binomial(sizes, rng.beta(2, 2, 40))
        found = clustered(wrong, sizes)
        drawn = rng.integers(0, 40, (40_000, 40))
        shares = wrong[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
        variance = found.value * (1 - found.value) / found.size
        assert variance == pytest.approx(shares.var() * 40 / 39, rel=0.03)

    @pytest.mark.parametrize("wrong", [0, 6])
    def test_all_alike(self, wrong):
        """Nine combinations that all go one way are worth nine questions, not 54, and leave room for another."""
        found = clustered([wrong] * 9, [6] * 9)
        expected = stats.binomtest(9 * bool(wrong), 9).proportion_ci(method="wilson")
        assert found.size == 9
        assert found.interval == pytest.approx((expected.low, expected.high), abs=1e-12)

    def test_unread_combinations(self):
        """A combination without a readable reply is as if it had not been asked."""
        assert clustered([1, 0, 2], [2, 0, 2]) == clustered([1, 2], [2, 2])

    @pytest.mark.parametrize("sizes", [[], [3], [3, 0, 0]])
    def test_too_few(self, sizes):
        """One combination says nothing about others."""
        assert clustered([0] * len(sizes), sizes) is None

    @pytest.mark.parametrize(
        ("wrong", "read"), [([1], [1, 2]), ([3], [2]), ([-1], [2]), ([[1]], [[2]]), ([math.nan], [1])]
    )
    def test_nonsense(self, wrong, read):
        """Refused."""
        with pytest.raises(InputError):
            clustered(wrong, read)
