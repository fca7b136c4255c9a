"""What a lane works on: jobs, batches of them, and what becomes of replies that are not as they should be."""

from __future__ import annotations

import asyncio
import math
import threading
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from guardrail.engine.backend import Backend
from guardrail.engine.flow import FREE, Answer, Cost, Failed, Reason, Reply, Request, describe
from guardrail.engine.watchdog import Watchdog
from guardrail.errors import BackendError
from guardrail.options import number

Item: TypeAlias = tuple[Request[Any], Reply[Any]]
Listener: TypeAlias = Callable[[Sequence[Item]], None]
"""Gets all that one batch has for it at once: what follows from it can be one batch again."""
Told: TypeAlias = dict[Listener, list[Item]]


@dataclass(frozen=True, slots=True)
class Retry:
    """How failures that may pass are asked again.

    A call that used up its backend's `timeout` is not repeated: it has had its time. Where nobody is there at all, one
    request is asked again for all that wait; see `guardrail.engine.breaker`.

    Attributes:
        attempts: how often a request is sent at most, the first time included.
        base: seconds; the wait before the n-th repetition is random in [0, base · 2ⁿ⁻¹], unless the service
            named a time.
        longest: bound on one wait; a service that asks for more is not waited for.
    """

    attempts: int = 5
    base: float = 0.5
    longest: float = 30.0

    def __post_init__(self) -> None:
        number("attempts", self.attempts, least=1, whole=True)
        number("base", self.base, least=0)
        number("longest", self.longest, least=0)


class Owner(Protocol):
    """What a lane needs of the hub that it belongs to."""

    retry: Retry
    watchdog: Watchdog
    shares_samples: bool

    def spend(self, cost: Cost) -> None:
        """Add to what the hub has spent over its life."""
        ...

    def remember(self, request: Request[Any], backend: Backend[Any], reply: Reply[Any]) -> None:
        """Keep an answer in the lasting store, if there is one."""
        ...


def failure(error: BaseException) -> Failed:
    """An exception that left a backend, as a value."""
    if isinstance(error, BackendError):
        return Failed(
            Reason.BACKEND, str(error), retryable=error.retryable, retry_after=error.retry_after, error=error
        )
    if isinstance(error, TimeoutError):
        return Failed(Reason.TIMEOUT, str(error) or "no reply in time", retryable=True, error=error)
    return Failed(Reason.BACKEND, describe(error), error=error)


def checked(replies: Any, count: int) -> list[Reply[Any]]:
    """The replies of a backend, if they are as many as were asked for and of the right kind."""
    found = list(replies)
    if len(found) != count:
        raise ValueError(f"the backend answered {count} requests with {len(found)} replies")
    for reply in found:
        if not isinstance(reply, Answer | Failed):
            raise TypeError(f"the backend gave {reply!r}, expected an Answer or a Failed")
        if reply.cost is not FREE and not _billable(reply.cost):
            raise TypeError(
                f"the backend gave the cost {reply.cost!r}, expected a Cost, finite and not negative"
            )
    return found


def _billable(cost: Any) -> bool:
    if not isinstance(cost, Cost):
        return False
    parts: list[Any] = [cost.calls, cost.prompt_tokens, cost.completion_tokens, cost.seconds]
    return all(
        isinstance(part, int | float) and 0 <= part < math.inf for part in parts
    )  # not isfinite, which fails for an integer that no float has


@dataclass(slots=True, eq=False)
class Job:
    """One request in a lane and everyone who waits for it; the first of them pays."""

    request: Request[Any]
    shared: bool
    listeners: list[Listener]
    paid: bool = False
    weight: int = 1
    group: Hashable = None
    batch: Batch | None = None
    sent: int = 0
    spent: Cost = FREE
    last: Failed | None = None
    told: Cost = FREE  # booked already by one who does not wait any more
    late: Listener | None = None  # and who is told what it came to in the end

    def call(self) -> Cost:
        """What sending it once costs at least."""
        return Cost(calls=1) if self.paid else FREE


@dataclass(slots=True, eq=False)
class Batch:
    """Jobs that a worker took together; `again` are those still without a final reply."""

    jobs: list[Job]
    again: list[Job] = field(default_factory=list)
    attempt: int = 0
    calling: bool = False
    lost: bool = False  # hung: its thread is written off
    dropped: threading.Event | None = None  # set where nobody waits any more for what is to be repeated
    task: asyncio.Task[None] | None = None

    @property
    def unwanted(self) -> bool:
        """Whether nobody waits any more for what is left of it."""
        return not any(job.listeners for job in self.again or self.jobs)

    def asked_to_wait(self) -> float | None:
        """The longest time in seconds that a service named, if one did."""
        waits = [j.last.retry_after for j in self.again if j.last and j.last.retry_after is not None]
        return max(0.0, *waits) if waits else None

    def nap(self, seconds: float) -> None:
        """Wait in this thread, unless nobody wants the batch any more."""
        if self.dropped is not None:
            self.dropped.wait(seconds)


def remaining_cost(cost: Cost, told: Cost) -> Cost:
    """What is left of a cost after a part of it was booked."""
    return Cost(
        max(0, cost.calls - told.calls),
        max(0, cost.prompt_tokens - told.prompt_tokens),
        max(0, cost.completion_tokens - told.completion_tokens),
        max(0.0, cost.seconds - told.seconds),
    )
