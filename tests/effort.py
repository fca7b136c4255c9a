"""What a call costs, without a clock: the lines of Python that it runs. And an end for what would never end."""

import gc
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest


def lines_run(call: Callable[[], object]) -> int:
    """How many lines of Python `call` runs in this thread: the same number on every machine, at every load.

    What C code does inside a line (a pattern, a sort) does not count; `ends` is for that.
    """
    count = 0

    def line(_frame, event, _argument):
        nonlocal count
        count += event == "line"
        return line

    before, collects = sys.gettrace(), gc.isenabled()
    gc.disable()  # what others have left to be cleaned up is not this call's
    sys.settrace(line)
    try:
        call()
    finally:
        sys.settrace(before)
        if collects:
            gc.enable()
    return count


@contextmanager
def ends(seconds: int = 120) -> Iterator[None]:
    """Fails a test that hangs, in Python or in a pattern. The bound measures nothing: what is inside takes a moment.

    The texts of such tests are so long that a quadratic step takes many minutes.
    """
    if not hasattr(signal, "SIGALRM"):
        yield
        return

    def ring(_signal, _frame):
        pytest.fail(f"ran for more than {seconds} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
