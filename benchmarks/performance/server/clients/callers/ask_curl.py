"""curl, as the server's page shows it."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from common import ASKED, LOOK, SCHEMA, called, edited, told


def curl(**more: Any) -> str:
    """What it prints."""
    body = {"model": "m", "messages": [{"role": "user", "content": ASKED}], **more}
    words = ["curl", "-sS", "--fail-with-body", "-N", f"{sys.argv[1]}/v1/chat/completions"]
    words += [
        "-H",
        "Content-Type: application/json",
        "-H",
        "Authorization: Bearer none",
        "-d",
        json.dumps(body),
    ]
    return subprocess.run(words, capture_output=True, text=True, check=True, timeout=60).stdout  # noqa: S603


def message(**more: Any) -> Any:
    """The message of a completion."""
    return json.loads(curl(**more))["choices"][0]["message"]


def plain() -> str:
    """Whole."""
    return edited(message()["content"])


def stream() -> str:
    """In lines of events."""
    lines = [line[6:] for line in curl(stream=True).splitlines() if line.startswith("data: ")]
    chunks = [json.loads(line) for line in lines if line != "[DONE]"]
    text = "".join(one["choices"][0]["delta"].get("content") or "" for one in chunks if one["choices"])
    return edited(text) if lines[-1] == "[DONE]" else "no [DONE] at the end"


def tools() -> str:
    """A tool call, unharmed."""
    look = {"name": "look", "description": "Look something up.", "parameters": LOOK}
    call = message(tools=[{"type": "function", "function": look}])["tool_calls"][0]["function"]
    return called(call["name"], call["arguments"])


def structured() -> str:
    """JSON of a schema."""
    form = {"type": "json_schema", "json_schema": {"name": "answer", "schema": SCHEMA, "strict": True}}
    return edited(json.loads(message(response_format=form)["content"])["text"])


VERSION = subprocess.run(["curl", "--version"], capture_output=True, text=True, check=True).stdout.split()[1]  # noqa: S607
told(VERSION, {"plain": plain, "stream": stream, "tools": tools, "structured": structured})
