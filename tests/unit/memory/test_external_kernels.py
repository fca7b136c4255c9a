"""The kernels of external consistency. Oracles: by hand, bm25s, scipy, scikit-learn."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrail.errors import InputError
from guardrail.memory.external import (
    Measured,
    Normal,
    chrf,
    consistency,
    measure,
    read_fit,
    relevance,
    threshold,
)
from guardrail.memory.external.formulas import chi_square_share, relative_consistency
from guardrail.text.bm25 import Collection, bm25

WORDS = [f"w{i}" for i in range(12)]
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=20), min_size=2, max_size=8)


class TestBM25:
    def test_by_hand(self):
        """N = 2, n = 1: ln(1 + 1.5 / 1.5) · 1 / (1 + 1.5 (¼ + ¾ · 3 / 3.5))."""
        texts = [["a", "cat", "sat"], ["a", "dog", "ran", "off"]]
        expected = math.log(2) / (1 + 1.5 * (0.25 + 0.75 * 3 / 3.5))
        assert bm25(["cat"], texts[0], Collection.of(texts)) == pytest.approx(expected, abs=1e-15)

    @given(TEXTS, st.lists(st.sampled_from(WORDS), min_size=1, max_size=8))
    def test_the_same_as_bm25s(self, texts, query):
        """Lucene's variant in double precision, repeated words of the query included, to 1e-9."""
        package = pytest.importorskip("bm25s")
        collection = Collection.of(texts)
        known = [word for word in query if word in collection.counts]
        if not known:
            return
        index = package.BM25(method="lucene", k1=1.5, b=0.75, dtype="float64")
        index.index(texts, show_progress=False)
        ours = [bm25(query, text, collection) for text in texts]
        assert index.get_scores(known) == pytest.approx(ours, abs=1e-9)

    def test_no_words(self):
        """A collection without words is refused."""
        with pytest.raises(InputError, match="texts with words"):
            Collection.of([[], []])


class TestRelevance:
    def test_the_length_does_not_count(self):
        """A response said twice is as relevant as said once."""
        texts = [["the", "cat", "sat"], ["the", "dog", "ran"]]
        once, twice = ["cat", "sat"], ["cat", "sat", "cat", "sat"]
        collection = Collection.of(texts)
        assert relevance([once], texts[:1], collection) == pytest.approx(
            relevance([twice], texts[:1], collection)
        )

    @given(TEXTS)
    def test_range(self, texts):
        """In [0, 1), and 0 for words that stand nowhere."""
        collection = Collection.of(texts)
        assert 0 <= relevance(texts, texts, collection) < 1
        assert relevance([["elsewhere"]], texts[:1], collection) == 0

    def test_undefined(self):
        """Responses without words have none; lengths must agree."""
        collection = Collection.of([["a"]])
        assert relevance([[]], [["a"]], collection) is None
        assert relevance([], [], collection) is None
        with pytest.raises(InputError, match="a document per response"):
            relevance([["a"]], [], collection)


class TestConsistency:
    @given(st.lists(st.floats(-1, 1), min_size=1, max_size=9))
    def test_the_sum_with_p_1(self, values):
        """It adds the constant 1/n: mean' = 1/n + (n − 1)/n · mean."""
        n = len(values) + 1
        expected = 1 / n + (n - 1) / n * consistency(values)
        assert consistency(values, paper=True) == pytest.approx(expected, abs=1e-12)

    def test_undefined(self):
        """Nothing finite: none, with and without p = 1."""
        assert consistency([]) is None
        assert consistency([math.nan], paper=True) is None
        assert relative_consistency([0.5], []) is None
        assert relative_consistency([], [0.5]) is None


class TestNormal:
    @given(st.integers(0, 2**32 - 1))
    def test_the_same_as_scipy(self, seed):
        """Density, distance and χ² share of random fits."""
        stats = pytest.importorskip("scipy.stats")
        rng = np.random.default_rng(seed)
        points = rng.normal(size=(20, 2)) @ (rng.normal(size=(2, 2)) + 2 * np.eye(2))
        fit, center, spread = Normal.fit(points), points.mean(axis=0), np.cov(points.T)
        if np.linalg.cond(spread) > 1e6:
            return
        point = tuple(map(float, points[0]))
        squared = float((points[0] - center) @ np.linalg.solve(spread, points[0] - center))
        assert fit.density(point) == pytest.approx(
            float(stats.multivariate_normal(center, spread).pdf(point))
        )
        assert fit.squared_distance(point) == pytest.approx(squared)
        assert fit.score(point, sides="both") == pytest.approx(float(stats.chi2.cdf(squared, 2)))
        expected = float(stats.norm.sf((point[0] - center[0]) / math.sqrt(spread[0, 0])))
        assert fit.consistency_score(point[0]) == pytest.approx(expected)

    def test_above_the_mean_is_not_far(self):
        """One side: only what is less consistent or less relevant counts."""
        fit = Normal((0.0, 0.0), ((1.0, 0.5), (0.5, 1.0)))
        assert fit.score((3.0, 3.0)) == 0
        assert fit.score((3.0, 3.0), sides="both") > 0.98
        assert fit.score((-2.0, 5.0)) == fit.score((-2.0, 0.0))
        assert fit.score((-2.0, 0.0)) > fit.score((-1.0, 0.0)) > 0

    @pytest.mark.parametrize("correlation", [-0.6, 0.0, 0.33, 0.51, 0.9])
    def test_below_is_the_least_distance_of_what_is_no_better(self, correlation):
        """Against the least of a fine grid of points that are neither more consistent nor more relevant."""
        fit = Normal((0.0, 0.0), ((1.0, 0.5 * correlation), (0.5 * correlation, 0.25)))
        xs, ys = np.meshgrid(np.linspace(-6, 3, 901), np.linspace(-3, 1.5, 901))
        inverse = np.linalg.inv(np.array(fit.covariance))
        table = inverse[0, 0] * xs**2 + 2 * inverse[0, 1] * xs * ys + inverse[1, 1] * ys**2
        for x, y in [
            (0.0, -1.1),
            (-1.0, -1.1),
            (-2.0, 0.0),
            (-1.5, 0.5),
            (1.0, -0.5),
            (-2.0, -0.2),
            (0.5, 0.5),
        ]:
            expected = table[(xs <= x + 1e-9) & (ys <= y + 1e-9)].min()
            assert fit.squared_distance((x, y), sides="below") == pytest.approx(expected, abs=2e-3)

    def test_more_is_never_further(self):
        """Of the packaged fits, where relevance is low: less consistent scores no lower (it did, by .05)."""
        for name in ("summary-en-minilm", "summary-en-chrf", "summary-zh-chrf"):
            normal = read_fit(name).normal
            (a, _), (_, d) = normal.covariance
            low = normal.mean[1] - 2.2 * math.sqrt(d)
            scores = [normal.score((normal.mean[0] + k * math.sqrt(a), low)) for k in np.arange(-2, 1, 0.25)]
            assert scores == sorted(scores, reverse=True)

    @pytest.mark.parametrize(
        "points",
        [[[0.0, 0.0]] * 4, [[0.5, 0.5]] * 9, [[i, 2 * i] for i in range(9)], [[0, math.nan]] * 9, [1, 2, 3]],
    )
    def test_refused(self, points):
        """Too few, all alike, on a line, not finite, not a plane."""
        with pytest.raises(InputError):
            Normal.fit(points)

    def test_not_finite(self):
        """A point that is no number has no score."""
        fit = Normal((0.0, 0.0), ((1.0, 0.0), (0.0, 1.0)))
        with pytest.raises(InputError, match="finite"):
            fit.score((math.nan, 0.0))
        with pytest.raises(InputError, match="finite"):
            fit.consistency_score(math.inf)

    def test_share(self):
        """χ²₁(1) = P(|Z| ≤ 1) = .6827, χ²₂(2 ln 2) = ½."""
        assert chi_square_share(1.0, 1) == pytest.approx(0.6826894921)
        assert chi_square_share(2 * math.log(2), 2) == pytest.approx(0.5)


class TestThreshold:
    def test_the_stated_rate_holds(self):
        """Over 4,000 fits of 59 uniform scores the next one is flagged in 5 % of cases (exactly 3 / 60)."""
        rng = np.random.default_rng(0)
        scores = rng.uniform(size=(4_000, 60))
        flagged = [one[-1] >= threshold(one[:-1].tolist(), 0.05) for one in scores]
        assert np.mean(flagged) == pytest.approx(3 / 60, abs=0.01)

    def test_too_few(self):
        """Ten scores cannot promise 1 %: nothing is flagged."""
        assert threshold([0.5] * 10, 0.01) > 1

    @pytest.mark.parametrize(("scores", "rate"), [([], 0.05), ([math.nan], 0.05), ([0.5], 0), ([0.5], 1)])
    def test_refused(self, scores, rate):
        """No score, no number, no rate."""
        with pytest.raises(InputError):
            threshold(scores, rate)


class TestChrf:
    def test_symmetric_and_bounded(self):
        """β = 1: whichever stands first."""
        pytest.importorskip("sacrebleu")
        first, second = "可穿戴技术十大设计原则", "可穿戴产品的设计原则"
        assert chrf(first, second) == pytest.approx(chrf(second, first))
        assert 0 < chrf(first, second) < 1
        assert chrf(first, first) == 1

    def test_by_hand(self):
        """ "ab" and "ac": of single characters ½ agree, of pairs none; mean P = mean R = ¼."""
        pytest.importorskip("sacrebleu")
        assert chrf("ab", "ac") == pytest.approx(0.25)


class TestMeasure:
    def test_both_numbers(self):
        """Mean of .5 and .7, less the .9 that the others have among themselves; words that the texts hold."""
        texts = ["The cat sat on the mat."] * 3
        found = measure(texts, ["A cat sat.", "The cat sat.", "The cat sat."], [0.5, 0.7], [0.9])
        assert found.consistency == pytest.approx(0.6)
        assert found.relative == pytest.approx(-0.3)
        assert found.point() == (found.consistency, found.relevance)
        assert 0 < found.relevance < 1
        assert Measured(0.5, None, 0.5).point("relative") is None

    def test_words_that_are_nowhere(self):
        """Relevance 0; and none where there are no words at all."""
        assert measure(["abc"] * 2, ["a", "b"], [0.5]).relevance == 0
        assert measure(["…"] * 2, ["a", "b"], [0.5]).relevance is None

    def test_lengths(self):
        """What does not go together is refused."""
        with pytest.raises(InputError, match="a document per response"):
            measure(["a"], ["b", "c"], [0.5])
