"""Rates, their intervals and aligned distributions. Oracles: by hand, and statsmodels' Wilson in a comment."""

import math

import pytest

from guardrail.errors import InputError
from guardrail.phr.estimators import (
    aligned,
    estimate,
    rate,
    share,
)
from guardrail.requests import Outcomes
from guardrail.statistics.intervals import wilson


class TestRate:
    def test_by_hand(self):
        """Q_.5 of (−1, −2, −3, −4) is −3; strictly below it are −3.5 and −9."""
        assert float(rate([-1, -2, -3, -4], [-0.5, -3.5, -9, -3], 0.5)) == 0.5

    def test_is_strict(self):
        """A response at the quantile is in the likely set."""
        assert float(rate([-1, -1, -1], [-1, -1], 0.9)) == 0.0

    def test_epsilon_0(self):
        """Nothing is a hallucination, not even what is impossible."""
        assert float(rate([-1, -2], [-math.inf], 0.0)) == 0.0

    def test_rows(self):
        """One rate per context."""
        found = rate([[-1, -2], [-5, -6]], [[-3, -1, -3], [-5, -6, -7]], 1.0)
        assert found.tolist() == [2 / 3, 2 / 3]

    def test_impossible_response(self):
        """Log 0 is below every quantile."""
        assert float(rate([-1, -2], [-math.inf, -1.5], 0.5)) == 0.5

    @pytest.mark.parametrize("responses", [[], [math.nan]])
    def test_refuses_no_responses(self, responses):
        """And NaN."""
        with pytest.raises(InputError, match="at least one response"):
            rate([-1.0], responses, 0.5)


class TestAligned:
    def test_one_vocabulary(self):
        """Rounding makes no other outcome."""
        names = ("a", "b")
        rank, p, q = aligned(Outcomes(names, (0.7, 0.3 - 1e-9)), Outcomes(names, (0.2, 0.8)))
        assert rank[:2].tolist() == p[:2].tolist()
        assert p[2] == 0.0
        assert q.tolist() == [0.2, 0.8, 0.0]

    def test_top_k(self):
        """What is not told under D is one outcome, below all told ones."""
        under, given = Outcomes(("a", "b"), (0.6, 0.3)), Outcomes(("c", "a"), (0.5, 0.4))
        rank, p, q = aligned(under, given)
        assert rank.tolist() == [0.6, 0.3, -1.0]
        assert p == pytest.approx([0.6, 0.3, 0.1])
        assert q == pytest.approx([0.4, 0.0, 0.6])

    @pytest.mark.parametrize(
        "bad",
        [
            Outcomes((), ()),
            Outcomes(("a",), (0.5, 0.5)),
            Outcomes(("a", "a"), (0.5, 0.5)),
            Outcomes(("a", "b"), (0.5, math.nan)),
            Outcomes(("a", "b"), (1.5, -0.5)),
            Outcomes(("a", "b"), (0.9, 0.9)),
            Outcomes(("a",), (0.0,)),
        ],
    )
    def test_refuses_what_is_no_distribution(self, bad):
        """Whatever a backend says."""
        with pytest.raises(InputError):
            aligned(bad, bad)


class TestEstimate:
    def test_by_hand(self):
        """Mean .2, s = .1, so s/√3; one more context that disagrees: x̃ = (.6 + 1)/5 = .32."""
        found = estimate([0.1, 0.2, 0.3])
        assert found.value == pytest.approx(0.2)
        assert found.error == pytest.approx(0.1 / math.sqrt(3))
        half = 4.302653 * math.sqrt((2 * 0.01 / 3 + 0.32 * 0.68 / 3) / 3)  # t of 2 degrees
        assert found.interval == (0.0, pytest.approx(0.2 + half))
        assert found.contexts == 3

    def test_all_equal(self):
        """Ten contexts without a hallucination do not show that there is none."""
        found = estimate([0.0] * 10)
        assert found.error == 0.0
        assert found.interval == wilson(0.0, 10)
        assert found.interval[1] > 0.25
        assert found.precision > 0.05

    def test_one(self):
        """No error without a second context."""
        assert estimate([0.4]).error is None

    @pytest.mark.parametrize("values", [[], [1.2], [-0.1], [math.nan]])
    def test_refuses_what_is_no_rate(self, values):
        """Named."""
        with pytest.raises(InputError):
            estimate(values)

    def test_share(self):
        """statsmodels 0.14: proportion_confint(3, 10, method="wilson") = (0.10779, 0.60322)."""
        found = share([True] * 3 + [False] * 7)
        assert found.value == pytest.approx(0.3)
        assert found.interval == pytest.approx((0.10779, 0.60322), abs=1e-5)
