"""Sentences. Oracle: splits by hand."""

from itertools import pairwise

import pytest
from tests.effort import ends

from guardrail.text.sentences import sentences, split_sentences


class TestSentences:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("", []),
            (" \n", []),
            ("One", ["One"]),
            ("Dr. Smith left. He ran!", ["Dr. Smith left.", "He ran!"]),
            ("See Fig. 3. It works.", ["See Fig. 3.", "It works."]),
            ("Entry is free. Parking is not.", ["Entry is free.", "Parking is not."]),
            ("It closed for a week. **Guests left.**", ["It closed for a week.", "**Guests left.**"]),
            ("He saw approx. five. See vol. II of it.", ["He saw approx. five.", "See vol. II of it."]),
            (
                "这本书很好。是的。你好吗？“好！”他说。",
                ["这本书很好。", "是的。", "你好吗？", "“好！”", "他说。"],
            ),
            ("# Title\n\nIt is so. Yes.", ["It is so.", "Yes."]),
            ("1. First. Second.\n2. Third\n- fourth", ["First.", "Second.", "Third", "fourth"]),
            ("Before.\n```\ncode. More code.\n```\nAfter.", ["Before.", "After."]),
            ("| name | born |\n|---|---|\n| Ada | 1815 |", ["name | born", "Ada | 1815"]),
            ("> Quoted. Twice.\n\n---\n", ["Quoted.", "Twice."]),
            ("No end\n\nNew paragraph", ["No end", "New paragraph"]),
        ],
    )
    def test_split(self, text, expected):
        """Prose by sentence; headings and code are none; items and rows end where they end."""
        assert split_sentences(text) == expected

    def test_offsets(self):
        """Spans lie in order and give the sentences."""
        text = "  One.  Two.\n\n* three\n"
        spans = sentences(text)
        assert [span.of(text) for span in spans] == ["One.", "Two.", "three"]
        assert all(a.end <= b.start for a, b in pairwise(spans))

    @pytest.mark.parametrize(
        "piece", ["!", '."', ".)", "?!", "a.)", "!*", ". ", "a. ", "。", "\n", "free.", "free. "]
    )
    def test_hostile_runs_are_quick(self, piece):
        """Marks without end take no quadratic time: 60,000 of them did take a minute."""
        with ends(30):
            sentences(piece * 60_000)
