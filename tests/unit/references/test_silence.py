"""What looks like a citation and could not be read is said, not passed over."""

import pytest

from guardrail import Guard, Verdict
from guardrail.detectors import ReferenceCheck
from guardrail.references.citations import citations
from guardrail.references.citations.silence import unread


def marks(text):
    """What is said of a text."""
    return [span.of(text) for span in unread(text, citations(text))]


class TestUnread:
    @pytest.mark.parametrize(
        ("text", "found"),
        [
            ("Vaswani et al. (2017) say so.", ["Vaswani et al. (2017)"]),
            (
                "It works (Hofmann et al., 2010; Goldin & Gross, 2010).",
                ["Hofmann et al., 2010", "Goldin & Gross, 2010"],
            ),
            ("It was shown before (O’Neill and Smith-Jones, 1999a).", ["O’Neill and Smith-Jones, 1999a"]),
            ("Brown v. Board of Education, 347 U.S. 483 (1954)", ["347 U.S. 483"]),
            ("(McMurray JJV et al., N Engl J Med 2019;381:1995-2008)", ["2019;381:1995-2008"]),
            ("It holds (Smith, 2020; Miller, 2021).", ["Smith, 2020", "Miller, 2021"]),
        ],
    )
    def test_finds_what_looks_like_one(self, text, found):
        """In prose, in brackets, of a court, by volume and page."""
        assert marks(text) == found

    @pytest.mark.parametrize(
        "text",
        [
            "He moved there (Paris, 2019) and stayed.",
            "The album Love and Life (2008) sold well.",
            "It opened in (March 2020) or (June, 2021).",
            "It costs 347 U.S. dollars, 483 more than in 1954.",
            "The ratio is 20:19; 381 of 1995 people came.",
            "Smith says so. In 2017 others did.",
        ],
    )
    def test_leaves_other_text_alone(self, text):
        """Places, titles, dates and numbers."""
        assert marks(text) == []

    def test_a_mark_means_the_reference_with_its_name_and_year(self):
        """Of the list in the same answer; the one that is not in it is left."""
        text = (
            "Attention is enough (Vaswani et al., 2017), and more so (Halloran, 2021; Vaswani, 2016).\n\n## References\n"
            "1. Vaswani, A., Shazeer, N. (2017). Attention Is All You Need. NeurIPS.\n"
            "2. Halloran, M. (2021). Recursive Attention Pruning. ACL.\n"
        )
        assert marks(text) == ["Vaswani, 2016"]

    def test_what_was_read_is_not_said_twice(self):
        """It is part of a reference."""
        assert marks('See "Attention Is All You Need" by Vaswani et al. (2017).') == []


class TestCheck:
    def test_an_answer_with_citations_is_not_nothing_to_check(self):
        """Each is unverified, with the reason."""
        report = Guard([ReferenceCheck()]).check(
            "As Vaswani et al. (2017) and Halloran et al. (2021) show, it works."
        )
        assert report.verdict is Verdict.UNVERIFIED
        assert [finding.text for finding in report.findings] == [
            "Vaswani et al. (2017)",
            "Halloran et al. (2021)",
        ]
        assert {finding.reason for finding in report.findings} == {
            "it looks like a citation, and could not be read as one"
        }
