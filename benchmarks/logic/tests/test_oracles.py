"""The rows on the labelled replies."""

import json

import pytest
from benchmarks._table import Run
from benchmarks.logic import oracles
from benchmarks.logic.thresholds import best, estimate, laplace

from guardrail.errors import InputError, ParseError

CASE = {
    "id": "x",
    "half": "tuning",
    "kind": "facts",
    "question": "Was Emma written by Jane Austen?",
    "answer": "Yes",
    "facts": [["Emma", "author", "Jane Austen"]],
    "spans": [],
    "reply": "No. Emma was written by Bob.",
    "verdict": "error_knowledge",
    "contradictory": False,
}


def write(tmp_path, *cases):
    path = tmp_path / "replies.jsonl"
    path.write_text("\n".join(map(json.dumps, cases)), encoding="utf-8")
    return path


class TestRows:
    def test_counts_what_is_wrong(self, tmp_path, monkeypatch):
        """An oracle that is wrong on correct replies misses the bars."""
        cases = [
            {**CASE, "half": half, "kind": kind, "verdict": "correct"}
            for half in oracles.HALVES
            for kind in ("facts", "temporal")
        ]
        replies = oracles.judged(write(tmp_path, *cases))
        monkeypatch.setattr(oracles, "judged", lambda: replies)
        rows = {row.quantity: row for row in oracles.rows(Run("logic"))}
        assert rows["Oracle, unseen half: accuracy over 2 replies"].ok is False
        assert rows["Oracle: correct replies called wrong knowledge"].ours == 4
        assert rows["Oracle: correct replies called wrong knowledge"].ok is False

    @pytest.mark.parametrize(
        "change", [{"verdict": "wrong"}, {"half": "x"}, {"answer": "Perhaps"}, {"facts": [["a"]]}]
    )
    def test_broken_line(self, tmp_path, change):
        """A line that is no labelled reply is named."""
        with pytest.raises(ParseError, match="expected a labelled reply"):
            oracles.judged(write(tmp_path, {**CASE, **change}))


class TestThresholds:
    def test_laplace(self):
        """The paper's: 270 of 270 give 99.6 %; without trials, one half."""
        assert laplace(270, 270) == pytest.approx(271 / 272)
        assert laplace(0, 0) == 0.5
        with pytest.raises(InputError, match="expected 0 ≤ successes ≤ trials"):
            laplace(2, 1)

    def test_estimate(self):
        """Three below .8, two of them wrong: Laplace 3/5; one of four on the wrong side."""
        found = estimate([(0.1, True), (0.5, True), (0.7, False), (1.0, False)], 0.8)
        assert (found.below, found.wrong, found.precision, found.accuracy) == (3, 2, 0.6, 0.75)

    def test_best(self):
        """The best lies between the wrong and the right; of several the nearest to .8."""
        assert best([(0.1, True), (0.5, True), (0.7, False)]).threshold == pytest.approx(0.7)
        assert best([(0.5, True), (1.0, False)]).threshold == 0.8

    def test_none(self):
        """Without replies there is nothing to estimate."""
        with pytest.raises(InputError, match="at least one reply"):
            best([])
        with pytest.raises(InputError, match="at least one candidate"):
            best([(0.5, True)], candidates=[])
