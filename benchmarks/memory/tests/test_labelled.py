"""The labelled set of the benchmark of memory: its form and its balance, not what a detector says of it."""

import json
from collections import Counter, defaultdict
from pathlib import Path

import benchmarks
import pytest

FILE = Path(benchmarks.__file__).parent / "memory" / "labelled" / "rag.jsonl"
HALF = {("en", "faithful"): 9, ("en", "invented"): 9, ("zh", "faithful"): 5, ("zh", "invented"): 5}


@pytest.fixture(scope="module")
def rows():
    return [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]


class TestRows:
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
