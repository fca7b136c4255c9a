"""Bodies that are nested very deep: an error of the protocol, whoever sent them, and never a fault of the server."""

import contextlib
import json

import pytest
from tests.unit.server.conftest import SECRET, answer_of, canned, running
from tests.unit.server.test_hostile_answers import ASKED, PATHS, SAID
from tests.unit.server.test_sentences import BySentence, chunks

from guardrail import Guard, remove
from guardrail.requests import Completion
from guardrail.testing.messages import anthropic_message, message_stream
from guardrail.testing.responses import response, response_stream

DEPTHS = (101, 300, 500, 950, 1_000, 30_000)


def deep(depth):
    return '{"a":' * depth + "1" + "}" * depth


def put(body, depth):
    """The body with one field more, so deep."""
    return json.dumps({**body, "more": "@"}).replace('"@"', deep(depth - 1)).encode()


def stream_of(path, text):
    """A stream as a service sends it."""
    head, usage = (
        {"id": "c-1", "created": 1, "model": "m"},
        {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3},
    )
    if path == PATHS[0]:
        return chunks(text)
    if path == PATHS[1]:
        return b"".join(response_stream(response(head, Completion(text), {}, usage, {})))
    return b"".join(message_stream(anthropic_message(head, Completion(text), {}, usage)))


def put_into_stream(body, depth):
    """The stream with one field more in its last event that says how the answer ended."""
    lines = body.decode().split("\n")
    ends = ('"finish_reason": "stop"', '"type": "response.completed"', '"type": "message_delta"')
    place = next(
        i for i, line in enumerate(lines) if any(end in line for end in ends) and line.startswith("data")
    )
    lines[place] = lines[place].rstrip()[:-1] + ', "more": ' + deep(depth - 1) + "}"
    return "\n".join(lines).encode()


@contextlib.contextmanager
def in_front_of(body, *, kind="text/event-stream", status="200 OK", **settings):
    with (
        canned(body, kind=kind, status=status) as upstream,
        running(upstream.url, Guard([BySentence()], policy=remove()), **settings) as served,
    ):
        yield served


def is_error(path, told):
    """Whether this is an error as the API of a path writes it."""
    return told.get("type") == "error" if path == PATHS[2] else bool(told["error"]["message"])


@pytest.mark.parametrize("path", PATHS)
class TestAnswers:
    @pytest.mark.parametrize("depth", DEPTHS)
    def test_a_body(self, path, depth):
        """502; it was a fault of the server from some hundred levels on."""
        with in_front_of(put(answer_of(path, SAID), depth), kind="application/json") as served:
            found = served.client.post(path, json=ASKED)
        assert found.status_code == 502
        assert is_error(path, found.json())
        assert "nested too deep" in found.text

    def test_a_body_within_the_limit(self, path):
        """It is examined as any other."""
        with in_front_of(put(answer_of(path, SAID), 100), kind="application/json") as served:
            found = served.client.post(path, json=ASKED)
        assert found.status_code == 200
        assert found.json()["guardrail"]["action"] == "remove"
        assert SECRET not in found.text

    @pytest.mark.parametrize("depth", DEPTHS)
    @pytest.mark.parametrize("mode", ["buffer", "sentence"])
    def test_a_stream(self, path, depth, mode):
        """It ends in an error event."""
        body = put_into_stream(stream_of(path, SAID), depth)
        with in_front_of(body, stream=mode) as served:
            found = served.client.post(path, json={**ASKED, "stream": True})
        last = next(line for line in reversed(found.text.split("\n")) if line.startswith("data: "))
        assert is_error(path, json.loads(last.removeprefix("data: ")))
        assert "a fault in guardrail" not in found.text
        assert SECRET not in found.text

    @pytest.mark.parametrize("depth", [300, 950])
    def test_a_stream_that_is_observed(self, path, depth):
        """It passes as it is: nobody can report on it."""
        body = put_into_stream(stream_of(path, SAID), depth)
        with in_front_of(body, stream="observe") as served:
            found = served.client.post(path, json={**ASKED, "stream": True})
        assert found.content == body
        assert "a fault in guardrail" not in found.text

    @pytest.mark.parametrize("depth", [950, 30_000])
    def test_an_error_with_an_answer(self, path, depth):
        """Its status, without the body; one that nobody could read was handed on."""
        body = put(answer_of(path, SAID), depth)
        with in_front_of(body, kind="application/json", status="500 Oops") as served:
            found = served.client.post(path, json=ASKED)
        assert found.status_code == 500
        assert is_error(path, found.json())
        assert SECRET not in found.text

    @pytest.mark.parametrize("depth", DEPTHS)
    def test_a_request(self, path, depth):
        """400; it reaches nobody."""
        with in_front_of(b"{}", kind="application/json") as served:
            found = served.client.post(
                path, content=put(ASKED, depth), headers={"content-type": "application/json"}
            )
        assert found.status_code == 400
        assert is_error(path, found.json())
        assert "nested too deep" in found.text


class TestOtherPlaces:
    @pytest.mark.parametrize("depth", [120, 400, 900])
    def test_a_structured_answer(self, depth):
        """It was not examined from some hundred levels on, and shown as unverified."""
        said = json.dumps({"a": SAID, "b": "@"}).replace('"@"', deep(depth))
        asked = {**ASKED, "response_format": {"type": "json_object"}}
        with in_front_of(json.dumps(answer_of(PATHS[0], said)).encode(), kind="application/json") as served:
            found = served.client.post(PATHS[0], json=asked)
        assert found.status_code == 200
        assert found.json()["guardrail"]["verdict"] == "unsupported"
        assert SECRET not in found.text

    def test_the_arguments_of_a_tool(self):
        """Those of a message's stream are read, too."""
        block = {"type": "tool_use", "id": "t", "name": "n", "input": {}}
        delta = {"type": "input_json_delta", "partial_json": deep(500)}
        told = [
            {
                "type": "message_start",
                "message": {"id": "m", "type": "message", "role": "assistant", "content": []},
            },
            {"type": "content_block_start", "index": 0, "content_block": block},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "message_delta", "delta": {"stop_reason": "tool_use"}},
            {"type": "message_stop"},
        ]
        body = "".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in told).encode()
        with in_front_of(body) as served:
            found = served.client.post(PATHS[2], json={**ASKED, "stream": True})
        assert "a tool's arguments as JSON" in found.text

    def test_a_text_to_be_checked(self):
        """The server's own paths refuse it likewise."""
        with in_front_of(b"{}") as served:
            for path in (
                "/v1/guardrail/check",
                "/v1/guardrail/estimate",
                "/beta/litellm_basic_guardrail_api",
            ):
                assert (
                    served.client.post(path, content=put({"answer": "a", "texts": ["a"]}, 400)).status_code
                    == 400
                )
