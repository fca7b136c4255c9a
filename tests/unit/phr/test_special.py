"""Special functions. Oracle: scipy."""

import numpy as np
import pytest
from scipy import special, stats

from guardrail.detectors.phr.special import beta_cdf, digamma, normal_cdf, normal_quantile, student_quantile
from guardrail.errors import InputError


class TestSpecial:
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

    def test_digamma(self):
        """From 0.01 to a thousand."""
        for x in (0.01, 0.5, 1.0, 2.5, 11.9, 12.0, 1000.0):
            assert digamma(x) == pytest.approx(special.digamma(x), rel=1e-11)

    def test_normal(self):
        """Tails too, without cancellation."""
        x = np.array([-37.0, -8.0, -1.0, 0.0, 2.0, np.inf])
        assert normal_cdf(x) == pytest.approx(stats.norm.cdf(x), rel=1e-12)
        assert normal_quantile(0.975) == pytest.approx(1.959964, abs=1e-6)
        assert normal_quantile(0.0) == -np.inf
        assert normal_quantile(1.0) == np.inf

    def test_refuses_what_is_outside(self):
        """Named."""
        for call in (lambda: beta_cdf(0.5, 0, 1), lambda: digamma(0.0), lambda: student_quantile(1.0, 3)):
            with pytest.raises(InputError):
                call()
