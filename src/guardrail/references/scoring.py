"""The numbers: pure functions from read replies to groundedness. All values lie in [0, 1], larger = grounded.

Source: [agrawal2024] section 4. A finding's score is 1 − groundedness.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence


def mean(values: Iterable[float | None]) -> float | None:
    """The mean of what is defined; `None` of nothing."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def yes_rate(read: Sequence[bool | None]) -> float | None:
    """The share of replies that say yes; `None` of no reply.

    A reply that says neither (`None`: a refusal, prose) does not confirm the work and counts as not yes
    ([agrawal2024] footnote 9). Leaving such replies out loses what they say: `docs/design/references.md`.

    Example:
        >>> yes_rate([True, False, None, True]), yes_rate([])
        (0.5, None)
    """
    return sum(value is True for value in read) / len(read) if read else None


def direct_score(rates: Mapping[str, float | None]) -> float | None:
    """DQ: the mean over the direct queries that have a rate."""
    return mean(rates.values())


def indirect_score(overlaps: Sequence[float | None]) -> float | None:
    """IQ: the mean overlap over pairs of answers."""
    return mean(overlaps)


def groundedness(indirect: float | None, direct: float | None) -> float | None:
    """IQ+DQ: the mean of the two ensembles, or the one there is.

    Example:
        >>> groundedness(1.0, 0.5), groundedness(None, 0.5), groundedness(None, None)
        (0.75, 0.5, None)
    """
    return mean([indirect, direct])


class Posterior:
    """What is still open about the final groundedness when only some of the replies are in.

    The plan is `pairs` overlaps and, for each direct query, `draws` yes/no replies. A reply that is still out
    is yes with the query's Beta(½, ½) posterior predictive rate; an overlap still out has the mean and spread of
    those seen (a uniform prior weighs as one overlap). The final score's distribution is taken as normal, cut
    by what is still possible at all.

    Args:
        overlaps: those known; `None` = not an overlap, counts as known but undefined.
        pairs: how many there will be.
        votes: per direct query, the replies known.
        draws: how many there will be per query.
    """

    def __init__(
        self,
        *,
        overlaps: Sequence[float | None],
        pairs: int,
        votes: Mapping[str, Sequence[bool | None]],
        draws: int,
    ) -> None:
        parts: list[tuple[float, float, float, float]] = []  # mean, variance, least, most of each ensemble
        if pairs:
            parts.append(_open_overlaps([o for o in overlaps if o is not None], pairs))
        if votes:
            rates = [_open_rate([v is True for v in read], draws) for read in votes.values()]
            n = len(rates)
            parts.append(
                (
                    sum(r[0] for r in rates) / n,
                    sum(r[1] for r in rates) / n**2,
                    sum(r[2] for r in rates) / n,
                    sum(r[3] for r in rates) / n,
                )
            )
        n = max(1, len(parts))
        self.mean = sum(p[0] for p in parts) / n
        self.deviation = math.sqrt(sum(p[1] for p in parts)) / n
        self.least = sum(p[2] for p in parts) / n
        self.most = sum(p[3] for p in parts) / n

    def above(self, threshold: float) -> float:
        """P(final groundedness > threshold); exactly 0 or 1 once nothing can change it."""
        if self.least > threshold:
            return 1.0
        if self.most <= threshold:
            return 0.0
        return 0.5 * math.erfc((threshold - self.mean) / (self.deviation * math.sqrt(2)))


def _open_overlaps(known: Sequence[float], pairs: int) -> tuple[float, float, float, float]:
    out = max(0, pairs - len(known))
    total = sum(known)
    expected = (total + 0.5) / (len(known) + 1)
    spread = (sum((o - expected) ** 2 for o in known) + 1 / 12) / (len(known) + 1)
    return (
        (total + out * expected) / pairs,
        (out * spread + out**2 * spread / (len(known) + 1)) / pairs**2,
        total / pairs,
        (total + out) / pairs,
    )


def _open_rate(known: Sequence[bool], draws: int) -> tuple[float, float, float, float]:
    out = max(0, draws - len(known))
    n = max(draws, len(known))
    yes = sum(known)
    a, b = yes + 0.5, len(known) - yes + 0.5
    p = a / (a + b)
    # the beta-binomial variance of `out` further replies
    variance = out * p * (1 - p) * (a + b + out) / (a + b + 1)
    return (yes + out * p) / n, variance / n**2, yes / n, (yes + out) / n
