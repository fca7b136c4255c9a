"""After how many samples an early stop would have ended."""

import math

from benchmarks.selfcheck.beyond import stop_after
from hypothesis import given
from hypothesis import strategies as st

from guardrail.selfcheck import early


class TestStop:
    def test_unanimous(self):
        """Settled soon, and not before the first three."""
        assert stop_after([[1.0] * 20]) == early.FIRST
        assert stop_after([[0.0] * 20]) == 4
        assert stop_after([[1.0] * 20], confidence=0.99) > early.FIRST

    def test_the_slowest_sentence_counts(self):
        """One divided sentence keeps the samples coming."""
        divided = [1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0] * 2
        alone = stop_after([divided])
        assert alone > 4
        assert stop_after([[1.0] * 20, divided]) == alone

    def test_nothing(self):
        """Without sentences or samples there is nothing to wait for."""
        assert stop_after([]) == 0
        assert stop_after([[]]) == 0

    @given(st.lists(st.lists(st.floats(0, 1), min_size=8, max_size=8), min_size=1, max_size=4))
    def test_certain_keeps_the_verdict(self, values):
        """Stopped at confidence 1 the verdict is that of all samples."""
        used = stop_after(values, confidence=1.0, margin=0.0)
        for row in values:
            seen = early.probability_above(math.fsum(row[:used]), used, 8, 0.5)
            assert seen == (math.fsum(row) / 8 >= 0.5 - 1e-9)
