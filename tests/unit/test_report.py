"""Cases and reports: what is in them has a form in JSON."""

import json
import re
from html.parser import HTMLParser

import pytest
from pydantic import ValidationError

from guardrail import Case, Detector, Finding, Guard, Span, Verdict, annotate
from guardrail.detectors import SelfCheck
from guardrail.html import render
from guardrail.report import Attribution, Passage, Report
from guardrail.requests import Message, TokenLogprob, Untrusted

HALF = "cut \ud83d"


class TestHalfCharacters:
    @pytest.mark.parametrize(
        "given",
        [
            {"answer": HALF},
            {"samples": [HALF, "whole"]},
            {"samples": (HALF, "whole")},
            {"context": [HALF]},
            {"messages": (Message("user", HALF),)},
            {"messages": [Message("user", ("Read: ", Untrusted(HALF)))]},
            {"logprobs": (TokenLogprob(HALF, -1.0, top=((HALF, -1.0), ("a", -2.0))),)},
            {"examples": [{"input": HALF, "label": "a"}]},
        ],
    )
    def test_in_a_case(self, given):
        """One replacement character stands for half an emoji, wherever it came from; the report can be written."""
        case = Case(**{"answer": "She ran.", **given})
        assert r"\ud83d" not in repr(case)
        assert Case.model_validate_json(case.model_dump_json()) == case
        report = Guard([SelfCheck("ngram")]).check(case)
        assert Report.model_validate_json(report.model_dump_json()).case == report.case

    def test_whole_ones_stay(self):
        """The same objects: nothing is copied without need."""
        message, told = Message("user", "Who? 😀"), TokenLogprob("😀", -1.0)
        case = Case(answer="😀", messages=(message,), logprobs=(told,))
        assert case.messages[0] is message
        assert case.logprobs[0] is told


class Says(Detector):
    """Finds what it is told to find, or fails."""

    name = "says"

    def __init__(self, *findings, error=None):
        self.findings, self.error = findings, error

    def cost(self, case):
        del case
        return 0, 0

    def examine(self, case):
        del case
        yield from ()
        if self.error:
            raise self.error
        return list(self.findings)


def found(verdict, **more):
    return Finding(detector="says", verdict=verdict, **{"reason": "so it is", **more})


@pytest.fixture
def report():
    text = "Rome is in Italy. Rome is in Spain."
    findings = [
        found(Verdict.SUPPORTED, span=Span(start=0, end=17), text=text[:17], score=0.0),
        found(
            Verdict.UNSUPPORTED,
            span=Span(start=18, end=35),
            text=text[18:],
            score=1.0,
            mark="Rome is in Italy",
        ),
    ]
    return Guard([Says(*findings)], policy=annotate()).check(text)


class TestPrinted:
    def test_is_for_people(self, report):
        """The verdict, a line per finding, what the policy did, and the cost."""
        *lines, cost = str(report).splitlines()
        assert lines == [
            "unsupported (1 unsupported, 1 supported)",
            "- supported: Rome is in Italy. (0.00): so it is",
            "- unsupported: Rome is in Spain. (1.00): Rome is in Italy; so it is",
            "policy: annotate (1 mark added)",
        ]
        assert re.fullmatch(r"cost: no model was asked, \d+\.\d\d s", cost)

    def test_of_a_tool_call(self):
        """There is nothing to say."""
        assert str(Guard([Says(found(Verdict.UNVERIFIED))]).check(None)).splitlines()[0] == "nothing to check"

    def test_failures_are_in_it(self):
        """With their reason; the verdict is not a clean one."""
        lines = str(Guard([Says(error=ValueError("no\ncontext"))]).check("Hi")).splitlines()
        assert lines[:2] == ["unverified", "- says could not finish: bug ValueError: no context"]

    def test_nothing_in_it_steers_a_terminal(self):
        """Escapes, carriage returns, line ends and direction marks of an answer are written out, and long texts cut."""
        hostile = "\x1b]0;owned\x07\x1b[2J\r\n\u202e" + "a" * 1000
        finding = found(Verdict.UNVERIFIED, text=hostile, reason=hostile, mark=hostile)
        printed = str(Guard([Says(finding)], policy=annotate()).check(hostile))
        assert len(printed.splitlines()) == 4
        assert max(map(len, printed.splitlines())) < 500
        assert all(letter == "\n" or letter.isprintable() for letter in printed)

    def test_repr_is_short(self, report):
        """For a debugger: nothing of the text."""
        assert repr(report) == "<Report verdict='unsupported' findings=2 failures=0 action='annotate'>"


class TestNotebook:
    def test_shows_the_page_in_a_frame(self, report):
        """One element, in which is all of the page; outside of it are no styles, and nothing in it runs."""
        seen = []

        class Reader(HTMLParser):
            def handle_starttag(self, tag, attrs):
                seen.append((tag, dict(attrs)))

        Reader().feed(report._repr_html_())
        [(tag, attributes)] = seen
        assert (tag, attributes["sandbox"], attributes["srcdoc"]) == ("iframe", None, render(report))


class TestJson:
    def test_has_the_verdict_the_action_and_the_answer(self, report):
        """At the top level, for whoever reads it with other tools."""
        content = json.loads(report.model_dump_json())
        assert (content["verdict"], content["answer"]) == ("unsupported", report.answer)
        assert content["action"] == report.action == report.decision.action
        assert json.loads(Guard([]).check(None).model_dump_json())["verdict"] is None

    def test_is_read_back_with_and_without_them(self, report):
        """A report that was saved before has none; another field is still refused."""
        content = json.loads(report.model_dump_json())
        assert Report.model_validate(content) == report
        assert Report.model_validate_json(json.dumps(content)) == report
        before = {
            name: value for name, value in content.items() if name not in {"verdict", "answer", "action"}
        }
        assert Report.model_validate(before) == report
        with pytest.raises(ValidationError, match="other"):
            Report.model_validate({**content, "other": 1})
        with pytest.raises(ValidationError, match="verdict"):
            Case.model_validate({"answer": "a", "verdict": "supported"})


class TestPassages:
    """Of a finding on a mark: which passage of each document is shown."""

    def finding(self, support, *passages, says=()):
        shown = Attribution(
            mark="[1]", span=Span(start=0, end=3), claim=Span(start=0, end=3), support=support, says=says
        )
        evidence = (
            shown,
            *(Passage(source=source, text=text, score=score) for source, text, score in passages),
        )
        return Finding(detector="d", verdict=Verdict.UNVERIFIED, reason="r", evidence=evidence)

    @pytest.mark.parametrize(
        ("support", "says", "expected"),
        [
            ("silent", (), ["a2", "b1"]),
            ("contradicts", (), ["b1", "a1"]),
            ("elsewhere", ("b",), ["b1", "a2"]),
        ],
    )
    def test_are_the_best_of_each_document(self, support, says, expected):
        """The one that supports the claim most; of a contradiction the first; a document that says it comes first."""
        rows = [("a", "a1", None), ("a", "a2", 0.6), ("b", "b1", 0.5), ("b", "b2", 0.1)]
        assert [one.text for one in self.finding(support, *rows, says=says).passages] == expected

    def test_without_any(self):
        """No passage, no mark."""
        assert self.finding("not at hand").passages == ()
        assert found(Verdict.SUPPORTED).attribution is None
