"""The leak kit through the server: chat completions, responses and messages, and what is logged, counted and traced."""

import contextlib

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from tests.logged import logged
from tests.unit.server.conftest import running

from guardrail import Guard, annotate, block, flag, regenerate, remove
from guardrail._log import log
from guardrail.telemetry import telemetry
from guardrail.testing import leaks

POLICIES = {
    "remove": remove,
    "regenerate": lambda: regenerate(1) | remove(),
    "block": block,
    "annotate": annotate,
}


def server(policies=POLICIES, **settings):
    """A door: the server with a guard that knows the texts, and judges by sentence where it is to release so."""

    @contextlib.contextmanager
    def door(setting):
        spans = InMemorySpanExporter()
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(spans))
        by_sentence = settings.get("stream") == "sentence"
        found = leaks.KnownTexts(
            setting.forbidden, mark=setting.mark, breaks=setting.breaks, by_sentence=by_sentence
        )
        policy = policies[setting.policy]()
        fail = "open" if by_sentence and not setting.breaks else "closed"
        guard = Guard([found], policy=policy, fail=fail, on_report=telemetry(provider))
        with logged() as logs, running(setting.upstream, guard, **settings) as served:
            channels = {
                "logs": lambda: repr(logs),
                "metrics": lambda: served.client.get("/metrics").text,
                "spans": lambda: "".join(span.to_json() for span in spans.get_finished_spans()),
            }
            yield leaks.Opened(leaks.over_http(f"{served.url}/v1"), channels)

    return door


class TestLeaks:
    @pytest.mark.parametrize("api", leaks.APIS)
    def test_nothing_forbidden_gets_out(self, api):
        """Of any shape, stream, policy or fault; every answer that should come does."""
        table = leaks.matrix(server(), axes=leaks.Axes(apis=[api]))
        assert table.ok, str(table)
        assert {row.case.shape for row in table.rows if row.case.api == "all"} == {"logs", "metrics", "spans"}

    @pytest.mark.parametrize("api", leaks.APIS)
    def test_nothing_sentence_by_sentence(self, api):
        """The same matrix; marks come with their text, and a guard of whole answers holds back."""
        axes = leaks.Axes(apis=[api], deliveries=leaks.DELIVERIES[1:], policies=["remove", "annotate"])
        table = leaks.matrix(server(stream="sentence"), axes=axes)
        assert table.ok, str(table)
        axes = leaks.Axes(apis=[api], deliveries=["words"], policies=["regenerate", "block"])
        table = leaks.matrix(server(stream="sentence"), axes=axes)
        assert table.ok, str(table)

    def test_nothing_where_a_stubborn_model_is_blocked(self):
        """Asked again, and then withheld."""
        policies = {"regenerate": lambda: regenerate(1) | block()}
        axes = leaks.Axes(policies=["regenerate"], faults=["stubborn", "detector"])
        table = leaks.matrix(server(policies), axes=axes)
        assert table.ok, str(table)

    @pytest.mark.parametrize("reasoning", ["check", "pass"])
    @pytest.mark.parametrize("stream", ["buffer", "sentence"])
    def test_nothing_where_reasoning_may_be_shown(self, stream, reasoning):
        """It says what the answer then leaves out."""
        axes = leaks.Axes(shapes=["reasoning"], deliveries=["whole", "words"], faults=["clean", "detector"])
        table = leaks.matrix(server(stream=stream, reasoning=reasoning), axes=axes)
        assert table.ok, str(table)

    @pytest.mark.parametrize("settings", [{"mode": "monitor"}, {}])
    def test_control_a_guard_that_changes_nothing_leaks(self, settings):
        """A monitor, and a flag: so these tests can fail."""
        axes = leaks.Axes(policies=["block"], faults=[])
        table = leaks.matrix(server({"block": block if settings else flag}, **settings), axes=axes)
        assert all(row.bytes == table.most for row in table.rows if row.case.api != "all")
        assert not any(row.bytes for row in table.rows if row.case.api == "all")

    def test_control_the_log_is_searched(self):
        """A guard that logs what it finds is caught."""

        @contextlib.contextmanager
        def door(setting):
            with logged() as lines:
                log.info("guarded", answer=setting.forbidden[0])
                yield leaks.Opened(lambda _: leaks.Reply(200, "{}"), {"logs": lambda: repr(lines)})

        table = leaks.matrix(door, axes=leaks.Axes(apis=["chat"], policies=["remove"], faults=[]))
        assert [row.released for row in table.rows if row.case.api == "all"] != [{}]
