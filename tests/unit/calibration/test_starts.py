"""Where the testing of a false discovery rate begins."""

import numpy as np
import pytest

from guardrail.calibration import Promise, Risk, Rows, learn
from guardrail.calibration.starts import planned_starts, revealed_start


def single(scores, made_up):
    names = np.arange(len(scores))
    return Rows(np.asarray(scores, dtype=float), np.asarray(made_up, dtype=bool), names, names)


def drawn(seed, rate, sources=200):
    """Even scores, one row of each source; `rate` is P(sound) of scores."""
    rng = np.random.default_rng(seed)
    scores = rng.random(sources)
    return single(scores, rng.random(sources) >= rate(scores))


class TestPlannedStarts:
    def test_one_is_where_the_placing_sources_gain_most(self):
        """Sound rows below .5 alone: the threshold .5 is a start with most of the error, and all shares add up to 1."""
        scores = np.linspace(0.02, 1.0, 50)
        placed = single(scores, scores >= 0.5)
        points = np.linspace(0.95, 0.05, 19)
        starts = planned_starts(points, placed, 0.2, error=0.05, sources=200)
        assert sum(starts.values()) == pytest.approx(1)
        assert points[max(starts, key=starts.get)] == pytest.approx(0.5)

    def test_labels_of_a_few_do_not_take_all(self):
        """Where no threshold helps the placing sources, part of the error still begins where enough is flagged."""
        scores = np.linspace(0.02, 1.0, 50)
        points = np.linspace(0.95, 0.05, 19)
        starts = planned_starts(points, single(scores, scores < 0), 0.2, error=0.05, sources=200)
        assert starts[0] == pytest.approx(0.6)
        assert len(starts) > 2

    def test_without_a_grid_there_is_one(self):
        """No scores, no places to begin."""
        assert planned_starts(np.array([]), single([], []), 0.2, error=0.05, sources=9) == {0: 1.0}


class TestRevealedStart:
    def test_is_just_above_the_rows_that_end_the_search(self):
        """By hand: 5 sound rows, then made-up ones; the ninth of these ends it, at a score of .14."""
        rows = single(np.arange(1, 101) / 100, np.arange(100) >= 5)
        assert revealed_start(rows, 0.2) == pytest.approx(0.1401)

    def test_a_sound_row_costs_as_many_more_as_the_bound_says(self):
        """By hand, at .2: after 8 made-up rows a sound one takes back 4, so 5 more are needed: at the 14th row."""
        made_up = np.ones(100, dtype=bool)
        made_up[8] = False
        assert revealed_start(single(np.arange(1, 101) / 100, made_up), 0.2) == pytest.approx(0.1401)

    def test_equal_scores_are_revealed_together(self):
        """Scores of 0, .5 and 1: the threshold lies between two of them, and tells them apart."""
        rows = single(np.repeat([0.0, 0.5, 1.0], 20), np.repeat([False, True, True], 20))
        assert revealed_start(rows, 0.2) == pytest.approx(0.5001)

    def test_knows_nothing_of_the_rows_above(self):
        """Other labels and other scores above it change nothing."""
        rows = drawn(0, lambda scores: np.where(scores > 0.5, 0.05, 0.6))
        point = revealed_start(rows, 0.2)
        above = rows.scores >= point
        turned = single(np.where(above, (1 + rows.scores) / 2, rows.scores), rows.made_up ^ above)
        assert revealed_start(turned, 0.2) == point

    def test_none_where_flagging_never_helps(self):
        """Sound rows alone, or none at all, or none with a score."""
        assert revealed_start(single(np.arange(50) / 50, np.zeros(50)), 0.2) is None
        assert revealed_start(single([], []), 0.2) is None
        assert revealed_start(single([np.nan] * 30, [True] * 30), 0.2) is None


class TestErrorOfSingleRows:
    @pytest.mark.parametrize("shape", ["at the bound", "not monotone"])
    def test_is_kept(self, shape):
        """One row a source, any threshold above the bound of .2 passes in ≤ 5 % of 400 runs (+ 2 sd)."""
        rate = {
            "at the bound": lambda scores: np.full(scores.shape, 0.205),
            "not monotone": lambda scores: np.where(scores >= 0.8, 0.35, np.where(scores >= 0.4, 0.13, 0.9)),
        }[shape]
        grid = np.arange(1, 2000) / 2000
        wrong = 0
        for seed in range(400):
            found = learn(drawn(seed, rate), Promise(Risk.FDR, 0.2), error=0.05, seed=seed)
            kept = [point for point, passed in zip(found.grid, found.passed, strict=True) if passed]
            wrong += any(rate(grid[grid >= point]).mean() > 0.2 for point in kept)
        assert wrong / 400 <= 0.072
