"""The scheduler of one guard call, without any I/O.

A `Run` advances flows, remembers replies, keeps budgets and deadlines, and books costs. A pump
(`guardrail.drivers`) takes the requests that `start`, `deliver` and `expire` return, has them answered, and
hands the replies back. Time is an argument: the run never looks at a clock.
"""

from __future__ import annotations

import heapq
import math
from collections import deque
from collections.abc import Iterable, MutableMapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeAlias, TypeVar

from guardrail.flow import Branch, Cost, Failed, Flow, Reason, Reply, Request, Step, Stop

__all__ = ["Budget", "Ledger", "Memo", "Run"]

T = TypeVar("T")

Memo: TypeAlias = MutableMapping[Request[Any], Reply[Any]]
"""Replies of one guard call, or of all checks of one stream, by the request itself."""

_REFUSALS = 1_000  # a flow that was refused this often and still asks is stopped
_TOKENS_UNKNOWN = 250.0  # per call, until replies tell


@dataclass(frozen=True, slots=True)
class Budget:
    """What one guard call may spend; `None` = no bound.

    Calls are a hard bound, but for retries of calls already begun. Tokens are known only afterwards: no new
    branch starts when they are used up, and a branch that has started finishes.
    """

    calls: int | None = None
    tokens: int | None = None


@dataclass(slots=True)
class _Purse:
    """Calls and tokens left; a branch with a reservation has one of its own, inside its parent's."""

    calls: float
    tokens: float
    parent: _Purse | None = None
    reserved: int = 0  # reservations made from this purse and not yet closed
    closed: bool = False

    def reserve(self, calls: int, tokens: float) -> _Purse | None:
        if calls > self.calls or (calls and min(tokens, self.tokens) <= 0) or tokens > self.tokens:
            return None
        self.calls -= calls
        self.tokens -= tokens
        self.reserved += 1
        return _Purse(calls, tokens, self)

    def take(self) -> bool:
        """One call, if there is one; tokens bound only what was not reserved."""
        if self.calls < 1 or (self.parent is None and self.tokens <= 0):
            return False
        self.calls -= 1
        return True

    def charge(self, cost: Cost) -> None:
        """Correct the one call taken by what the reply really cost."""
        purse = self
        while purse.closed and purse.parent is not None:
            purse = purse.parent
        purse.calls -= cost.calls - 1
        purse.tokens -= cost.tokens

    def close(self) -> _Purse | None:
        """Give back what is left."""
        if self.parent is not None:
            self.parent.calls += self.calls
            self.parent.tokens += self.tokens
            self.parent.reserved -= 1
        self.closed = True
        return self.parent


@dataclass(slots=True, eq=False)
class _Task:
    """One flow that is running."""

    flow: Flow[Any]
    owner: str
    deadline: float
    purse: _Purse
    parent: _Task | None = None
    slot: int = 0
    own_purse: bool = False
    open: int = 0  # replies that the current step still waits for
    results: list[Any] = field(default_factory=list)
    refusals: int = 0


@dataclass(slots=True, eq=False)
class _Entry:
    """One request that was sent, with everyone who waits for it and everyone who asked."""

    request: Request[Any]
    purse: _Purse
    waiters: list[tuple[_Task, int]] = field(default_factory=list)
    owners: dict[str, None] = field(default_factory=dict)


class Ledger:
    """Who asked for what, and what it cost."""

    def __init__(self) -> None:
        self.total = Cost()
        self._lines: list[tuple[dict[str, None], Cost]] = []

    def book(self, owners: dict[str, None], cost: Cost) -> None:
        """Book a cost to its owners; the dictionary may still grow."""
        if cost != Cost():
            self.total += cost
            self._lines.append((owners, cost))

    def paid(self) -> dict[str, Cost]:
        """Per owner, shared requests split evenly: adds up to `total`."""
        sums: dict[str, Cost] = {}
        for owners, cost in self._lines:
            share = cost.split(len(owners))
            for owner in owners:
                sums[owner] = sums.get(owner, Cost()) + share
        return sums

    def alone(self) -> dict[str, Cost]:
        """Per owner, what it would have cost without anybody else."""
        sums: dict[str, Cost] = {}
        for owners, cost in self._lines:
            for owner in owners:
                sums[owner] = sums.get(owner, Cost()) + cost
        return sums


class Run(Generic[T]):
    """Drives one root flow and all its branches to the end.

    Args:
        flow: the root.
        owner: who pays for what the root itself asks.
        budget: bound on paid requests and tokens.
        seconds: the deadline of the whole, counted from `start`.
        memo: replies already known; replies of this run are added.
    """

    def __init__(
        self,
        flow: Flow[T],
        *,
        owner: str = "guard",
        budget: Budget | None = None,
        seconds: float | None = None,
        memo: Memo | None = None,
    ) -> None:
        budget = budget or Budget()
        purse = _Purse(
            math.inf if budget.calls is None else budget.calls,
            math.inf if budget.tokens is None else budget.tokens,
        )
        self._root = _Task(flow, owner, math.inf, purse)
        self._seconds = seconds
        self._memo: Memo = {} if memo is None else memo
        self._pending: dict[Request[Any], _Entry] = {}
        self._live: dict[_Task, None] = {}
        self._ready: deque[tuple[_Task, list[Any] | None]] = deque()
        self._parked: deque[tuple[Branch[Any], _Task, int]] = deque()
        self._outgoing: list[Request[Any]] = []
        self._abandoned: list[_Entry] = []
        self._withdrawn: dict[Request[Any], _Entry] = {}
        self._owners: dict[Request[Any], dict[str, None]] = {}
        self._due: list[float] = []
        self._now = -math.inf
        self._mean_tokens = (0.0, 0)
        self.ledger = Ledger()
        self.done = False
        self.result: T | Failed | None = None

    # -- what a pump calls

    def start(self, now: float) -> list[Request[Any]]:
        """Begin; the requests to be answered first."""
        self._now = now
        if self._seconds is not None:
            self._root.deadline = now + self._seconds
            heapq.heappush(self._due, self._root.deadline)
        self._live[self._root] = None
        self._ready.append((self._root, None))
        return self._drain()

    def deliver(self, items: Iterable[tuple[Request[Any], Reply[Any]]], now: float) -> list[Request[Any]]:
        """Hand replies in; the requests that follow from them."""
        self._now = now
        for request, reply in items:
            entry = self._pending.pop(request, None)
            if entry is None:  # answered already, or nobody waits any more
                continue
            self._book(entry, reply.cost)
            if not (isinstance(reply, Failed) and reply.retryable):
                self._memo[request] = reply
            for task, slot in entry.waiters:
                self._fill(task, slot, reply)
        return self._drain()

    def next_due(self) -> float | None:
        """When `expire` should be called next, on the clock that `now` comes from."""
        return self._due[0] if self._due else None

    def expire(self, now: float) -> list[Request[Any]]:
        """Let deadlines pass: everybody who is late gets `Failed(Reason.DEADLINE)` for what is still out."""
        self._now = now
        while self._due and self._due[0] <= now:
            heapq.heappop(self._due)
        for request, entry in list(self._pending.items()):
            late = [waiter for waiter in entry.waiters if waiter[0].deadline <= now]
            if not late:
                continue
            entry.waiters = [waiter for waiter in entry.waiters if waiter[0].deadline > now]
            if not entry.waiters:
                self._abandoned.append(self._pending.pop(request))
            for task, slot in late:
                self._refuse(task, slot, Reason.DEADLINE)
        for parked in list(self._parked):
            if parked[1].deadline <= now:
                self._parked.remove(parked)
                self._refuse(parked[1], parked[2], Reason.DEADLINE)
        return self._drain()

    def take_abandoned(self) -> list[Request[Any]]:
        """Requests that nobody waits for any more: the pump withdraws them."""
        abandoned, self._abandoned = self._abandoned, []
        self._withdrawn.update((entry.request, entry) for entry in abandoned)
        return [entry.request for entry in abandoned]

    def withdrawn(self, request: Request[Any], cost: Cost) -> None:
        """Book what a withdrawn request had cost already: nothing if it was never sent."""
        entry = self._withdrawn.pop(request, None)
        if entry is not None:
            self._book(entry, cost)

    def close(self) -> list[Request[Any]]:
        """Stop everything; the requests still out, for the pump to withdraw."""
        for task in reversed(self._live):
            task.flow.close()
        self._live.clear()
        self._ready.clear()
        self._parked.clear()
        self._abandoned += self._pending.values()
        self._pending.clear()
        self.done = True
        return self.take_abandoned()

    # -- flows

    def _drain(self) -> list[Request[Any]]:
        while self._ready:
            self._advance(*self._ready.popleft())
        outgoing, self._outgoing = self._outgoing, []
        return outgoing

    def _advance(self, task: _Task, results: list[Any] | None) -> None:
        try:
            if task.refusals > _REFUSALS:
                step = task.flow.throw(Stop(f"refused {task.refusals} times and still asking"))
            else:
                step = task.flow.send(results)  # type: ignore[arg-type]  # the first send of a generator is None
        except StopIteration as stop:
            self._finish(task, stop.value)
        except Stop as stop:
            self._finish(task, Failed(Reason.BUG, str(stop)))
        except Exception as error:  # noqa: BLE001  # a detector may raise anything; the others go on
            self._finish(task, Failed(Reason.BUG, f"{type(error).__name__}: {error}", error=error))
        else:
            self._take(task, step)

    def _take(self, task: _Task, step: Step) -> None:
        task.results = [None] * len(step)
        task.open = len(step) + 1  # one more, so that a step answered at once resumes only below
        for slot, item in enumerate(step):
            if isinstance(item, Branch):
                self._branch(task, slot, item)
            elif isinstance(item, Request):
                self._ask(task, slot, item)
            else:
                error = TypeError(f"a flow yields requests and branches, got {item!r}: is a helper missing?")
                self._fill(task, slot, Failed(Reason.BUG, str(error), error=error))
        self._close_one(task)

    def _fill(self, task: _Task, slot: int, value: Any) -> None:
        task.results[slot] = value
        self._close_one(task)

    def _close_one(self, task: _Task) -> None:
        task.open -= 1
        if task.open == 0:
            results, task.results = task.results, []
            self._ready.append((task, results))

    def _finish(self, task: _Task, value: Any) -> None:
        self._live.pop(task, None)
        if task.own_purse:
            task.purse.close()
            self._unpark()
        if task.parent is None:
            self.done, self.result = True, value
        else:
            self._fill(task.parent, task.slot, value)

    # -- branches and their reservations

    def _branch(self, parent: _Task, slot: int, branch: Branch[Any]) -> None:
        if not self._try_branch(parent, slot, branch):
            if parent.purse.reserved:
                self._parked.append((branch, parent, slot))
            else:
                branch.flow.close()
                self._fill(parent, slot, Failed(Reason.BUDGET, f"{branch.calls} calls are more than is left"))

    def _try_branch(self, parent: _Task, slot: int, branch: Branch[Any]) -> bool:
        purse: _Purse | None = parent.purse
        if branch.calls is not None:
            tokens = branch.calls * self._expected_tokens() if math.isfinite(parent.purse.tokens) else 0.0
            purse = parent.purse.reserve(branch.calls, tokens)
        if purse is None:
            return False
        deadline = parent.deadline
        if branch.seconds is not None and self._now + branch.seconds < deadline:
            deadline = self._now + branch.seconds
            heapq.heappush(self._due, deadline)
        owner = branch.owner or parent.owner
        task = _Task(branch.flow, owner, deadline, purse, parent, slot, own_purse=branch.calls is not None)
        self._live[task] = None
        self._ready.append((task, None))
        return True

    def _unpark(self) -> None:
        """Start waiting branches that now fit; refuse those for which nothing more can come back."""
        waiting, self._parked = self._parked, deque()
        for branch, parent, slot in waiting:
            self._branch(parent, slot, branch)

    def _expected_tokens(self) -> float:
        total, calls = self._mean_tokens
        return total / calls if calls else _TOKENS_UNKNOWN

    # -- requests

    def _ask(self, task: _Task, slot: int, request: Request[Any]) -> None:
        known = self._memo.get(request)
        if known is not None:
            self._fill(task, slot, known)
            self._joined(request, task.owner)
            return
        entry = self._pending.get(request)
        if entry is None:
            if task.deadline <= self._now:
                self._refuse(task, slot, Reason.DEADLINE)
                return
            if request.paid and not task.purse.take():
                self._refuse(task, slot, Reason.BUDGET)
                return
            entry = self._pending[request] = _Entry(request, task.purse)
            self._owners[request] = entry.owners
            self._outgoing.append(request)
        entry.waiters.append((task, slot))
        entry.owners[task.owner] = None

    def _refuse(self, task: _Task, slot: int, reason: Reason) -> None:
        task.refusals += 1
        detail = "the time is up" if reason is Reason.DEADLINE else "the budget is used up"
        self._fill(task, slot, Failed(reason, detail))

    def _book(self, entry: _Entry, cost: Cost) -> None:
        self.ledger.book(entry.owners, cost)
        if entry.request.paid:
            entry.purse.charge(cost)
            if cost.tokens:
                total, calls = self._mean_tokens
                self._mean_tokens = (total + cost.tokens, calls + 1)

    def _joined(self, request: Request[Any], owner: str) -> None:
        """A later asker shares the bill of a reply that this run paid for."""
        owners = self._owners.get(request)
        if owners is not None:
            owners[owner] = None
