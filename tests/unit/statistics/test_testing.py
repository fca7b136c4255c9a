"""Tests of a risk with the source as the unit."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from guardrail.errors import InputError
from guardrail.statistics import testing

HALVES = {0: 0.5, 1: 0.5}


class TestBettingPValues:
    def test_is_the_formula(self):
        """Oracle: the mixture of products written out with loops, its largest value on the way."""
        values = [0.0, 0.5, 0.0, 0.125, 1.0, 0.0]
        best, capitals = 1.0, list(testing.STAKES.values())
        for value in values:
            capitals = [
                c * (1 + stake * (0.3 - value) / 0.7)
                for c, stake in zip(capitals, testing.STAKES, strict=True)
            ]
            best = max(best, sum(capitals))
        assert testing.betting_p_values(values, 0.3) == pytest.approx(1 / best, rel=1e-12)

    @pytest.mark.parametrize("kind", ["coins", "even", "rare"])
    def test_is_a_p_value(self, kind):
        """At the bound it is ≤ .05 in ≤ 5 % of 2,000 runs of 100 values (+ 2 sd)."""
        rng = np.random.default_rng(1)
        values = {
            "coins": rng.random((2000, 100)) < 0.1,
            "even": rng.random((2000, 100)) * 0.2,
            "rare": np.where(rng.random((2000, 100)) < 0.2, 0.5, 0.0),
        }[kind]
        assert (testing.betting_p_values(values, 0.1) <= 0.05).mean() <= 0.06

    def test_has_power(self):
        """Half of the bound, 200 values that vary little: always found; coins of the same mean mostly not below 100."""
        rng = np.random.default_rng(2)
        assert (testing.betting_p_values(rng.random((100, 200)) * 0.1, 0.1) <= 0.05).all()

    def test_none_prove_nothing(self):
        """Without values the p-value is 1."""
        assert testing.betting_p_values(np.zeros((3, 0)), 0.1).tolist() == [1, 1, 1]

    def test_refuses(self):
        """Values outside [0, 1], NaN, and bounds outside (0, 1)."""
        for values, bound in (([1.5], 0.1), ([-0.1], 0.1), ([np.nan], 0.1), ([0.5], 0.0), ([0.5], 1.0)):
            with pytest.raises(InputError):
                testing.betting_p_values(values, bound)


def by_closing(capitals, starts):
    """Closed testing written out: of every set of hypotheses the averaged capital of the first ones from each start on."""
    hypotheses = range(len(capitals))
    smallest = [np.inf] * len(capitals)
    for size in range(1, len(capitals) + 1):
        for chosen in combinations(hypotheses, size):
            first = {start: next((one for one in chosen if one >= start), None) for start in starts}
            won = sum(
                part * capitals[first[start]] for start, part in starts.items() if first[start] is not None
            )
            best = max(1.0, float(np.max(won)))
            for one in chosen:
                smallest[one] = min(smallest[one], best)
    return [1 / one for one in smallest]


class TestBettingPValuesTogether:
    def test_one_value_is_closed_testing(self):
        """Oracle: all 63 sets of six hypotheses, after one source, where the highest capital on the way is the last."""
        values = np.array([[0.1], [0.0], [0.05], [0.02], [0.0], [0.15]])
        starts = {0: 0.3, 2: 0.3, 4: 0.4}
        capitals = 1 / testing.betting_p_values(values, 0.2)
        assert (capitals > 1).all()
        found = testing.betting_p_values_together(values, 0.2, starts=starts)
        assert found == pytest.approx(by_closing(capitals, starts), rel=1e-12)

    def test_is_never_below_closed_testing(self):
        """Oracle: the same sets over 80 sources; what is found quickly is at most more careful, and often the same."""
        rng = np.random.default_rng(5)
        starts, same = {0: 0.5, 3: 0.5}, 0
        for _ in range(20):
            values = rng.random((5, 80)) * rng.uniform(0.1, 0.45, (5, 1))
            found = testing.betting_p_values_together(values, 0.2, starts=starts)
            closed = np.array(by_closing(testing._capital(values, 0.2), starts))
            assert (found >= closed * (1 - 1e-9)).all()
            same += np.allclose(found, closed)
        assert same > 5

    def test_one_start_is_the_fixed_sequence(self):
        """Each has the largest p-value up to it; what lies before the start has 1."""
        rng = np.random.default_rng(6)
        values = rng.random((4, 60)) * np.array([[0.1], [0.05], [0.3], [0.05]])
        alone = testing.betting_p_values(values, 0.2)
        found = testing.betting_p_values_together(values, 0.2, starts={1: 1.0})
        assert found == pytest.approx([1.0, *np.maximum.accumulate(alone[1:])], rel=1e-12)

    def test_alike_starts_lose_nothing(self):
        """Three starts at which the same is won are as good as one."""
        values = np.zeros((3, 40))
        found = testing.betting_p_values_together(values, 0.1, starts=dict.fromkeys(range(3), 1 / 3))
        assert found[2] == pytest.approx(testing.betting_p_values(values[2], 0.1))

    @pytest.mark.parametrize("high", [1.0, 0.25])
    def test_keeps_the_error(self, high):
        """Twelve true hypotheses of alike or unlike values, three starts: any ≤ .05 in ≤ 5 % of 2,000 runs (+ 2 sd)."""
        rng = np.random.default_rng(7)
        wrong = 0
        for number in range(2000):
            shared = rng.random((1, 80)) if number % 2 else rng.random((12, 80))
            values = np.broadcast_to(np.where(shared < 0.1 / high, high, 0.0), (12, 80))
            found = testing.betting_p_values_together(values, 0.1, starts={0: 0.3, 4: 0.3, 8: 0.4})
            wrong += bool((found <= 0.05).any())
        assert wrong / 2000 <= 0.06

    def test_none_prove_nothing(self):
        """Without sources all are 1."""
        assert testing.betting_p_values_together(np.zeros((2, 0)), 0.1, starts={0: 1.0}).tolist() == [1, 1]


class TestBinomialPValue:
    @settings(max_examples=60, deadline=None)
    @given(st.integers(0, 300), st.integers(1, 300), st.floats(0.01, 0.9))
    def test_equals_scipy(self, successes, trials, rate):
        """Oracle: scipy.stats.binom.cdf."""
        expected = stats.binom.cdf(successes, trials, rate)
        assert testing.binomial_p_value(successes, trials, rate) == pytest.approx(
            expected, rel=1e-8, abs=1e-300
        )


class TestLosses:
    def test_are_means_of_sources(self):
        """By hand: b has (1 + 0) / 2, a has 1."""
        assert testing.losses([1, 1, 0], ["b", "a", "b"]).tolist() == [1, 0.5]

    def test_of_discoveries_are_at_the_rate_exactly_where_the_rate_is(self):
        """One source: 4 flagged, 1 of them sound, so the rate is .25 and so is the value."""
        found = testing.discovery_losses([1, 1, 1, 1, 0], [1, 0, 0, 0, 1], [0] * 5, 0.25)
        assert found.tolist() == [0.25]


class TestOneRowEach:
    def test_takes_one_of_each(self):
        """As many as sources, of each exactly one, and other ones by another seed."""
        sources = np.repeat(np.arange(50), 4)
        found = testing.one_row_each(sources, seed=0)
        assert sources[found].tolist() == list(range(50))
        assert found.tolist() != testing.one_row_each(sources, seed=1).tolist()


class TestFallback:
    def test_one_start_is_the_fixed_sequence(self):
        """It ends at the first failure."""
        assert testing.fallback([0.01, 0.04, 0.2, 0.01], 0.05) == [True, True, False, False]

    def test_what_is_rejected_hands_on_its_share(self):
        """Half of .05 each: the second start has .05 only because the first was rejected."""
        assert testing.fallback([0.02, 0.04], 0.05, starts=HALVES) == [True, True]
        assert testing.fallback([0.03, 0.04], 0.05, starts=HALVES) == [False, False]

    def test_keeps_the_error(self):
        """Even p-values of 20 true hypotheses, three starts: any rejected in ≤ 5 % of 4,000 runs (+ 2 sd)."""
        rng = np.random.default_rng(3)
        starts = {0: 0.2, 5: 0.5, 12: 0.3}
        wrong = sum(any(testing.fallback(rng.random(20), 0.05, starts=starts)) for _ in range(4000))
        assert wrong / 4000 <= 0.057


class TestSourcesNeeded:
    def test_so_many_do(self):
        """Faultless sources: the number said is enough, and two thirds of it are not."""
        needed = testing.sources_needed([[0.0] * 5], 0.1, 0.05)
        assert testing.betting_p_values([0.0] * needed, 0.1) <= 0.05
        assert testing.betting_p_values([0.0] * (2 * needed // 3), 0.1) > 0.05

    def test_none_where_the_risk_is_too_high(self):
        """A risk above the bound is not shown to be below it by any number."""
        assert testing.sources_needed([[0.0, 1.0] * 20], 0.1, 0.05) is None


class TestFewestSources:
    @pytest.mark.parametrize("bound", [0.01, 0.1, 0.5, 0.9])
    @pytest.mark.parametrize("error", [0.05, 0.025, 0.001])
    def test_so_many_without_a_loss_are_enough_and_one_less_is_not(self, bound, error):
        """Oracles: the tests themselves."""
        few = testing.fewest_sources(bound, error, test="betting")
        less, enough = (float(testing.betting_p_values([0.0] * n, bound)) for n in (few - 1, few))
        assert enough <= error < less
        few = testing.fewest_sources(bound, error, test="binomial")
        assert testing.binomial_p_value(0, few, bound) <= error < testing.binomial_p_value(0, few - 1, bound)

    def test_a_power_is_met_exactly(self):
        """(1/2)^5 = 1/32."""
        assert testing.fewest_sources(0.5, 1 / 32, test="binomial") == 5
