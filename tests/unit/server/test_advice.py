"""What the server warns about before its first answer."""

import pytest

from guardrail import Guard
from guardrail.chat import ScriptedChat
from guardrail.detectors import ReferenceCheck, SelfCheck
from guardrail.server import Settings
from guardrail.server.advice import advice, of_workers
from guardrail.server.rules import Rules

SHARED = {"upstream_key": "sk-operator-0123456789", "keys": ("0" * 64, "1" * 64)}
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


class TestWorkers:
    """Each worker knows only what it answered itself."""

    def said(self, **given):
        return of_workers(Settings("http://up.example/v1", **given))

    def test_one_worker_can_do_everything(self):
        """So there is nothing to say."""
        assert self.said(**SHARED) == []

    def test_several_cannot_serve_litellm(self):
        """Its calls before and after would reach different ones."""
        (line,) = self.said(workers=2)
        assert "LiteLLM" in line
        assert "--workers 1" in line

    def test_several_cannot_continue_what_is_stored_under_a_shared_key(self):
        """It says what clients get, and what to write."""
        _, line = self.said(workers=3, **SHARED)
        assert line.startswith("warning: with 3 workers")
        assert "403" in line
        assert "shared_state = true" in line

    @pytest.mark.parametrize(
        "given",
        [{**SHARED, "shared_state": True}, {**SHARED, "keys": ("0" * 64,)}, {"keys": ("0" * 64, "1" * 64)}],
    )
    def test_where_nothing_is_refused_nothing_is_said(self, given):
        """Clients share, or are one, or have upstream keys of their own."""
        assert len(self.said(workers=2, **given)) == 1


class TestDocuments:
    """Nobody sees why all is unverified where the documents never came."""

    def said(self, *detectors):
        guard = Guard(detectors)
        return [
            line
            for line in advice(Rules(Settings("http://up.example/v1"), guard).guards)
            if "documents" in line
        ]

    def test_who_needs_documents_is_said_with_how_they_arrive(self):
        """In one line."""
        (line,) = self.said(SelfCheck("grounding", fit="words"))
        assert line.startswith("note: selfcheck-grounding needs documents")
        assert 'guardrail: {"context": ["…"]}' in line

    def test_nothing_is_said_of_others(self):
        """They can do without."""
        assert self.said(ReferenceCheck()) == []
