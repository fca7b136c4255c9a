"""The default with its encoder: the real MiniLM on this machine (`make test-local`)."""

import math

import pytest
from tests.unit.backends.models import needs_local, needs_minilm

from guardrail import Case, Guard, Verdict
from guardrail.backends.packaged import installed
from guardrail.detectors import SelfCheck
from guardrail.detectors.selfcheck import EnsembleCheck
from guardrail.detectors.selfcheck.fits import packaged_fit, packaged_fits, read_fit

needs_local()

ANSWER = "Ada Lovelace was born in London in 1815. She won the Nobel Prize in Chemistry in 1840."
SAMPLES = (
    "Ada Lovelace was an English mathematician, born in London in 1815. She wrote notes on the engine.",
    "Ada Lovelace (born 10 December 1815 in London) worked with Charles Babbage on his engine.",
    "Born in London in 1815, Ada Lovelace is known for her notes on the Analytical Engine.",
)


@pytest.fixture(autouse=True)
def _minilm():
    needs_minilm()


class TestDefault:
    def test_in_a_guard(self):
        """No backend is given: the detector brings it."""
        assert installed()
        guard = Guard([SelfCheck()])
        first, second = guard.check(Case.of(ANSWER, samples=SAMPLES)).findings
        assert first.verdict is Verdict.SUPPORTED
        assert first.score < second.score
        assert "without" not in first.reason
        made_up = guard.check(Case.of("Charles Dickens painted it. He won the Nobel Prize.", samples=SAMPLES))
        assert {one.verdict for one in made_up.findings} == {Verdict.UNSUPPORTED}

    def test_models_are_those_of_the_fit(self):
        """By the hash of their weights, tokenizer and configuration; the fit is the best that is packaged."""
        assert packaged_fit() == next(iter(packaged_fits()))
        brought = EnsembleCheck().backends()
        assert read_fit(packaged_fit()).backends == {lane: one.fingerprint for lane, one in brought.items()}

    @pytest.mark.parametrize(
        "answer", ["", "London.", "🙂 🙂", "她出生在伦敦。", "She sang. " * 1_000, "x" * 10_000]
    )
    @pytest.mark.parametrize("samples", [[], [""], [ANSWER] * 2, ["Ok."], ["她出生在巴黎。", "🙂"]])
    def test_whatever_comes(self, answer, samples):
        """A probability, or a reason for having none."""
        report = Guard([EnsembleCheck()]).check(Case.of(answer, samples=samples))
        assert not report.failures
        for one in report.findings:
            assert (one.score is not None and math.isfinite(one.score)) or one.reason
