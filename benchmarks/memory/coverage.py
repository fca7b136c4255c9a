"""How often the 95 % intervals of P hold the P that was put into a simulated subject."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy.stats import binom

from benchmarks._stats import wilson_interval
from benchmarks._table import Row, Run
from benchmarks.memory.pair_subject import PairSubject
from benchmarks.memory.pairs import Pair
from benchmarks.memory.survey import Known, Result, Strategy, Wording, ask_questions, plan, setting
from guardrail.statistics.clusters import Estimate, clustered
from guardrail.testing import play

__all__ = ["SEEDS", "WRONG", "exact", "rows", "simulated", "through_flow"]

SEEDS = 1_000  # through the flow, and of the bootstrap
ALONE = 5_000  # of the interval alone
BAR = (0.93, 0.97)
ASKED = 100
WRONG: Mapping[int, float] = {2: 0.4, 3: 0.58, 5: 0.91, 10: 0.6}
"""P(k) that is put in: at these and n = 100, Wilson's coverage by the binomial law is between .946 and .949."""
SPREADS = (0.0, 0.3, 1.0)
ORDERS = {2: 2, 3: 6, 5: 120}


def rows(run: Run, pairs: Sequence[Pair]) -> list[Row]:
    """Of both strategies: through the flow, and of the interval alone over many settings."""
    found = _flow_rows(pairs, fast=run.fast)
    found += _wilson_rows()
    return found + _cluster_rows(fast=run.fast)


def through_flow(
    pairs: Sequence[Pair], k: int, *, strategy: Strategy, combinations: int, spread: float, seeds: int
) -> int:
    """In how many of the seeds the interval holds P(k): questions, replies and parsing as with any model."""
    right: Result = "right"
    known = Known(tuple(pairs), (right,) * len(pairs))
    wording = Wording("zh", "诗句", "作者")
    held = 0
    for seed in range(seeds):
        subject = PairSubject(pairs, wrong=WRONG, spread=spread, malformed=0.02, seed=seed)
        questions = plan(known, k, combinations=combinations, strategy=strategy, seed=seed)
        outcomes = play(ask_questions(questions, wording), _answers(subject))
        held += _holds(setting(outcomes, strategy).estimate, WRONG[k])
    return held


def simulated(
    wrong: float, *, combinations: int, orders: int, spread: float, seeds: int, seed: int = 0
) -> tuple[int, float]:
    """In how many seeds the interval over combinations holds P; in what share of `SEEDS` the percentile bootstrap's does.

    Args:
        wrong: P.
        combinations: how many.
        orders: questions about each.
        spread: correlation of the errors within a combination.
        seeds: how many times.
        seed: of the random numbers.
    """
    rng = np.random.default_rng((seed, combinations, orders, round(100 * wrong), round(100 * spread)))
    shape = (seeds, combinations)
    if spread in {0.0, 1.0}:
        chances = np.full(shape, wrong) if spread == 0 else (rng.random(shape) < wrong).astype(float)
    else:
        size = (1 - spread) / spread
        chances = rng.beta(wrong * size, (1 - wrong) * size, shape)
    sizes = np.full(combinations, orders)
    ours = plain = 0
    for number, counts in enumerate(rng.binomial(orders, chances)):
        ours += _holds(clustered(counts, sizes), wrong)
        if number < SEEDS:
            drawn = np.random.default_rng(number).integers(0, combinations, (1_000, combinations))
            shares = counts[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
            low, high = np.quantile(shares, [0.025, 0.975])
            plain += low <= wrong <= high
    return ours, plain / min(SEEDS, seeds)


def _answers(subject: PairSubject) -> Callable[[Any], Any]:
    return subject.reply


def exact(wrong: float, questions: int = ASKED) -> float:
    """The coverage of Wilson's interval by the binomial law."""
    ends = [wilson_interval(errors, questions) for errors in range(questions + 1)]
    inside = [errors for errors, one in enumerate(ends) if one is not None and one.low <= wrong <= one.high]
    return float(binom.pmf(inside, questions, wrong).sum())


def _flow_rows(pairs: Sequence[Pair], *, fast: bool) -> list[Row]:
    found, total, tried = [], 0, 0
    for k in list(WRONG)[: 1 if fast else None]:
        held = through_flow(pairs, k, strategy="shuffle", combinations=ASKED, spread=0.0, seeds=SEEDS)
        total, tried = total + held, tried + SEEDS
        found.append(_row(f"Coverage, through the flow, one shuffle, k = {k}, P = {WRONG[k]}", held, SEEDS))
    found.append(_row("Coverage, through the flow, one shuffle, pooled", total, tried))
    held = through_flow(pairs, 2, strategy="permutations", combinations=50, spread=0.3, seeds=SEEDS)
    return [*found, _row("Coverage, through the flow, all orders of 50 combinations, k = 2", held, SEEDS)]


def _wilson_rows() -> list[Row]:
    """The binomial law behind them: what any simulation must come near to."""
    return [
        Row.shown(f"Coverage by the binomial law, one shuffle, n = {ASKED}, P = {wrong}", exact(wrong))
        for wrong in sorted(set(WRONG.values()))
    ]


def _cluster_rows(*, fast: bool) -> list[Row]:
    """Interval and percentile bootstrap over combinations, errors that depend on the combination or not."""
    found = []
    for combinations in (100,) if fast else (100, 50):
        total = tried = 0
        for k, orders in ORDERS.items():
            for spread in SPREADS:
                held, plain = simulated(
                    WRONG[k], combinations=combinations, orders=orders, spread=spread, seeds=ALONE
                )
                name = f"all orders of {combinations} combinations, k = {k}, correlation {spread:g}"
                found.append(_row(f"Coverage, {name}", held, ALONE))
                found.append(Row.shown(f"Coverage, percentile bootstrap, {name}", plain))
                total, tried = total + held, tried + ALONE
        found.append(_row(f"Coverage, all orders of {combinations} combinations, pooled", total, tried))
    for combinations in (10,) if fast else (20, 10):
        for spread in SPREADS:
            held, plain = simulated(
                WRONG[5], combinations=combinations, orders=ORDERS[5], spread=spread, seeds=ALONE
            )
            name = f"only {combinations} combinations, k = 5, correlation {spread:g}"
            found.append(Row.shown(f"Coverage, {name}", held / ALONE))
            found.append(Row.shown(f"Coverage, percentile bootstrap, {name}", plain))
    return found


def _row(name: str, held: int, seeds: int) -> Row:
    return Row.between(name, held / seeds, BAR, interval=wilson_interval(held, seeds))


def _holds(found: Estimate | None, true: float) -> bool:
    return found is not None and found.interval[0] <= true <= found.interval[1]
