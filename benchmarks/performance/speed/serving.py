"""A worker's side: one request a line in, one reply a line out, both JSON."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

from benchmarks._memory import peak_memory

__all__ = ["answer", "serve"]

Operations = Mapping[str, Callable[..., Any]]


def serve(operations: Operations) -> None:
    """Answer requests from standard input until it ends."""
    outbox = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what libraries print must not get between the replies
    for line in sys.stdin:
        outbox.write(json.dumps(answer(operations, line)) + "\n")
        outbox.flush()


def answer(operations: Operations, line: str) -> dict[str, Any]:
    """The reply to one request, `{"op": name, …}`: its value, its seconds and the peak memory; or the error."""
    try:
        request = json.loads(line)
        operation = operations[request.pop("op")]
        started = time.perf_counter()
        value = operation(**request)
        seconds = time.perf_counter() - started
    except Exception as error:  # noqa: BLE001  # whatever a worker does wrong is a reply
        return {"ok": False, "error": f"{type(error).__name__}: {error}"}
    return {"ok": True, "value": value, "seconds": seconds, "peak": peak_memory()}
