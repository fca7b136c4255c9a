"""A bar with the time that is left: on a terminal; elsewhere a line now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

__all__ = ["Tell", "progress"]

Tell: TypeAlias = Callable[[int, str], None]

_SECONDS = 30.0  # between two lines


@contextmanager
def progress(title: str, total: int, *, done: int = 0) -> Iterator[Tell]:
    """Gives a function that is told how many are done, and a few words.

    Args:
        title: what is done.
        total: how many there are.
        done: how many there were before; they say nothing on how fast it goes.
    """
    if not sys.stderr.isatty():
        yield _lines(title, total, done)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[words]}"),
    )
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(title, total=total, completed=done, words="")
        yield lambda now, words: bar.update(task, completed=now, words=words)


def _lines(title: str, total: int, done: int) -> Tell:
    began = last = time.monotonic()

    def tell(now: int, words: str) -> None:
        nonlocal last
        moment = time.monotonic()
        if moment - last < _SECONDS and now < total:
            return
        last = moment
        left = (moment - began) / max(1, now - done) * (total - now)
        sys.stderr.write(f"{title}: {now} of {total}, {left / 60:.1f} min left, {words}\n")
        sys.stderr.flush()

    return tell
