"""Which detectors judge sentence by sentence: what their classes say, and what options make of it."""

import pytest

from guardrail import Guard
from guardrail.detectors import SelfCheck
from guardrail.registry import DETECTORS
from guardrail.text.claims import claims

SENTENCE = {
    "logic",
    "selfcheck-bertscore",
    "selfcheck-greybox",
    "selfcheck-grounding",
    "selfcheck-nli",
    "selfcheck-prompt",
}


class TestScope:
    def test_of_every_detector(self):
        """`tests/contract` tries those of sentences on the beginnings of answers; all others are of the whole answer."""
        found = {name: getattr(DETECTORS[name], "scope", "answer") for name in DETECTORS}
        assert {name for name, scope in found.items() if scope == "sentence"} == SENTENCE

    @pytest.mark.parametrize(
        "options",
        [
            {"method": "prompt", "batched": True},
            {"method": "prompt", "early_stop": 0.9},
            {"method": "nli", "early_stop": 0.9},
            {"method": "greybox", "proxy": True},
            {"method": "nli", "splitter": claims},
        ],
        ids=lambda options: "-".join(map(str, (options["method"], *options.keys() - {"method"}))),
    )
    def test_an_option_may_look_at_the_whole_answer(self, options):
        """So does the guard then, and says who it is."""
        detector = SelfCheck(**options)
        assert (detector.scope, detector.reach) == ("sentence", "answer")
        guard = Guard([detector])
        assert guard.scope == "answer"
        assert guard.needs_whole_answer
        assert detector.name in guard.why_whole
