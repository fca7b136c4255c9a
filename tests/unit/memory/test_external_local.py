"""`MemoryConsistency` with its encoder: the real MiniLM on this machine (`make test-local`)."""

from dataclasses import replace

import pytest
from tests.unit.backends.models import needs_local, needs_minilm
from tests.unit.memory.external_world import ANSWER, QUESTION, REPHRASED, TEXT, Model, numbers

from guardrail import Case, Guard, Verdict
from guardrail.backends.packaged import ENCODER_LANE, packaged_encoder
from guardrail.chat import ScriptedChat
from guardrail.detectors import MemoryConsistency
from guardrail.memory.external import packaged_fit

needs_local()


@pytest.fixture(autouse=True)
def _minilm():
    needs_minilm()


class TestDefault:
    def test_in_a_guard(self):
        """No backend is given: the detector brings the encoder, and the finding names it."""
        guard = Guard([MemoryConsistency()], chat=ScriptedChat(Model()))
        assert ENCODER_LANE in MemoryConsistency().backends()
        [finding] = guard.check(Case.of(ANSWER, prompt=QUESTION, context=[TEXT])).findings
        assert finding.verdict is Verdict.SUPPORTED
        assert numbers(finding)["answers asked again"] == 4
        assert "MiniLM" in next(
            one.note for one in finding.evidence if getattr(one, "name", "") == "consistency"
        )
        [wrong] = (
            Guard([MemoryConsistency()], chat=ScriptedChat(Model()))
            .check(Case.of("Nobody was ever told.", prompt=QUESTION, context=[TEXT]))
            .findings
        )
        assert wrong.score > finding.score

    def test_the_fit_is_of_this_encoder(self):
        """The packaged fits name the weights that are loaded; others would be refused."""
        for task in ("answer", "summary"):
            assert packaged_fit(task, "en", "packaged").compared_by == packaged_encoder().fingerprint

    def test_another_encoder(self):
        """A fit of other weights: unverified, and it says so."""
        fit = packaged_fit("answer", "en", "packaged")
        other = replace(fit, compared_by="x")
        guard = Guard([MemoryConsistency(fit=other)], chat=ScriptedChat(Model()))
        [finding] = guard.check(Case.of(ANSWER, prompt=QUESTION, context=[TEXT])).findings
        assert finding.verdict is Verdict.UNVERIFIED
        assert "fit anew" in finding.reason

    def test_rephrasings_pass(self):
        """All that the scripted model writes mean the same by T_cq, and another text does not."""
        guard = Guard([MemoryConsistency(rephrasings=6, retries=0)], chat=ScriptedChat(Model()))
        [finding] = guard.check(Case.of(ANSWER, prompt=QUESTION, context=[TEXT])).findings
        assert numbers(finding)["answers asked again"] == len(REPHRASED)
