"""From read replies to groundedness."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrail.references.scoring import (
    Posterior,
    direct_score,
    groundedness,
    indirect_score,
    yes_rate,
)


class TestScores:
    def test_a_refusal_does_not_confirm(self):
        """By hand: 2 of 4."""
        assert yes_rate([True, True, False, None]) == 0.5

    def test_undefined_is_not_zero(self):
        """No reply, no rate; and means leave the undefined out."""
        assert yes_rate([]) is None
        assert indirect_score([]) is None
        assert direct_score({"dq1": None, "dq2": 0.5}) == 0.5
        assert groundedness(None, None) is None
        assert groundedness(0.2, 0.6) == pytest.approx(0.4)

    @given(st.lists(st.sampled_from([True, False, None])))
    def test_rates_ignore_the_order(self, votes):
        """A rate is a share of a set of draws."""
        assert yes_rate(votes) == yes_rate(votes[::-1])


class TestPosterior:
    def test_is_certain_when_nothing_can_change(self):
        """All in: the score is known exactly."""
        done = Posterior(overlaps=[1, 1, 1], pairs=3, votes={"dq1": [True] * 10}, draws=10)
        assert (done.mean, done.above(0.5), done.above(1.0)) == (1.0, 1.0, 0.0)

    def test_stops_as_soon_as_the_bounds_decide(self):
        """No agreement and two of three votes no: at most (0 + 1/3) / 2, below .5 whatever comes."""
        half = Posterior(overlaps=[0, 0, 0], pairs=3, votes={"dq1": [False, False]}, draws=3)
        assert half.most == pytest.approx(1 / 6)
        assert half.above(0.5) == 0.0

    def test_agrees_with_simulation(self):
        """Oracle: 20,000 completions of the votes, each from its Beta-Bernoulli predictive (seed 0)."""
        votes, draws, threshold = [True, True, False], 10, 0.55
        rng = random.Random(0)
        above = 0
        for _ in range(20_000):
            p = rng.betavariate(2.5, 1.5)
            total = 2 + sum(rng.random() < p for _ in range(7))
            above += total / draws > threshold
        posterior = Posterior(overlaps=[], pairs=0, votes={"dq1": votes}, draws=draws)
        assert posterior.above(threshold) == pytest.approx(above / 20_000, abs=0.06)  # a normal stands for it

    @given(
        st.lists(st.floats(0, 1), max_size=3),
        st.lists(st.sampled_from([True, False, None]), max_size=10),
        st.floats(0, 1),
    )
    def test_is_a_probability_inside_its_bounds(self, overlaps, votes, threshold):
        """For whatever is in so far."""
        found = Posterior(overlaps=overlaps, pairs=3, votes={"dq1": votes, "dq2": []}, draws=10)
        assert 0 <= found.least <= found.mean + 1e-9 <= found.most + 2e-9 <= 1 + 3e-9
        assert 0 <= found.above(threshold) <= 1
