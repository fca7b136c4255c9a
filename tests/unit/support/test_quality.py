"""Citation recall and precision. Oracle: by hand, by the definition of [gao2023alce] §3."""

import pytest
from tests.effort import lines_run

from guardrail import Guard
from guardrail.chat import ScriptedChat
from guardrail.detectors import SupportCheck
from guardrail.policies import annotate, remove
from guardrail.report import Case, Report, Verdict
from guardrail.support import citation_quality
from guardrail.support.cited import groups_of
from guardrail.support.quality import Judgement, note
from guardrail.text.fence import render

DOCUMENTS = [
    "It says alpha here.",
    "It says beta here.",
    "It says gamma here.",
    "It says alpha and beta here.",
]


def judged(ask):
    """Supported where the sources have every word in capitals of the claim."""
    claim, *sources = render(ask.messages[1]).split("Source ")
    wanted = [word.lower() for word in ("ALPHA", "BETA", "GAMMA") if word in claim]
    said = " ".join(sources).split("What do the sources")[0]
    return "SUPPORTED" if all(word in said for word in wanted) else "SILENT"


def quality(answer, context=DOCUMENTS, **options):
    guard = Guard([SupportCheck(by="judge", others=0, **options)], chat=ScriptedChat(judged))
    return citation_quality(guard.check(answer, context=context))


@pytest.mark.parametrize(
    ("answer", "recall", "precision"),
    [
        ("The first word is ALPHA [1].", 1, 1),
        ("The first word is ALPHA [2].", 0, 0),
        ("The first word is ALPHA [1]. The second word is BETA [1].", 1 / 2, 1 / 2),
        ("The first word is ALPHA [1]. The second word is BETA.", 1 / 2, 1),
        ("The words are ALPHA and BETA [1][2].", 1, 1),  # both are needed
        ("The first word is ALPHA [1][2].", 1, 1 / 2),  # the second alone does not say it, the first does
        (
            "The words are ALPHA and BETA [1][2][3].",
            1,
            2 / 3,
        ),  # the third alone does not, the others together do
        ("The words are ALPHA and BETA [1][4].", 1, 1 / 2),
        ("The first word is ALPHA [1][9].", 0, 0),  # one is out of range: no citation counts
        ("The first word is ALPHA [1][9]. The second word is BETA [2].", 1 / 2, 1),
        ("The first word is ALPHA [1], the second word is BETA [3].", 0, 0),  # both clauses must be supported
    ],
)
def test_by_hand(answer, recall, precision):
    """Each by hand."""
    found = quality(answer)
    assert (found.recall, found.precision) == (pytest.approx(recall), pytest.approx(precision))
    assert found.by == "a judge model"


def test_no_citation():
    """Where claims are expected to have citations, an answer without any has recall 0; else nothing is measured."""
    answer = "The first word is ALPHA. The second word is BETA."
    found = quality(answer, expected=True)
    assert (found.recall, found.precision) == (0, 0)
    assert found.uncited == ("The first word is ALPHA.", "The second word is BETA.")
    assert quality(answer) is None
    assert quality("The first word is ALPHA [1].", expected=False) is None


def test_undefined():
    """A judge that fails, or no documents: undefined, which is not 0."""
    guard = Guard([SupportCheck(by="judge")], chat=ScriptedChat("?"))
    found = citation_quality(guard.check("The first word is ALPHA [1].", context=DOCUMENTS))
    assert (found.recall, found.precision) == (None, None)
    found = quality("The first word is ALPHA [1].", context=[])
    assert found is None or found.recall is None


def test_an_abstract_is_left_out():
    """What an abstract does not say counts neither for nor against."""
    context = ["It says alpha here.", {"text": "It says nothing.", "abstract": True}]
    found = quality("The first word is ALPHA [1]. The second word is BETA [2].", context)
    assert (found.recall, found.precision) == (1, 1)


class TestNote:
    """What the report says of the whole answer."""

    ANSWER = "The library was built in 1904 [1]. The roof is made of copper."
    CONTEXT = ("The library was built in 1904.", {"title": "fees.pdf", "text": "Visitors pay 5 euros."})

    def check(self, **more):
        return Guard([SupportCheck(fit="words")], **more).check(self.ANSWER, context=self.CONTEXT)

    def test_says_what_is_not_cited(self):
        """One note for all: how many claims have no citation, and which documents are never cited."""
        report = self.check()
        (note,) = report.notes
        assert "1 of 2 claims without a citation" in note.reason
        assert "never cited: document 2 (fees.pdf)" in note.reason
        assert note.reason in str(report)
        assert citation_quality(report).uncited == ("The roof is made of copper.",)

    def test_changes_nothing(self):
        """It has no verdict: no policy acts on it, and the report's verdict is that of the marks."""
        report = self.check(
            policy=remove({"unsupported", "unverified"}) | annotate({"unsupported", "unverified"})
        )
        assert report.verdict is Verdict.SUPPORTED
        assert report.answer == self.ANSWER

    def test_survives_json(self):
        """The figures are in the report's JSON."""
        report = self.check()
        again = Report.model_validate_json(report.model_dump_json())
        assert citation_quality(again) == citation_quality(report)


@pytest.mark.parametrize(
    "piece",
    [
        "It says ALPHA here [1]. ",
        "It says ALPHA here [1][2][3]. ",
        "[1]",
        "- it says so, as everybody who was there at the time has said\n",
    ],
)
def test_linear(piece):
    """Four times the marks take about four times the steps."""

    def steps(times):
        case = Case.of(piece * times + "x [1].", context=DOCUMENTS)
        groups, _ = groups_of(case, 100_000)
        judged = [Judgement(group, True, ("yes",) * len(group.cites)) for group in groups]
        return lines_run(lambda: note("support", case, judged, by="x"))

    assert steps(1_200) < 6 * steps(300)
