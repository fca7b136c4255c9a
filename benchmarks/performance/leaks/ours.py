"""Our own doors: the server, those that adapters bring (`leaks.py` in their folder), and no guard at all, as the control."""

from __future__ import annotations

import contextlib
import runpy
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Literal

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


def guard(setting: leaks.Setting, *, by_sentence: bool = False) -> Guard:
    """A guard that knows the forbidden texts; it can release by sentence, but where its check is to fail, closed."""
    found = leaks.KnownTexts(
        setting.forbidden, mark=setting.mark, breaks=setting.breaks, by_sentence=by_sentence
    )
    fail: Literal["open", "closed"] = "open" if by_sentence and not setting.breaks else "closed"
    return Guard([found], policy=POLICIES[setting.policy](), fail=fail)


@contextlib.contextmanager
def no_guard(setting: leaks.Setting) -> Iterator[str]:
    """The stub itself."""
    yield setting.upstream


@contextlib.contextmanager
def server(setting: leaks.Setting, *, by_sentence: bool = False) -> Iterator[str]:
    """`guardrail serve`, in a thread; with `--stream sentence` if wanted."""
    import uvicorn

    from guardrail.server import Application, Settings

    settings = Settings(upstream=setting.upstream, stream="sentence" if by_sentence else "buffer")
    application = Application(settings, guard(setting, by_sentence=by_sentence))
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


def _wait(ready: Callable[[], bool]) -> None:
    until = time.monotonic() + 20
    while not ready():
        if time.monotonic() > until:
            raise ConfigError("the server did not start within 20 seconds")
        time.sleep(0.02)


def _of_adapters() -> dict[str, leaks.Door]:
    """Each `integrations/*/leaks.py` has a function `doors`: from how a guard is made (by sentence or not) to doors by name."""
    found: dict[str, leaks.Door] = {}
    for file in sorted(Path(__file__).parents[3].glob("integrations/*/leaks.py")):
        found |= runpy.run_path(str(file))["doors"](guard)
    return found


DOORS: Mapping[str, leaks.Door] = {
    "no guard (control)": no_guard,
    "guardrail serve": server,
    "guardrail serve, by sentence": partial(server, by_sentence=True),
    **_of_adapters(),
}
