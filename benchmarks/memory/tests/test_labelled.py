"""The labelled set of the benchmark of memory: its form and its balance, not what a detector says of it."""

import json
from collections import Counter, defaultdict
from pathlib import Path

import benchmarks
import pytest

FILE = Path(benchmarks.__file__).parent / "memory" / "labelled" / "rag.jsonl"
FIELDS = {
    "id",
    "half",
    "language",
    "label",
    "kind",
    "context",
    "question",
    "answer",
    "rephrasings",
    "replies",
}
KINDS = {
    "faithful": {"extractive", "paraphrase", "short", "long", "negated", "abstaining"},
    "invented": {
        "wrong_number",
        "wrong_date",
        "wrong_name",
        "added_detail",
        "unanswerable",
        "contradiction",
        "mixed_entities",
    },
}
HALF = {("en", "faithful"): 9, ("en", "invented"): 9, ("zh", "faithful"): 5, ("zh", "invented"): 5}


def size(text, language):
    """Words, or characters of Chinese."""
    return len(text) if language == "zh" else len(text.split())


@pytest.fixture(scope="module")
def rows():
    return [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]


class TestRows:
    def test_fields(self, rows):
        """All fields, no others; all texts are there and not padded."""
        assert [row["id"] for row in rows if set(row) != FIELDS] == []
        texts = [
            text
            for row in rows
            for text in (row["context"], row["question"], row["answer"], *row["rephrasings"], *row["replies"])
        ]
        assert [text for text in texts if not text or text != text.strip()] == []

    def test_ids(self, rows):
        """56 rows, each with its own id, that begins with its language."""
        assert len({row["id"] for row in rows}) == len(rows) == 56
        assert all(row["id"].startswith(row["language"]) for row in rows)

    def test_kinds(self, rows):
        """Each kind belongs to its label, and all kinds occur."""
        found = defaultdict(set)
        for row in rows:
            found[row["label"]].add(row["kind"])
        assert dict(found) == KINDS

    def test_halves(self, rows):
        """The halves are alike in language, label and kind."""
        halves = {
            half: Counter((row["language"], row["label"], row["kind"]) for row in rows if row["half"] == half)
            for half in ("tuning", "unseen")
        }
        assert halves["tuning"] == halves["unseen"]
        assert Counter((row["language"], row["label"]) for row in rows if row["half"] == "unseen") == HALF

    def test_shared_contexts(self, rows):
        """Rows with one context share its rephrasings and lie in one half, one faithful and one invented."""
        groups = defaultdict(list)
        for row in rows:
            groups[row["context"]].append(row)
        pairs = [group for group in groups.values() if len(group) > 1]
        assert (len(groups), len(pairs)) == (34, 22)
        for group in pairs:
            assert {row["label"] for row in group} == {"faithful", "invented"}
            assert len(group) == 2
            assert len({row["half"] for row in group}) == 1
            assert group[0]["rephrasings"] == group[1]["rephrasings"]

    def test_lengths(self, rows):
        """Contexts of 80–200 words or 150–300 characters; rephrasings are at most a quarter shorter or longer."""
        for row in rows:
            least, most = (150, 300) if row["language"] == "zh" else (80, 200)
            length = size(row["context"], row["language"])
            assert least <= length <= most, row["id"]
            for text in row["rephrasings"]:
                assert 0.75 <= size(text, row["language"]) / length <= 1.25, row["id"]

    def test_six_of_each(self, rows):
        """Six rephrasings and six replies, no two alike, and none the context itself."""
        for row in rows:
            assert len({row["context"], *row["rephrasings"]}) == 7, row["id"]
            assert len(set(row["replies"])) == len(row["replies"]) == 6, row["id"]
