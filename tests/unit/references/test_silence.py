"""What looks like a citation and could not be read is said, not passed over."""

import pytest

from guardrail import Guard, Verdict
from guardrail.detectors import ReferenceCheck
from guardrail.references.citations import citations
from guardrail.references.citations.silence import unread


def marks(text):
    """What is said of a text."""
    return [span.of(text) for span, _ in unread(text, citations(text))]


class TestUnread:
    @pytest.mark.parametrize(
        ("text", "found"),
        [
            ("It was settled in [1932] AC 562.", ["[1932] AC 562"]),
            ("(N Engl J Med 2019;381:1995-2008)", ["2019;381:1995-2008"]),
        ],
    )
    def test_finds_what_looks_like_one(self, text, found):
        """Of a court, by volume and page."""
        assert marks(text) == found

    @pytest.mark.parametrize(
        "text",
        [
            "It costs 347 U.S. dollars, 483 more than in 1954.",
            "The ratio is 20:19; 381 of 1995 people came.",
            "Smith says so. In 2017 others did.",
        ],
    )
    def test_leaves_other_text_alone(self, text):
        """Dates and numbers."""
        assert marks(text) == []

    def test_what_was_read_is_not_said_twice(self):
        """It is part of a reference."""
        assert marks("It works (McMurray JJV et al., N Engl J Med 2019;381:1995-2008).") == []


class TestCheck:
    def test_an_answer_with_citations_is_not_nothing_to_check(self):
        """It is unverified, with the reason."""
        report = Guard([ReferenceCheck()]).check("It was settled in [1932] AC 562.")
        assert report.verdict is Verdict.UNVERIFIED
        assert [finding.text for finding in report.findings] == ["[1932] AC 562"]
        assert report.findings[0].reason == "this looks like a citation, but could not be read"
