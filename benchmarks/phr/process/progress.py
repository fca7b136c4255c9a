"""How far a long command is: a bar with its ETA on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["progress"]

PAUSE = 30.0  # seconds between two lines


@contextmanager
def progress(what: str, total: int, done: int = 0) -> Iterator[Callable[[int, str], None]]:
    """Yields a function of how much is done, and of a few words on it.

    Args:
        what: is done, in the plural.
        total: how much there is to do.
        done: before this run; the ETA goes by the rest.
    """
    from rich.console import Console
    from rich.progress import Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    start = said = time.monotonic()
    console = Console(stderr=True)
    columns = [*Progress.get_default_columns()[:3], TimeElapsedColumn(), TimeRemainingColumn()]
    with Progress(*columns, TextColumn("{task.fields[note]}"), console=console) as bar:
        task = bar.add_task(what, total=total, completed=done, note="")

        def told(now: int, note: str) -> None:
            nonlocal said
            bar.update(task, completed=now, note=note)
            moment = time.monotonic()
            if not console.is_terminal and moment - said > PAUSE and now > done:
                left = (moment - start) / (now - done) * (total - now)
                sys.stderr.write(
                    f"{what}: {now} of {total}, {moment - start:.0f} s, about {left:.0f} s left  {note}\n"
                )
                sys.stderr.flush()
                said = moment

        yield told
