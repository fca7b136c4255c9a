"""What looks like a citation and could not be read is said, not passed over."""

import pytest

from guardrail import Guard, Verdict
from guardrail.detectors import ReferenceCheck
from guardrail.references.citations import citations
from guardrail.references.citations.silence import unread
from guardrail.references.citations.tagging import packaged_tagger


def marks(text):
    """What is said of a text."""
    return [span.of(text) for span, _ in unread(text, citations(text, tagger=packaged_tagger()))]


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


class TestAnswersWithoutCitations:
    @pytest.mark.parametrize(
        "text",
        [
            "Carlos Arniches y Barrera (Albacete, October 28, 1866 - Madrid, December 25, 1943) was a Spanish playwright.",
            "Matthew Aylmer (1775 – 22 June 1856), 1st Baron Aylmer, was a British naval officer, remembered for his service.",
            "Merle Oberon (born Estelle Merle O'Brien Thompson, 19 February 1911 – 23 November 1979) was an actress.",
            '"Danny\'s Deli Bait & Tackle" is a popular place in Goleta, known for its friendly service.',
            'She appeared on television shows such as "Murder, She Wrote" and "The X-Files."',
            'He won his Oscar for "The Fellowship of the Ring" (2001).',
        ],
    )
    def test_nothing_is_found(self, text):
        """Years of a life, restaurants, shows, prizes for films."""
        assert citations(text, tagger=packaged_tagger()) == []

    @pytest.mark.parametrize(
        "text",
        [
            "**🔍 What I changed**\n1. Split one 70-word sentence into three\n2. Added a clear contrast (Poe ↔ Roe)\n",
            '> "Bells are not a cure for silence."\n> — Mary Poe, speaking in Stockholm, 1925\n',
            'Roe\'s (1977) "silent bells" are heard by nobody.',
        ],
    )
    def test_remarks_and_sayings_are_none(self, text):
        """Also where references were asked for: what was done, who said it, what somebody calls it."""
        assert [
            one
            for one in citations(text, asked_for_references=True, tagger=packaged_tagger())
            if one.reference.title
        ] == []

    def test_a_life_beside_a_work_takes_nothing_from_it(self):
        """The work has a year of its own."""
        text = "Foucault, M. (1975). Discipline and Punish (1926-1984). Paris: Gallimard."
        assert [one.reference.year for one in citations(text, tagger=packaged_tagger())] == [1975]
