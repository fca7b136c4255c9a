"""The callbacks watch; where LangChain lets them object is pinned down here."""

from __future__ import annotations

import asyncio

import pytest
from integrations.langchain.tests.langchain_fakes import BAD, MARK, FakeChat, MarkedWords, leaks
from langchain.agents import create_agent
from langchain_core.language_models import FakeListLLM

from guardrail import Blocked, Guard, block, remove
from guardrail_langchain import AsyncGuardrailCallback, GuardrailCallback

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def watch(kind=GuardrailCallback, policy=None, **options):
    return kind(Guard([MarkedWords()], policy=policy or block()), **options)


async def _all(stream, into):
    async for item in stream:
        into.append(item)


CALLS = {
    "invoke": lambda model, c, into: into.append(model.invoke("Pets?", c)),
    "ainvoke": lambda model, c, into: into.append(asyncio.run(model.ainvoke("Pets?", c))),
    "stream": lambda model, c, into: [into.append(item) for item in model.stream("Pets?", c)],
    "astream": lambda model, c, into: asyncio.run(_all(model.astream("Pets?", c), into)),
    "batch": lambda model, c, into: into.extend(model.batch(["Pets?"], c)),
    "abatch": lambda model, c, into: into.extend(asyncio.run(model.abatch(["Pets?"], c))),
}


class TestRecords:
    @pytest.mark.parametrize("call", CALLS)
    @pytest.mark.parametrize("kind", [GuardrailCallback, AsyncGuardrailCallback])
    def test_every_answer_is_reported_and_none_is_changed(self, kind, call):
        """Whatever the policy says."""
        watcher, received = watch(kind, remove()), []
        CALLS[call](FakeChat(), {"callbacks": [watcher]}, received)
        assert leaks(received)
        (report,) = watcher.reports
        assert report.case.answer == BAD
        assert report.case.question == "Pets?"
        assert report.decision.action == "remove"

    def test_agents_and_text_models_are_heard(self):
        """Each call of a model is one report."""
        watcher = watch()
        create_agent(FakeChat(), []).invoke({"messages": [("user", "?")]}, {"callbacks": [watcher]})
        FakeListLLM(responses=[BAD]).invoke("Pets?", {"callbacks": [watcher]})
        assert [report.blocked for report in watcher.reports] == [True, True]
        assert watcher.reports[1].case.question == "Pets?"

    def test_keeps_the_newest(self):
        """A server may run for months."""
        watcher = watch(keep=2)
        FakeChat().batch(["a", "b", "c"], {"callbacks": [watcher], "max_concurrency": 1})
        assert len(watcher.reports) == 2
        assert not watcher._asked

    def test_failed_calls_leave_nothing_behind(self):
        """No answer, no report."""

        def broken(_):
            raise TimeoutError

        watcher = watch()
        with pytest.raises(TimeoutError):
            FakeChat(broken).invoke("?", {"callbacks": [watcher]})
        assert not watcher.reports
        assert not watcher._asked


class TestObjects:
    @pytest.mark.parametrize("call", ["invoke", "ainvoke", "batch", "abatch"])
    def test_the_caller_gets_blocked_instead_of_an_answer(self, call):
        """With the report, and nothing of the text in the message."""
        watcher, received = watch(raise_error=True), []
        with pytest.raises(Blocked) as caught:
            CALLS[call](FakeChat(), {"callbacks": [watcher]}, received)
        assert not received
        assert MARK not in str(caught.value)
        assert caught.value.report.blocked

    @pytest.mark.parametrize("call", ["stream", "astream"])
    def test_a_stream_has_been_received_by_then(self, call):
        """All of it."""
        watcher, received = watch(raise_error=True), []
        with pytest.raises(Blocked):
            CALLS[call](FakeChat(), {"callbacks": [watcher]}, received)
        assert leaks(received)

    @pytest.mark.parametrize("call", ["invoke", "stream", "batch"])
    def test_an_async_handler_cannot_object_in_a_sync_call(self, call):
        """LangChain swallows what it raises; the report is there."""
        watcher, received = watch(AsyncGuardrailCallback, raise_error=True), []
        CALLS[call](FakeChat(), {"callbacks": [watcher]}, received)
        assert leaks(received)
        assert watcher.reports[0].blocked

    @pytest.mark.parametrize("call", ["ainvoke", "abatch", "astream"])
    def test_an_async_handler_objects_in_an_async_call(self, call):
        """As the other does."""
        watcher, received = watch(AsyncGuardrailCallback, raise_error=True), []
        with pytest.raises(Blocked):
            CALLS[call](FakeChat(), {"callbacks": [watcher]}, received)

    def test_without_raise_error_nothing_is_raised(self):
        """Watching is the default."""
        watcher, received = watch(), []
        CALLS["invoke"](FakeChat(), {"callbacks": [watcher]}, received)
        assert watcher.reports[0].blocked

    def test_stops_an_agent(self):
        """Before the answer is stored."""
        watcher = watch(raise_error=True)
        with pytest.raises(Blocked):
            create_agent(FakeChat(), []).invoke({"messages": [("user", "?")]}, {"callbacks": [watcher]})
