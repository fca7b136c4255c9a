"""PHR in a guard with a real causal model of random weights, which writes no pairs."""

import threading

import pytest
from tests.effort import ends
from tests.unit.backends.models import needs_local
from tests.unit.backends.test_language_model import make

from guardrail import Case, Guard, Verdict
from guardrail.backends.language_model import CausalModel
from guardrail.detectors import PosteriorHallucinationRate
from guardrail.phr import Form
from guardrail.report import Example
from guardrail.requests import Sample

PAIRS = [
    Example(input=f"a {word} {thing}", label=label)
    for thing in ("film", "book", "play")
    for word, label in (("fine", "positive"), ("dull", "negative"))
]
CASE = Case.of("negative", prompt=Form().context(PAIRS) + Form().query("a lovely song"))


@pytest.fixture(scope="module")
def noise(tmp_path_factory):
    needs_local()
    return make(tmp_path_factory.mktemp("noise"), network=wide)


def wide(transformers, size):
    """With room for a few pairs."""
    return transformers.LlamaForCausalLM(
        transformers.LlamaConfig(
            vocab_size=size,
            hidden_size=32,
            intermediate_size=48,
            num_hidden_layers=1,
            num_attention_heads=2,
            max_position_embeddings=1_024,
        )
    )


class Watched(CausalModel):
    """Remembers what it was asked; answers once it may."""

    def __init__(self, folder):
        super().__init__(folder, device="cpu")
        self.asked = []
        self.free = threading.Event()
        self.may = threading.Event()
        self.may.set()

    def answer(self, requests):
        self.free.clear()
        self.asked += requests
        self.may.wait(120)
        try:
            return super().answer(requests)
        finally:
            self.free.set()


def check(model, **options):
    report = Guard([PosteriorHallucinationRate(**options)], backends={"language_model": model}).check(CASE)
    assert report.failures == ()
    (finding,) = report.findings
    return finding, {one.name: one for one in finding.evidence}


class TestGuard:
    def test_pairs_that_cannot_be_read(self, noise):
        """Are drawn again a bounded number of times, counted and reported."""
        model = Watched(noise)
        finding, told = check(model, contexts=4, retries=2, max_tokens=8)
        assert finding.verdict is Verdict.UNVERIFIED
        assert "could be read in 3 tries" in finding.reason
        assert told["imagined contexts"].value == 0
        assert told["imagined contexts"].note == "8 imagined pairs drawn again, 4 contexts given up"
        assert sum(isinstance(request, Sample) for request in model.asked) == 12

    def test_deadline(self, noise):
        """A slow model is not waited for: what it did not say in time is told as such."""
        model = Watched(noise)
        model.load()
        model.may.clear()
        with ends(60):  # sooner than the model answers
            finding, _ = check(model, deadline=0.1)
        model.may.set()
        assert finding.verdict is Verdict.UNVERIFIED
        assert "deadline" in finding.reason
        assert model.free.wait(30)  # its thread has to end before the interpreter does
