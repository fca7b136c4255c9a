"""The rows of the benchmark of FactCheck."""

from collections import Counter

import pytest
from benchmarks.logic import factcheck
from benchmarks.logic.factcheck import (
    Labelled,
    answers,
    confusion,
    confusion_rows,
    held_rows,
    rows,
    time_rows,
)
from tests.unit.logic.world import make, need_engine

from guardrail.logic.knowledge import KnowledgeBase, Triple

JUDGED = [
    Labelled("a", "supported", "unseen", "supported"),
    Labelled("b", "contradicted", "unseen", "contradicted"),
    Labelled("c", "contradicted", "unseen", "unknown"),
    Labelled("d", "unknown", "unseen", "supported"),
    Labelled("e", "unknown", "unseen", "contradicted"),
    Labelled("f", "unknown", "tuning", "unknown"),
]


class TestRows:
    def test_confusion(self):
        """Counted by half."""
        assert confusion(JUDGED, "tuning") == Counter({("unknown", "unknown"): 1})
        assert confusion(JUDGED, "unseen")["unknown", "supported"] == 1

    def test_bars(self):
        """What is unknown and called supported misses its bar, and so do contradictions that are not found."""
        found = {row.quantity.partition(": ")[2]: row for row in confusion_rows(JUDGED, "unseen")}
        assert (found["unknown called supported"].ours, found["unknown called supported"].ok) == (1, False)
        assert (found["contradictions found"].ours, found["contradictions found"].ok) == (0.5, False)
        assert found["contradicted called supported"].ok
        assert found["called contradicted wrongly"].ours == 1

    def test_nothing_to_find(self):
        """Without contradictions the share is undefined, not perfect."""
        assert confusion_rows(JUDGED, "tuning")[-1].ok is None

    def test_without_the_engine(self, monkeypatch):
        """Rows that say what is missing."""
        monkeypatch.setattr(factcheck, "available", lambda: "missing")
        assert {row.ok for row in rows(None)} == {None}

    def test_answers(self, tmp_path):
        """Three sentences each, with the triple that each says."""
        need_engine()
        with KnowledgeBase.open(make(tmp_path / "kb")) as base:
            made = answers(base, list(base.facts()), 3)
        assert [len(one) for one in made] == [3, 3, 3]
        assert all(isinstance(triple, Triple) for one in made for triple in one.values())

    def test_time(self, tmp_path):
        """On a small world: nothing is called supported that does not follow."""
        need_engine()
        found = {row.quantity: row for row in time_rows(tmp_path, count=10, facts=500)}
        assert found["FactCheck: sentences called supported that do not follow"].ok
        assert found["FactCheck: an answer of three sentences, p50"].ours > 0

    def test_held(self, tmp_path):
        """Facts that were given are supported, those that were not are not known."""
        need_engine()
        lines = [
            f'{{"subject": "Ann A{n}", "predicate": "educated at", "object": "Bo B{n}"}}' for n in range(40)
        ]
        (tmp_path / "nontemporal_facts.jsonl").write_text("\n".join(lines))
        (tmp_path / "temporal_facts.csv").write_text("event,name,begin,end\n")
        found = {row.quantity: row.ours for row in held_rows(tmp_path, tmp_path, count=10)}
        assert list(found.values()) == [pytest.approx(1.0), 0, 0.0, 0.0]
