"""OpenAI's Python client: chat completions, or with a second argument "responses" that API; a third is the key."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

from common import ASKED, LOOK, SCHEMA, called, edited, told

openai: Any = import_module("openai")
URL, API, KEY = (*sys.argv[1:], "chat", "none")[:3] if len(sys.argv) < 4 else sys.argv[1:4]
client = openai.OpenAI(base_url=f"{URL}/v1", api_key=KEY, max_retries=0)
MESSAGES = [{"role": "user", "content": ASKED}]
FUNCTION = {"name": "look", "description": "Look something up.", "parameters": LOOK}
FORMAT = {"name": "answer", "schema": SCHEMA, "strict": True}


def plain() -> str:
    """One completion."""
    return edited(client.chat.completions.create(model="m", messages=MESSAGES).choices[0].message.content)


def stream() -> str:
    """In chunks."""
    chunks = client.chat.completions.create(model="m", messages=MESSAGES, stream=True)
    return edited("".join(one.choices[0].delta.content or "" for one in chunks if one.choices))


def tools() -> str:
    """A tool call, unharmed."""
    asked = {"type": "function", "function": FUNCTION}
    found = client.chat.completions.create(model="m", messages=MESSAGES, tools=[asked])
    call = found.choices[0].message.tool_calls[0].function
    return called(call.name, call.arguments)


def structured() -> str:
    """JSON of a schema, whose string was edited."""
    wanted = {"type": "json_schema", "json_schema": FORMAT}
    found = client.chat.completions.create(model="m", messages=MESSAGES, response_format=wanted)
    return edited(import_module("json").loads(found.choices[0].message.content)["text"])


def response() -> str:
    """One response."""
    return edited(client.responses.create(model="m", input=ASKED).output_text)


def response_stream() -> str:
    """In events."""
    events = client.responses.create(model="m", input=ASKED, stream=True)
    return edited("".join(one.delta for one in events if one.type == "response.output_text.delta"))


def response_tools() -> str:
    """A tool call, unharmed."""
    found = client.responses.create(model="m", input=ASKED, tools=[{"type": "function", **FUNCTION}])
    call = next(item for item in found.output if item.type == "function_call")
    return called(call.name, call.arguments)


def response_structured() -> str:
    """JSON of a schema, whose string was edited."""
    wanted = {"format": {"type": "json_schema", **FORMAT}}
    found = client.responses.create(model="m", input=ASKED, text=wanted)
    return edited(import_module("json").loads(found.output_text)["text"])


QUESTIONS = {
    "chat": {"plain": plain, "stream": stream, "tools": tools, "structured": structured},
    "responses": {
        "plain": response,
        "stream": response_stream,
        "tools": response_tools,
        "structured": response_structured,
    },
}
told(openai.__version__, QUESTIONS[API])
