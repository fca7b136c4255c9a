"""A guarding server on this machine, in front of the project's test service."""

import contextlib
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

    def chat(self, content="hello", **more):
        headers = more.pop("headers", {})
        body = {"model": "m", "messages": [{"role": "user", "content": content}], **more}
        return self.client.post("/v1/chat/completions", json=body, headers=headers)


@contextlib.contextmanager
def running(upstream, guard, **settings):
    """Serve while the block runs."""
    application = Application(Settings(upstream=upstream, **settings), guard)
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(128)
    config = uvicorn.Config(
        application, log_config=None, ws="none", lifespan="on", timeout_graceful_shutdown=5
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
