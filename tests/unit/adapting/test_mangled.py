"""Bodies and requests in which one value is another one: no such value may keep an answer from being examined."""

import asyncio
import copy
import json

import pytest
from tests.unit.server.conftest import SECRET, Spotter

from guardrail import Guard, remove
from guardrail.adapting.anthropic_api import Messages
from guardrail.adapting.openai_api import ChatCompletions, Exchange, NotReadable, Responses

SAID = f"Hi there. {SECRET}."
VALUES = (None, True, -1, 1.5, "x", [], ["x"], {"a": 1}, [[]], float("nan"), 10**30, "\ud800")
CALL = {"id": "t", "type": "function", "function": {"name": "f", "arguments": "{}"}}
TEXT = {"type": "text", "text": SAID}
CHAT = (
    ChatCompletions(),
    {
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "q"}]},
            {"role": "assistant", "content": "a", "tool_calls": [CALL]},
            {"role": "tool", "content": "r", "tool_call_id": "t"},
        ],
        "response_format": {"type": "text"},
        "stream_options": {"include_usage": True},
    },
    {
        "id": "c",
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "logprobs": {"content": [{"token": "a", "logprob": -1, "top_logprobs": []}]},
                "message": {"role": "assistant", "content": [TEXT], "tool_calls": [CALL]},
            }
        ],
        "usage": {"prompt_tokens": 1, "completion_tokens": 2},
    },
)
RESPONSES = (
    Responses(),
    {
        "input": [{"role": "user", "content": [{"type": "input_text", "text": "q"}]}],
        "instructions": "i",
        "text": {"format": {}},
    },
    {
        "id": "r",
        "status": "completed",
        "output": [
            {"type": "reasoning", "id": "x", "summary": []},
            {
                "type": "message",
                "id": "i",
                "content": [{"type": "output_text", "text": SAID, "logprobs": []}],
            },
            {"type": "function_call", "name": "n", "arguments": "{}"},
        ],
        "usage": {"input_tokens": 1, "output_tokens": 1},
    },
)
MESSAGES = (
    Messages(),
    {
        "system": [{"type": "text", "text": "s"}],
        "messages": [{"role": "user", "content": [{"type": "tool_result", "content": []}]}],
    },
    {
        "id": "m",
        "type": "message",
        "content": [
            {"type": "thinking", "thinking": "h"},
            TEXT,
            {"type": "tool_use", "id": "t", "input": {}},
        ],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 1},
    },
)


def places(value, at=()):
    """Each place in a value."""
    if at:
        yield at
    for name, inner in (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    ):
        yield from places(inner, (*at, name))


def mangled(value):
    """The value with another one in each place."""
    for place in places(value):
        for other in VALUES:
            made = copy.deepcopy(value)
            inner = made
            for name in place[:-1]:
                inner = inner[name]
            inner[place[-1]] = other
            yield place, other, made


def shown(codec, request, body):
    """What is handed out; "" where the body is none."""
    exchange = Exchange(Guard([Spotter()], policy=remove()), codec, request)
    try:
        return json.dumps(asyncio.run(exchange.asettle(body, None)).body)
    except NotReadable:
        return ""


@pytest.mark.parametrize(("codec", "request_body", "body"), [CHAT, RESPONSES, MESSAGES])
class TestOneOtherValue:
    def test_in_an_answer(self, codec, request_body, body):
        """A usage of -1, or a block of a kind that nobody knows, made the guard fail, and the answer was shown as unverified."""
        shown_all = [
            (place, other)
            for place, other, made in mangled(body)
            if SECRET in shown(codec, request_body, made)
        ]
        assert shown_all == []

    def test_in_a_request(self, codec, request_body, body):
        """Its client writes it: so it could choose that its answer is not examined."""
        found = [shown(codec, made, body) for _, _, made in mangled(request_body)]
        assert all(found)
        assert not any(SECRET in text for text in found)
