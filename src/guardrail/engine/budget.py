"""What a guard call may spend, and who pays for what it spent."""

from __future__ import annotations

import math
from dataclasses import dataclass

from guardrail.engine.flow import FREE, Cost
from guardrail.options import number


@dataclass(frozen=True, slots=True)
class Budget:
    """What one guard call may spend; `None` = no bound.

    Calls are a hard bound, but for retries of calls already begun. Tokens are known only afterwards: no new
    branch starts when they are used up, and a branch that has started finishes.
    """

    calls: int | None = None
    tokens: int | None = None

    def __post_init__(self) -> None:
        for name, value in (("calls", self.calls), ("tokens", self.tokens)):
            if value is not None:
                number(name, value, least=0, whole=True)


@dataclass(slots=True, eq=False)
class Purse:
    """Calls and tokens left; a branch with a reservation has one of its own, inside its parent's."""

    calls: float
    tokens: float
    parent: Purse | None = None
    reserved: int = 0  # reservations made from this purse and not yet closed
    closed: bool = False

    def reserve(self, calls: int, each: float) -> Purse | None:
        """Set calls aside, and the tokens they are expected to take: those only once, at the outermost."""
        tokens = calls * each if self.parent is None and math.isfinite(self.tokens) else 0.0
        if (
            calls > self.calls
            or (self.parent is None and calls and self.tokens <= 0)
            or tokens > self.tokens > 0
        ):
            return None
        self.calls -= calls
        self.tokens -= tokens
        self.reserved += 1
        return Purse(calls, tokens, self)

    def take(self) -> bool:
        """One call: from the reservation, and beyond it from what nobody has reserved."""
        if self.calls >= 1 and (self.parent is not None or self.tokens > 0):
            self.calls -= 1
            return True
        return self.parent is not None and self.parent.take()

    def charge(self, extra: float, tokens: float) -> None:
        """Correct what was taken by what the reply really cost.

        Calls that were not needed come back; retries are paid by the whole, so that they do not keep a branch
        from finishing.
        """
        purse = self
        while purse.parent is not None and (purse.closed or extra > 0):
            purse = purse.parent
        purse.calls -= extra
        purse = self
        while purse.closed and purse.parent is not None:
            purse = purse.parent
        purse.tokens -= tokens

    def close(self) -> None:
        """Give back what is left."""
        if self.parent is not None:
            self.parent.calls += self.calls
            self.parent.tokens += self.tokens
            self.parent.reserved -= 1
        self.closed = True


class Ledger:
    """Who asked for what, and what it cost."""

    def __init__(self) -> None:
        self._lines: list[tuple[dict[str, None], Cost]] = []

    def book(self, owners: dict[str, None], cost: Cost) -> None:
        """Book a cost to its owners; the dictionary may still grow."""
        if cost is not FREE and cost != FREE:
            self._lines.append((owners, cost))

    @property
    def total(self) -> Cost:
        """Everything spent."""
        return sum((cost for _, cost in self._lines), FREE)

    def paid(self) -> dict[str, Cost]:
        """Per owner, shared requests split evenly: adds up to `total`."""
        sums: dict[str, Cost] = {}
        for owners, cost in self._lines:
            share = cost if len(owners) == 1 else cost.split(len(owners))
            for owner in owners:
                sums[owner] = sums.get(owner, FREE) + share
        return sums

    def alone(self) -> dict[str, Cost]:
        """Per owner, what it would have cost without anybody else."""
        sums: dict[str, Cost] = {}
        for owners, cost in self._lines:
            for owner in owners:
                sums[owner] = sums.get(owner, FREE) + cost
        return sums
