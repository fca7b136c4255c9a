"""Does a document arrive? Every place in which a request may have one, at every door, with scripted models and a local upstream.

`rows()` runs all cells. A cell is right if its document was read exactly once, and nothing that the user or the assistant said was.
`python -m benchmarks.answers.doors` prints the table.
"""

from __future__ import annotations

import contextlib
import copy
import json
import runpy
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Literal, Self, TypeAlias

import httpx

from guardrail import Detector, Guard
from guardrail.adapting.anthropic_api import Messages
from guardrail.adapting.openai_api import ChatCompletions, Codec, Responses
from guardrail.adapting.sse import written
from guardrail.detector import Calls, Case, Finding, Flow
from guardrail.errors import ConfigError

__all__ = ["CELLS", "DOCUMENT", "DOORS", "PLACES", "Asked", "Row", "main", "rows"]

Api: TypeAlias = Literal["chat", "responses", "messages"]
Json: TypeAlias = dict[str, Any]

DOCUMENT = "The harbour library was founded by Edda Brandt in 1904."
NAME = "harbour.pdf"
_USER = "The user claims that the library was founded in 1850."
_ASSISTANT = "The assistant said that the library was founded in 1777."
_ANSWER = "The library was founded in 1666. It lies at the harbour."
_QUESTION = f"<document>{_USER}</document>\n\nContext: {_USER}\n\nWho founded the library?"
_SAID = f"<document>{_ASSISTANT}</document> {_ASSISTANT}"
_RESULT = [{"type": "text", "text": DOCUMENT}]
_PARTS: Mapping[str, Json] = {
    "document block, text": {
        "type": "document",
        "title": NAME,
        "source": {"type": "text", "media_type": "text/plain", "data": DOCUMENT},
        "citations": {"enabled": True},
    },
    "document block, content": {
        "type": "document",
        "title": NAME,
        "source": {"type": "content", "content": _RESULT},
    },
    "search_result block": {"type": "search_result", "title": NAME, "source": "kb/1", "content": _RESULT},
    "grounding_source": {"type": "grounding_source", "text": DOCUMENT},
}
_PROMPTS = {
    "system prompt, tags": f"Be brief.\n<document title='{NAME}'>{DOCUMENT}</document>",
    "system prompt, label": f"Be brief.\n\nQuellen:\n{DOCUMENT}",
}
_TOOL = ("tool result",)
_FOUND = ("found by the service",)
_GIVEN = ("context field", "documents field", "given for the guard")
PLACES = (*_PROMPTS, *_TOOL, *_PARTS, *_FOUND, *_GIVEN)
"""Where a document may be."""


@dataclass(frozen=True)
class Asked:
    """One cell's request.

    Attributes:
        place: where the document is.
        api: of which protocol the request is.
        request: its body.
        context: what an application gives a door for the guard, apart from the request; `None` in all other places.
        response: what the upstream answers.
    """

    place: str
    api: Api
    request: Json
    context: list[Json] | None
    response: Json


class Recorder(Detector):
    """Finds nothing, and remembers what it was given."""

    name = "recorder"
    scope = "sentence"

    def __init__(self) -> None:
        self.cases: list[Case] = []

    def cost(self, case: Case) -> Calls:
        """Nothing is asked."""
        del case
        return {}

    def examine(self, case: Case) -> Flow[list[Finding]]:
        """Remember the case."""
        yield from ()
        self.cases.append(case)
        return []


@dataclass(frozen=True)
class Row:
    """One cell of the table.

    Attributes:
        place: where the document was.
        door: through which the request went.
        times: how often the document was read; `None` where the door has no such place.
        named: whether its name, where it had one, or its place came with it.
        others: texts of the user or the assistant that were read.
        sent_on: whether the service got what was meant for the guard.
    """

    place: str
    door: str
    times: int | None = None
    named: bool = True
    others: int = 0
    sent_on: bool = False

    @property
    def right(self) -> bool:
        """Whether it was read once, with its name, and nothing else was."""
        return self.times is None or (self.times == 1 and self.named and not self.others and not self.sent_on)

    def __str__(self) -> str:
        """One word."""
        if self.times is None:
            return "–"
        return "once" if self.right else f"WRONG ({self.times} times, {self.others} others)"


# -- requests


def _chat(place: str) -> tuple[Json, Json]:
    """A chat completion's request and response."""
    system = _PROMPTS.get(place, "Be brief.")
    user = [*([_PARTS[place]] if place in _PARTS else []), {"type": "text", "text": _QUESTION}]
    messages: list[Json] = [
        {"role": "system", "content": system},
        {"role": "user", "content": "Hello."},
        {"role": "assistant", "content": _SAID},
        {"role": "user", "content": user},
    ]
    if place in _TOOL:
        call = {
            "id": "c1",
            "type": "function",
            "function": {"name": "look_up", "arguments": '{"q": "library"}'},
        }
        messages += [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": DOCUMENT},
        ]
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": _ANSWER},
        "finish_reason": "stop",
        "logprobs": None,
    }
    response: Json = {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    if place in _FOUND:
        response["search_results"] = [{"title": NAME, "url": "https://x.test/1", "snippet": DOCUMENT}]
    return {"messages": messages}, response


def _responses(place: str) -> tuple[Json, Json]:
    """A response's."""
    user = [*([_PARTS[place]] if place in _PARTS else []), {"type": "input_text", "text": _QUESTION}]
    items: list[Json] = [
        {"role": "assistant", "content": [{"type": "output_text", "text": _SAID}]},
        {"role": "user", "content": user},
    ]
    if place in _TOOL:
        call = {"type": "function_call", "call_id": "c1", "name": "look_up", "arguments": '{"q": "library"}'}
        items += [call, {"type": "function_call_output", "call_id": "c1", "output": DOCUMENT}]
    text = {"type": "output_text", "text": _ANSWER, "annotations": []}
    output: list[Json] = [
        {"type": "message", "id": "m1", "role": "assistant", "status": "completed", "content": [text]}
    ]
    if place in _FOUND:
        result = {"file_id": "f1", "filename": NAME, "score": 0.9, "text": DOCUMENT, "attributes": {}}
        search = {"type": "file_search_call", "id": "s1", "status": "completed", "queries": ["library"]}
        output.insert(0, {**search, "results": [result]})
    response = {
        "id": "r",
        "object": "response",
        "created_at": 1,
        "model": "m",
        "status": "completed",
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }
    return {"instructions": _PROMPTS.get(place, "Be brief."), "input": items}, response


def _messages(place: str) -> tuple[Json, Json]:
    """A message's."""
    user = [*([_PARTS[place]] if place in _PARTS else []), {"type": "text", "text": _QUESTION}]
    messages: list[Json] = [
        {"role": "user", "content": "Hello."},
        {"role": "assistant", "content": _SAID},
        {"role": "user", "content": user},
    ]
    if place in _TOOL:
        call = {"type": "tool_use", "id": "c1", "name": "look_up", "input": {"q": "library"}}
        messages += [
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": _RESULT}]},
        ]
    content: list[Json] = [{"type": "text", "text": _ANSWER}]
    if place in _FOUND:
        page = {**_PARTS["document block, text"], "title": NAME}
        fetched = {"type": "web_fetch_result", "url": "https://x.test/1", "content": page}
        content.insert(0, {"type": "web_fetch_tool_result", "tool_use_id": "w1", "content": fetched})
    response = {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": content,
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }
    system = _PROMPTS.get(place, "Be brief.")
    return {"system": system, "max_tokens": 100, "messages": messages}, response


_OF: Mapping[Api, Callable[[str], tuple[Json, Json]]] = {
    "chat": _chat,
    "responses": _responses,
    "messages": _messages,
}
_PATHS: Mapping[Api, tuple[str, Codec]] = {
    "chat": ("/chat/completions", ChatCompletions()),
    "responses": ("/responses", Responses()),
    "messages": ("/messages", Messages()),
}


def asked(place: str, api: Api, *, streams: bool = False) -> Asked:
    """The request of one cell."""
    request, response = _OF[api](place)
    request |= {"model": "m", **({"stream": True} if streams else {})}
    document: Json = {"title": NAME, "text": DOCUMENT}
    if place == "context field":
        request["context"] = [document]
    elif place == "documents field":
        request["documents"] = [document]
    context = [document] if place == "given for the guard" else None
    return Asked(place, api, copy.deepcopy(request), context, response)


# -- doors

Door: TypeAlias = Callable[[Guard, Asked, "Upstream"], None]


@dataclass(frozen=True)
class Cell:
    """A door, and the protocol that is spoken at it."""

    api: Api
    door: Door
    streams: bool = False
    without: frozenset[str] = frozenset()


class Upstream:
    """A service on this machine that answers each request with one body, whole or as a stream; and `guardrail serve` before it.

    Attributes:
        response: the body.
        bodies: of the requests that came.
    """

    def __init__(self) -> None:
        self.response: Json = {}
        self.bodies: list[Json] = []
        self._serving = contextlib.ExitStack()
        self._servers: dict[bool, str] = {}
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                outer.bodies.append(body)
                codec = next(codec for path, codec in _PATHS.values() if self.path.endswith(path))
                streams = bool(body.get("stream"))
                made = (
                    written(codec.events(outer.response, body))
                    if streams
                    else json.dumps(outer.response).encode()
                )
                self.send_response(200)
                self.send_header("content-type", "text/event-stream" if streams else "application/json")
                self.send_header("content-length", str(len(made)))
                self.end_headers()
                self.wfile.write(made)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the base class's name
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def served(self, guard: Guard, *, sentences: bool) -> str:
        """The URL of a `guardrail serve` that runs as long as this; all share one guard."""
        if sentences not in self._servers:
            running = _served(guard, self.url, sentences=sentences)
            self._servers[sentences] = self._serving.enter_context(running)
        return self._servers[sentences]

    def __exit__(self, *_: object) -> None:
        self._serving.close()
        self._server.shutdown()
        self._server.server_close()


def _check(guard: Guard, cell: Asked, upstream: Upstream) -> None:
    """`guard.check` with the messages and the response."""
    del upstream
    request = cell.request
    system = request.get("instructions") or request.get("system")
    first = [{"role": "system", "content": system}] if system else []
    prompt = [*first, *(request.get("messages") or request["input"])]
    guard.check(cell.response, prompt=prompt, context=cell.context)


def _supervise(guard: Guard, cell: Asked, upstream: Upstream) -> None:
    """`guard.supervise` with the messages."""
    del upstream
    guard.supervise(lambda _: _ANSWER, prompt=cell.request["messages"], context=cell.context)


@contextlib.contextmanager
def _served(guard: Guard, upstream: str, *, sentences: bool) -> Iterator[str]:
    """`guardrail serve`, in a thread."""
    import uvicorn

    from guardrail.server import Application, Settings

    application = Application(Settings(upstream, stream="sentence" if sentences else "buffer"), guard)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(16)
        running = uvicorn.Server(uvicorn.Config(application, log_config=None, ws="none"))
        thread = threading.Thread(target=running.run, args=([listener],), daemon=True)
        thread.start()
        until = time.monotonic() + 20
        while not running.started:
            if time.monotonic() > until:
                raise ConfigError("the server did not start within 20 seconds")
            time.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            running.should_exit = True
            thread.join(timeout=10)


def _serve(guard: Guard, cell: Asked, upstream: Upstream) -> None:
    """`guardrail serve`; what is given for the guard is in the request's own field."""
    own = {"guardrail": {"context": cell.context}} if cell.context is not None else {}
    path, _ = _PATHS[cell.api]
    url = upstream.served(guard, sentences=bool(cell.request.get("stream")))
    found = httpx.post(f"{url}/v1{path}", json={**cell.request, **own}, timeout=20, trust_env=False)
    found.raise_for_status()


def _litellm(guard: Guard, cell: Asked, upstream: Upstream) -> None:
    """LiteLLM's two calls: before the model is asked, and after."""
    own = {"context": cell.context} if cell.context is not None else {}
    calls = [
        {
            "input_type": "request",
            "texts": [_QUESTION],
            "structured_messages": cell.request["messages"],
            "additional_provider_specific_params": own,
        },
        {"input_type": "response", "texts": [_ANSWER]},
    ]
    url = upstream.served(guard, sentences=False)
    for call in calls:
        body = {**call, "litellm_call_id": f"of {cell.place}"}
        path = f"{url}/beta/litellm_basic_guardrail_api"
        httpx.post(path, json=body, timeout=20, trust_env=False).raise_for_status()


def _of_adapters() -> dict[str, Cell]:
    """Each `integrations/*/documents.py` has `DOORS`: by name a protocol, a function, whether it streams, and places it lacks."""
    found: dict[str, Cell] = {}
    for file in sorted(Path(__file__).parents[2].glob("integrations/*/documents.py")):
        for name, (api, door, streams, without) in runpy.run_path(str(file))["DOORS"].items():
            found[name] = Cell(api, door, streams, frozenset(without))
    return found


_FIELDS = frozenset({"context field", "documents field"})
DOORS: Mapping[str, Cell] = {
    "check, chat": Cell("chat", _check, without=_FIELDS),
    "check, responses": Cell("responses", _check, without=_FIELDS),
    "check, messages": Cell("messages", _check, without=_FIELDS),
    "supervise": Cell("chat", _supervise, without=frozenset({*_FIELDS, *_FOUND})),
    **{
        f"serve, {api}{', by sentence' if streams else ''}": Cell(api, _serve, streams)
        for api in _OF
        for streams in (False, True)
    },
    "LiteLLM": Cell("chat", _litellm, without=frozenset({*_FIELDS, *_FOUND})),
    **_of_adapters(),
}
"""Every door by name."""
CELLS = tuple((place, door) for place in PLACES for door in DOORS)


def row(place: str, name: str, guard: Guard, upstream: Upstream) -> Row:
    """One cell; the guard has a `Recorder`."""
    cell, (recorder,) = DOORS[name], guard.detectors
    assert isinstance(recorder, Recorder)  # noqa: S101  # for the type checker
    if place in cell.without:
        return Row(place, name)
    request = asked(place, cell.api, streams=cell.streams)
    upstream.response, upstream.bodies, recorder.cases = request.response, [], []
    cell.door(guard, request, upstream)
    if not recorder.cases:
        return Row(place, name, times=0)
    last, counts = (
        recorder.cases[-1],
        {sum(text.count(DOCUMENT) for text in case.context) for case in recorder.cases},
    )
    texts = last.context
    said = [text for text in texts if any(one in text for one in ("1850", "1777", "1666"))]
    titled = place not in {"system prompt, label", "tool result", "grounding_source"}
    label = NAME if titled else {"tool result": "look_up"}.get(place, "")
    return Row(
        place,
        name,
        times=min(counts) if min(counts) != 1 else max(counts),  # also while a stream was still coming
        named=all(label in str(source) and str(source) for source in last.sources) and bool(last.sources),
        others=len(said),
        sent_on=any("guardrail" in body for body in upstream.bodies),
    )


def rows() -> list[Row]:
    """All cells: every place at every door."""
    with Guard([Recorder()]) as guard, Upstream() as upstream:
        return [row(place, door, guard, upstream) for place, door in CELLS]


def main() -> None:
    """Print the table, and how many cells are right."""
    found = rows()
    by_door = {door: {row.place: row for row in found if row.door == door} for door in DOORS}
    print(f"| door | {' | '.join(PLACES)} |\n| --- |{' --- |' * len(PLACES)}")
    for door, cells in by_door.items():
        print(f"| {door} | {' | '.join(str(cells[place]) for place in PLACES)} |")
    there = [row for row in found if row.times is not None]
    print(f"\n{sum(row.right for row in there)} of {len(there)} cells are right")


if __name__ == "__main__":
    main()
