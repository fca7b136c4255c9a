"""Text on a terminal: nothing in an answer may steer it."""

from __future__ import annotations

import json
import math
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from guardrail._visible import STEERING, one_line

if TYPE_CHECKING:
    from rich.console import Console

_UNPIPED_WIDTH = 100


def json_text(content: Any) -> str:
    """JSON that is readable, and harmless on a terminal: what could steer it is escaped, which JSON allows.

    Args:
        content: plain values, or JSON text already made.
    """
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False, indent=2)
    return STEERING.sub(lambda found: json.dumps(found[0])[1:-1], text) + "\n"


def console(*, stderr: bool = False) -> Console:
    """A console that takes text as it is; without colours when piped, and then as wide as `$COLUMNS` or 100."""
    from rich.console import Console as Rich

    class Console(Rich):
        def on_broken_pipe(self) -> None:
            raise  # noqa: PLE0704  # rich calls this where it handles it; the application ends quietly

    stream = sys.stderr if stderr else sys.stdout
    made = Console(file=stream, highlight=False, emoji=False, markup=False)
    if not made.is_terminal and not os.environ.get("COLUMNS"):
        made.width = _UNPIPED_WIDTH
    return made


class Glyphs:
    """Signs for the verdicts, as the output's encoding allows."""

    def __init__(self, on: Console) -> None:
        self.rich = not on.options.ascii_only
        self.dot = "·" if self.rich else "-"
        self.arrow = "→" if self.rich else ">"

    def of(self, verdict: str) -> str:
        """The verdict's sign."""
        signs = {"supported": "✓+", "unsupported": "✗x", "unverified": "?"}.get(verdict, "-")
        return signs[0] if self.rich else signs[-1]


STYLES = {"supported": "green", "unsupported": "bold red", "unverified": "yellow", "nothing claimed": "dim"}
"""The verdicts' colours."""


EVERY = 30.0
"""Seconds between two lines of progress in a log."""


class Lines:
    """Progress as lines of a log: how many are done, how many in a second, and about how long it will take.

    Args:
        message: what is counted ("answers").
        total: how many there are to do.
        clock: seconds.
    """

    def __init__(self, message: str, total: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._message, self._total, self._clock = message, total, clock
        self._done = 0
        self._begun = self._said = clock()

    def __call__(self, done: int) -> None:
        """So many more are done."""
        self._done += done
        now = self._clock()
        if now - self._said < EVERY or not self._done:
            return
        self._said = now
        rate = self._done / (now - self._begun)
        left = math.ceil((self._total - self._done) / rate / 60)
        text = f"{self._done:,} of {self._total:,} {self._message}, {rate:,.1f}/s, about {left:,} min left"
        sys.stderr.write(f"guardrail: {one_line(text)}\n")
        sys.stderr.flush()


@contextmanager
def patience(
    message: str, total: int | None = None, *, rate: bool = False, lines: bool = False
) -> Iterator[Callable[[int], None]]:
    """Something on the terminal's error output while a step takes longer than a second.

    Args:
        message: what is going on.
        total: how many pieces of work there are at most; `None` or 0 shows no bar.
        rate: also show how many are done in a second, and the time left.
        lines: where the error output is no terminal (a log), write a line every `EVERY` seconds instead.

    Yields:
        A function to report how many more are done; any thread may call it.
    """
    if not sys.stderr.isatty():
        yield Lines(message, total) if lines and total else lambda _: None
        return
    import threading

    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        SpinnerColumn,
        Task,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.progress import TimeElapsedColumn as Elapsed
    from rich.text import Text

    class Rate(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text("" if task.speed is None else f"{task.speed:,.1f}/s")

    counted: list[ProgressColumn] = [BarColumn(bar_width=24), MofNCompleteColumn()] if total else []
    if total and rate:
        counted += [Rate(), TextColumn("left"), TimeRemainingColumn()]
    bar = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        *counted,
        Elapsed(),
        console=console(stderr=True),
        transient=True,
    )
    task = bar.add_task(one_line(message, 70), total=total or None)
    timer = threading.Timer(1.0, bar.start)
    timer.daemon = True
    timer.start()
    try:
        yield lambda done: bar.advance(task, done)
    finally:
        timer.cancel()
        timer.join()
        bar.stop()
