"""The model of passages: what it finds beside the rules, what its doubts do, and that neither accuses by itself."""

import sys

import pytest

from guardrail import Guard, Span, Verdict
from guardrail.detectors import ReferenceCheck
from guardrail.references import check
from guardrail.references.bibliography import Index, Record, Reference
from guardrail.references.citations import citations, passages
from guardrail.references.citations.model import Citation
from guardrail.references.citations.passages import seconded
from guardrail.references.citations.segmentation.works import Work

PLAIN = "Start with Kahneman, Daniel. Thinking, Fast and Slow. New York: Farrar, Straus and Giroux, 2011, then rest."
KAHNEMAN = Record(
    "Thinking, Fast and Slow", ("Daniel Kahneman",), year=2011, venue="Farrar, Straus and Giroux"
)
CARSON = Record("Silent Spring", ("Rachel Carson",), year=1962)
QUOTED = 'Read "The Sea Around Us by Rachel Carson" first.'


@pytest.fixture
def verdicts(tmp_path):
    """Checks a text against a complete index of these works."""

    def run(text, *works):
        path = tmp_path / f"works-{len(list(tmp_path.iterdir()))}.sqlite"
        with Index.create(path, complete=True) as index:
            index.add([CARSON, *works])
        with Guard([ReferenceCheck(bibliography=str(path))]) as guard:
            return [(finding.verdict, finding.text) for finding in guard.check(text).findings]

    return run


class TestFound:
    def test_a_work_in_a_sentence_without_marks(self):
        """The rules read nothing in it."""
        [citation] = citations(PLAIN)
        assert citation.reference.title == "Thinking, Fast and Slow"
        assert (citation.reference.authors, citation.reference.year) == (("Kahneman, Daniel",), 2011)
        assert citation.style == "unmarked"

    def test_is_cleared_if_it_exists_and_never_called_wrong(self, verdicts):
        """Also where the bibliography is complete."""
        assert [verdict for verdict, _ in verdicts(PLAIN, KAHNEMAN)] == [Verdict.SUPPORTED]
        assert [verdict for verdict, _ in verdicts(PLAIN)] == [Verdict.UNVERIFIED]

    @pytest.mark.parametrize(
        "text",
        [
            "Popular languages:\n1. Python by Guido van Rossum (1991)\n2. Ruby by Yukihiro Matsumoto (1995)",
            'Best films of the decade:\n1. "The Social Network" by David Fincher (2010)',
            "Netflix's *The Crown* and HBO's *The Wire* are loved by many.",
        ],
    )
    def test_neither_a_film_nor_a_language(self, text):
        """A name and a year make no reference."""
        assert citations(text) == []

    def test_leaves_a_mark_to_the_entry_it_means(self, monkeypatch):
        """Where the model takes the mark for a part of a work."""
        text = (
            "Stories persuade (Green & Brock, 2000).\n\n## References\n\n"
            "- Green, M. C., & Brock, T. C. (2000). The role of transportation in the persuasiveness of public narratives. "
            "Journal of Personality and Social Psychology, 79(5), 701-721."
        )
        whole = Citation(
            Span(start=0, end=38), Reference("Stories persuade", ("Green",), year=2000), "unmarked"
        )
        monkeypatch.setattr(sys.modules[citations.__module__], "further", lambda *_: [whole])
        assert [bool(one.means) for one in citations(text) if one.style == "author-year"] == [True]
        assert "unmarked" not in [one.style for one in citations(text)]

    def test_reads_nothing_in_a_very_long_answer(self):
        """It would take seconds of it; the rules read on."""
        found = citations(f"{PLAIN}\n\n" + "Nothing to see here. " * (passages.MOST // 20))
        assert "Thinking, Fast and Slow" not in [one.reference.title for one in found]


class TestDoubt:
    """The rules took "by Rachel Carson" for a part of the title; `other` is what the model reads there."""

    @pytest.fixture
    def read(self, monkeypatch):
        def put(other):
            start = QUOTED.index("The Sea")
            wrong = Reference("The Sea Around Us by Rachel Carson", ("Rachel Carson",))
            span = Span(start=start, end=start + len(wrong.title))
            one = Citation(span, wrong, "quoted", other=other)
            monkeypatch.setattr(check, "citations", lambda *_, **__: (one,))

        return put

    def test_clears_a_work_that_is_read_otherwise(self, read, verdicts):
        """Its author agrees, and nothing is left unexplained."""
        read(Reference("The Sea Around Us", ("Rachel Carson",)))
        record = Record("The Sea Around Us", ("Rachel Carson",), year=1951)
        assert verdicts(QUOTED, record) == [(Verdict.SUPPORTED, "The Sea Around Us")]

    def test_accuses_only_where_both_readings_are_wrong(self, read, verdicts):
        """Here the index has neither."""
        read(Reference("The Sea Around Us", ("Rachel Carson",)))
        assert [verdict for verdict, _ in verdicts(QUOTED)] == [Verdict.UNSUPPORTED]

    def test_leaves_unaccused_what_another_work_may_explain(self, read, verdicts):
        """The other reading is a real work, but not the one that the title says."""
        read(Reference("Silent Spring", ("Rachel Carson",)))
        assert [verdict for verdict, _ in verdicts(QUOTED)] == [Verdict.UNVERIFIED]


class TestNeighbours:
    def test_the_authors_of_the_next_sentence_are_not_filled_in(self):
        """They wrote the second work: "Bells and Food" (1966). Doe and Roe's "Otters" …."""
        answer = 'It is in "Bells and Food" (1966). Doe and Roe\'s "Otters of the Coast" followed.'
        own = Citation(Span(start=9, end=32), Reference("Bells and Food", year=1966), "quoted")
        said = Reference("Bells and Food", ("Doe", "Roe"), year=1966)
        sure = {"authors": 0.99, "year": 0.99, "venue": 0.0}
        [citation] = seconded(answer, [own], [Work(Span(start=9, end=45), said, 0.99, sure)])
        assert citation.reference.authors == ()
