"""Intervals and quantiles. Oracle: scipy."""

import numpy as np
import pytest
from scipy import stats

from guardrail.errors import InputError
from guardrail.statistics.intervals import beta_cdf, normal_quantile, student_quantile, wilson


class TestWilson:
    @pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
    @pytest.mark.parametrize(("successes", "trials"), [(0, 10), (10, 10), (5, 10), (1, 1), (468, 1000)])
    def test_is_scipys(self, successes, trials, confidence):
        """binomtest(...).proportion_ci(method="wilson")."""
        expected = stats.binomtest(successes, trials).proportion_ci(confidence, method="wilson")
        assert wilson(successes, trials, confidence=confidence) == pytest.approx(tuple(expected), abs=1e-12)

    @pytest.mark.parametrize("trials", [1, 3, 7, 0.4, 1e6])
    def test_holds_the_proportion_to_the_last_bit(self, trials):
        """At the ends too, where rounding alone would leave 1e-17."""
        for share in (0.0, 1.0, 1 / 3):
            low, high = wilson(share * trials, trials)
            assert 0 <= low <= share * trials / trials <= high <= 1

    def test_another_quantile(self):
        """Student's in place of the normal one."""
        assert wilson(3, 10, quantile=normal_quantile(0.975)) == wilson(3, 10)
        narrow, wide = wilson(3, 10), wilson(3, 10, quantile=student_quantile(0.975, 9))
        assert wide[0] < narrow[0] < narrow[1] < wide[1]

    @pytest.mark.parametrize("options", [{"confidence": 1.0}, {"confidence": -1.0}, {"quantile": -1.0}])
    def test_refuses_what_is_no_confidence(self, options):
        """Named."""
        with pytest.raises(InputError):
            wilson(1, 2, **options)

    @pytest.mark.parametrize(("successes", "trials"), [(0, 0), (3, 2), (-1, 2)])
    def test_refuses_what_are_no_counts(self, successes, trials):
        """Nothing is known of no trials: callers say so."""
        with pytest.raises(InputError):
            wilson(successes, trials)


class TestQuantiles:
    @pytest.mark.parametrize("a", [0.5, 1.0, 3.7, 40.0, 300.0])
    @pytest.mark.parametrize("b", [0.5, 2.0, 11.3, 200.0])
    def test_beta(self, a, b):
        """To 1e-12, over the whole range."""
        for x in (-1.0, 0.0, 1e-6, 0.03, 0.3, 0.5, 0.77, 0.999, 1.0, 2.0):
            assert beta_cdf(x, a, b) == pytest.approx(stats.beta.cdf(x, a, b), abs=1e-12)

    def test_student(self):
        """As tables have it."""
        for p in (0.5, 0.9, 0.975, 0.999):
            for degrees in (1, 2, 9, 39, 400):
                assert student_quantile(p, degrees) == pytest.approx(
                    stats.t.ppf(p, degrees), rel=1e-7, abs=1e-9
                )

    def test_normal(self):
        """As tables have it; infinite at the ends."""
        assert normal_quantile(0.975) == pytest.approx(1.959964, abs=1e-6)
        assert normal_quantile(0.0) == -np.inf
        assert normal_quantile(1.0) == np.inf

    def test_refuses_what_is_outside(self):
        """Named."""
        for call in (lambda: beta_cdf(0.5, 0, 1), lambda: student_quantile(1.0, 3)):
            with pytest.raises(InputError):
                call()
