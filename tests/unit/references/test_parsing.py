"""Replies to values, exactly or by the paper's substring rules."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrail.references.parsing import normalised_venue, read_overlap, read_year, read_yes_no


class TestReadYesNo:
    @pytest.mark.parametrize(
        "reply",
        [
            "Yes",
            "yes.",
            " YES, it does.",
            "**Yes**",
            '"Yes"',
            "\n- yes",
            "Ｙｅｓ",
            "_Yes_",
            "Answer: yes",
            "1. Yes",
            "The answer is: yes",
        ],
    )
    def test_reads_a_leading_yes(self, reply):
        """Whatever surrounds it."""
        assert read_yes_no(reply) is True

    @pytest.mark.parametrize(
        "reply", ["No", "no.", "NO - I cannot find it", "**No**", "No, it does not exist.", "Answer: no"]
    )
    def test_reads_a_leading_no(self, reply):
        """Likewise."""
        assert read_yes_no(reply) is False

    @pytest.mark.parametrize(
        "reply",
        [
            "",
            "   ",
            "I know it",
            "Yesterday",
            "Not sure",
            "None",
            "I'm sorry, yes and no",
            "Noted",
            "是",
            "不是",
            "🙂",
        ],
    )
    def test_understands_nothing_else(self, reply):
        """ "no" is in "know" and "yes" in "yesterday": never a substring."""
        assert read_yes_no(reply) is None

    @pytest.mark.parametrize(
        ("reply", "expected"), [("Yesterday", True), ("no", False), ("", False), ("I guess yes", True)]
    )
    def test_paper_rule_is_the_substring(self, reply, expected):
        """[agrawal2024] footnote 9, kept for reproduction."""
        assert read_yes_no(reply, "paper") is expected


class TestReadOverlap:
    @pytest.mark.parametrize(
        ("reply", "expected"),
        [
            ("ANS: 66.67 JUSTIFICATION: 2 of 3", 2 / 3),
            ("ANS: 0% JUSTIFICATION: none", 0.0),
            ("ANSWER: 100", 1.0),
            ("50", 0.5),
            (": 25 percent", 0.25),
        ],
    )
    def test_reads_a_leading_number(self, reply, expected):
        """Per cent to a share."""
        assert read_overlap(reply) == pytest.approx(expected, abs=1e-4)

    @pytest.mark.parametrize(
        "reply", ["", "None of them", "There are 3 authors", "ANS: 350", "ANS: 1000000", "-5"]
    )
    def test_understands_nothing_else(self, reply):
        """A number in the middle of prose is not the answer, nor is one above 100."""
        assert read_overlap(reply) is None

    def test_paper_rule_caps_and_counts_prose_as_zero(self):
        """Kept for reproduction."""
        assert (read_overlap("ANS: 350", "paper"), read_overlap("no idea", "paper")) == (1.0, 0.0)


class TestDetails:
    def test_reads_one_year(self):
        """Two years are no answer, nor is a year inside a longer number."""
        assert [read_year(r) for r in ("1998", "In 2003.", "1998 or 1999", "120031", "n/a")] == [
            1998,
            2003,
            None,
            None,
            None,
        ]

    def test_reads_a_short_venue(self):
        """As lower-case words; prose is no venue."""
        assert normalised_venue("The  VLDB Journal.") == "the vldb journal"
        assert normalised_venue("word " * 40) is None
        assert normalised_venue(" .") is None


@given(st.text())
def test_any_text_is_read_without_a_crash(text):
    """And every value lies in its range."""
    for parsing in ("exact", "paper"):
        assert read_yes_no(text, parsing) in {True, False, None}
        overlap = read_overlap(text, parsing)
        assert overlap is None or 0 <= overlap <= 1
    assert read_year(text) is None or 1500 <= read_year(text) <= 2099
