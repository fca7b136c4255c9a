"""LiteLLM's library as a client."""

from __future__ import annotations

import json
import sys
from importlib import import_module
from importlib.metadata import version
from typing import Any

from common import ASKED, LOOK, SCHEMA, called, edited, told

litellm: Any = import_module("litellm")


def ask(**more: Any) -> Any:
    """One completion."""
    messages = [{"role": "user", "content": ASKED}]
    url = f"{sys.argv[1]}/v1"
    return litellm.completion(model="openai/m", api_base=url, api_key="none", messages=messages, **more)


def plain() -> str:
    """Whole."""
    return edited(ask().choices[0].message.content)


def stream() -> str:
    """In chunks."""
    return edited("".join(one.choices[0].delta.content or "" for one in ask(stream=True)))


def tools() -> str:
    """A tool call, unharmed."""
    look = {"name": "look", "description": "Look something up.", "parameters": LOOK}
    call = ask(tools=[{"type": "function", "function": look}]).choices[0].message.tool_calls[0].function
    return called(call.name, call.arguments)


def structured() -> str:
    """JSON of a schema."""
    form = {"type": "json_schema", "json_schema": {"name": "answer", "schema": SCHEMA, "strict": True}}
    return edited(json.loads(ask(response_format=form).choices[0].message.content)["text"])


told(version("litellm"), {"plain": plain, "stream": stream, "tools": tools, "structured": structured})
