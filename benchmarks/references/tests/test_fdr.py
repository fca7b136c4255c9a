"""Thresholds with a guarantee."""

import math

import numpy as np
import pytest
from benchmarks.references.fdr import threshold_for_fdr
from hypothesis import given, settings
from hypothesis import strategies as st

from guardrail.errors import InputError


def rows(seed, size=300):
    rng = np.random.default_rng(seed)
    scores = rng.random(size)
    return scores, rng.random(size) < 1 / (1 + np.exp(3 - 5 * scores))


class TestThresholdForFdr:
    @pytest.mark.parametrize("discrete", [False, True])
    @pytest.mark.parametrize("size", [100, 500])
    def test_keeps_its_promise(self, discrete, size):
        """η(s) = .6 + .4 s has FDR(t) = .2 (1 − t), so ≤ .1 from t = .5 on: wrong in ≤ 5 % of 600 fits (+ 2.3 sd).

        Discrete: scores cut to elevenths; FDR(k/11) is the same line, at the lower edge.
        """
        rng = np.random.default_rng(size)
        wrong = 0
        for _ in range(600):
            raw = rng.random(size)
            labels = rng.random(size) < 0.6 + 0.4 * raw
            scores = np.floor(raw * 11) / 11 if discrete else raw
            found = threshold_for_fdr(scores, labels, sources=None)
            wrong += found is not None and found.value < 0.5
        assert wrong / 600 <= 0.07

    def test_finds_what_is_there(self):
        """Better than 2 % among the best half, chance below: a threshold in nearly every one of 100 fits."""
        rng = np.random.default_rng(0)
        kept = []
        for _ in range(100):
            scores = rng.random(400)
            labels = rng.random(400) < np.where(scores > 0.5, 0.98, 0.5)
            found = threshold_for_fdr(scores, labels, sources=None)
            kept.append(found.kept if found else 0)
        assert np.count_nonzero(kept) >= 95
        assert np.median(kept) >= 190

    def test_too_few_rows_prove_nothing(self):
        """.9^28 > .05: 28 faultless rows are not enough, 29 are."""
        assert threshold_for_fdr([1.0] * 28, [True] * 28, sources=None) is None
        assert threshold_for_fdr([1.0] * 29, [True] * 29, sources=None).kept == 29

    def test_degenerate(self):
        """No rows or false ones only: None; bad bounds and NaN: errors."""
        assert threshold_for_fdr([], [], sources=None) is None
        assert threshold_for_fdr(np.arange(100), [False] * 100, sources=None) is None
        for options in ({"max_fdr": 0}, {"max_fdr": 1}, {"confidence": 1}, {"max_fdr": math.nan}):
            with pytest.raises(InputError):
                threshold_for_fdr([1.0], [True], sources=None, **options)
        with pytest.raises(InputError):
            threshold_for_fdr([math.nan], [True], sources=None)

    @settings(max_examples=40, deadline=None)
    @given(st.integers(0, 1000), st.sampled_from([0.05, 0.1, 0.3]))
    def test_reports_what_it_keeps(self, seed, max_fdr):
        """The counts are those of the rows at or above the value, and a looser bound keeps no fewer rows."""
        scores, labels = rows(seed)
        found = threshold_for_fdr(scores, labels, sources=None, max_fdr=max_fdr)
        if found is None:
            return
        above = scores >= found.value
        assert (found.kept, found.false) == (above.sum(), (above & ~labels).sum())
        assert found.p_value <= 0.05
        assert found.false / found.kept <= max_fdr

    def test_keeps_its_promise_with_rows_that_hang_together(self):
        """100 sources whose 8 rows are all right or all wrong, rate .1 everywhere: certified in ≤ 5 % of 300 fits (+ 2 sd)."""
        rng = np.random.default_rng(5)
        sources = np.repeat(np.arange(100), 8)
        wrong = 0
        for _ in range(300):
            labels = np.repeat(rng.random(100) < 0.895, 8)
            wrong += threshold_for_fdr(rng.random(800), labels, sources=sources) is not None
        assert wrong / 300 <= 0.075

    def test_finds_what_is_there_with_several_rows_of_a_source(self):
        """200 sources of 4 rows, 1 % wrong: a threshold that keeps nearly all."""
        rng = np.random.default_rng(6)
        labels = rng.random(800) < 0.99
        found = threshold_for_fdr(rng.random(800), labels, sources=np.repeat(np.arange(200), 4))
        assert found.kept > 700

    def test_is_quick_on_many_rows(self):
        """100,000 distinct scores: tests of a chain are thinned out."""
        rng = np.random.default_rng(0)
        scores = rng.random(100_000)
        found = threshold_for_fdr(scores, rng.random(100_000) < 0.6 + 0.4 * scores, sources=None)
        assert found.value == pytest.approx(0.5, abs=0.03)
