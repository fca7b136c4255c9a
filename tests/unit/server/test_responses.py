"""The Responses API through the server."""

import json

from tests.unit.server.conftest import SECRET, Spotter, canned, running

from guardrail import Guard, block, remove
from guardrail.adapting import sse
from guardrail.adapting.openai_api import Responses

SAID = f"Rivers flow. See {SECRET} for more. They end in seas."


def response(said):
    part = {"type": "output_text", "text": said, "annotations": [], "logprobs": []}
    item = {"id": "m1", "type": "message", "role": "assistant", "status": "completed", "content": [part]}
    return {
        "id": "resp_1", "object": "response", "created_at": 1, "status": "completed", "model": "m", "output": [item],
        "error": None, "incomplete_details": None, "usage": {"input_tokens": 3, "output_tokens": 4, "total_tokens": 7},
    }  # fmt: skip


def ask(said, *, policy=None, streaming=False, size=1_000_000, **more):
    """What a client gets."""
    body = response(said)
    sent = sse.written(Responses().events(body, {})) if streaming else json.dumps(body).encode()
    kind = "text/event-stream" if streaming else "application/json"
    guard = Guard([Spotter()], policy=policy or remove())
    with canned(sent, kind=kind, size=size) as upstream, running(upstream.url, guard) as served:
        asked = {"model": "m", "input": "Rivers?", "stream": streaming, **more}
        return served.client.post("/v1/responses", json=asked)


class TestResponses:
    def test_a_clean_response_is_as_it_was(self):
        """With the report beside it."""
        found = ask("Rivers flow.").json()
        assert found["output"][0]["content"][0]["text"] == "Rivers flow."
        assert found["guardrail"]["action"] == "pass"

    def test_a_blocked_response_is_incomplete(self):
        """By the content filter."""
        found = ask(SAID, policy=block()).json()
        assert (found["status"], found["incomplete_details"]) == ("incomplete", {"reason": "content_filter"})

    def test_work_in_the_background_is_refused(self):
        """Its answer would be fetched where nobody looks at it."""
        assert ask("Rivers flow.", background=True).status_code == 501
