"""The rows on the labelled replies."""

import json

import pytest
from benchmarks._table import Run
from benchmarks.logic import oracles

from guardrail.errors import ParseError

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
