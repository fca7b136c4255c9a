"""Shares of flagged answers, and what they say about the true share. Oracles: by hand, scipy, simulation."""

import numpy as np
import pytest
from benchmarks.memory.rates import Known, corrected_share, flagged_share

from guardrail.errors import InputError


class TestShares:
    def test_wilson(self):
        """As scipy has it."""
        stats = pytest.importorskip("scipy.stats")
        for flagged, answers in [(0, 10), (3, 10), (10, 10), (12, 60)]:
            theirs = stats.binomtest(flagged, answers).proportion_ci(method="wilson")
            assert flagged_share(flagged, answers).interval == pytest.approx((theirs.low, theirs.high))

    def test_corrected_by_hand(self):
        """(.3 + .95 − 1) / (.8 + .95 − 1) = ⅓; [rogan1978]."""
        found = corrected_share(30, 100, Known(100, 80, 100, 95))
        assert found.value == pytest.approx(1 / 3)
        assert found.interval[0] < found.value < found.interval[1]

    def test_a_perfect_detector(self):
        """Much labelled, no error: the share itself, and nearly Wilson's interval."""
        found = corrected_share(30, 100, Known(10**9, 10**9, 10**9, 10**9))
        assert found.value == pytest.approx(0.3)
        assert found.interval == pytest.approx(flagged_share(30, 100).interval, abs=0.005)

    def test_fewer_than_false_alarms_explain(self):
        """The interval is not a point, and reaches Wilson's end over the sensitivity (41 of 52); so too at the other end."""
        known = Known(50, 40, 50, 40)
        found = corrected_share(3, 60, known)
        assert found.value == 0
        assert found.interval == (0, pytest.approx(flagged_share(3, 60).interval[1] / (41 / 52)))
        other = corrected_share(57, 60, known)
        assert other.value == 1
        assert other.interval == (pytest.approx(1 - found.interval[1]), 1)

    @pytest.mark.parametrize("rate", [0.0, 0.02, 0.05])
    def test_rare_inventions_are_covered(self, rate):
        """In 2,000 draws of 60 answers and 100 labelled ones: at least 93 %."""
        rng = np.random.default_rng(7)
        held = 0
        for _ in range(2_000):
            known = Known(50, int(rng.binomial(50, 0.8)), 50, int(rng.binomial(50, 0.9)))
            flagged = int(rng.binomial(60, rate * 0.8 + (1 - rate) * 0.1))
            low, high = corrected_share(flagged, 60, known).interval
            held += low <= rate <= high
        assert held / 2_000 >= 0.93

    def test_undefined(self):
        """No answers, nothing labelled, a detector that knows nothing."""
        assert flagged_share(0, 0).value is None
        assert corrected_share(0, 0, Known(5, 5, 5, 5)).value is None
        assert corrected_share(1, 5, Known(0, 0, 5, 5)).value is None
        assert corrected_share(1, 5, Known(10, 5, 10, 5)).value is None
        with pytest.raises(InputError):
            flagged_share(2, 1)
        with pytest.raises(InputError):
            Known(1, 2, 1, 1)
