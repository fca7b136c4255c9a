"""The MQAG formulas. Oracle: eqs. 16 to 19 worked by hand, and computed as they stand there."""

import math

import pytest

from guardrail.detectors.selfcheck import qa


def as_printed(m, n, beta_1, beta_2):
    """Eq. 16 with eqs. 17 and 18."""
    false = (1 - beta_1) ** m * beta_1**n
    true = beta_2**m * (1 - beta_2) ** n
    return false / (false + true)


class TestCounts:
    def test_simple(self):
        """One of four differs; of none nothing is known."""
        assert qa.simple_score(3, 1) == 0.25
        assert qa.simple_score(0, 0) is None

    @pytest.mark.parametrize(("m", "n"), [(0, 0), (1, 0), (0, 1), (3, 2), (20, 0), (0, 20), (1.5, 2.25)])
    @pytest.mark.parametrize(("beta_1", "beta_2"), [(0.8, 0.8), (0.6, 0.9), (0.3, 0.55)])
    def test_bayes_is_eq_16(self, m, n, beta_1, beta_2):
        """The form in γ is the one in β."""
        got = qa.bayes_score(m, n, beta_1=beta_1, beta_2=beta_2)
        assert got == pytest.approx(as_printed(m, n, beta_1, beta_2), abs=1e-12)

    def test_bayes_by_hand(self):
        """γ₁ = γ₂ = 4. Two matches, one mismatch: 4 / (16 + 4)."""
        assert qa.bayes_score(2, 1) == pytest.approx(0.2)

    def test_large_counts(self):
        """Powers of 4 overflow; the score does not."""
        assert qa.bayes_score(0, 10_000) == 1.0
        assert qa.bayes_score(10_000, 0) == 0.0

    @pytest.mark.parametrize("beta", [0.0, 1.0, -1.0, math.nan])
    def test_betas_are_probabilities(self, beta):
        """0 and 1 would divide by zero."""
        with pytest.raises(ValueError, match="between 0 and 1"):
            qa.bayes_score(1, 1, beta_1=beta)


class TestQuestion:
    def test_answerability(self):
        """Matches weigh 1 + ¼, the mismatch ½: 4^½ / (4^1.25 + 4^½)."""
        assert qa.soft_counts(0, [0, 2, 0], [1.0, 0.5, 0.25]) == (1.25, 0.5)
        assert qa.answers_score(0, [0, 2, 0], [1.0, 0.5, 0.25]) == pytest.approx(2 / (4**1.25 + 2))

    def test_unanswerable(self):
        """A question that nothing answers says neither."""
        assert qa.answers_score(1, [0, 2], [0.0, 0.0]) == 0.5

    def test_lengths(self):
        """One α per answer."""
        with pytest.raises(ValueError, match="zip"):
            qa.soft_counts(0, [0, 1], [1.0])

    def test_mean_over_questions(self):
        """Eq. 6."""
        assert qa.score([0.2, None, 0.4]) == pytest.approx(0.3)
        assert qa.score([]) is None
