"""Spans of a guard call: where they hang, what they say, and what they never say."""

from __future__ import annotations

import asyncio

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from guardrail import Guard
from guardrail.detector import Answer, Calls, Case, Detector, Finding, Flow, Span, Verdict
from guardrail.engine.flow import Cost
from guardrail.errors import ConfigError
from guardrail.requests import Completion
from guardrail.telemetry import telemetry

SECRET = "the moon is hollow"


class Moon(Detector):
    """Calls one thing unsupported, quoting it."""

    name = "moon"

    def cost(self, case: Case) -> Calls:
        return {}

    def examine(self, case: Case) -> Flow[list[Finding]]:
        yield from ()
        start = case.answer.find(SECRET)
        if start < 0:
            return [Finding(detector=self.name, score=0.1, verdict=Verdict.SUPPORTED)]
        return [
            Finding(detector=self.name, score=0.2, verdict=Verdict.SUPPORTED),
            Finding(
                detector=self.name,
                span=Span(start=start, end=start + len(SECRET)),
                text=SECRET,
                score=0.9,
                verdict=Verdict.UNSUPPORTED,
                reason=f"nobody says that {SECRET}",
            ),
        ]


class Broken(Moon):
    """Raises, with the answer in its message."""

    name = "broken"

    def examine(self, case: Case) -> Flow[list[Finding]]:
        yield from ()
        raise RuntimeError(case.answer)


class Unsure(Moon):
    """Cannot check."""

    name = "unsure"

    def examine(self, case: Case) -> Flow[list[Finding]]:
        yield from ()
        return [Finding(detector=self.name, verdict=Verdict.UNVERIFIED, reason="no samples")]


@pytest.fixture
def written():
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    return provider, exporter


def spans(exporter):
    return {span.name: span for span in exporter.get_finished_spans()}


def everything(exporter):
    return " ".join(span.to_json() for span in exporter.get_finished_spans())


class TestSpans:
    def test_hang_under_the_span_of_the_caller(self, written):
        """A trace shows the guard inside the request that it was called for."""
        provider, exporter = written
        guard = Guard([Moon()], on_report=telemetry(provider))
        with provider.get_tracer("app").start_as_current_span("request"):
            guard.check(f"Well, {SECRET}.")
        found = spans(exporter)
        assert found["guardrail"].parent.span_id == found["request"].context.span_id
        assert found["guardrail moon"].parent.span_id == found["guardrail"].context.span_id

    def test_hang_under_it_in_a_task_too(self, written):
        provider, exporter = written
        guard = Guard([Moon()], on_report=telemetry(provider))

        async def serve(name: str) -> None:
            with provider.get_tracer("app").start_as_current_span(name):
                await guard.acheck("Fine.")

        async def both() -> None:
            await asyncio.gather(serve("one"), serve("two"))

        asyncio.run(both())
        names = {span.context.span_id: span.name for span in exporter.get_finished_spans()}
        parents = [names[s.parent.span_id] for s in exporter.get_finished_spans() if s.name == "guardrail"]
        assert sorted(parents) == ["one", "two"]

    def test_lie_within_the_guard_call(self, written):
        provider, exporter = written
        Guard([Moon(), Unsure()], on_report=telemetry(provider)).check("Fine.")
        found = spans(exporter)
        whole = found["guardrail"]
        for name in ("guardrail moon", "guardrail unsure"):
            assert whole.start_time <= found[name].start_time <= found[name].end_time <= whole.end_time

    def test_say_the_worst_verdict_and_the_largest_score(self, written):
        provider, exporter = written
        Guard([Moon()], on_report=telemetry(provider)).check(f"Well, {SECRET}.")
        span = spans(exporter)["guardrail moon"]
        [event] = span.events
        assert event.name == "gen_ai.evaluation.result"
        assert dict(event.attributes) == {
            "gen_ai.evaluation.name": "moon",
            "gen_ai.evaluation.score.label": "unsupported",
            "gen_ai.evaluation.score.value": 0.9,
        }
        assert span.attributes["guardrail.findings.unsupported"] == 1
        assert span.attributes["guardrail.findings.supported"] == 1

    def test_counts_what_the_check_asked(self, written):
        """Not the answer that was examined: that is one of the attempts."""
        provider, exporter = written
        said = Answer(Completion("Fine."), Cost(1, 10, 5))
        Guard([Moon()], on_report=telemetry(provider)).supervise(lambda _: said)
        found = spans(exporter)["guardrail"].attributes
        assert [found[f"guardrail.{name}"] for name in ("attempts", "calls", "prompt_tokens")] == [1, 0, 0]


class TestChecksThatDidNotRun:
    def test_are_errors_without_a_score(self, written):
        """What was skipped must not look passed."""
        provider, exporter = written
        Guard([Broken(), Unsure()], on_report=telemetry(provider)).check("Fine.")
        found = spans(exporter)
        for name, error in (("broken", "bug"), ("unsure", "unverified")):
            [event] = found[f"guardrail {name}"].events
            assert event.attributes["error.type"] == error
            assert event.attributes["gen_ai.evaluation.score.label"] == "unverified"
            assert "gen_ai.evaluation.score.value" not in event.attributes
        assert not found["guardrail broken"].status.is_ok
        assert found["guardrail"].attributes["guardrail.verdict"] == "unverified"


class TestContent:
    def test_is_not_written_by_default(self, written):
        """Neither the answer nor a reason or an exception that quotes it."""
        provider, exporter = written
        Guard([Moon(), Broken()], on_report=telemetry(provider)).check(f"Well, {SECRET}.")
        assert SECRET not in everything(exporter)

    def test_is_written_where_asked_for(self, written):
        provider, exporter = written
        Guard([Moon()], on_report=telemetry(provider, log_content=True)).check(f"Well, {SECRET}.")
        _, event = spans(exporter)["guardrail moon"].events
        assert event.attributes["guardrail.finding.text"] == SECRET
        assert event.attributes["gen_ai.evaluation.explanation"] == f"nobody says that {SECRET}"


class TestConfigurationFile:
    def test_switches_it_on(self, tmp_path):
        path = tmp_path / "guardrail.toml"
        path.write_text("[guard]\ntelemetry = true\n")
        with Guard.from_config(path, detectors=[Moon()]) as guard:
            assert guard.on_report is not None
        path.write_text("[guard]\ntelemetry = false\n")
        with Guard.from_config(path, detectors=[Moon()]) as guard:
            assert guard.on_report is None

    def test_refuses_what_it_does_not_know(self, tmp_path):
        path = tmp_path / "guardrail.toml"
        path.write_text('[guard]\ntelemetry = "all"\n')
        with pytest.raises(ConfigError, match="write telemetry = true"):
            Guard.from_config(path, detectors=[Moon()])


class TestTheLog:
    def test_counts_what_was_not_checked(self, caplog):
        """A skipped check is not a success."""
        caplog.set_level("INFO", logger="guardrail")
        Guard([Moon(), Unsure(), Broken()]).check(f"Well, {SECRET}.")
        [record] = [record for record in caplog.records if record.msg == "guarded"]
        assert (record.unsupported, record.unverified, record.failures) == (1, 1, ["broken"])
        assert SECRET not in str(record.__dict__)
