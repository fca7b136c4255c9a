"""LangChain's ChatOpenAI."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.metadata import version
from typing import Any

from common import ASKED, LOOK, SCHEMA, called, edited, told

model: Any = import_module("langchain_openai").ChatOpenAI(
    model="m", base_url=f"{sys.argv[1]}/v1", api_key="none", max_retries=0
)


def plain() -> str:
    """Invoked."""
    return edited(model.invoke(ASKED).content)


def stream() -> str:
    """Streamed."""
    return edited("".join(str(one.content) for one in model.stream(ASKED)))


def tools() -> str:
    """With a tool bound."""
    look = {"name": "look", "description": "Look something up.", "parameters": LOOK}
    call = model.bind_tools([{"type": "function", "function": look}]).invoke(ASKED).tool_calls[0]
    return called(call["name"], call["args"])


def structured() -> str:
    """With a schema."""
    schema = {"title": "answer", "description": "An answer.", **SCHEMA}
    return edited(model.with_structured_output(schema, method="json_schema").invoke(ASKED)["text"])


told(
    version("langchain-openai"), {"plain": plain, "stream": stream, "tools": tools, "structured": structured}
)
