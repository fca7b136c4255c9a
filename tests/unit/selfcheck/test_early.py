"""Early stop. Oracle: all continuations of a Pólya urn, counted out."""

import itertools

import pytest

from guardrail.selfcheck import early


def counted_out(total, seen, planned, threshold):
    """P(mean ≥ threshold) by walking through every continuation of the urn that starts at Beta(½, ½)."""
    found = 0.0
    for rest in itertools.product((0, 1), repeat=planned - seen):
        p, yes, n = 1.0, total + 0.5, seen + 1.0
        for draw in rest:
            p *= yes / n if draw else 1 - yes / n
            yes, n = yes + draw, n + 1
        found += p * ((total + sum(rest)) / planned >= threshold - 1e-12)
    return found


class TestProbability:
    @pytest.mark.parametrize("total", [0, 1, 1.5, 3])
    @pytest.mark.parametrize("threshold", [0.1, 0.5, 0.7])
    def test_is_the_urn(self, total, threshold):
        """Three seen of eight."""
        got = early.probability_above(total, 3, 8, threshold)
        assert got == pytest.approx(counted_out(total, 3, 8, threshold))

    def test_certain(self):
        """What nothing can change."""
        assert early.probability_above(5, 5, 10, 0.5) == 1.0
        assert early.probability_above(0, 6, 10, 0.5) == 0.0
        assert early.probability_above(1, 2, 2, 0.5) == 1.0
