"""Fifty labels of one's own, on sets whose truth is known."""

import numpy as np
import pytest
from benchmarks.grounding.own_labels import own_rows, recalibrated


def drawn(size=600, shift=-2.0):
    """Scores whose log-odds are too high by 2: what was made for another share of made-up answers."""
    rng = np.random.default_rng(0)
    odds = rng.normal(0, 2, size)
    truth = rng.random(size) < 1 / (1 + np.exp(-odds - shift))
    return (1 / (1 + np.exp(-odds))).tolist(), truth.tolist(), [str(i // 2) for i in range(size)]


class TestRecalibrated:
    def test_mends_a_shift(self):
        """The error falls to a third, and the Brier score below the constant's."""
        found = recalibrated(*drawn(), times=10)
        assert found.after < found.before / 3
        assert found.brier < found.constant

    def test_scores_without_a_meaning_are_the_share(self):
        """Labels that do not depend on scores: nearly the constant's Brier score, never a certain answer."""
        scores, _, sources = drawn()
        truth = np.random.default_rng(1).random(600) < 0.3
        found = recalibrated(scores, truth.tolist(), sources, times=10)
        assert found.brier == pytest.approx(found.constant, abs=0.02)

    def test_a_set_of_fifty_answers_has_no_figure(self):
        """Nothing would be left to judge by; the table says so."""
        scores, truth, sources = drawn(50)
        assert recalibrated(scores, truth, sources, times=3) is None
        rows = list(own_rows("fit", {"a": scores}, {"a": truth}, {"a": sources}))
        assert [row.ours for row in rows] == [None]
