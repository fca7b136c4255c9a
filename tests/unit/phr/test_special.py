"""Special functions. Oracle: scipy."""

import pytest
from scipy import special

from guardrail.errors import InputError
from guardrail.phr.special import digamma


class TestDigamma:
    @pytest.mark.parametrize("x", [0.01, 0.5, 1.0, 2.5, 11.9, 12.0, 1000.0])
    def test_is_scipys(self, x):
        """From 0.01 to a thousand."""
        assert digamma(x) == pytest.approx(special.digamma(x), rel=1e-11)

    def test_refuses_what_is_outside(self):
        """Named."""
        with pytest.raises(InputError):
            digamma(0.0)
