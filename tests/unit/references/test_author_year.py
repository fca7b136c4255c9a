"""Author-year marks are read, and mean the reference of the answer that they stand for."""

import pytest

from guardrail import Guard, Verdict
from guardrail.detectors import ReferenceCheck
from guardrail.policies import remove
from guardrail.references.bibliography.index import Index
from guardrail.references.bibliography.records import Record
from guardrail.references.citations import citations

LIST = """

## References
1. Vaswani, A., Shazeer, N. (2017). Attention Is All You Need. NeurIPS.
2. Halloran, M. (2021). Recursive Attention Pruning. ACL.
"""


def marks(text):
    """The marks of a text, with the beginning of what each stands for."""
    return [
        (one.span.of(text), one.means and one.means.of(text)[:8])
        for one in citations(text)
        if one.style == "author-year"
    ]


def texts(text):
    """The marks of a text."""
    return [mark for mark, _ in marks(text)]


class TestMarks:
    @pytest.mark.parametrize(
        ("text", "found"),
        [
            ("Vaswani et al. (2017) say so.", ["Vaswani et al. (2017)"]),
            (
                "It works (Hofmann et al., 2010; Goldin & Gross, 2010).",
                ["Hofmann et al., 2010", "Goldin & Gross, 2010"],
            ),
            ("It was shown before (O’Neill and Smith-Jones, 1999a).", ["O’Neill and Smith-Jones, 1999a"]),
            (
                "(McMurray JJV et al., N Engl J Med 2019;381:1995-2008)",
                ["McMurray JJV et al., N Engl J Med 2019;381:1995-2008"],
            ),
            ("It holds (Smith, 2020; Miller, 2021).", ["Smith, 2020", "Miller, 2021"]),
            ("It holds (see van der Berg et al., 2019, p. 12).", ["van der Berg et al., 2019, p. 12"]),
            ("正如（李明等，2019）所说", ["李明等，2019"]),
            (
                "It spread (World Health Organization, 2020; Smith & Doe, 2021).",
                ["World Health Organization, 2020", "Smith & Doe, 2021"],
            ),
        ],
    )
    def test_are_found(self, text, found):
        """In prose, in brackets, several in one, with pages."""
        assert texts(text) == found

    @pytest.mark.parametrize(
        "text",
        [
            "He moved there (Paris, 2019) and stayed.",
            "The album Love and Life (2008) sold well.",
            "It opened in (March 2020) or (June, 2021).",
            "Gladiator (2000) won five Oscars.",
            "Ridley Scott (born 1937) made it (released May, 2000).",
        ],
    )
    def test_are_not_seen_in_other_text(self, text):
        """Places, titles, dates."""
        assert texts(text) == []

    def test_mean_the_reference_with_their_name_and_year(self):
        """Of the list in the same answer; one that is not in it means none."""
        text = "It is enough (Vaswani et al., 2017), and more so (Halloran, 2021; Vaswani, 2016)." + LIST
        assert marks(text) == [
            ("Vaswani et al., 2017", "Vaswani,"),
            ("Halloran, 2021", "Halloran"),
            ("Vaswani, 2016", None),
        ]

    def test_of_two_works_of_a_year_the_letter_decides(self):
        """2020a is the first of the list, 2020b the second."""
        text = (
            "First (Doe, 2020b), then (Doe, 2020a); one of them (Doe, 2020).\n\nReferences\n"
            "1. Doe, J. (2020). Graphs and Their Trees. ACL.\n2. Doe, J. (2020). Oceans and Their Shores. ACL.\n"
        )
        first, second, third = [one.means for one in citations(text)[:3]]
        assert ("Oceans" in first.of(text), "Graphs" in second.of(text), third) == (True, True, None)


class TestHidden:
    def test_a_work_in_the_brackets_of_another_is_one_of_its_own(self):
        """It is not cleared with the work that it stands beside."""
        text = (
            "1. Vaswani et al. (2017). Attention Is All You Need. NeurIPS (extended in Winterbottom, Q. 2019, "
            "The Ontology of Teapots, Journal of Nothing)."
        )
        first, second = citations(text)
        assert first.span.of(text) == "Vaswani et al. (2017). Attention Is All You Need. NeurIPS"
        assert (second.reference.title[:23], second.reference.year) == ("The Ontology of Teapots", 2019)


class TestCheck:
    @pytest.fixture
    def index(self, tmp_path):
        """One that has one of both works, and says that it has all."""
        path = tmp_path / "refs.sqlite"
        with Index.create(path) as made:
            made.add(
                [
                    Record(
                        "Attention Is All You Need",
                        ("Ashish Vaswani", "Noam Shazeer"),
                        year=2017,
                        venue="NeurIPS",
                    )
                ]
            )
            made.declare_complete()
        return path

    def test_a_mark_is_as_good_as_its_reference(self, index):
        """And one without a reference is unverified."""
        text = "It is enough (Vaswani et al., 2017), and more so (Halloran, 2021; Vaswani, 2016)." + LIST
        report = Guard([ReferenceCheck(bibliography=index)]).check(text)
        found = {finding.span.of(text): finding for finding in report.findings}
        assert [
            found[mark].verdict for mark in ("Vaswani et al., 2017", "Halloran, 2021", "Vaswani, 2016")
        ] == [
            Verdict.SUPPORTED,
            Verdict.UNSUPPORTED,
            Verdict.UNVERIFIED,
        ]
        assert (
            found["Vaswani, 2016"].reason
            == "no title is given, and no reference in the answer has these authors and this year"
        )
        assert found["Halloran, 2021"].reason.startswith("this refers to “Recursive Attention Pruning”: ")

    def test_an_invented_reference_goes_with_its_mark(self, index):
        """And the others stay."""
        text = "It is enough (Vaswani et al., 2017), and more so (Halloran, 2021)." + LIST
        report = Guard([ReferenceCheck(bibliography=index)], policy=remove()).check(text)
        assert "Halloran" not in report.answer
        assert "(Vaswani et al., 2017)" in report.answer
