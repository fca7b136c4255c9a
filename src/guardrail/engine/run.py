"""The scheduler of one guard call, without any I/O.

A `Run` advances flows, remembers replies, keeps budgets and deadlines, and books costs. A pump
(`guardrail.engine.drivers`) takes the requests that `start`, `deliver` and `expire` return, has them answered, and
hands the replies back. Time is an argument: the run never looks at a clock.
"""

from __future__ import annotations

import heapq
import math
from collections import deque
from collections.abc import Callable, Iterable, MutableMapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Generic, TypeAlias, TypeVar, cast

from guardrail.engine.budget import Budget, Ledger, Purse
from guardrail.engine.flow import (
    Branch,
    Calls,
    Cost,
    Failed,
    Flow,
    Keep,
    Reason,
    Reply,
    Request,
    Step,
    Stop,
    describe,
)

T = TypeVar("T")

Memo: TypeAlias = MutableMapping[Request[Any], Reply[Any]]
"""Replies of one guard call, or of all checks of one stream, by the request itself."""

_REFUSALS = 1_000  # a flow that was refused this often and still asks is stopped
_IDLE = 10_000  # so is one that took so many steps on end without anything new to wait for
_TOKENS_UNKNOWN = 250.0  # per call, until replies tell


@dataclass(slots=True, eq=False)
class _Task:
    """One flow that is running."""

    flow: Flow[Any]
    owner: str
    deadline: float
    purse: Purse
    parent: _Task | None = None
    slot: int = 0
    own_purse: bool = False
    open: int = 0  # replies that the current step still waits for
    results: list[Any] = field(default_factory=list)
    refusals: int = 0  # steps of which something was refused
    refused: bool = False  # whether the current one was
    idle: int = 0  # steps since it last had something new to wait for
    stopped: bool = False


@dataclass(slots=True, eq=False)
class _Entry:
    """One request that was sent, with everyone who waits for it and everyone who asked."""

    request: Request[Any]
    purse: Purse
    owners: dict[str, None]
    waiters: list[tuple[_Task, int]] = field(default_factory=list)
    reply: Reply[Any] | None = None  # once it is here and may be given again
    settled: bool = False  # whether the call taken for it has been set against its cost


class Run(Generic[T]):
    """Drives one root flow and all its branches to the end.

    Args:
        flow: the root.
        owner: who pays for what the root itself asks.
        budget: bound on paid requests and tokens.
        seconds: the deadline of the whole, counted from `start`.
        memo: replies already known; replies of this run are added.
        ledger: where costs are booked, if several runs have one bill.
        paid: whether calls by a route are paid for, and so count against the budget; default: all are.
    """

    def __init__(
        self,
        flow: Flow[T],
        *,
        owner: str = "guard",
        budget: Budget | None = None,
        seconds: float | None = None,
        memo: Memo | None = None,
        ledger: Ledger | None = None,
        paid: Callable[[str], bool] | None = None,
    ) -> None:
        budget = budget or Budget()
        purse = Purse(
            math.inf if budget.calls is None else budget.calls,
            math.inf if budget.tokens is None else budget.tokens,
        )
        self._root = _Task(flow, owner, math.inf, purse)
        self._seconds = seconds
        self._memo = memo
        self._bounded = budget != Budget()
        self._paid = paid
        self._paid_routes: dict[str, bool] = {}  # as far as they were met
        self._entries: dict[Request[Any], _Entry] = {}  # the latest of every request
        self._pending: dict[_Entry, None] = {}
        self._live: dict[_Task, None] = {}
        self._ready: deque[tuple[_Task, list[Any] | TypeError | None]] = deque()
        self._parked: dict[Purse, deque[tuple[Branch[Any], _Task, int]]] = {}  # by the purse they wait for
        self._outgoing: list[Request[Any]] = []
        self._abandoned: dict[_Entry, None] = {}
        self._due: list[float] = []
        self._now = -math.inf
        self._mean_tokens = (0.0, 0.0)
        self.ledger = ledger or Ledger()
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
        """Hand replies in; the requests that follow from them.

        A reply for which nobody waits any more is booked all the same, and remembered.
        """
        self._now = now
        for request, reply in items:
            entry = self._entries.get(request)
            if entry is None:
                continue
            self._book(entry, reply.cost)
            if request.keep is not Keep.NEVER and not (isinstance(reply, Failed) and reply.retryable):
                entry.reply = reply
                if self._memo is not None:
                    self._memo[request] = reply
            self._pending.pop(entry, None)
            waiters, entry.waiters = entry.waiters, []
            for task, slot in waiters:
                self._fill(task, slot, reply)
        self._pass_deadlines()
        return self._drain()

    @property
    def left(self) -> Budget:
        """What is left of the budget."""
        purse = self._root.purse
        return Budget(
            None if math.isinf(purse.calls) else max(0, int(purse.calls)),
            None if math.isinf(purse.tokens) else max(0, int(purse.tokens)),
        )

    def next_due(self) -> float | None:
        """When `expire` should be called next, on the clock that `now` comes from."""
        return self._due[0] if self._due else None

    def expire(self, now: float) -> list[Request[Any]]:
        """Let deadlines pass: everybody who is late gets `Failed(Reason.DEADLINE)` for what is still out."""
        self._now = now
        self._pass_deadlines()
        return self._drain()

    def take_abandoned(self) -> list[Request[Any]]:
        """Requests that nobody waits for any more: the pump withdraws them, before it sends new ones."""
        abandoned, self._abandoned = self._abandoned, {}
        return [entry.request for entry in abandoned]

    def withdrawn(self, request: Request[Any], cost: Cost) -> None:
        """Book what a withdrawn request had cost already: nothing if it was never sent."""
        entry = self._entries.get(request)
        if entry is not None:
            self._book(entry, cost)

    def close(self) -> list[Request[Any]]:
        """Stop everything; the requests still out, for the pump to withdraw."""
        for task in reversed(self._live):
            _shut(task.flow)
        for queue in self._parked.values():
            for branch, _, _ in queue:
                _shut(branch.flow)
        self._live.clear()
        self._ready.clear()
        self._parked.clear()
        self._abandoned |= self._pending
        self._pending.clear()
        self.done = True
        return self.take_abandoned()

    # -- flows

    def _drain(self) -> list[Request[Any]]:
        while self._ready:
            self._advance(*self._ready.popleft())
        outgoing, self._outgoing = self._outgoing, []
        return outgoing

    def _advance(self, task: _Task, results: list[Any] | TypeError | None) -> None:
        task.idle += 1
        try:
            if task.refusals > _REFUSALS or task.idle > _IDLE:
                task.stopped = True
                step = task.flow.throw(Stop(_endless(task)))
            elif isinstance(results, TypeError):
                step = task.flow.throw(results)
            else:
                step = task.flow.send(results)  # type: ignore[arg-type]  # the first send of a generator is None
        except StopIteration as stop:
            self._finish(task, stop.value)
        except Stop as stop:
            self._finish(task, Failed(Reason.BUG, str(stop)))
        except Exception as error:  # noqa: BLE001  # a detector may raise anything; the others go on
            self._finish(task, Failed(Reason.BUG, describe(error), error=error))
        else:
            if task.stopped:  # it caught the stop and asks on
                _shut(task.flow)
                self._finish(task, Failed(Reason.BUG, _endless(task)))
            else:
                self._take(task, step)

    def _take(self, task: _Task, step: Step) -> None:
        if not isinstance(step, Sequence):
            error = TypeError(
                f"a flow yields lists of requests and branches, got {step!r}: is a helper missing?"
            )
            self._ready.append((task, error))
            return
        task.refused = False
        task.results = [None] * len(step)
        task.open = len(step) + 1  # one more, so that a step answered at once resumes only below
        for slot, item in enumerate(step):
            if isinstance(item, Branch):
                self._branch(task, slot, item)
            elif isinstance(item, Request):
                self._ask(task, slot, item)
            else:
                self._reject(
                    task, slot, f"a flow yields requests and branches, got {item!r}: is a helper missing?"
                )
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
            self._unpark(task.purse.parent)
        if task.parent is None:
            self.done, self.result = True, value
        else:
            task.parent.idle = min(task.parent.idle, task.idle)
            self._fill(task.parent, task.slot, value)

    # -- branches and their reservations

    def _branch(self, parent: _Task, slot: int, branch: Branch[Any]) -> None:
        if not self._try_branch(parent, slot, branch):
            if parent.purse.reserved:
                self._parked.setdefault(parent.purse, deque()).append((branch, parent, slot))
            else:
                self._too_dear(parent, slot, branch)

    def _too_dear(self, parent: _Task, slot: int, branch: Branch[Any]) -> None:
        _shut(branch.flow)
        needed, left = self._reservation(branch.calls or {}), parent.purse.calls
        what = f"{left:.0f}" if left < needed else "no tokens"
        calls = "call" if needed == 1 else "calls"
        self._fill(parent, slot, Failed(Reason.BUDGET, f"needs {needed} {calls}, {what} left in the budget"))

    def _try_branch(self, parent: _Task, slot: int, branch: Branch[Any]) -> bool:
        purse: Purse | None = parent.purse
        calls = branch.calls if self._bounded else None  # without a budget nothing is set aside
        if calls is not None:
            purse = parent.purse.reserve(self._reservation(calls), self._expected_tokens())
        if purse is None:
            return False
        deadline = parent.deadline
        if branch.seconds is not None and self._now + branch.seconds < deadline:
            deadline = self._now + branch.seconds
            heapq.heappush(self._due, deadline)
        task = _Task(branch.flow, branch.owner or parent.owner, deadline, purse, parent, slot)
        task.own_purse = calls is not None
        task.idle = parent.idle
        self._live[task] = None
        self._ready.append((task, None))
        return True

    def _unpark(self, purse: Purse | None) -> None:
        """Start branches that waited for this purse, in their order, as far as they now fit.

        Where nothing more can come back, those that do not fit are refused.
        """
        queue = self._parked.get(purse) if purse is not None else None
        while queue:
            branch, parent, slot = queue[0]
            if not self._try_branch(parent, slot, branch):
                if parent.purse.reserved:
                    return
                self._too_dear(parent, slot, branch)
            queue.popleft()
        if queue is not None:
            self._parked.pop(cast("Purse", purse), None)

    def _expected_tokens(self) -> float:
        total, calls = self._mean_tokens
        return total / calls if calls else _TOKENS_UNKNOWN

    # -- requests

    def _ask(self, task: _Task, slot: int, request: Request[Any]) -> None:
        try:
            entry = self._entries.get(request)
        except TypeError as error:
            self._reject(task, slot, f"a request can be hashed, got {type(request).__name__}: {error}")
            return
        if entry is not None and entry.reply is not None:
            entry.owners[task.owner] = None  # a later asker shares the bill
            self._fill(task, slot, entry.reply)
            return
        if self._memo is not None and (known := self._memo.get(request)) is not None:
            self._fill(task, slot, known)
            return
        if task.deadline <= self._now:
            self._refuse(task, slot, Reason.DEADLINE)
            return
        if entry is not None and entry in self._abandoned:  # not withdrawn yet: it may as well go on
            del self._abandoned[entry]
            self._pending[entry] = None
        if entry is None or entry not in self._pending:
            if self._is_paid(request) and not task.purse.take():
                self._refuse(task, slot, Reason.BUDGET)
                return
            entry = self._entries[request] = _Entry(request, task.purse, {})
            self._pending[entry] = None
            self._outgoing.append(request)
        task.idle = 0
        entry.waiters.append((task, slot))
        entry.owners[task.owner] = None

    def _is_paid(self, request: Request[Any]) -> bool:
        """Whether it counts against the budget; without one nobody asks."""
        return self._bounded and not request.free and self._is_paid_route(request.route)

    def _is_paid_route(self, route: str) -> bool:
        paid = self._paid_routes.get(route)
        if paid is None:
            paid = self._paid_routes[route] = self._paid is None or self._paid(route)
        return paid

    def _reservation(self, calls: Calls) -> int:
        """What is set aside for a branch: the most of all that is paid for."""
        return sum(most for route, (_, most) in calls.items() if self._is_paid_route(route))

    def _refuse(self, task: _Task, slot: int, reason: Reason) -> None:
        if not task.refused:  # counted by step: a wide one is refused as a whole
            task.refused = True
            task.refusals += 1
        detail = "the time is up" if reason is Reason.DEADLINE else "the budget is used up"
        self._fill(task, slot, Failed(reason, detail))

    def _reject(self, task: _Task, slot: int, detail: str) -> None:
        self._fill(task, slot, Failed(Reason.BUG, detail, error=TypeError(detail)))

    def _pass_deadlines(self) -> None:
        now = self._now
        if not self._due or self._due[0] > now:
            return
        while self._due and self._due[0] <= now:
            heapq.heappop(self._due)
        for entry in list(self._pending):
            late = [waiter for waiter in entry.waiters if waiter[0].deadline <= now]
            if not late:
                continue
            entry.waiters = [waiter for waiter in entry.waiters if waiter[0].deadline > now]
            if not entry.waiters:
                del self._pending[entry]
                self._abandoned[entry] = None
            for task, slot in late:
                self._refuse(task, slot, Reason.DEADLINE)
        for purse, queue in list(self._parked.items()):
            self._parked[purse] = deque(parked for parked in queue if parked[1].deadline > now)
            for branch, parent, slot in queue:
                if parent.deadline <= now:
                    _shut(branch.flow)
                    self._refuse(parent, slot, Reason.DEADLINE)

    def _book(self, entry: _Entry, cost: Cost) -> None:
        self.ledger.book(entry.owners, cost)
        if self._is_paid(entry.request):
            entry.purse.charge(cost.calls - (not entry.settled), cost.tokens)
            entry.settled = True
            if cost.tokens:
                total, calls = self._mean_tokens
                self._mean_tokens = (total + cost.tokens, calls + 1)


def _shut(flow: Flow[Any]) -> None:
    """Close a flow; what it raises on its way out concerns nobody."""
    with suppress(Exception):
        flow.close()


def _endless(task: _Task) -> str:
    if task.refusals > _REFUSALS:
        return f"refused {task.refusals} times and still asking"
    return f"took {task.idle} steps without asking anything new"
