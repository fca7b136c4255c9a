"""A guarding server on this machine, in front of the project's test service."""

import contextlib
import json
import socket
import threading
import time

import httpx
import pytest
import uvicorn

from guardrail import Detector, Finding, Guard, Span, Verdict, remove
from guardrail.server import Application, Settings
from guardrail.testing.server import serve

SECRET = "Xyzzyville Quuxington"
FORBIDDEN = (b"Xyzzyville", b"Quuxington")
KEY = "client-key-0123456789"


class Spotter(Detector):
    """Finds the words that must not be released; one finding for each."""

    name = "spotter"

    def __init__(self, *, raises: bool = False, seconds: float = 0.0) -> None:
        self.raises = raises
        self.seconds = seconds
        self.seen = []

    def cost(self, case):
        del case
        return {}

    def examine(self, case):
        yield from ()
        self.seen.append(case)
        if self.seconds:
            time.sleep(self.seconds)
        if self.raises:
            raise RuntimeError(f"a bug that quotes {case.answer}")
        found, start = [], 0
        while (at := case.answer.find(SECRET, start)) >= 0:
            start = at + len(SECRET)
            found.append(
                Finding(
                    detector=self.name,
                    span=Span(start=at, end=start),
                    text=SECRET,
                    score=1.0,
                    verdict=Verdict.UNSUPPORTED,
                    mark="made up",
                )
            )
        return found


class Guarded:
    """A running server.

    Attributes:
        url: for a client, without `/v1`.
        application: its state.
    """

    def __init__(self, port, application):
        self.port = port
        self.url = f"http://127.0.0.1:{port}"
        self.application = application
        self.client = httpx.Client(base_url=self.url, timeout=20, trust_env=False)

    def is_idle(self):
        """Whether all places are free, a moment after the last answer is out."""
        until = time.monotonic() + 5
        while self.application.running and time.monotonic() < until:
            time.sleep(0.02)
        return self.application.running == 0

    def chat(self, content="hello", **more):
        headers = more.pop("headers", {})
        body = {"model": "m", "messages": [{"role": "user", "content": content}], **more}
        return self.client.post("/v1/chat/completions", json=body, headers=headers)


@contextlib.contextmanager
def running(upstream, guard, *, http="h11", **settings):
    """Serve while the block runs."""
    application = Application(Settings(upstream=upstream, **settings), guard)
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(128)
    config = uvicorn.Config(
        application, log_config=None, ws="none", http=http, lifespan="on", timeout_graceful_shutdown=5
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    served = Guarded(listener.getsockname()[1], application)
    try:
        yield served
    finally:
        served.client.close()
        server.should_exit = True
        thread.join(timeout=10)
        listener.close()


class canned:  # noqa: N801  # used as a function
    """An upstream that gives the same bytes to everybody, in pieces of so many.

    Attributes:
        url: its base URL.
        asked: the requests, as they came.
    """

    def __init__(self, body, *, size=1_000_000, kind="text/event-stream", status="200 OK", cut=False):
        self.body = body
        self.size = size
        self.cut = cut
        self.head = f"HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n"
        self.asked = []
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}/v1"

    def serve(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            with connection, contextlib.suppress(OSError):
                self.answer(connection)

    def answer(self, connection):
        read = b""
        while b"\r\n\r\n" not in read:
            read += connection.recv(65536)
        head, _, body = read.partition(b"\r\n\r\n")
        length = next(
            (int(line[16:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length: ")),
            0,
        )
        while len(body) < length:
            body += connection.recv(65536)
        self.asked.append((head.decode("latin-1").lower(), body))
        connection.sendall(self.head.encode())
        for start in range(0, len(self.body), self.size):
            part = self.body[start : start + self.size]
            connection.sendall(b"%x\r\n%b\r\n" % (len(part), part))
        if not self.cut:
            connection.sendall(b"0\r\n\r\n")

    def __enter__(self):
        threading.Thread(target=self.serve, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()


@pytest.fixture
def guarded():
    """Start a service that replies so, and a guard in front of it."""
    with contextlib.ExitStack() as stack:

        def start(
            replies=lambda call: call.text,
            *,
            policy=None,
            detector=None,
            guard=None,
            service=None,
            **settings,
        ):
            served = stack.enter_context(serve(replies, **(service or {})))
            made = guard or Guard([detector or Spotter()], policy=policy or remove())
            found = stack.enter_context(running(served.base_url, made, **settings))
            found.service = served.service
            return found

        yield start


def answer_of(path, text, *blocks):
    """A body as an upstream writes it at a path: a text, and further blocks."""
    if path == "/v1/chat/completions":
        said = [{"type": "text", "text": text}, *blocks] if blocks else text
        message = {"role": "assistant", "content": said}
        return {
            "id": "c1",
            "object": "chat.completion",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        }
    if path == "/v1/messages":
        content = [{"type": "text", "text": text}, *blocks]
        return {
            "id": "m1",
            "type": "message",
            "role": "assistant",
            "content": content,
            "stop_reason": "end_turn",
            "usage": {},
        }
    content = [{"type": "output_text", "text": text, "annotations": []}]
    item = {"type": "message", "id": "i1", "role": "assistant", "status": "completed", "content": content}
    return {"id": "r1", "object": "response", "status": "completed", "output": [item, *blocks]}


@pytest.fixture
def canned_answer():
    """Start an upstream that gives one body to everybody, and a guard in front of it."""
    with contextlib.ExitStack() as stack:

        def start(path, text, *blocks, policy=None, detector=None, plan=None, body=None, **settings):
            given = answer_of(path, text, *blocks) if body is None else body
            upstream = stack.enter_context(canned(json.dumps(given).encode(), kind="application/json"))
            made = Guard([detector or Spotter()], policy=policy or remove(), **(plan or {}))
            return stack.enter_context(running(upstream.url, made, **settings))

        yield start
