"""Tests of a bounded risk with few assumptions, and thresholds that pass them (learn then test).

Rows of one source hang together: sentences of one answer, answers from one document. So the *source* is the unit here. Every
source gives one number in [0, 1], the mean loss of its rows, and sources are independent draws. Everything is a pure function
of arrays.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from guardrail.errors import InputError

STAKES = {0.999: 0.7, 0.5: 0.15, 0.25: 0.1, 0.1: 0.05}
"""Fixed bets, as shares of the largest that is allowed, and what of the capital is put on each; fixed before any data is seen.

Means of sources vary so little that the largest stake is mostly the best. Half of it is the best for values of 0 and 1 whose mean
is half of the bound; the small ones serve a mean close to the bound and many sources.
"""


def betting_p_values(values: ArrayLike, bound: float) -> NDArray[Any]:
    """P-values of "the mean is at least `bound`", for independent values in [0, 1].

    A gambler bets that values fall below the bound: with stake λ her capital is Π (1 + λ (bound − value)). If the mean is at
    least the bound, her capital is a supermartingale that begins with 1, so it ever reaches 1 / p with probability ≤ p
    (Ville's inequality): the p-value is one over the largest capital on the way. The capital is spread over the fixed `STAKES`.

    Args:
        values: shape (…, n), each in [0, 1]; one value per source along the last axis, in an order that does not depend on them.
        bound: in (0, 1).

    Returns:
        Shape (…), in (0, 1]; small = the mean is below the bound. Without values 1.

    Raises:
        InputError: a value outside [0, 1] or a bound outside (0, 1).

    Source: [waudbysmith2024] §4; differs: a mixture over fixed stakes in place of predictable ones.

    >>> float(betting_p_values([0.0] * 60, 0.1)) < 0.05 < float(betting_p_values([0.0] * 20, 0.1))
    True
    """
    return _p_values(_capital(values, bound))


def _capital(values: ArrayLike, bound: float) -> NDArray[Any]:
    """The gambler's capital after each value, shape (…, n)."""
    if not 0 < bound < 1:
        raise InputError(f"expected a bound between 0 and 1, got {bound!r}.")
    rows = np.asarray(values, dtype=float)
    if rows.size and not (rows.min() >= 0 and rows.max() <= 1):
        raise InputError("expected values from 0 to 1: one mean loss per source.")
    gaps = (bound - rows) / (1 - bound)
    capital = np.zeros_like(gaps)
    for stake, part in STAKES.items():
        capital += part * np.cumprod(1 + stake * gaps, axis=-1)
    return capital


def _p_values(capital: NDArray[Any]) -> NDArray[Any]:
    found: NDArray[Any] = (
        1 / capital.max(axis=-1, initial=1.0) if capital.size else np.ones(capital.shape[:-1])
    )
    return found


def betting_p_values_together(
    values: ArrayLike, bound: float, *, starts: Mapping[int, float]
) -> NDArray[Any]:
    """P-values of ordered hypotheses as in `betting_p_values`, adjusted: P(any of a true one is ≤ p) ≤ p, however they depend.

    Testing goes from each start towards the last hypothesis and counts there what the worst hypothesis on the way has won; the
    starts' capitals are averaged. This is closed testing: take any set of hypotheses that are all true. Each start bets on the
    first of the set at or after it, so the average is a supermartingale that begins with at most 1. A hypothesis has the
    p-value p only if the average reaches 1 / p for every set that it is in; the smallest one has the worst hypothesis on the
    way from each start, and starts behind it bet on nothing.

    Args:
        values: shape (hypotheses, n), in the fixed order of testing; columns are sources in an order that does not depend on them.
        bound: in (0, 1).
        starts: where testing begins, and the share of the capital given to it; the shares add up to at most 1. Fixed without
            the values.

    Returns:
        Shape (hypotheses,), in (0, 1]. Where no start comes before, 1.

    Raises:
        InputError: as `betting_p_values`.

    Source: averages of e-values in closed testing [vovkwang2021; marcus1976]; one start is fixed-sequence testing [angelopoulos2021, §2.3].

    >>> both = betting_p_values_together([[0.0] * 60, [0.2] * 60], 0.1, starts={0: 0.5, 1: 0.5})
    >>> bool(both[0] < 0.05), float(both[1])
    (True, 1.0)
    """
    capital = _capital(values, bound)
    together = np.zeros_like(capital)
    for place, part in starts.items():
        together[place:] += part * np.minimum.accumulate(capital[place:], axis=0)
    found = _p_values(together)
    for place, part in starts.items():  # or one start alone, each hypothesis when it has won most
        alone = np.maximum.accumulate(_p_values(capital[place:]), axis=0) / part
        found[place:] = np.minimum(found[place:], alone)
    return found


def binomial_p_value(successes: int, trials: int, rate: float) -> float:
    """P(Binomial(trials, rate) ≤ successes): the p-value of "the rate is at least `rate`" for independent rows.

    It is right only where every source gives one row. Summed in logarithms.

    >>> round(binomial_p_value(0, 29, 0.1), 4)
    0.0471
    """
    if successes >= trials:
        return 1.0
    i = np.arange(1, successes + 1)
    steps = np.log(trials - i + 1) - np.log(i) + math.log(rate) - math.log1p(-rate)
    logs = trials * math.log1p(-rate) + np.concatenate(([0.0], np.cumsum(steps)))
    top = float(logs.max())
    return min(1.0, math.exp(top + math.log(float(np.exp(logs - top).sum()))))


def losses(marks: ArrayLike, sources: ArrayLike) -> NDArray[Any]:
    """The mean per source.

    Args:
        marks: shape (…, rows), each in [0, 1].
        sources: shape (rows,), what each row belongs to.

    Returns:
        Shape (…, sources), in the order of the sorted names.

    >>> losses([1, 0, 1], ["a", "a", "b"]).tolist()
    [0.5, 1.0]
    """
    names = np.asarray(sources)
    rows = np.asarray(marks, dtype=float)
    if not names.size:
        return np.zeros((*rows.shape[:-1], 0))
    if (names[1:] < names[:-1]).any():
        order = np.argsort(names, kind="stable")
        names, rows = names[order], rows[..., order]
    starts = np.flatnonzero(np.append(True, names[1:] != names[:-1]))
    sums = np.add.reduceat(rows, starts, axis=-1)
    return sums / np.diff(np.append(starts, names.size))


def discovery_losses(flagged: ArrayLike, sound: ArrayLike, sources: ArrayLike, rate: float) -> NDArray[Any]:
    """Values in [0, 1] whose mean is at most `rate` exactly where the false discovery rate is.

    The rate is E[flagged · sound] / E[flagged] ≤ rate, which is E[flagged · (sound − rate)] ≤ 0. Means of a source lie in
    [−rate, 1 − rate]; `rate` is added.

    Args:
        flagged: shape (…, rows), true or false.
        sound: shape (rows,), true where a flag is wrong.
        sources: shape (rows,).
        rate: in (0, 1).

    >>> discovery_losses([True, True], [False, True], ["a", "b"], 0.1).tolist()
    [0.0, 1.0]
    """
    gain = np.asarray(flagged, dtype=float) * (np.asarray(sound, dtype=float) - rate)
    return np.clip(losses(gain, sources) + rate, 0.0, 1.0)


def one_row_each(sources: ArrayLike, *, seed: int) -> NDArray[Any]:
    """Places of one random row of every source, so that a test for independent rows is right.

    Returns:
        Shape (sources,), ascending.
    """
    names = np.asarray(sources)
    mixed = np.random.default_rng(seed).permutation(names.size)
    _, first = np.unique(names[mixed], return_index=True)
    return np.sort(mixed[first])


def grid_of(scores: ArrayLike, *, size: int = 40) -> NDArray[Any]:
    """Thresholds to test, from strict (few rows at or above it) to lenient; labels are not needed.

    They must come from rows that are not tested afterwards, or the test would choose its own questions.

    Args:
        scores: shape (n,); what is not finite is left out.
        size: at most so many.

    Returns:
        Distinct scores, descending: even shares of rows, and finer ones among the highest.

    >>> grid_of([0.1, 0.2, 0.2, 0.9], size=4).tolist()
    [0.9, 0.2, 0.1]
    """
    values = np.asarray(scores, dtype=float)
    values = np.sort(values[np.isfinite(values)])[::-1]
    if not values.size:
        return values
    shares = np.linspace(0, 1, size + 1)[1:] ** 1.5
    places = np.ceil(shares * values.size).astype(int) - 1
    return np.unique(values[places])[::-1]


def fallback(
    p_values: Sequence[float] | NDArray[Any], error: float, *, starts: Mapping[int, float] | None = None
) -> list[bool]:
    """Which of ordered hypotheses are rejected, with P(any true one is) ≤ `error` however the tests depend on each other.

    The error is shared by the starts; a rejected hypothesis hands its share to the next, so the testing goes on from each
    start to the first failure.

    Args:
        p_values: in the fixed order of testing.
        error: in (0, 1), for all of them.
        starts: places where testing begins, and the share of the error that each has; fixed without the p-values. The shares
            add up to at most 1. Default: the first place has it all.

    Source: the fallback procedure [wiens2003], of which fixed-sequence testing [angelopoulos2021, §2.3] is the case of one
    start.

    >>> fallback([0.2, 0.01, 0.04, 0.01], 0.05, starts={0: 0.5, 1: 0.5})
    [False, True, False, False]
    """
    shares = {0: 1.0} if starts is None else starts
    held, found = 0.0, []
    for place, p_value in enumerate(p_values):
        held += shares.get(place, 0.0) * error
        passed = bool(held > 0 and p_value <= held)
        found.append(passed)
        held = held if passed else 0.0
    return found


def sources_needed(values: ArrayLike, bound: float, error: float) -> int | None:
    """About how many sources like these the betting test would need to reject at `error`; `None` = no number would do.

    An extrapolation of the growth seen, at the best of shapes (…): a plan for labelling, not a promise.

    >>> sources_needed([[0.0] * 10], 0.1, 0.05)
    32
    """
    rows = np.asarray(values, dtype=float)
    if not rows.size:
        return None
    gaps = (bound - rows) / (1 - bound)
    growths = {stake: float(np.log1p(stake * gaps).mean(axis=-1).max()) for stake in STAKES}
    needed = [
        math.log(1 / (part * error)) / growths[stake]
        for stake, part in STAKES.items()
        if growths[stake] > 1e-9
    ]
    return math.ceil(min(needed)) if needed else None


def fewest_sources(bound: float, error: float, *, test: Literal["betting", "binomial"]) -> int:
    """How many sources a test must have at least to reject at `error`: as many as do if not one has any loss.

    Args:
        bound: in (0, 1).
        error: in (0, 1).
        test: which one.

    >>> fewest_sources(0.1, 0.05, test="binomial"), fewest_sources(0.1, 0.05, test="betting")
    (29, 32)
    """
    if test == "binomial":
        return math.ceil(
            math.log(error) / math.log1p(-bound) - 1e-9
        )  # 5 for .5 and 1/32, whatever is rounded
    growths = {stake: math.log1p(stake * bound / (1 - bound)) for stake in STAKES}

    def capital(sources: int) -> float:
        return sum(part * math.exp(sources * growths[stake]) for stake, part in STAKES.items())

    enough = min(math.log(1 / (part * error)) / growths[stake] for stake, part in STAKES.items())
    return bisect_left(range(math.ceil(enough)), 1 / error, key=capital)
