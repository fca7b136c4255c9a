"""Works of one title: which quotation is of another work, and what is then said. Oracles: judged by hand."""

from dataclasses import replace

import pytest
from benchmarks.references.namesakes import run

from guardrail import Guard, remove
from guardrail.detectors import ReferenceCheck
from guardrail.references.bibliography.index import Index
from guardrail.references.bibliography.matching import judge
from guardrail.references.bibliography.namesakes import is_namesake
from guardrail.references.bibliography.records import Record, Reference, Status
from guardrail.references.quotation import accused

ARTICLE = Record(
    "Deep learning", ("Yann LeCun", "Yoshua Bengio", "Geoffrey Hinton"), year=2015, venue="Nature", doi="10.1038/nature14539",
    volume="521", pages="436-444",
)  # fmt: skip
OTHERS = ("Ian Goodfellow", "Yoshua Bengio", "Aaron Courville")
SAME = Reference("Deep Learning", OTHERS, year=2015, venue="Nature")
ANSWER = (
    "1. Goodfellow, I., Bengio, Y., & Courville, A. (2016). Deep Learning. MIT Press. ISBN 978-0-262-03561-3."
)


class TestAnotherWork:
    @pytest.mark.parametrize(
        "said",
        [
            replace(SAME, year=2018),
            replace(SAME, venue="Communications of the ACM"),
            replace(SAME, year=2016, venue="MIT Press"),
            replace(SAME, venue="", isbn="9780262035613"),
            replace(SAME, doi="10.1145/1234567"),
        ],
        ids=["years", "venue", "press", "a book", "identifier"],
    )
    def test_is_told_by_what_is_quoted_with_it(self, said):
        """Its year, its venue, its form or its identifier, each by itself: it is absent, and the work of that title is shown."""
        match = judge(said, [ARTICLE])
        assert (match.status, match.record) == (Status.ABSENT, ARTICLE)
        assert match.fields[0].field == "title"
        assert not match.exists

    @pytest.mark.parametrize(
        "said",
        [
            SAME,
            replace(SAME, year=2016),
            replace(SAME, venue="", year=None),
            replace(SAME, venue="", year=2016),
            replace(SAME, venue="Elsevier"),
            replace(SAME, year=2019, doi="10.1038/nature14539"),
            replace(SAME, year=2019, pages="436–444"),
            replace(SAME, year=2019, volume="521"),
            replace(SAME, year=2019, authors=("Yann LeCun", "Yoshua Bengio", "Eve Wrong")),
        ],
        ids=[
            "all else",
            "a year later",
            "nothing",
            "no venue",
            "a publisher",
            "its DOI",
            "its pages",
            "venue and volume",
            "two authors",
        ],
    )
    def test_is_not_where_nothing_or_too_little_speaks_for_it(self, said):
        """Changed authors of one work stay an accusation."""
        match = judge(said, [ARTICLE])
        assert match.status is Status.FOUND
        assert any(check.field == "authors" for check in match.differences)

    def test_is_not_where_the_title_is_too_long_for_two(self):
        """Nobody else has it."""
        title = "Deep learning of representations for unsupervised and transfer learning in practice"
        assert not is_namesake(replace(SAME, title=title, year=2001), replace(ARTICLE, title=title))
        assert is_namesake(
            replace(SAME, title="深度学习的基础与应用导论", year=2001),
            replace(ARTICLE, title="深度学习的基础与应用导论"),
        )

    def test_gives_way_to_a_record_of_the_work_itself(self):
        """Preprint and print: one of them fits."""
        print_ = replace(ARTICLE, year=2018, venue="Neural Networks", doi="", volume="", pages="")
        match = judge(replace(SAME, year=2018, venue="Neural Networks"), [ARTICLE, print_])
        assert (match.status, match.record) == (Status.FOUND, print_)
        assert accused(match, "default")

    def test_an_identifier_of_a_third_work_is_still_named(self):
        """Its owner says more than the namesake."""
        owner = Record("On cooking", ("A. Cook",), doi="10.1000/pasta")
        match = judge(replace(SAME, year=2001, doi="10.1000/pasta"), [ARTICLE, owner])
        assert (match.status, match.record) == (Status.ABSENT, owner)


class TestFindings:
    def check(self, tmp_path, answer=ANSWER, *, complete=False, **options):
        with Index.create(tmp_path / "i.sqlite", complete=complete) as index:
            index.add([ARTICLE])
        return Guard([ReferenceCheck(bibliography=tmp_path / "i.sqlite")], **options).check(answer)

    def test_it_is_unverified_and_stays(self, tmp_path):
        """With the other work named; `remove` leaves it where it is."""
        report = self.check(tmp_path, policy=remove())
        [finding] = report.findings
        assert (finding.verdict, finding.label) == ("unverified", "unknown")
        assert finding.reason == (
            "only another work with this title was found, by LeCun, Bengio and Hinton (2015), and the bibliography may lack this one; "
            "no chat model was given to ask about it"
        )
        assert report.answer == f"{ANSWER} [unverified]"

    def test_it_is_made_up_where_every_work_is_known(self, tmp_path):
        [finding] = self.check(tmp_path, complete=True).findings
        assert (finding.verdict, finding.label) == ("unsupported", "fabricated")
        assert finding.reason == (
            "not in a bibliography that is declared complete; only another work with this title was found, by LeCun, Bengio and Hinton (2015)"
        )

    def test_changed_authors_are_called_wrong(self, tmp_path):
        """Everything else is the work's."""
        said = "1. Goodfellow, I., & Courville, A. (2015). Deep Learning. Nature, 521, 436–444."
        [finding] = self.check(tmp_path, said).findings
        assert finding.mark == "real work, wrong authors: it is by LeCun, Bengio and Hinton"


class TestBenchmark:
    def test_pairs_are_of_different_works_and_not_of_one_twice(self):
        """At most one author in common, and one title."""
        every = run.pairs()
        assert {pair.half for pair in every} == {0, 1}
        assert len({(pair.one, pair.other) for pair in every}) == len(every)

    def test_what_tells_them_apart(self):
        """Years, or venues that are known."""
        pair = run.Pair(0, ARTICLE, replace(ARTICLE, authors=OTHERS))
        assert pair.alike
        assert not replace(pair, other=replace(pair.other, year=2001)).alike
        assert not replace(pair, other=replace(pair.other, venue="Science")).alike

    def test_rows(self):
        """A work that is taken for its namesake is called wrong; one that is told apart is not."""
        plain = replace(ARTICLE, doi="", volume="", pages="")
        pair = run.Pair(0, plain, replace(plain, authors=OTHERS, year=2001))
        judged = [(pair, judge(SAME, [ARTICLE])), (pair, judge(run.quoted(pair.other), [ARTICLE]))]
        found = {row.quantity: row.ours for row in run.of_pairs("x", judged)}
        assert (
            found["pairs x"],
            found["called wrong, pairs x"],
            found["taken for its namesake, pairs x"],
        ) == (1, 0.5, 0.5)
