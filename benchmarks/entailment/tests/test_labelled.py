"""The labelled set of the benchmark of entailment: its form and its balance, not what a model says of it."""

import json
from collections import Counter, defaultdict
from pathlib import Path

import benchmarks
import pytest

from guardrail.text.sentences import split_sentences

FILE = Path(benchmarks.__file__).parent / "entailment" / "labelled" / "context.jsonl"
FIELDS = {"id", "half", "kind", "documents", "answer", "labels"}
LABELS = {"supported": 0.45, "contradicted": 0.30, "extrinsic": 0.25}
EVERY_SENTENCE = {  # kinds whose rows are supported throughout
    "supported_verbatim": "supported",
    "supported_paraphrase": "supported",
    "supported_two_sentences": "supported",
}
SOME_SENTENCE = {  # kinds that show themselves in at least one sentence of this label
    "unit_conversion": "supported",
    "number_change": "contradicted",
    "date_change": "contradicted",
    "name_swap": "contradicted",
    "negation": "contradicted",
    "quantifier": "contradicted",
    "extrinsic_detail": "extrinsic",
    "world_knowledge": "extrinsic",
    "causal_claim": "extrinsic",
}
OTHER_KINDS = {"hedged", "pronoun", "adversarial"}


@pytest.fixture(scope="module")
def rows():
    return [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]


def half(rows, name):
    return [row for row in rows if row["half"] == name]


class TestRows:
    def test_fields(self, rows):
        """All fields, no others; one to three documents; no text is empty or padded."""
        assert [row["id"] for row in rows if set(row) != FIELDS] == []
        assert {len(row["documents"]) for row in rows} == {1, 2, 3}
        texts = [text for row in rows for text in (row["answer"], *row["documents"])]
        assert [text for text in texts if not text or text != text.strip()] == []

    def test_ids(self, rows):
        """156 rows, each with its own id."""
        assert len({row["id"] for row in rows}) == len(rows) == 156

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

    def test_lengths(self, rows):
        """From one sentence to about 400 words."""
        words = [len(text.split()) for row in rows for text in row["documents"]]
        assert min(words) < 20
        assert 300 < max(words) <= 400

    def test_kinds(self, rows):
        """Every kind has the label that it is about."""
        labels = defaultdict(list)
        for row in rows:
            labels[row["kind"]].append((row["id"], set(row["labels"])))
        assert set(labels) == {*EVERY_SENTENCE, *SOME_SENTENCE, *OTHER_KINDS}
        for kind, label in EVERY_SENTENCE.items():
            assert [key for key, found in labels[kind] if found != {label}] == []
        for kind, label in SOME_SENTENCE.items():
            assert [key for key, found in labels[kind] if label not in found] == []
        assert [key for key, found in labels["adversarial"] if "supported" in found] == []

    def test_verbatim(self, rows):
        """The words of each sentence of a verbatim row stand in a document, in one piece."""
        for row in (row for row in rows if row["kind"] == "supported_verbatim"):
            text = "\n".join(row["documents"])
            assert [one for one in split_sentences(row["answer"]) if one.rstrip(".") not in text] == []
