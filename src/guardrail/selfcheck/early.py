"""Early stop: no more samples once the verdict is settled, with a margin around the threshold.

For the variants whose score is a mean over samples of values in [0, 1]. What is still out is predicted by a
beta-binomial with the Jeffreys prior, so unanimous samples settle soon and divided ones go on. Without the margin
as many samples are saved, but the order of the scores suffers twice as much (`docs/design/selfcheck.md`).
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, TypeVar, cast

from guardrail.engine.flow import Branch, Failed, Flow, Keep, Request

T = TypeVar("T")

FIRST = 3
"""Samples that are always looked at."""

MARGIN = 0.2
"""The score must be settled to lie below, within or above threshold ± so much."""

_PRIOR = 0.5


def probability_above(total: float, seen: int, planned: int, threshold: float) -> float:
    """P(the mean over all planned samples is at least the threshold), given those seen.

    Args:
        total: the sum of the values seen, each in [0, 1].
        seen: how many.
        planned: how many there will be.
        threshold: in [0, 1].

    Returns:
        In [0, 1]; exactly 0 or 1 once nothing can change it.

    Example:
        >>> probability_above(3, 3, 5, 0.5), round(probability_above(1, 2, 3, 0.5), 3)
        (1.0, 0.5)
    """
    out = max(0, planned - seen)
    needed = threshold * planned - total - 1e-9
    if needed <= 0:
        return 1.0
    if needed > out:
        return 0.0
    a, b = total + _PRIOR, seen - total + _PRIOR
    known = math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
    terms = (
        math.lgamma(out + 1)
        - math.lgamma(k + 1)
        - math.lgamma(out - k + 1)
        + math.lgamma(k + a)
        + math.lgamma(out - k + b)
        - math.lgamma(out + a + b)
        - known
        for k in range(math.ceil(needed), out + 1)
    )
    return min(1.0, math.fsum(math.exp(term) for term in terms))


def settled(
    total: float,
    seen: int,
    planned: int,
    *,
    threshold: float,
    confidence: float,
    margin: float = MARGIN,
) -> bool:
    """Whether it is certain, with the confidence wanted, on which side of both edges of the margin the score is."""
    return all(
        above >= confidence or above <= 1 - confidence
        for edge in (threshold - margin, threshold + margin)
        for above in (probability_above(total, seen, planned, edge),)
    )


def asked_once(flow: Flow[T], failed: dict[Request[Any], Failed]) -> Flow[T]:
    """The same flow, in which what has failed stays so: each round of samples would else ask it again.

    A run remembers replies, and failures only where another try is of no use; a backend has its own retries.

    Args:
        flow: of a round.
        failed: what failed in it and in the rounds before; grows.
    """
    try:
        step = next(flow)
        while True:
            new = [isinstance(one, Branch) or one not in failed for one in step]
            passed = [
                replace(one, flow=asked_once(one.flow, failed)) if isinstance(one, Branch) else one
                for one, asked in zip(step, new, strict=True)
                if asked
            ]
            came = iter((yield passed) if passed else ())
            replies: list[Any] = []
            for one, asked in zip(step, new, strict=True):
                reply: Any = next(came) if asked else failed[cast("Request[Any]", one)]
                if isinstance(reply, Failed) and isinstance(one, Request) and one.keep is not Keep.NEVER:
                    failed[one] = reply
                replies.append(reply)
            step = flow.send(replies)
    except StopIteration as end:
        value: T = end.value
        return value
    finally:
        flow.close()
