"""A worker: a line of JSON on stdin is a request, a line of JSON on stdout is what the library gave its caller."""

import json
import signal
import sys
from collections.abc import Callable
from typing import Any, NoReturn

LIMIT = 60  # seconds


def work(answer: Callable[[Any, list[Any]], None]) -> None:
    """Serve until stdin ends.

    Args:
        answer: gets a job and appends to the list all that the caller of the library receives, in order. What it raises, the
            caller would see.
    """
    signal.signal(signal.SIGALRM, _late)
    for line in sys.stdin:
        items: list[Any] = []
        error = None
        signal.alarm(LIMIT)
        try:
            answer(json.loads(line), items)
        except Exception as raised:  # noqa: BLE001  # whatever it is
            error = f"{type(raised).__name__}: {raised}"
        signal.alarm(0)
        print(
            json.dumps({"items": items, "error": error}, default=repr), flush=True
        )  # the answer to the parent


def _late(*_: object) -> NoReturn:
    raise TimeoutError(f"no end after {LIMIT} seconds")
