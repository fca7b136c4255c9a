"""Answers of an upstream that keeps to no protocol: whatever their values are, nothing gets around the examination."""

from __future__ import annotations

import asyncio
import json

import pytest
from tests.unit.adapting.test_sentence_stream import BySentence

from guardrail import Guard, remove
from guardrail.adapting.anthropic_api import Messages
from guardrail.adapting.json_text import is_valid
from guardrail.adapting.openai_api import ChatCompletions, Exchange, NotReadable, Responses, SentenceExchange

CHAT, RESPONSES, MESSAGES = ChatCompletions(), Responses(), Messages()
SECRET = "river"
BAD = f"Paris lies on the {SECRET}."
FINE = "Bern has a bear. It is nice there. "


def guard():
    return Guard([BySentence()], policy=remove())


def settled(codec, body, request=None):
    """What is shown of a body."""

    async def never(_):
        raise NotReadable("asked for once only")

    return asyncio.run(Exchange(guard(), codec, request or {}).asettle(body, never))


def streamed(codec, told):
    """What is shown of a stream, sentence by sentence; each event comes by itself."""
    parts = [f"data: {one if isinstance(one, str) else json.dumps(one)}\n\n".encode() for one in told]
    return b"".join(SentenceExchange(guard(), codec, {}).pieces(parts)).decode()


def chunk(text=None, *, index=0, end=None, **more):
    delta = {} if text is None else {"content": text}
    return {"id": "c", "choices": [{"index": index, "delta": delta, "finish_reason": end}], **more}


def completion(content, **more):
    message = {"role": "assistant", "content": content}
    return {"id": "c", "choices": [{"index": 0, "finish_reason": "stop", "message": message}], **more}


def message(*blocks, **more):
    return {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "content": [*blocks],
        "stop_reason": "end_turn",
        **more,
    }


def response(*items, **more):
    return {"id": "r", "object": "response", "status": "completed", "output": [*items], **more}


def item(*texts, **more):
    content = [{"type": "output_text", "text": text, "annotations": []} for text in texts]
    return {"type": "message", "id": "i", "role": "assistant", "content": content, **more}


@pytest.mark.parametrize("index", [1, True, -1])
def test_a_second_choice_after_the_first_was_released(index):
    """It was examined by nobody, and is not shown."""
    told = [
        chunk(FINE),
        chunk("All is well."),
        chunk(BAD, index=index),
        chunk(index=index, end="stop"),
        chunk(end="stop"),
        "[DONE]",
    ]
    try:
        shown = streamed(CHAT, told)
    except NotReadable:
        return
    assert "Bern has a bear." in shown
    assert SECRET not in shown


@pytest.mark.parametrize(
    ("codec", "body"),
    [
        (CHAT, completion(BAD, usage={"prompt_tokens": 10**400})),
        (RESPONSES, response(item(BAD), usage={"input_tokens": 10**400})),
        (MESSAGES, message({"type": "text", "text": BAD}, usage={"output_tokens": 10**400})),
    ],
)
def test_a_number_of_tokens_that_no_float_has(codec, body):
    """It is no reason to leave an answer unexamined."""
    found = settled(codec, body)
    assert SECRET not in json.dumps(found.body)
    assert found.summary["action"] == "remove"


def test_a_log_probability_that_no_float_has():
    """Likewise."""
    body = completion(BAD)
    body["choices"][0]["logprobs"] = {"content": [{"token": BAD, "logprob": -(10**400), "top_logprobs": []}]}
    assert SECRET not in json.dumps(settled(CHAT, body).body)


def test_a_field_that_is_nested_too_deep():
    """A verdict that cannot be carried out shows nothing."""
    for depth in range(900, 1000, 3):
        deep = '{"a":' * depth + "1" + "}" * depth
        told = [
            json.dumps(chunk(FINE + BAD)),
            json.dumps(chunk(end="stop", x="@")).replace('"@"', deep),
            "[DONE]",
        ]
        shown = ""
        try:
            shown = streamed(CHAT, told)
        except NotReadable:
            continue
        finally:
            assert SECRET not in shown


@pytest.mark.parametrize(
    "given",
    [
        item(FINE, BAD, text=BAD),
        item(FINE, BAD, status=BAD),
        {**item(), "content": [{"type": BAD, "text": FINE}, {"type": {"x": BAD}, "text": BAD}]},
        {"type": "glow", "text": BAD},
        {"type": "web_search_call", "content": [{"type": "output_text", "text": BAD}]},
        {"type": "reasoning", "content": [{"type": "output_text", "text": BAD}]},
    ],
)
def test_items_of_a_response(given):
    """Text that clients may show is examined, and other fields go once text has gone."""
    found = settled(RESPONSES, response(item(FINE + BAD), given))
    assert SECRET not in json.dumps(found.body)


@pytest.mark.parametrize(
    ("codec", "body"),
    [
        (CHAT, completion([["Bern. " + BAD]])),
        (CHAT, completion([{"type": "text", "text": {"value": BAD}}])),
        (RESPONSES, response({**item(), "content": [{"type": "output_text", "text": [BAD]}]})),
        (MESSAGES, message({"type": "text", "text": {"a": BAD}})),
        (MESSAGES, message({"type": "tool_use", "id": "t", "name": "n", "input": {}, "text": BAD})),
        (CHAT, {"choices": completion(FINE)["choices"] * 129}),
    ],
)
def test_bodies_of_no_protocol(codec, body):
    """Refused as a whole."""
    with pytest.raises(NotReadable):
        settled(codec, body)


def test_content_that_is_one_block():
    """It is examined like a list of one."""
    assert SECRET not in json.dumps(settled(CHAT, completion({"type": "text", "text": FINE + BAD})).body)


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"a": {"type": "string", "pattern": "^(a+)+$"}}},
        {"anyOf": [{"$ref": "#"}, {"$ref": "#"}]},
    ],
)
def test_a_schema_without_end(schema):
    """It is its client's: what takes too long to decide counts as not valid."""
    assert not is_valid({"a": "a" * 40 + "!"}, schema, before={"a": "b"})


@pytest.mark.parametrize(
    ("codec", "told"),
    [
        (
            CHAT,
            [
                chunk(FINE),
                {**chunk(), "choices": [{"index": 0, "delta": {"tool_calls": "x"}}]},
                chunk(end="stop"),
            ],
        ),
        (RESPONSES, [{"type": ["x"], "response": {}}]),
        (RESPONSES, [{"type": "response.output_item.done", "output_index": [], "item": item(BAD)}]),
        (
            MESSAGES,
            [
                {"type": "message_start", "message": {"content": [], "usage": 5}},
                {"type": "message_delta", "delta": 5},
            ],
        ),
    ],
)
def test_streams_of_no_protocol(codec, told):
    """They end in the one error that callers know, and nothing unexamined is shown."""
    with pytest.raises(NotReadable):
        streamed(codec, [*told, "[DONE]"])
