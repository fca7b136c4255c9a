"""The doors of this adapter for `benchmarks.answers.doors`: does a document of a request arrive?"""

from __future__ import annotations

from typing import Any

from openai import OpenAI

from guardrail import Guard
from guardrail_openai import guard_openai

_OWN = {"model", "messages", "input", "instructions", "stream"}


def _ask(guard: Guard, cell: Any, upstream: Any, *, own_field: bool = True) -> None:
    """One request; what is given for the guard is in the request's own field, or what a function gives."""
    request = {name: value for name, value in cell.request.items() if name in _OWN}
    extra = {name: value for name, value in cell.request.items() if name not in _OWN}
    context = None
    if cell.context is not None and own_field:
        extra["guardrail"] = {"context": cell.context}
    elif cell.context is not None:
        context = lambda _: cell.context  # noqa: E731
    streaming = "sentence" if request.get("stream") else "buffer"
    with OpenAI(base_url=upstream.url, api_key="none", max_retries=0, timeout=20) as client:
        guarded: Any = guard_openai(client, guard, streaming=streaming, context=context)
        api = guarded.chat.completions if cell.api == "chat" else guarded.responses
        found = api.create(**request, extra_body=extra)
        if request.get("stream"):
            list(found)


def _ask_with_function(guard: Guard, cell: Any, upstream: Any) -> None:
    _ask(guard, cell, upstream, own_field=False)


DOORS = {
    "guard_openai, chat": ("chat", _ask, False, ()),
    "guard_openai, chat, by sentence": ("chat", _ask, True, ()),
    "guard_openai, responses": ("responses", _ask, False, ()),
    "guard_openai, responses, by sentence": ("responses", _ask, True, ()),
    "guard_openai, context=": ("chat", _ask_with_function, False, ()),
}
"""By name: the protocol, the door, whether it streams, and the places that it has not."""
