"""Whether live scores still look like the calibration's: ranks without labels, and a bet that they are even.

An alarm says "scores no longer look like the calibration's". No alarm does not say that the certificate is still valid: answers
can get worse while their scores stay as they were.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable
from random import Random

from guardrail.errors import InputError

MESSAGE = "scores no longer look like the calibration's"
BINS = 10
TILTS = (-0.9, -0.6, -0.3, 0.3, 0.6, 0.9)
"""Bets on ranks that lean to one side: the density is 1 + tilt · (2 rank − 1)."""
UNSCORED = -1.0
MOST = 100_000
"""Answers after which it stops: calibrate again long before."""


class DriftMonitor:
    """Bets against exchangeability of the calibration's scores and live ones, one score per conversation.

    Each new score gets its rank among the calibration's and all earlier live scores, ties broken at random. As long as
    nothing changes the ranks are independent and even on [0, 1], whatever the scores' distribution. The capital bets on
    other shares of fixed bins, from the start on or from a later change on. If nothing changes it ever reaches 1 / error with
    probability ≤ error. The alarm is sticky.

    Args:
        scores: the calibration's, one per source; `UNSCORED` for an answer that had no score.
        error: the chance of a false alarm, ever, in (0, 1).
        seed: for breaking ties.

    Raises:
        InputError: fewer than 20 scores, or a score that is no number.

    Source: conformal martingales [vovk2005, §7.1; vovk2021]; differs: a mixture of a histogram bet and linear bets, the
    latter with a prior over the time of the change.

    >>> monitor = DriftMonitor([i / 100 for i in range(100)])
    >>> any(monitor.observe(0.99) for _ in range(30))
    True
    """

    def __init__(self, scores: Iterable[float], *, error: float = 0.05, seed: int = 0) -> None:
        self._seen = sorted(scores)
        if len(self._seen) < 20 or not all(map(math.isfinite, self._seen)):
            raise InputError(
                f"expected 20 finite scores of calibration answers or more, got {len(self._seen)}: calibrate on more sources"
            )
        if not 0 < error < 1:
            raise InputError(f"expected an error between 0 and 1, got {error!r}")
        self.error = error
        self.answers = 0
        self.alarm = False
        self._random = Random(seed)  # noqa: S311  # ties, no secrets
        self._counts = [1.0] * BINS
        self._histogram = 0.3
        self._waiting = 0.7
        self._bets = dict.fromkeys(TILTS, 0.0)

    @property
    def capital(self) -> float:
        """The capital of all bets; 1 at the start."""
        return self._waiting + self._histogram + sum(self._bets.values())

    def observe(self, score: float | None) -> bool:
        """Take the score of one new answer (`None`: unscored); returns whether the alarm is on."""
        if self.alarm or self.answers >= MOST:
            return self.alarm
        value = UNSCORED if score is None else score
        low, high = bisect_left(self._seen, value), bisect_right(self._seen, value)
        rank = (low + self._random.random() * (high - low + 1)) / (len(self._seen) + 1)
        insort(self._seen, value)
        self._bet(min(int(rank * BINS), BINS - 1))
        self.alarm = self.capital >= 1 / self.error
        return self.alarm

    def _bet(self, place: int) -> None:
        self._histogram *= BINS * self._counts[place] / sum(self._counts)
        self._counts[place] += 1
        begun = self._waiting / (self.answers + 2)  # of 0.7: 1/2 now, 1/6 next, 1/12, …
        self._waiting -= begun
        lean = (2 * place + 1) / BINS - 1
        for tilt in TILTS:
            self._bets[tilt] = (self._bets[tilt] + begun / len(TILTS)) * (1 + tilt * lean)
        self.answers += 1
