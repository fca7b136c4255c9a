"""Sentences that can claim something. Oracle: read by hand."""

import pytest
from tests.effort import ends

from guardrail.text.claims import claims


def found(text):
    return [span.of(text) for span in claims(text)]


class TestClaims:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("# Life\n\nShe left.", ["She left."]),
            ("Here's an overview:\n\n- She left.", ["She left."]),
            ("Sure! Here is a short biography of Ada Lovelace:\n\nShe left.", ["Sure!", "She left."]),
            ("Sure, here are the cities:\n\n- Rome", ["Rome"]),
            ("**Early life**\n\nShe left.", ["She left."]),
            ("**Early life:**\n- She left.", ["She left."]),
            ("Early life:\n- She left.", ["She left."]),
            ("| name | born |\n|---|---|\n| Ada | 1815 |", ["Ada | 1815"]),
            ("She left.\n\n---\n\nHe stayed.", ["She left.", "He stayed."]),
        ],
    )
    def test_what_announces_is_left_out(self, text, expected):
        """Headings, lead-ins, table headers and rules."""
        assert found(text) == expected

    @pytest.mark.parametrize(
        ("text", "kept"),
        [
            ("**Paris**", "**Paris**"),
            ("**Paris**\n\n**Rome**\n\n**Oslo**", "**Paris**"),
            ("**Born in 1815**\n\nShe left.", "**Born in 1815**"),
            ("**She was a spy**\n\nShe left.", "**She was a spy**"),
            ("He was convicted of these crimes:\n- theft", "He was convicted of these crimes:"),
            (
                "Here are the crimes that he was convicted of:\n- theft",
                "Here are the crimes that he was convicted of:",
            ),
            ("Here is Ada, a spy:\n- theft", "Here is Ada, a spy:"),
            ("- **Rome**\n- Oslo is north.", "**Rome**"),
            ("Here's an overview:", "Here's an overview:"),
            ("| Ada | 1815 |\n| Bob | 1816 |", "Ada | 1815"),
        ],
    )
    def test_what_may_claim_stays(self, text, kept):
        """Verbs, numbers, clauses, list items, rows without a header, and the last line of an answer."""
        assert kept in found(text)

    @pytest.mark.parametrize("piece", ["**a**\n\n", "a:\n", "here is a:\n", "|a|\n|-|\n", "He is. "])
    def test_long_texts_are_quick(self, piece):
        """Linear in the text."""
        with ends(30):
            claims(piece * 20_000)
