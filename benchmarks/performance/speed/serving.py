"""A worker's side: one request a line in, one reply a line out, both JSON."""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

__all__ = ["answer", "peak_bytes", "serve"]

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
    return {"ok": True, "value": value, "seconds": seconds, "peak": peak_bytes()}


def peak_bytes() -> int:
    """The most memory that this process has held at once, in bytes."""
    try:
        for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass  # no Linux: the next line asks the system
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
