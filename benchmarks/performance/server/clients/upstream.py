"""The model behind the server: it says a sentence that may not be released, in each API and form that is asked for."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from benchmarks.performance.server.guarded import FORBIDDEN
from guardrail.adapting import sse
from guardrail.adapting.anthropic_api import Messages
from guardrail.testing.server import ScriptedChoice

__all__ = ["SAID", "anthropic", "reply"]

_MORE = " ".join(f"River number {i} is longer than the one before it." for i in range(1, 7))
SAID = f"Rivers flow. {_MORE} See {FORBIDDEN} for more. {_MORE} They end in seas."
_ARGUMENTS = {"q": "rivers"}


def reply(call: ScriptedChoice) -> str | Mapping[str, Any]:
    """What OpenAI's API says: a tool call where there are tools, JSON where a schema is wanted, else text."""
    if call.body.get("tools"):
        function = {"name": "look", "arguments": json.dumps(_ARGUMENTS)}
        return {"content": None, "tool_calls": [{"id": "call_1", "type": "function", "function": function}]}
    wanted = call.body.get("response_format") or (call.body.get("text") or {}).get("format")
    return json.dumps({"text": SAID}) if wanted else SAID


def _message(asked: Mapping[str, Any]) -> dict[str, Any]:
    """What Anthropic's API says."""
    text = json.dumps({"text": SAID}) if asked.get("output_config") else SAID
    block: dict[str, Any] = {"type": "text", "text": text}
    if asked.get("tools"):
        block = {"type": "tool_use", "id": "t1", "name": "look", "input": _ARGUMENTS}
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [block],
        "stop_reason": "tool_use" if asked.get("tools") else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 5, "output_tokens": 9},
    }


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Answer a message."""
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        body = _message(asked)
        if asked.get("stream"):
            self._send("text/event-stream", sse.written(Messages().events(body, {})))
        else:
            self._send("application/json", json.dumps(body).encode())

    def _send(self, kind: str, body: bytes) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@contextlib.contextmanager
def anthropic() -> Iterator[str]:
    """The base URL of a service that speaks Anthropic's API while the block runs."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
        server.shutdown()
