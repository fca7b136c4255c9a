"""The n-gram kernel. Oracles: counts by hand, the published Table 7."""

import math

import pytest

from guardrail.selfcheck import ngram


class TestModel:
    def test_counts_are_joint(self):
        """p̃ of a bigram is its share of all bigrams, not of those with its first word.

        By hand: sentences "a b" and "a c": bigrams (start, a) twice, (a, b), (a, c); four in all.
        """
        model = ngram.counted([["a b", "a c"]], n=2)
        assert model.total == 4
        first, second = model.measured(["a", "b"])
        assert (first.surprisal, second.surprisal) == pytest.approx((math.log(2), math.log(4)))

    def test_unseen_has_a_floor(self):
        """Rarer than anything seen, and finite."""
        model = ngram.counted([["a b"]])
        unseen, seen = model.measured(["z", "a"])
        assert unseen.surprisal == pytest.approx(math.log(2 / ngram.UNSEEN_COUNT))
        assert unseen.surprisal > seen.surprisal

    def test_nothing_counted(self):
        """There is no probability, and no −log of one."""
        assert ngram.Model().ceiling == 0
        assert ngram.Model().measured(["a"]) == []

    def test_n_is_positive(self):
        """A gram of no words is none."""
        with pytest.raises(ValueError, match="at least 1"):
            ngram.Model(0)

    def test_case_does_not_count(self):
        """Words are lower-cased."""
        assert ngram.counted([["A a"]]).counts == {("a",): 2}


class TestScores:
    def test_by_hand(self):
        """Samples "x y", answer "x z": x 2, y 1, z 1 of 4; −log ½ and −log ¼."""
        values = ngram.surprisals(["x z"], [["x y"]])
        assert values == [[pytest.approx(math.log(2)), pytest.approx(math.log(4))]]
        assert ngram.scores(["x z"], [["x y"]]) == [pytest.approx(math.log(4))]
        assert ngram.scores(["x z"], [["x y"]], statistic="mean") == [pytest.approx(1.5 * math.log(2))]

    def test_without_tokens(self):
        """Undefined is not zero."""
        assert ngram.scores([""], ["a b"]) == [None]
        assert ngram.scores([" "], []) == [None]
