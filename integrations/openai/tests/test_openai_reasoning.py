"""Reasoning through a guarded client: of both APIs, in each mode of streaming."""

from __future__ import annotations

import pytest
from integrations.openai.tests.openai_fakes import ASK, BAD, CLEAN, client_of, guard, raw
from integrations.openai.tests.test_openai_sentences import BySentence

from guardrail import Guard, remove
from guardrail.errors import ConfigError
from guardrail.testing.server import serve
from guardrail_openai import guard_openai

THOUGHT = "Hm, rivers are wet."
PATHS = {"chat/completions": ASK, "responses": {"model": "m", "input": ASK["messages"]}}


def seen(path, streaming, reasoning, *, kind="sync", thought=THOUGHT, streams=True):
    """Whether the application sees the thought; the answer it sees always."""
    reply = {"content": CLEAN, "reasoning_content": thought}
    made = Guard([BySentence()], policy=remove()) if streaming == "sentence" else guard(remove())
    with serve(lambda _: reply) as service:
        options = {} if reasoning is None else {"reasoning": reasoning}
        client = guard_openai(client_of(kind, service.base_url), made, streaming=streaming, **options)
        _, _, content = raw(client, path, {**PATHS[path], "stream": streams})
    assert "Seine" in content
    return "wet" in content or "made up" in content


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("kind", ["sync", "async"])
@pytest.mark.parametrize(("streaming", "streams"), [("buffer", False), ("buffer", True), ("sentence", True)])
class TestReasoning:
    def test_it_is_left_out(self, path, kind, streaming, streams):
        """By default, though the answer passes as it is."""
        assert not seen(path, streaming, None, kind=kind, streams=streams)

    def test_it_passes_if_wanted(self, path, kind, streaming, streams):
        """Examined or not."""
        assert seen(path, streaming, "pass", kind=kind, streams=streams)
        assert seen(path, streaming, "check", kind=kind, streams=streams)


@pytest.mark.parametrize("path", PATHS)
def test_an_examined_one_is_left_out_if_something_is_made_up(path):
    """It would be cut from an answer."""
    assert not seen(path, "buffer", "check", thought=f"{THOUGHT} {BAD}")


@pytest.mark.parametrize("path", PATHS)
def test_who_observes_sees_it(path):
    """Nothing is held back."""
    assert seen(path, "observe", None)


def test_another_value_is_refused():
    """When the client is made."""
    with pytest.raises(ConfigError, match="reasoning"):
        guard_openai(client_of("sync", "http://x.test/v1"), guard(remove()), reasoning="hide")
