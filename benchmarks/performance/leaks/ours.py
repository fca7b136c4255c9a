"""Our own doors: the server, and the guarded OpenAI client; and no guard at all, as the control."""

from __future__ import annotations

import contextlib
import importlib
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from guardrail import Guard, Policy, annotate, block, regenerate, remove
from guardrail.errors import ConfigError
from guardrail.testing import leaks

__all__ = ["DOORS", "POLICIES"]

POLICIES: Mapping[str, Callable[[], Policy]] = {
    "remove": remove,
    "regenerate": lambda: regenerate(1) | remove(),
    "block": block,
    "annotate": annotate,
}


def guard(setting: leaks.Setting) -> Guard:
    """A guard that knows the forbidden texts."""
    found = leaks.KnownTexts(setting.forbidden, mark=setting.mark, breaks=setting.breaks)
    return Guard([found], policy=POLICIES[setting.policy](), fail="closed")


@contextlib.contextmanager
def no_guard(setting: leaks.Setting) -> Iterator[str]:
    """The stub itself."""
    yield setting.upstream


@contextlib.contextmanager
def server(setting: leaks.Setting) -> Iterator[str]:
    """`guardrail serve`, in a thread."""
    import uvicorn

    from guardrail.server import Application, Settings

    application = Application(Settings(upstream=setting.upstream), guard(setting))
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(64)
        config = uvicorn.Config(application, log_config=None, ws="none", timeout_graceful_shutdown=5)
        running = uvicorn.Server(config)
        thread = threading.Thread(target=running.run, args=([listener],), daemon=True)
        thread.start()
        _wait(lambda: running.started)
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        finally:
            running.should_exit = True
            thread.join(timeout=10)


@contextlib.contextmanager
def openai_client(setting: leaks.Setting) -> Iterator[leaks.Opened]:
    """`guard_openai(OpenAI(), guard)`."""
    from openai import OpenAI

    adapter: Any = importlib.import_module("guardrail_openai")  # where it is installed
    with OpenAI(base_url=setting.upstream, api_key="none", max_retries=0, timeout=20) as client:
        guarded = adapter.guard_openai(client, guard(setting))

        def send(case: leaks.Case, body: dict[str, Any]) -> Any:
            if case.api == "messages":
                raise leaks.NotOffered("the OpenAI client has no Messages API")
            create: Any = guarded.chat.completions.create if case.api == "chat" else guarded.responses.create
            return create(**body)

        yield leaks.Opened(leaks.called(send))


def _wait(ready: Callable[[], bool]) -> None:
    until = time.monotonic() + 20
    while not ready():
        if time.monotonic() > until:
            raise ConfigError("the server did not start within 20 seconds")
        time.sleep(0.02)


DOORS: Mapping[str, leaks.Door] = {
    "no guard (control)": no_guard,
    "guardrail serve": server,
    "guard_openai": openai_client,
}
