"""BM25: one text, and an index of many. Oracles: the formula by hand, and the library bm25s 0.3 (its "lucene" variant)."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.effort import ends

from guardrail.text.bm25 import Collection, RankingIndex, bm25

word = st.sampled_from(["a", "b", "c", "d", "e", "f", "他", "你"])
text = st.lists(word, max_size=9)
texts = st.lists(text, min_size=1, max_size=8)


class TestOne:
    def test_by_hand(self):
        """Rarity ln(1 + 1.5/1.5), one occurrence, a text of 3 words where the mean is 3.5."""
        given = [["a", "cat", "sat"], ["a", "dog", "ran", "off"]]
        norm = 1.5 * (1 - 0.75 + 0.75 * 3 / 3.5)
        assert bm25(["cat"], given[0], Collection.of(given)) == pytest.approx(math.log(2) / (1 + norm))


class TestIndex:
    @given(texts, text)
    def test_as_one_by_one(self, given, query):
        """What `bm25` says of each text, with the rarities of all."""
        found = RankingIndex(given).scores(query)
        if not any(given):
            assert not found.any()
            return
        collection = Collection.of(given)
        assert found == pytest.approx([bm25(query, one, collection) for one in given], abs=1e-12)

    def test_as_the_library(self):
        """The same scores as bm25s on 200 random texts."""
        bm25s = pytest.importorskip("bm25s", reason="bm25s is not installed: the extra bench has it")
        random = np.random.default_rng(0)
        words = [f"w{i}" for i in range(80)]
        given = [[words[i] for i in random.zipf(1.4, size) % 80] for size in random.integers(1, 40, 200)]
        library = bm25s.BM25(method="lucene", k1=1.5, b=0.75)
        library.index(given, show_progress=False)
        index = RankingIndex(given)
        for query in given[:20]:
            once = list(dict.fromkeys(query))  # the library counts a word of the query once
            assert index.scores(once) == pytest.approx(library.get_scores(once), abs=1e-4)  # float32

    @given(texts, text, st.integers(0, 9))
    def test_best(self, given, query, most):
        """Those above 0, best first, the first of equal ones first: as a full sort says."""
        index = RankingIndex(given)
        scores = index.scores(query)
        ranked = sorted((i for i in range(len(given)) if scores[i] > 0), key=lambda i: (-scores[i], i))
        assert [i for i, _ in index.best(query, most)] == ranked[:most]

    @given(texts, text, st.randoms(use_true_random=False))
    def test_order_of_texts(self, given, query, random):
        """Does not matter, to the last bit."""
        shuffled = list(range(len(given)))
        random.shuffle(shuffled)
        scores = RankingIndex([given[i] for i in shuffled]).scores(query)
        assert scores.tolist() == RankingIndex(given).scores(query)[shuffled].tolist()

    @pytest.mark.parametrize("given", [[], [[]], [[], []]])
    def test_nothing(self, given):
        """No text, or none with a word."""
        assert RankingIndex(given).best(["a"], 3) == []

    def test_many(self):
        """2,000 queries against 5,000 texts: ten million pairs, of which few are looked at."""
        random = np.random.default_rng(1)
        given = [[f"w{i}" for i in random.zipf(1.3, 20) % 5_000] for _ in range(5_000)]
        with ends():
            index = RankingIndex(given)
            for i in range(2_000):
                index.best(given[i % 5_000], 3)
