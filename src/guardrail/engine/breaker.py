"""When nobody is there: one batch goes on asking for all that wait, and they are given up together.

Without it each of a hundred requests would find out by itself, by five attempts, that an address does not exist.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from typing import Any

from guardrail.engine.flow import Failed, Reply
from guardrail.engine.jobs import Batch

PATIENCE = 3
"""Calls in a row at which nobody was there, before the rest waits for one of them."""

_DEEPEST = 8  # causes of causes that are looked at
_NOBODY = frozenset(  # by name, so that no client is imported: of Python, httpx, aiohttp, urllib3
    {
        "ConnectionRefusedError",
        "gaierror",
        "ConnectError",
        "ConnectTimeout",
        "ClientConnectorError",
        "ConnectionTimeoutError",
        "ConnectTimeoutError",
        "NewConnectionError",
        "NameResolutionError",
    }
)


def unreachable(reply: Reply[Any]) -> bool:
    """Whether no connection was made: it was refused, not answered in time, or there is no such host.

    A service that answers is there, whatever it says: "too many requests" and "the service failed" are no silence, nor
    is a connection that breaks, or a reply that takes too long.
    """
    return isinstance(reply, Failed) and any(
        kind.__name__ in _NOBODY for error in _causes(reply.error) for kind in type(error).__mro__
    )


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    for _ in range(_DEEPEST):
        if error is None:
            return
        yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


class NextStep(Enum):
    """What becomes of a batch, and of those that wait, after a call."""

    GO_ON = "go on"
    WAIT = "wait"  # what would be repeated is queued again: another batch asks for all
    GIVE_UP = "give up"  # all that is queued fails as this did


class Breaker:
    """Counts calls of one lane at which nobody was there; it needs no clock.

    After `PATIENCE` in a row, one batch (the probe) repeats its call, and the others wait for the result. If anybody
    answers, with an error too, or keeps the connection and does not reply in time, all go on as before. If the probe's
    caller leaves, another batch takes its place. If its attempts are used up, all that waits is given up with it. From
    then on a probe has one attempt, and other batches wait for it: the next guard call finds out by one call whether
    somebody is there again.
    """

    def __init__(self) -> None:
        self.silent = 0
        self.given_up = False
        self._probe: Batch | None = None

    @property
    def holds(self) -> bool:
        """Whether what is queued has to wait for the probe."""
        return self._probe is not None

    def took(self, batch: Batch) -> None:
        """A batch was taken from the queue."""
        if self.silent >= PATIENCE and self._probe is None:
            self._probe = batch

    def heard(self, batch: Batch, replies: Sequence[Reply[Any]]) -> NextStep:
        """A batch was called; `batch.again` is what it would repeat."""
        if not all(map(unreachable, replies)):
            self.reset()
            return NextStep.GO_ON
        self.silent += 1
        if self.silent < PATIENCE:
            return NextStep.GO_ON
        if self._probe not in {None, batch}:
            return NextStep.WAIT
        self._probe = batch if batch.again else None
        if batch.again or batch.unwanted:
            return NextStep.GO_ON
        self.given_up = True
        return NextStep.GIVE_UP

    def reset(self) -> None:
        """Somebody is there."""
        self.silent, self.given_up, self._probe = 0, False, None

    def left(self, batch: Batch) -> bool:
        """A batch is done with, in whatever way; whether it was the probe."""
        was = self._probe is batch
        self._probe = None if was else self._probe
        return was
