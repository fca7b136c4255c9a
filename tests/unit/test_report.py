"""Cases and reports: what is in them has a form in JSON."""

import pytest

from guardrail import Case, Guard
from guardrail.detectors import SelfCheck
from guardrail.report import Report
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
