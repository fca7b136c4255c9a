"""A string that the look-up does not confirm is read again: to clear it, or to leave it unaccused, never to leave it unasked."""

from contextlib import suppress

import pytest

from guardrail import Guard, Verdict
from guardrail.chat import ScriptedChat
from guardrail.detectors import ReferenceCheck
from guardrail.engine.flow import Answer
from guardrail.references import check
from guardrail.references.bibliography.index import Index
from guardrail.references.bibliography.records import FieldCheck, Match, Outcome, Record, Reference, Status
from guardrail.references.citations import citations
from guardrail.references.citations.model import Citation
from guardrail.references.second_reading import (
    confirms,
    read_between,
    read_exchanged,
    rest,
    takes_in_more,
    title_beside,
    unexplained_link,
    with_names_before,
)
from guardrail.report import Span

STRING = "1. Rosling, H. The Long Shadow of Maps Annals of Nothing (2019)"


@pytest.fixture
def index(tmp_path):
    """Makes one of a few works."""

    def make(*works, complete):
        path = tmp_path / "refs.sqlite"
        with Index.create(path, complete=complete) as made:
            made.add([Record("Silent Spring", ("Rachel Carson",), year=1962), *works])
        return path

    return make


class TestOtherBounds:
    """`read_between`, in an index that is declared complete."""

    @pytest.mark.parametrize(
        ("text", "verdict"),
        [
            ("1. rosling's the long shadow of maps - kinda long but worth it", Verdict.SUPPORTED),
            ("1. the long shadow of maps by hans rosling", Verdict.SUPPORTED),
            ("1. rosling's the long shadow of cats - kinda long but worth it", Verdict.UNSUPPORTED),
            ('1. "Rosling Revised in The Long Shadow of Maps" by Hans Rosling', Verdict.UNSUPPORTED),
            ("1. The Ontology of Imaginary Teapots, The Long Shadow of Maps", Verdict.UNSUPPORTED),
        ],
    )
    def test_a_title_between_marks(self, index, text, verdict):
        """Found beside remarks; an invented one is still invented, also before a real one, which may be what it appeared in."""
        path = index(Record("The Long Shadow of Maps", ("Hans Rosling",), year=2019), complete=True)
        guard = Guard([ReferenceCheck(bibliography=path)])
        report = guard.check(text, prompt="Which books can you recommend? List references.")
        assert [finding.verdict for finding in report.findings] == [verdict]

    @pytest.mark.parametrize(
        ("text", "read", "names", "style"),
        [
            ("Roe C, Poe RB. Climate of Maps", "Poe RB. Climate of Maps", ("Roe C",), "labelled"),
            ("Roe C, Poe RB. Climate of Maps", "of Maps", ("Roe C", "Poe RB. Climate"), "labelled"),
            ("Roe C, Poe RB. Climate of Cats", "Poe RB. Climate of Cats", ("Roe C",), "inline"),
            ("Roe C, Loe XZ. Climate of Maps", "Loe XZ. Climate of Maps", ("Roe C",), "inline"),
            ("Roe C. Climate of Maps II", "Climate of Maps II", ("Roe C",), "inline"),
        ],
    )
    def test_names_that_were_read_into_a_title_or_a_title_into_names(
        self, tmp_path, text, read, names, style
    ):
        """As journals of medicine write them: no accusation, if all that is left names authors of the work."""
        said = Reference(read, names, year=2019)
        citation = Citation(Span(start=0, end=len(text)), said, "inline")
        with Index.create(tmp_path / "i.sqlite", complete=True) as index:
            index.add([Record("Climate of Maps", ("Carla Roe", "Rita B. Poe"), year=2019)])
            flow, replies = read_between(citation, text, index.find(said), "default"), None
            try:
                while True:
                    replies = [Answer(index.find(find.reference)) for find in flow.send(replies)]
            except StopIteration as end:
                found, _ = end.value
        assert found.style == style

    @pytest.mark.parametrize(
        ("names", "outcome"), [(("Roe, C.",), Outcome.CONFIRMED), (("Doe, X.",), Outcome.DIFFERS)]
    )
    def test_a_title_that_was_read_too_short(self, tmp_path, names, outcome):
        """The longer one is the title, and the names are compared with those of its work."""
        text = f"{names[0]} (2019). Rivers: A Climate of Maps"
        said = Reference("A Climate of Maps", names, year=2019)
        citation = Citation(Span(start=0, end=len(text)), said, "inline")
        with Index.create(tmp_path / "i.sqlite", complete=True) as index:
            index.add([Record("Rivers: A Climate of Maps", ("Carla Roe",), year=2019)])
            absent = Match(Status.ABSENT, complete=True)
            flow, replies = read_between(citation, text, absent, "default"), None
            try:
                while True:
                    replies = [Answer(index.find(find.reference)) for find in flow.send(replies)]
            except StopIteration as end:
                found, match = end.value
        assert found.reference.title == "Rivers: A Climate of Maps"
        assert {check.field: check.outcome for check in match.fields}["authors"] is outcome

    def test_a_name_that_belongs_to_the_title(self):
        """Rosling did not write "Rosling's Long Shadow of Charts"; the bounds are drawn before the name, too."""
        text = "Others like Rosling's Long Shadow of Charts (2019)."
        said = Reference("Long Shadow of Charts", ("Rosling",), year=2019)
        citation = Citation(Span(start=12, end=len(text) - 1), said, "inline")
        absent = Match(Status.ABSENT, complete=True)
        flow = read_between(citation, text, absent, "default")
        asked = [find.reference.title for find in next(flow)]
        with suppress(StopIteration):
            while True:
                asked += [find.reference.title for find in flow.send([Answer(absent)])]
        assert "Rosling's Long Shadow of Charts" in asked


class TestTakesInMore:
    """A title that was read too long."""

    TITLE = "Can Maps Lie"

    @pytest.mark.parametrize(
        ("said", "more"),
        [
            ("Can Maps Lie? Findings of the Society of Maps", True),
            ("Can Maps Lie. Contribution of the Second Group", True),
            ("Can Maps Lie, Annals of Maps", True),
            ("Can Maps Lie: A Study of Imaginary Teapots", False),
            ("Can Maps Lie of Teapots, Annals", False),
            ("Can Maps Lie", False),
            ("Why Can Maps Lie? Findings", False),
        ],
    )
    def test_behind_a_mark_may_be_what_the_work_appeared_in(self, said, more):
        """Behind a colon is a subtitle."""
        differs = FieldCheck("title", Outcome.DIFFERS, said, self.TITLE, "invented")
        match = Match(Status.FOUND, Record(self.TITLE), 0.9, (differs,) if said != self.TITLE else ())
        citation = Citation(Span(start=0, end=10), Reference(said), "inline")
        assert takes_in_more(citation, match, "default") is more

    def test_is_no_accusation(self, index, monkeypatch):
        """The work is said, and that the answer could not be read reliably."""
        text = "1. Rosling, H. Can Maps Lie? Findings of the Society of Imaginary Teapots."
        said = Reference("Can Maps Lie? Findings of the Society of Imaginary Teapots", ("Rosling, H.",))
        monkeypatch.setattr(
            check, "citations", lambda *_, **__: [Citation(Span(start=3, end=len(text)), said, "inline")]
        )
        path = index(Record("Can Maps Lie", ("Hans Rosling",), year=2019), complete=True)
        [finding] = Guard([ReferenceCheck(bibliography=path)]).check(text).findings
        assert finding.verdict is Verdict.UNVERIFIED
        assert "could not be read reliably" in finding.reason


def test_a_source_that_does_not_answer_is_asked_once():
    """Three readings more would be three waits more."""
    asked = []

    class Dead:
        fingerprint = "dead"

        def find_all(self, references):
            asked.extend(references)
            return [Match(Status.UNREACHABLE, detail="no connection")] * len(references)

    Guard([ReferenceCheck(bibliography=Dead())]).check(STRING)
    assert len(asked) == 1


def test_the_model_is_still_asked_where_the_bibliography_is_incomplete(index):
    """It does not know the work."""
    model = ScriptedChat(
        lambda ask: "no" if "authors" not in ask.messages[-1].text else f"A{ask.draw} B{ask.draw}"
    )
    report = Guard([ReferenceCheck(bibliography=index(complete=False))], chat=model).check(STRING)
    assert [finding.label for finding in report.findings] == ["fabricated"]
    assert model.asked


class TestTitleAlone:
    def test_a_real_main_title_does_not_clear_what_follows_it(self, index):
        """An invented subtitle, taken for a comment by the reader."""
        path = index(Record("Why Minimal Guidance Does Not Work"), complete=True)
        text = '1. **"Why Minimal Guidance Does Not Work: An Analysis of Imaginary Teapots" (1946)**'
        report = Guard([ReferenceCheck(bibliography=path)]).check(text)
        assert Verdict.SUPPORTED not in [finding.verdict for finding in report.findings]

    def test_a_title_with_nothing_beside_it_is_cleared(self, index):
        """The whole citation is the title."""
        path = index(complete=True)
        report = Guard([ReferenceCheck(bibliography=path)]).check("1. Silent Spring", prompt="Name a book.")
        assert [finding.verdict for finding in report.findings] == [Verdict.SUPPORTED]


@pytest.mark.parametrize(
    ("text", "unread"),
    [
        ("Benchmarks such as RAGAS: Automated Evaluation of Codes (arXiv:2104.08663) show it.", "RAGAS: Automated Evaluation of Codes"),
        ("Elements of Sonata on Sales: Online Book Reviews ([paper](https://arxiv.org/abs/2104.08663)) is, too.", "Elements of Sonata on Sales: Online Book Reviews"),
        ("Reeds of the Northern Shore (arXiv:2104.08663) show it.", ""),
        ("Rivers of the Imaginary Teapot (Annals of Cups, 2019): [link](https://arxiv.org/abs/2104.08663)", "Rivers of the Imaginary Teapot"),
        ("See <https://arxiv.org/abs/2104.08663>: Reeds of the Northern Shore", ""),
        ("See https://arxiv.org/abs/2104.08663 – Still the best book on reeds and shores", ""),
        ("REEDS (arXiv:2104.08663) shows it.", ""),
        ("The work of Rivers and Poe on reeds (arXiv:2104.08663) shows it.", ""),
    ],
)  # fmt: skip
def test_a_title_that_was_not_read_beside_an_identifier(text, unread):
    """The identifier alone would verify a work that the text calls otherwise."""
    work = Record("Reeds of the Northern Shore", ("Ann Rivers", "Edgar Poe"), year=2021)
    found = [title_beside(one, text, work) for one in citations(text) if not one.reference.title]
    assert found == [unread]


def test_nothing_is_left_out_for_a_reading_without_a_title():
    """It was an error, and the reference was left unread."""
    assert rest("The Long Shadow of Maps", "") == "The Long Shadow of Maps"
    assert rest("The Long Shadow of Maps", "of Maps") == "The Long Shadow"


def test_one_word_before_an_identifier_is_no_claim_of_a_title(index):
    """2. **Align** – TREE → https://doi.org/…: a step of a plan; two words are one."""
    path = index(
        Record("TREE: ultrafast aligner", ("Ann Roe",), year=2013, doi="10.1000/tree.5"), complete=True
    )
    guard = Guard([ReferenceCheck(bibliography=path)])
    prompt = "Which papers? List references."
    verdicts = [
        finding.verdict
        for title in ("Align", "Ghost Rivers")
        for finding in guard.check(f"- [{title}](https://doi.org/10.1000/tree.5)", prompt=prompt).findings
    ]
    assert verdicts == [Verdict.UNVERIFIED, Verdict.UNSUPPORTED]


@pytest.mark.parametrize(
    ("line", "verdict"),
    [
        ("- Camera of rivers and teapots → https://doi.org/10.1000/tree.5", Verdict.UNVERIFIED),
        ("A Real-time Teapot of automatic rivers https://doi.org/10.1000/tree.5", Verdict.UNVERIFIED),
        ("Full text here: https://doi.org/10.1000/tree.5", Verdict.SUPPORTED),
        ("Full text of the paper → https://doi.org/10.1000/tree.5", Verdict.SUPPORTED),
    ],
)
def test_a_line_before_an_identifier_may_be_another_title(index, line, verdict):
    """What to cite (title → DOI): nothing shows where a title begins, and the DOI alone verifies none."""
    path = index(
        Record("TREE: ultrafast aligner", ("Ann Roe",), year=2013, doi="10.1000/tree.5"), complete=True
    )
    guard = Guard([ReferenceCheck(bibliography=path)])
    assert verdict in [finding.verdict for finding in guard.check(line).findings]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("[The Long Shadow. A Handbook of Imaginary Teapots](https://roe.org/x)", "A Handbook of Imaginary Teapots"),
        ("[The Long Shadow: Maps of the Northern Shore](https://roe.org/x)", ""),
        ("[The Long Shadow | Roe](https://roe.org/x)", ""),
        ("The Long Shadow, by Jane Roe and many others", ""),
    ],
)  # fmt: skip
def test_the_text_of_a_link_is_the_whole_title(text, left):
    """A part of it that is the title of a work verifies nothing."""
    work = Record("The Long Shadow: Maps of the Northern Shore", ("Jane Roe",))
    assert unexplained_link(text, "The Long Shadow", work).strip(" .:|") == left


class TestExchanged:
    """A title and a name that were taken for each other."""

    @pytest.mark.parametrize(
        ("said", "label"),
        [
            (Reference("Mara Vale", ("The Weight of Ink",)), "verified"),
            (Reference("The Weight of Ink, Mara Vale (Quay House)"), "verified"),
            (Reference("Mara Vale - The Weight of Ink"), "verified"),
            (Reference("The Weight of Ink. Mara Vale"), "verified"),
            (Reference("Mara Vale", ("The Weight of Sand",)), "absent"),
            (Reference("The Weight of Ink, Ida Stone"), "absent"),
        ],
    )
    def test_counts_only_if_a_work_confirms_both(self, tmp_path, said, label):
        citation = Citation(Span(start=0, end=10), said, "emphasised")
        with Index.create(tmp_path / "i.sqlite", complete=True) as index:
            index.add([Record("The Weight of Ink", ("Mara Vale",), year=1971, venue="Quay House")])
            flow, replies = read_exchanged(citation, index.find(said), "default"), None
            try:
                while True:
                    replies = [Answer(index.find(find.reference)) for find in flow.send(replies)]
            except StopIteration as end:
                found, match = end.value
        assert confirms(match, "default") is (label == "verified")
        if label == "verified":
            assert (found.reference.title, found.reference.authors) == ("The Weight of Ink", ("Mara Vale",))


def test_a_link_whose_text_was_read_as_a_law_is_not_cleared_by_its_address(index):
    """The 300 characters before the law begin inside another link, which must not hide the open bracket."""
    path = index(
        Record("Vaccines for Measles in Children", ("Di Pietrantonj",), doi="10.1002/14651858"), complete=True
    )
    earlier = f"[{'A Well-Ordered Thing and the Preservation of Races ' * 5}](https://example.org/a)"
    text = (
        f"It was held in Roe v. Wade, 410 U.S. 113 (1973). {earlier} and so did the review, "
        "[Regulation (EU) 2016/679 (General de sociologie](https://doi.org/10.1002/14651858)."
    )
    findings = Guard([ReferenceCheck(bibliography=path)]).check(text).findings
    assert not [one for one in findings if one.verdict is Verdict.SUPPORTED]


def test_the_text_of_a_link_of_which_only_the_address_was_read():
    answer = "See [Regulation (EU) 2016/679 of Imaginary Teapots](https://doi.org/10.1000/a)."
    start = answer.index("https")
    citation = Citation(Span(start=start, end=len(answer) - 2), Reference(doi="10.1000/a"), "doi")
    assert (
        title_beside(citation, answer, Record("Vaccines for Measles"))
        == "Regulation (EU) 2016/679 of Imaginary Teapots"
    )
    assert not title_beside(citation, answer, Record("The Regulation of Imaginary Teapots, 2016/679"))


class TestNamesBefore:
    @pytest.mark.parametrize(
        ("text", "outcome"),
        [
            ("See also Coen de Graaf and Ria Broer, “Molecules” (2016).", Outcome.CONFIRMED),
            ("See also Ria Broer, “Molecules” (2016).", Outcome.DIFFERS),
            (
                "Coen de Graaf is dead. See Ann Roe, Jo Poe and Ria Broer, “Molecules” (2016).",
                Outcome.DIFFERS,
            ),
        ],
    )
    def test_named_in_full(self, text, outcome):
        """Authors that the reader missed are named all the same, right before what it read."""
        start = text.index("Ria")
        said = Citation(Span(start=start, end=len(text)), Reference("Molecules", ("Ria Broer",)), "inline")
        missing = FieldCheck("authors", Outcome.DIFFERS, "Ria Broer", "Coen de Graaf; Ria Broer", "missing")
        match = Match(Status.FOUND, Record("Molecules", ("Coen de Graaf", "Ria Broer")), 1.0, (missing,))
        assert with_names_before(said, text, match).fields[0].outcome is outcome
