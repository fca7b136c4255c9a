"""The detector over HTTP. Oracle: the model behind the service, asked on this machine by the same random numbers."""

import asyncio
from dataclasses import replace

import pytest

from guardrail import Budget, Case, Guard, Retry, Verdict
from guardrail.chat import CompletionsModel
from guardrail.chat.completions import derived_seed
from guardrail.detectors import PosteriorHallucinationRate
from guardrail.engine.backend import Backend
from guardrail.engine.flow import Answer
from guardrail.phr import BernoulliModel
from guardrail.report import Example
from guardrail.requests import Sample, user
from guardrail.testing.server import serve

EXAMPLES = tuple(
    Example(input=x, label=y) for x, y in zip("aabab" * 2, ("yes", "yes", "no") * 4, strict=False)
)
CASE = Case(answer="no", messages=(user("a"),), examples=EXAMPLES)
MODEL = BernoulliModel(["a", "b"], prior=(0.5, 0.5))


class Twin(Backend):
    """The model here, with the draws that the service is asked for."""

    batch = 64
    instant = True
    fingerprint = "twin"

    def answer(self, requests):
        sent = [
            replace(one, draw=derived_seed(one, 3)) if isinstance(one, Sample) else one for one in requests
        ]
        return MODEL.answer(sent)


class Mute(Backend):
    """Tells probabilities, and imagines nothing that could be read."""

    fingerprint = "mute"

    def answer(self, requests):
        return [Answer("…") if isinstance(one, Sample) else MODEL.answer([one])[0] for one in requests]


@pytest.fixture
def guard_of(monkeypatch):
    """Makes guards whose language model is behind a service."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    made = []

    def make(server, *, model=None, budget=None, **options):
        made.append(CompletionsModel("m", base_url=server.base_url, **{"seed": 3} | (model or {})))
        return Guard(
            [PosteriorHallucinationRate(**options)],
            backends={"language_model": made[-1]},
            budget=budget,
            retry=Retry(base=0),
        )

    yield make
    for model in made:
        model.close()


def measured(report):
    (finding,) = report.findings
    return {one.name: one for one in finding.evidence}


def reason(report):
    (finding,) = report.findings
    assert finding.verdict is Verdict.UNVERIFIED
    return finding.reason


class TestEqualsTheModelHere:
    @pytest.mark.parametrize(
        "options",
        [{}, {"epsilon": 0.05}, {"estimator": "drawn", "draws": 4, "contexts": 3}, {"until_se": 0.2}],
    )
    def test_whole_vocabulary(self, guard_of, options):
        """The same score, rate, interval, information and bets, where all next tokens are told."""
        here = Guard([PosteriorHallucinationRate(**options)], backends={"language_model": Twin()}).check(CASE)
        with serve(model=MODEL) as server:
            guard = guard_of(server, **options)
            there, later = guard.check(CASE), asyncio.run(guard.acheck(CASE))
        for report in (there, later):
            assert [one.verdict for one in report.findings] == [one.verdict for one in here.findings]
            assert report.findings[0].score == here.findings[0].score
            expected, found = measured(here), measured(report)
            assert list(found) == list(expected)
            for name, one in expected.items():
                assert found[name].value == pytest.approx(one.value, abs=1e-9)
                assert found[name].note == one.note

    def test_through_faults(self, guard_of):
        """Retries draw what would have been drawn."""
        here = Guard([PosteriorHallucinationRate()], backends={"language_model": Twin()}).check(CASE)
        with serve(model=MODEL, faults={"rate_limit": 0.1, "server_error": 0.1}, retry_after="0") as server:
            there = guard_of(server).check(CASE)
            assert sum(server.stats()["faults"].values()) > 0
        assert there.findings[0].score == here.findings[0].score

    def test_likeliest_alone(self, guard_of):
        """What is not told is said, and ranks below all that is."""
        with serve(model=MODEL) as server:
            report = guard_of(server, model={"top": 1}).check(CASE)
        found = measured(report)["untold probability"]
        assert 0 < found.value <= 0.5


class TestWhatAServiceLacks:
    def test_completions(self, guard_of):
        """A chat-only endpoint leaves the answer unverified, and says what to do."""
        with serve(chat_only=True) as server:
            report = guard_of(server).check(CASE)
        assert "missing:" in reason(report)
        assert "This is a chat model" in reason(report)
        assert "serve the model with vLLM or llama.cpp" in reason(report)
        assert report.cost.total.calls == 1

    def test_log_probabilities(self, guard_of):
        """Nothing is imagined then."""
        with serve(model=MODEL, ignores=["logprobs"]) as server:
            report = guard_of(server).check(CASE)
        assert "returned no log-probabilities" in reason(report)
        assert report.cost.total.calls == 1

    def test_echo(self, guard_of):
        """Only what needs it."""
        with serve(model=MODEL, refuses=["echo"]) as server:
            assert "echo" in reason(guard_of(server, estimator="drawn", draws=2).check(CASE))
            assert guard_of(server).check(CASE).findings[0].score is not None


class TestCosts:
    @pytest.mark.parametrize(
        "options", [{}, {"until_se": 0.3}, {"estimator": "drawn", "draws": 3, "contexts": 2}, {"contexts": 3}]
    )
    def test_estimate(self, guard_of, options):
        """Holds what was paid."""
        with serve(model=MODEL) as server:
            guard = guard_of(server, **options)
            estimate, report = guard.estimate(CASE), guard.check(CASE)
        assert estimate.least <= report.cost.total.calls <= estimate.most
        assert report.cost.paid["phr"].calls == report.cost.total.calls > 0

    def test_nothing_to_do(self, guard_of):
        """Costs nothing."""
        with serve(model=MODEL) as server:
            estimate = guard_of(server).estimate(Case(answer="no"))
        assert (estimate.least, estimate.most) == (0, 0)

    def test_least_and_most(self, guard_of):
        """When every pair is drawn again as often as may be, and none is."""
        with serve(model=Mute()) as server:
            guard = guard_of(server, contexts=2, horizon=1, retries=2)
            estimate, report = guard.estimate(CASE), guard.check(CASE)
        assert "no imagined pair could be read in 3 tries" in reason(report)
        assert (
            measured(report)["imagined contexts"].note == "4 imagined pairs drawn again, 2 contexts given up"
        )
        assert report.cost.total.calls == 1 + 2 * 3 <= estimate.most

    @pytest.mark.parametrize("calls", [1, 8, 25, 40])
    def test_budget(self, guard_of, calls):
        """Fewer contexts, each finished; never more calls."""
        with serve(model=MODEL) as server:
            report = guard_of(server, budget=Budget(calls=calls)).check(CASE)
            assert server.stats()["requests"] <= calls
        assert report.cost.total.calls <= calls
        if calls < 13:
            assert "budget" in reason(report)
        else:
            assert measured(report)["imagined contexts"].value == (calls - 1) // 6
            assert "more could not be used: budget" in report.findings[0].reason

    def test_a_server_of_ones_own(self, guard_of):
        """Is not paid, where that is said."""
        with serve(model=MODEL) as server:
            guard = guard_of(server, model={"paid": False}, budget=Budget(calls=0))
            assert guard.estimate(CASE).most == 0
            assert guard.check(CASE).findings[0].score is not None

    def test_deadline(self, guard_of):
        """What is late is unverified."""
        with serve(model=MODEL, latency=1.0) as server:
            assert "deadline" in reason(guard_of(server, deadline=0.2).check(CASE))
