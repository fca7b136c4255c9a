"""Anthropic's Python client; a third argument is the key, a fourth "blocked" says that only that may come."""

from __future__ import annotations

import json
import sys
from importlib import import_module
from typing import Any

from common import ASKED, LOOK, SCHEMA, called, edited, leaked, told

anthropic: Any = import_module("anthropic")
URL, KEY, WANTED = (*sys.argv[1:], *("", "none", "edited")[len(sys.argv) - 1 :])[:3]
client = anthropic.Anthropic(base_url=URL, api_key=KEY, max_retries=0)
QUESTION = {"model": "m", "max_tokens": 200, "messages": [{"role": "user", "content": ASKED}]}


def judged(text: str) -> str:
    """What came, if it is what should."""
    found = edited(text)
    return found if WANTED == "edited" or found == "leaked" else f"not blocked, got {text!r:.120}"


def refused(ask: Any) -> Any:
    """The same question, where the service's error with our reason is what should come."""

    def asked() -> str:
        try:
            return str(ask())
        except anthropic.APIError as error:
            said = f"{error} {error.body}"
            return "leaked" if leaked(said) else "ok" if "not supported" in said else f"got {said:.150}"

    return asked if WANTED == "blocked" else ask


def plain() -> str:
    """One message."""
    found = client.messages.create(**QUESTION)
    return judged("".join(block.text for block in found.content if block.type == "text"))


def stream() -> str:
    """In events."""
    with client.messages.stream(**QUESTION) as events:
        return judged("".join(events.text_stream))


def tools() -> str:
    """A tool call, unharmed."""
    look = {"name": "look", "description": "Look something up.", "input_schema": LOOK}
    found = client.messages.create(**QUESTION, tools=[look])
    call = next(block for block in found.content if block.type == "tool_use")
    return called(call.name, call.input)


def structured() -> str:
    """JSON of a schema, whose string was edited."""
    form = {"output_config": {"format": {"type": "json_schema", "schema": SCHEMA}}}
    found = client.messages.create(**QUESTION, extra_body=form)
    return edited(json.loads(found.content[0].text)["text"])


questions = {"plain": refused(plain), "stream": refused(stream)}
if WANTED == "edited":
    questions |= {"tools": tools, "structured": structured}
told(anthropic.__version__, questions)
