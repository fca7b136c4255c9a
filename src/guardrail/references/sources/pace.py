"""How fast a source may be asked: evenly, slower after a complaint, and not at all for as long as it says."""

from __future__ import annotations

import threading
import time

SLOWEST = 30.0  # seconds between two requests, however often a source complains
FIRST_PAUSE = 0.25  # seconds between two requests after the first complaint about a source without a limit
RECOVERY = 0.9  # of the pause remains after a request that went well


class Clock:
    """The time, and waiting; tests give another one."""

    def time(self) -> float:
        """Seconds since 1970."""
        return time.time()

    def sleep(self, seconds: float, stop: threading.Event) -> None:
        """Wait, or until `stop` is set."""
        stop.wait(seconds)


class Pace:
    """When the next request to a source may leave. Any thread may ask."""

    def __init__(self, seconds: float, clock: Clock) -> None:
        """Pause at least so many seconds between two requests."""
        self._least = self._pause = seconds
        self._clock = clock
        self._next = 0.0
        self._rested = 0.0
        self._lock = threading.Lock()

    def wait(self, stop: threading.Event) -> None:
        """Wait for this request's turn."""
        with self._lock:
            now = self._clock.time()
            turn = max(now, self._next)
            self._next = turn + self._pause
        if turn > now:
            self._clock.sleep(turn - now, stop)

    def too_fast(self) -> None:
        """The source complained: twice the pause from now on."""
        with self._lock:
            self._pause = min(max(self._pause * 2, FIRST_PAUSE), SLOWEST)

    def went_well(self) -> None:
        """The source answered: a little less of a pause."""
        with self._lock:
            self._pause = max(self._least, self._pause * RECOVERY if self._pause > 0.01 else 0.0)

    def rest(self, seconds: float) -> None:
        """Ask nothing for so long."""
        with self._lock:
            self._rested = max(self._rested, self._clock.time() + seconds)

    def resting(self) -> float:
        """Seconds until it may be asked again, 0 if now."""
        return max(0.0, self._rested - self._clock.time())
