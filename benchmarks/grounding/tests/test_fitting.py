"""How the curves of grounding are learnt, and ROUGE-L, with which they are compared."""

import pytest
from benchmarks.grounding.fitting import learn
from benchmarks.grounding.measuring import precision

from guardrail.errors import InputError


class TestLearn:
    def test_directions(self):
        """A feature that speaks the wrong way gets no weight."""
        fit = learn({"good": [0, 0, 1, 1], "wrong": [1, 1, 0, 1]}, [0, 0, 1, 1], [1, 1, 1, 1])
        assert fit.weights[0] > 0
        assert fit.weights[1] == 0

    def test_labels_of_one_kind(self):
        """Teach nothing."""
        with pytest.raises(InputError, match="both kinds"):
            learn({"a": [0, 1]}, [1, 1], [1, 1])


class TestPrecision:
    def test_oracle(self):
        """Equal to the longest common subsequence by dynamic programming."""
        one = [
            "ada",
            "lovelace",
            "was",
            "born",
            "in",
            "london",
            "in",
            "1815",
            "she",
            "wrote",
            "notes",
            "on",
            "the",
            "engine",
            "she",
            "died",
            "in",
            "1852",
        ]
        other = ["she", "was", "in", "london", "and", "died", "on", "1852", "in", "notes"]
        table = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
        for i, a in enumerate(one):
            for j, b in enumerate(other):
                table[i + 1][j + 1] = table[i][j] + 1 if a == b else max(table[i][j + 1], table[i + 1][j])
        assert precision(other, one) == pytest.approx(table[-1][-1] / len(other))
        assert precision([], one) == 0.0
