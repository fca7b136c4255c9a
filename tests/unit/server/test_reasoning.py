"""Reasoning through the server: what of it a client gets, in each API, mode of streaming and mode of the server."""

import itertools

import httpx
import pytest
from tests.unit.adapting.test_sentence_stream import BySentence
from tests.unit.server.conftest import running

from guardrail import Guard, remove
from guardrail.errors import ConfigError
from guardrail.server import Settings
from guardrail.testing.server import serve

ASKED = {"model": "m", "max_tokens": 99, "messages": [{"role": "user", "content": "Bears?"}]}
BODIES = {
    "chat/completions": ASKED,
    "messages": ASKED,
    "responses": {"model": "m", "input": "Bears?"},
}
FINE, HONEY, BAD = "Bern has a bear.", "Hm, bears like honey.", "Perhaps Rome is older."


def asked(path, *, streams, thought=HONEY, **settings):
    """What a client gets, as text."""
    guard = Guard([BySentence()], policy=remove())
    reply = {"content": FINE, "reasoning_content": thought}
    with serve(lambda _: reply) as service, running(service.base_url, guard, **settings) as served:
        found = httpx.post(
            f"{served.url}/v1/{path}", json={**BODIES[path], "stream": streams}, trust_env=False, timeout=20
        )
    assert found.status_code == 200
    assert "bear." in found.text
    return "honey" in found.text or "older" in found.text


class TestServer:
    @pytest.mark.parametrize("path", BODIES)
    @pytest.mark.parametrize(("streams", "stream"), [(False, "buffer"), (True, "buffer"), (True, "sentence")])
    def test_each_option(self, path, streams, stream):
        """Not a byte of it by default."""
        options = itertools.product([HONEY, BAD], ["drop", "check", "pass"])
        shown = [
            (thought, reasoning)
            for thought, reasoning in options
            if asked(path, streams=streams, thought=thought, stream=stream, reasoning=reasoning)
        ]
        assert shown == [(HONEY, "check"), (HONEY, "pass"), (BAD, "pass")]
        assert not asked(path, streams=streams, stream=stream)

    @pytest.mark.parametrize("path", BODIES)
    @pytest.mark.parametrize("settings", [{"mode": "monitor"}, {"stream": "observe"}])
    def test_who_only_watches_changes_nothing(self, path, settings):
        """Whatever `reasoning` says."""
        assert asked(path, streams=True, **settings)

    def test_another_value_is_refused(self):
        """It names those that there are."""
        with pytest.raises(ConfigError, match="drop"):
            Settings("http://x.test/v1", reasoning="hide")
