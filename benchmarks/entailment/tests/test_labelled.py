"""The labelled set of the benchmark of entailment: its form and its balance, not what a model says of it."""

import json
from collections import Counter
from pathlib import Path

import benchmarks
import pytest

from guardrail.text.sentences import split_sentences

FILE = Path(benchmarks.__file__).parent / "entailment" / "labelled" / "context.jsonl"
LABELS = {"supported": 0.45, "contradicted": 0.30, "extrinsic": 0.25}


@pytest.fixture(scope="module")
def rows():
    return [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]


def half(rows, name):
    return [row for row in rows if row["half"] == name]


class TestRows:
    def test_one_label_per_sentence(self, rows):
        """As many labels as the project finds sentences, one to four."""
        assert {label for row in rows for label in row["labels"]} == set(LABELS)
        assert {len(row["labels"]) for row in rows} == {1, 2, 3, 4}
        assert [row["id"] for row in rows if len(split_sentences(row["answer"])) != len(row["labels"])] == []

    def test_halves(self, rows):
        """As many rows of each kind in both; labels by sentence near the shares that were meant."""
        tuning, unseen = half(rows, "tuning"), half(rows, "unseen")
        assert len(tuning) + len(unseen) == len(rows)
        assert Counter(row["kind"] for row in tuning) == Counter(row["kind"] for row in unseen)
        for part in (tuning, unseen):
            count = Counter(label for row in part for label in row["labels"])
            for label, share in LABELS.items():
                assert count[label] / count.total() == pytest.approx(share, abs=0.03)
            assert sum(len(row["labels"]) > 1 for row in part) >= 24

    def test_documents_stay_in_one_half(self, rows):
        """Nothing that the unseen half is checked against can be seen while tuning."""
        seen = {text for row in half(rows, "tuning") for text in row["documents"]}
        assert seen.isdisjoint(text for row in half(rows, "unseen") for text in row["documents"])
