"""The policy that puts right what is known to be otherwise."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrail import Guard
from guardrail.detectors import ReferenceCheck, SelfCheck, SupportCheck
from guardrail.policies import annotate, correct, parse_policy, remove
from guardrail.policies.review import Review
from guardrail.report import Action, Case, Edit, Finding, Span, Verdict

DOCUMENTS = [
    {
        "title": "history.pdf",
        "text": "The library was built in 1904. It burnt down in 1950 and was rebuilt in 1962.",
    },
    {"title": "visit.pdf", "text": "Entrance is free for residents; visitors pay 5 euros."},
]
BIBTEX = "@inproceedings{v, title={Attention Is All You Need}, author={Ashish Vaswani and Noam Shazeer}, year={2017}, booktitle={NeurIPS}, volume={30}, pages={5998--6008}}\n"


def shown(answer, policy, detector=None):
    guard = Guard([detector or SupportCheck(fit="words")], policy=policy, on_unverified="allow")
    return guard.check(answer, context=DOCUMENTS)


class TestSources:
    def test_another_mark(self):
        """The number of the source that says it."""
        report = shown("The library burnt down in 1950 [2].", correct())
        assert report.answer == "The library burnt down in 1950 [1]."
        assert report.decision.action is Action.CORRECT
        assert report.decision.edits[0].why == "document 1 (history.pdf) says it"

    @pytest.mark.parametrize("detector", [None, SelfCheck("grounding", fit="words")])
    def test_another_number(self, detector):
        """The source's number in the place of the claim's, whichever detector found it."""
        report = shown("Visitors pay 7 euros [2].", correct(), detector)
        assert report.answer == "Visitors pay 5 euros [2]."

    def test_what_is_right_stays(self):
        """Nothing is changed in an answer in which all is right."""
        answer = "The library was built in 1904 [1]. Visitors pay 5 euros [2]."
        report = shown(answer, correct())
        assert (report.answer, report.decision.action) == (answer, Action.PASS)

    def test_the_rest_is_left_to_others(self):
        """What cannot be put right is for the policies after it; what was is not touched again."""
        answer = "Visitors pay 7 euros [2]. Three thousand manuscripts were sold abroad [1]."
        noted = shown(answer, correct() | annotate({"unsupported", "unverified"})).answer
        assert noted.startswith("Visitors pay 5 euros [2]. Three thousand")
        assert noted.count("[source") == 1
        assert "Visitors pay 5 euros" in shown(answer, correct() | remove()).answer

    @pytest.mark.parametrize(
        ("wrong", "right"),
        [
            ("(visit.pdf)", "(history.pdf)"),
            ("[^2]", "[^1]"),
            ("【2】", "【1】"),
            ("²", "¹"),
            ("[2†source]", "[1†source]"),
        ],
    )
    def test_marks_of_any_style(self, wrong, right):
        """Written as the answer writes them."""
        answer = shown(f"The library burnt down in 1950 {wrong}.", correct()).answer
        assert answer == f"The library burnt down in 1950 {right}."


class TestReferences:
    """Whether or not a difference is an accusation: a wrong year is only reported by default."""

    @pytest.fixture(params=["default", "strict"])
    def detector(self, tmp_path, request):
        path = tmp_path / "refs.bib"
        path.write_text(BIBTEX, encoding="utf-8")
        return ReferenceCheck(bibliography=str(path), differences=request.param)

    @pytest.mark.parametrize(
        ("wrong", "right"),
        [
            ("Vaswani, A., & Shazeer, N. (2012). Attention Is All You Need. NeurIPS.", "(2017)"),
            ("Vaswani, A., & Shazeer, N. (2017). Attention Is All You Need. Nature.", "NeurIPS"),
            ("Vaswani, A., & Smith, N. (2017). Attention Is All You Need. NeurIPS.", "& Shazeer, N."),
            (
                "Vaswani, A., & Shazeer, N. (2017). Attention Is All You Need. NeurIPS, 31, 5998-6008.",
                ", 30,",
            ),
            (
                "Vaswani, A., & Shazeer, N. (2017). Attention Is All You Need. NeurIPS, 30, 998-1008.",
                "5998-6008",
            ),
        ],
    )
    def test_fields(self, detector, wrong, right):
        """Year, venue, one author's name, volume and pages of the record."""
        assert right not in wrong
        assert right in shown(f"Read {wrong}", correct(), detector).answer

    @pytest.mark.parametrize(
        "said",
        [
            "Vaswani, A., & Shazeer, N. (2017). Attention Is All You Need. NeurIPS, 30, 5998-6008.",
            "Vaswani, A., & Shazeer, N. (2012). Attention Is All You Need. Nature.",  # another version of it
            "Vaswani, A., & Shazeer, N. (2012). Attention Is All You Need.",  # perhaps a preprint
            "Smith, J., & Shazeer, N. (2017). Attention Is All You Need. NeurIPS.",  # another person
        ],
    )
    def test_what_is_not_certain(self, detector, said):
        """Two fields that differ, a year without its venue, and a name with other given names."""
        assert shown(f"Read {said}", correct(), detector).answer == f"Read {said}"

    def test_editions(self, tmp_path):
        """A book has editions of other years."""
        path = tmp_path / "refs.bib"
        path.write_text(
            "@book{k, title={The Art of Computer Programming}, author={Donald Knuth}, year={1998}, publisher={Addison-Wesley}}",
            encoding="utf-8",
        )
        said = "Read Knuth, D. (1973). The Art of Computer Programming. Addison-Wesley."
        assert shown(said, correct(), ReferenceCheck(bibliography=str(path))).answer == said


def test_a_cut_around_a_correction():
    """What a later policy takes is gone, whatever was put right in it."""
    answer = "Keep this. Visitors pay 7 euros and get gold. End here."
    start, end = answer.index("Visitors"), answer.index(" End")
    at = answer.index("7")
    wrong = {"detector": "d", "verdict": Verdict.UNSUPPORTED, "reason": "r"}
    edit = Edit(span=Span(start=at, end=at + 1), replacement="5")
    findings = (
        Finding(**wrong, span=Span(start=start, end=end)),
        Finding(**wrong, span=Span(start=start, end=at + 7), corrections=(edit,)),
    )
    decision = (correct() | remove()).decide(Review(Case(answer=answer), findings))
    assert decision.answer == "Keep this. End here."


class TestCertain:
    """Nothing is changed where the evidence is not one and certain."""

    def test_another_thing_differs(self):
        """A sentence that speaks of something else than the source's."""
        context = ["The bus leaves at 7 on weekdays in summer. In winter the bus starts two hours later."]
        answer = "The bus leaves at 9 on weekdays in winter [1]."
        report = Guard([SupportCheck(fit="words")], policy=correct()).check(answer, context=context)
        assert "at 9" in report.answer

    def test_sources_that_disagree(self):
        """An older source is not put in the place of one that says otherwise."""
        context = [
            *DOCUMENTS,
            {"title": "old.pdf", "text": "Entrance is free for residents; visitors pay 7 euros."},
        ]
        report = Guard([SupportCheck(fit="words")], policy=correct()).check(
            "Visitors pay 7 euros [2].", context=context
        )
        assert "[3]" not in report.answer

    @pytest.mark.parametrize(
        "answer",
        [
            "The library burnt down in 1950 [2](https://cdn.example/visit).",
            "The library burnt down in 1950 [^2].\n\n[^2]: visit.pdf",
            "The library burnt down in 1950 (Smith, 2020).",
        ],
    )
    def test_links_notes_and_names(self, answer):
        """An address, a note that the answer does not have, and another author's name are not made up."""
        assert shown(answer, correct()).answer == answer

    def test_detectors_that_disagree(self):
        """Of a place of which two detectors know different things nothing is put right."""
        answer, at = "Visitors pay 7 euros.", 13
        wrong = {
            "detector": "d",
            "verdict": Verdict.UNSUPPORTED,
            "reason": "r",
            "span": Span(start=0, end=20),
        }
        known = [Edit(span=Span(start=at, end=at + 1), replacement=new) for new in "56"]
        findings = tuple(Finding(**wrong, corrections=(one,)) for one in known)
        assert correct().decide(Review(Case(answer=answer), findings)).answer == answer
        assert correct().decide(Review(Case(answer=answer), findings[:1])).answer == "Visitors pay 5 euros."


def test_written_form():
    """As in a configuration file."""
    policy = correct({"unsupported", "unverified"}) | remove()
    assert parse_policy(str(policy)) == policy


def test_json():
    """An answer in JSON stays JSON."""
    answer = json.dumps({"price": "Visitors pay 7 euros."})
    report = shown(answer, correct(), SelfCheck("grounding", fit="words"))
    assert json.loads(report.answer)["price"] in {"Visitors pay 5 euros.", "Visitors pay 7 euros."}


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(1, 5), st.text("xyz", max_size=3)), max_size=6))
def test_any_corrections(drawn):
    """Edits are disjoint and in order, whatever detectors say."""
    answer = "a" * 40
    findings = [
        Finding(
            detector="d",
            span=Span(start=start, end=start + length),
            verdict=Verdict.UNSUPPORTED,
            reason="r",
            corrections=(Edit(span=Span(start=start, end=start + length), replacement=new),),
        )
        for start, length, new in drawn
    ]
    edits = correct().decide(Review(Case(answer=answer), tuple(findings))).edits
    assert all(a.span.end <= b.span.start for a, b in pairwise(edits))


@pytest.mark.parametrize(
    ("said", "known", "text", "expected"),
    [
        ("7", "5", "7 euros", "5 euros"),
        ("7", "5", "7 of 7", None),
        ("7", "5", "17 euros", None),
        ("7", '5"', "7 euros", None),
        ("7", "<b>5</b>", "7 euros", None),
        ("7", "[5](x)", "7 euros", None),
        ("", "5", "7 euros", None),
        ("7", "7", "7 euros", None),
    ],
)
def test_of_one(said, known, text, expected):
    """Only what occurs once, as a whole word, and only by what cannot end a string."""
    edit = Edit.of_one(said, known, within=Span(start=10, end=10 + len(text)), text=text, why="w")
    if expected is None:
        assert edit is None
    else:
        at = edit.span.start - 10
        assert text[:at] + edit.replacement + text[edit.span.end - 10 :] == expected
