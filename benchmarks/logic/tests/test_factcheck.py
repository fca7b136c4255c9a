"""The rows of the benchmark of FactCheck."""

from collections import Counter

from benchmarks.logic.factcheck import (
    Labelled,
    confusion,
    confusion_rows,
)

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
