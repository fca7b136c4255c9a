"""Combinations and orders."""

import math
from collections import Counter

import numpy as np
import pytest

from guardrail.errors import ConfigError
from guardrail.memory.internal import chosen, orders, shuffled, stream


def rng(seed=0):
    return np.random.default_rng(seed)


class TestShuffled:
    def test_every_order_is_equally_likely(self):
        """6,000 draws of 3: each of the 6 orders about 1,000 times, the right one too; 5 standard deviations."""
        source = rng()
        counts = Counter(shuffled(source, 3) for _ in range(6_000))
        assert set(counts) == set(orders(3))
        assert all(abs(count - 1_000) < 5 * math.sqrt(1_000 * 5 / 6) for count in counts.values())

    def test_moved(self):
        """No right in its place; the 2 such orders of 3 and the 9 of 4 (subfactorials) all come."""
        source = rng()
        for k, expected in ((3, 2), (4, 9)):
            found = {shuffled(source, k, "moved") for _ in range(500)}
            assert len(found) == expected
            assert all(place != i for order in found for i, place in enumerate(order))


class TestOrders:
    @pytest.mark.parametrize("k", [2, 3, 5])
    def test_all(self, k):
        """k! different ones, the right one among them."""
        found = orders(k)
        assert len(set(found)) == len(found) == math.factorial(k)
        assert tuple(range(k)) in found

    def test_most(self):
        """So many different ones; all, where there are not more."""
        found = orders(10, most=24, rng=rng())
        assert len(set(found)) == 24
        assert all(sorted(order) == list(range(10)) for order in found)
        assert orders(3, most=24) == orders(3)

    def test_too_many(self):
        """10! is asked for on purpose or not at all."""
        with pytest.raises(ConfigError, match="3,628,800"):
            orders(10)

    def test_no_random_numbers(self):
        """What cannot be drawn is said."""
        with pytest.raises(ConfigError, match="random numbers"):
            orders(10, most=5)


class TestChosen:
    def test_known_ones_only(self):
        """k different known pairs."""
        known = np.array([True, False, True, True, False])
        for number in range(50):
            found = chosen(stream(0, 3, number), known, 3)
            assert sorted(found) == [0, 2, 3]

    def test_uniform(self):
        """Each of 10 pairs of 5 about 400 times of 4,000; 5 standard deviations."""
        known = np.ones(5, dtype=bool)
        counts = Counter(tuple(sorted(chosen(stream(1, 2, i), known, 2))) for i in range(4_000))
        assert len(counts) == 10
        assert all(abs(count - 400) < 5 * math.sqrt(400 * 0.9) for count in counts.values())

    def test_one_more_known_pair_changes_little(self):
        """Of 400 combinations of 2 out of 100, only those that hold the new pair differ: 2 % are expected."""
        known = np.ones(101, dtype=bool)
        fewer = known.copy()
        fewer[7] = False
        pairs = [(chosen(stream(0, 2, i), fewer, 2), chosen(stream(0, 2, i), known, 2)) for i in range(400)]
        changed = [after for before, after in pairs if before != after]
        assert all(7 in after for after in changed)
        assert len(changed) < 20

    def test_too_few(self):
        """Says how many there are."""
        with pytest.raises(ConfigError, match="at least 3 known pairs"):
            chosen(rng(), np.array([True, True, False]), 3)
