"""Rounds of several contenders in turn, and what their times say."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from benchmarks.performance.speed.workers import Reply, WorkerFailed

__all__ = ["Contender", "Ratio", "Timed", "largest_gap", "ratio", "rounds"]

Contender: TypeAlias = Callable[[Any], Reply]


@dataclass(slots=True)
class Timed:
    """What one contender did in all rounds.

    Attributes:
        seconds: per round.
        values: per round, what it found.
        peak: bytes, the most its process held.
        failed: why it did not finish, or "".
    """

    seconds: list[float] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)
    peak: int = 0
    failed: str = ""

    @property
    def median(self) -> float:
        """Seconds of a round."""
        return statistics.median(self.seconds)


@dataclass(frozen=True, slots=True)
class Ratio:
    """How many times as fast: theirs / ours by rounds.

    Attributes:
        median: of the rounds.
        low: the least.
        high: the most.
    """

    median: float
    low: float
    high: float


def rounds(
    contenders: Mapping[str, Contender], inputs: Sequence[Any], *, say: Callable[[str], object] = str.strip
) -> dict[str, Timed]:
    """A B C A B C …: every contender does every input, one at a time.

    One that fails is asked no more; the others go on.

    Args:
        contenders: by name, in their order.
        inputs: one per round.
        say: takes a line of progress.
    """
    found = {name: Timed() for name in contenders}
    for number, given in enumerate(inputs, 1):
        for name, contender in contenders.items():
            timed = found[name]
            if timed.failed:
                continue
            try:
                reply = contender(given)
            except WorkerFailed as error:
                timed.failed = str(error)
                continue
            timed.seconds.append(reply.seconds)
            timed.values.append(reply.value)
            timed.peak = max(timed.peak, reply.peak)
            say(f"  round {number} of {len(inputs)}: {name} {reply.seconds:.2f} s")
    return found


def ratio(theirs: Sequence[float], ours: Sequence[float]) -> Ratio:
    """Of rounds that stood side by side, so that what slowed the machine down slowed both.

    Example:
        >>> ratio([2.0, 6.0, 4.0], [1.0, 2.0, 1.0])
        Ratio(median=3.0, low=2.0, high=4.0)
    """
    found = [a / b for a, b in zip(theirs, ours, strict=True)]
    return Ratio(statistics.median(found), min(found), max(found))


def largest_gap(theirs: Any, ours: Any) -> float:
    """The largest |Δ| of two nested lists of numbers of one shape.

    Raises:
        ValueError: the shapes differ, or a value is missing.

    Example:
        >>> largest_gap([[0.5], [1.0, 0.0]], [[0.5], [0.75, 0.0]])
        0.25
    """
    if isinstance(theirs, list) and isinstance(ours, list):
        return max((largest_gap(a, b) for a, b in zip(theirs, ours, strict=True)), default=0.0)
    if not isinstance(theirs, int | float) or not isinstance(ours, int | float):
        raise ValueError(f"expected numbers on both sides, got {theirs!r} and {ours!r}")
    return abs(theirs - ours)
