"""Batches within a token budget; needs no model."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrail.backends.batching import Workload, batches, matrix_rows, tune
from guardrail.errors import ConfigError


class TestBatches:
    def test_like_lengths_together(self):
        """By hand: 10 and 9 fill 20 slots; 3, 2 and 2 fill 9 of the next."""
        found = batches([2, 10, 3, 9, 2], budget=20)
        assert found.groups == ((1, 3), (2, 0, 4))
        assert (found.tokens, found.slots) == (26, 29)
        assert found.padding == pytest.approx(3 / 29)

    def test_longer_than_the_budget(self):
        """A text that is longer than the budget goes alone; it is not lost."""
        assert batches([5, 50, 5], budget=10).groups == ((1,), (0, 2))

    def test_nothing(self):
        """No text, no batch, and padding is undefined, not 0."""
        found = batches([], budget=10)
        assert (found.groups, found.padding) == ((), None)
        assert Workload().padding is None

    def test_sorted_wastes_less(self):
        """Alternating short and long texts: in the order given, groups of four would be 45 % padding."""
        assert batches([10, 100] * 20, budget=400).padding < 0.05

    def test_overhead(self):
        """By hand: 100 + 4 x 10 slots in two passes, or 500 in one; from an overhead of 360 on, one is cheaper."""
        lengths = [100, 10, 10, 10, 10]
        assert batches(lengths, budget=600, overhead=359).groups == ((0,), (1, 2, 3, 4))
        assert batches(lengths, budget=600, overhead=361).groups == ((0, 1, 2, 3, 4),)

    @given(st.lists(st.integers(1, 40), min_size=1, max_size=7), st.integers(10, 120), st.integers(0, 50))
    def test_cheapest(self, lengths, budget, overhead):
        """Oracle: every way to cut the sorted lengths, tried out."""
        falling = sorted(lengths, reverse=True)
        costs = []
        for marks in itertools.product([False, True], repeat=len(falling) - 1):
            ends = [i + 1 for i, cut in enumerate(marks) if cut]
            groups = [falling[a:b] for a, b in itertools.pairwise([0, *ends, len(falling)])]
            if all(len(g) == 1 or g[0] * len(g) <= budget for g in groups):
                costs.append(sum(g[0] * len(g) + overhead for g in groups))
        found = batches(lengths, budget=budget, overhead=overhead)
        assert found.slots + overhead * len(found.groups) == min(costs)

    def test_budget(self):
        """A budget of nothing is an error."""
        with pytest.raises(ConfigError, match="1 token or more, got 0"):
            batches([1], budget=0)

    @given(st.lists(st.integers(1, 600), max_size=60), st.integers(1, 3000))
    def test_every_text_once(self, lengths, budget):
        """Each text stands in one group, no group of several is over the budget, padding lies in [0, 1)."""
        found = batches(lengths, budget=budget)
        assert sorted(itertools.chain(*found.groups)) == list(range(len(lengths)))
        for group in found.groups:
            assert len(group) == 1 or max(lengths[i] for i in group) * len(group) <= budget
        assert found.slots == sum(len(g) * max(lengths[i] for i in g) for g in found.groups)
        assert found.padding is None or 0 <= found.padding < 1

    @given(st.lists(st.integers(1, 600), max_size=60), st.integers(1, 3000))
    def test_without_padding(self, lengths, budget):
        """Groups hold no more tokens than the budget, and the first text of the next would not have fitted."""
        found = batches(lengths, budget=budget, padded=False)
        assert sorted(itertools.chain(*found.groups)) == list(range(len(lengths)))
        sizes = [sum(lengths[i] for i in group) for group in found.groups]
        assert all(size <= budget or len(group) == 1 for size, group in zip(sizes, found.groups, strict=True))
        for size, (_, following) in zip(sizes, itertools.pairwise(found.groups), strict=False):
            assert size + lengths[following[0]] > budget
        assert found.tokens == sum(lengths)
        assert found.slots == sum(map(matrix_rows, sizes))

    @given(st.lists(st.integers(1, 600), min_size=1, max_size=60), st.randoms(use_true_random=False))
    def test_order_of_arrival(self, lengths, random):
        """The batches hold the same lengths whatever came first."""
        shuffled = random.sample(lengths, len(lengths))
        shapes = [
            [[some[i] for i in group] for group in batches(some, budget=2048).groups]
            for some in (lengths, shuffled)
        ]
        assert shapes[0] == shapes[1]


class TestTune:
    def timed(self, seconds, **options):
        now = 0.0

        def run(budget):
            nonlocal now
            now += seconds[budget]

        return tune(run, list(seconds), clock=lambda: now, **options)

    def test_fastest_first(self):
        """The largest is not the best."""
        found = self.timed({512: 3.0, 1024: 1.0, 8192: 2.0})
        assert list(found) == [1024, 8192, 512]
        assert found == pytest.approx({1024: 1.0, 8192: 2.0, 512: 3.0})

    def test_smaller_of_equals(self):
        """Within 3 % the smaller wins: less memory, earlier replies."""
        assert list(self.timed({4096: 1.0, 2048: 1.02, 512: 1.5})) == [2048, 4096, 512]

    def test_first_round_is_not_counted(self):
        """Each budget runs once more than it is timed."""
        runs = []
        tune(runs.append, [8, 4, 4], rounds=2)
        assert runs == [4, 8] * 3


class TestMatrixRows:
    @given(st.integers(1, 200_000))
    def test_few_and_near(self, tokens):
        """Never fewer than there are, hardly more than an eighth more, and the same for all that are rounded to it."""
        found = matrix_rows(tokens)
        assert tokens <= found <= tokens * 9 / 8 + 7
        assert matrix_rows(found) == found

    def test_sizes(self):
        """Of a thousand sizes few are left."""
        assert len({matrix_rows(tokens) for tokens in range(1, 1_025)}) == 40
