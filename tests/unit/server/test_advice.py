"""What the server warns about before its first answer."""

import pytest

from guardrail import Guard
from guardrail.chat import ScriptedChat
from guardrail.detectors import ReferenceCheck, SelfCheck
from guardrail.server import Settings
from guardrail.server.advice import advice
from guardrail.server.rules import Rules

REFERENCES, SAMPLES = "references", "selfcheck-ngram"


def warned(*rules, **given):
    """The detectors that it warns about."""
    guard = Guard([ReferenceCheck(), SelfCheck("ngram")], **given)
    lines = advice(Rules(Settings("http://up.example/v1", rules=rules), guard).guards)
    return [line.split()[1] for line in lines]


class TestAdvice:
    def test_a_detector_without_a_model(self):
        """Each once."""
        assert warned() == [REFERENCES, SAMPLES]
        assert warned(chat=ScriptedChat("yes")) == []

    def test_that_of_a_rule_too(self):
        """Though several guards have it, there is one line."""
        rules = {"models": ["a"], "detectors": [SAMPLES]}, {"models": ["b"], "policy": "block"}
        assert warned(*rules) == [SAMPLES, REFERENCES]

    @pytest.mark.parametrize("later", [{"policy": "block"}, {"models": ["a"], "detectors": [REFERENCES]}])
    def test_not_one_that_never_looks(self, later):
        """A rule for every request leaves nothing to what comes after it."""
        assert warned({"detectors": [SAMPLES]}, later) == [SAMPLES]
