"""One daemon thread that calls functions when their time has come."""

from __future__ import annotations

import heapq
import itertools
import threading
import time
from collections.abc import Callable

from guardrail._log import log


class Alarm:
    """A function to be called later, unless it is cancelled before."""

    __slots__ = ("_act",)

    def __init__(self, act: Callable[[], None]) -> None:
        self._act: Callable[[], None] | None = act

    def cancel(self) -> None:
        """Do not call it any more, and let go of its resources."""
        self._act = None

    def ring(self) -> None:
        """Call it."""
        if (act := self._act) is not None:
            act()


class Watchdog:
    """Calls functions in a thread of its own, which ends when nothing is left to watch."""

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._wake = threading.Condition(self._mutex)
        self._due: list[tuple[float, int, Alarm]] = []
        self._count = itertools.count()
        self._alive = False

    def watch(self, seconds: float, act: Callable[[], None]) -> Alarm:
        """Call `act` in so many seconds."""
        alarm = Alarm(act)
        with self._mutex:
            heapq.heappush(self._due, (time.monotonic() + seconds, next(self._count), alarm))
            if not self._alive:
                threading.Thread(target=self._guard, name="guardrail-watchdog", daemon=True).start()
                self._alive = True
            elif self._due[0][2] is alarm:
                self._wake.notify()
        return alarm

    def _guard(self) -> None:
        while True:
            with self._mutex:
                if not self._due:
                    self._alive = False
                    return
                wait = self._due[0][0] - time.monotonic()
                if wait > 0:
                    self._wake.wait(wait)
                    continue
                _, _, alarm = heapq.heappop(self._due)
            try:
                alarm.ring()
            except Exception as error:  # noqa: BLE001  # the others are still to be called
                log.error("alarm_failed", error=repr(error))
