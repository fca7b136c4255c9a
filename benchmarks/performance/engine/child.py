"""What must happen in a process of its own: a fork, and Ctrl-C. Prints its figures as JSON."""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path

from benchmarks.performance.engine.parts import Chains, StuckChat, question
from guardrail import Cache, Guard, Verdict
from guardrail.engine.drivers import run_sync
from guardrail.engine.flow import each
from guardrail.engine.run import Run

__all__ = ["main"]


def fork() -> dict[str, object]:
    """Forks while another thread is in the middle of a check; child and parent both check on."""
    with tempfile.TemporaryDirectory() as folder:
        chat = StuckChat(concurrency=4)
        guard = Guard(
            [Chains(chains=4, steps=3)], chat=chat, cache=Cache(Path(folder) / "cache.sqlite", samples=True)
        )
        guard.check("x")
        hang = Run(each([question("hang")]))
        threading.Thread(target=run_sync, args=(hang, guard.hub), daemon=True).start()
        chat.reached.wait(30)
        started = time.perf_counter()
        if (child := os.fork()) == 0:
            good = (
                Guard([Chains(chains=5, steps=3)], backends=guard.hub).check("x").verdict is Verdict.SUPPORTED
            )
            os._exit(0 if good else 1)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        seconds = time.perf_counter() - started
        parent = Guard([Chains(chains=6, steps=3)], backends=guard.hub).check("x")
        chat.let_go.set()
        return {
            "child": status == 0,
            "seconds": seconds,
            "parent": parent.verdict is Verdict.SUPPORTED,
            "calls": parent.cost.total.calls,
        }


def interrupt() -> dict[str, object]:
    """Ctrl-C while two of a hundred calls are under way."""
    chat = StuckChat(concurrency=2)
    guard = Guard([], chat=chat)

    def press() -> None:
        chat.reached.wait(30)
        time.sleep(0.1)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=press, daemon=True).start()
    try:
        run_sync(Run(each([question(f"hang {i}") for i in range(100)])), guard.hub)
    except KeyboardInterrupt:
        before = len(chat.asked)
        chat.let_go.set()
        time.sleep(0.3)
        return {"before": before, "after": len(chat.asked) - before, "queued": guard.hub.queued()}
    return {}


def main() -> None:
    """`python -m benchmarks.performance.engine.child fork|interrupt`."""
    found = {"fork": fork, "interrupt": interrupt}[sys.argv[1]]()
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
