"""Batches within a token budget, of texts of like length: the one batcher of all local models.

A batch is padded to its longest text, so texts are sorted by length over everything that waits. A processor is
bound by arithmetic: beyond about a thousand tokens a larger batch only leaves its cache, and takes longer. The
budget is therefore measured (`tune`), not maximised.
"""

from __future__ import annotations

import itertools
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from guardrail.errors import ConfigError

TOKENS_AT_ONCE = 262_144
"""Whose vectors may be in memory at once: 400 MB of MiniLM's 384 dimensions, 1.1 GB of roberta-large's 1,024."""

_LEAST = 8  # rows
CHARACTERS_PER_TOKEN = 4
"""Of English, about; only for putting texts of like length together."""


def about_tokens(*texts: str) -> int:
    """About how many tokens texts take together: the exact number would cost a tokenizer's time in a caller's thread.

    Example:
        >>> about_tokens("He was born in Paris.", "She was not.")
        11
    """
    return 1 + len(texts) + sum(map(len, texts)) // CHARACTERS_PER_TOKEN


@dataclass(frozen=True, slots=True)
class Batches:
    """How texts are put together.

    Attributes:
        groups: positions in the given sequence; each is in one group.
        tokens: in all texts.
        slots: tokens after padding, which is what the model computes.
    """

    groups: tuple[tuple[int, ...], ...]
    tokens: int
    slots: int

    @property
    def padding(self) -> float | None:
        """The share of the slots that is padding: in [0, 1), smaller is better; `None` of no text."""
        return 1 - self.tokens / self.slots if self.slots else None


@dataclass(slots=True)
class Workload:
    """What a local model has done since it was made.

    Attributes:
        requests: asked of it.
        texts: texts, or pairs, that went through the model: without duplicates and what was known.
        batches: how many forward passes.
        tokens: in those texts; of texts that share their beginnings, those that were computed.
        slots: the same after padding.
        reused: tokens that had not to be computed, because those of another text with the same beginning were kept.
        truncated: texts, or pairs, of which only the beginning was read.
        seconds: spent in forward passes.
        operations: floating-point operations that a plain forward pass of each text alone takes: those of its
            matrices and of its attention. What is left out because nobody reads it is counted all the same, so
            operations / seconds compares ways to compute the same; padding is not counted.
    """

    requests: int = 0
    texts: int = 0
    batches: int = 0
    tokens: int = 0
    slots: int = 0
    reused: int = 0
    truncated: int = 0
    seconds: float = 0.0
    operations: int = 0

    @property
    def padding(self) -> float | None:
        """The share of what was computed that was padding: in [0, 1); `None` before any work."""
        return 1 - self.tokens / self.slots if self.slots else None


def batches(lengths: Sequence[int], *, budget: int, overhead: int = 32, padded: bool = True) -> Batches:
    """Put texts of like length together, the longest first, so that the least is computed.

    Of all ways to cut the sorted texts into groups it takes the one with the fewest slots, where each further
    group costs as much as `overhead` slots. Without padding it takes the fewest groups, each with `matrix_rows`.

    Args:
        lengths: tokens of each text, 1 or more.
        budget: a group's size times its longest text is at most this; a text that is longer is alone.
        overhead: slots that a forward pass costs besides its own.
        padded: whether texts are brought to the length of the longest; if not, a group's tokens are at most
            the budget.

    Raises:
        ConfigError: the budget is less than 1.

    Example:
        >>> batches([3, 9, 2, 8], budget=18).groups
        ((1, 3), (0, 2))
        >>> batches([3, 9, 2, 8], budget=18).padding
        0.08333333333333337
    """
    if budget < 1:
        raise ConfigError(f"expected a budget of 1 token or more, got {budget!r}")
    order = sorted(range(len(lengths)), key=lambda i: (-lengths[i], i))
    falling = [lengths[i] for i in order]
    starts = _cuts(falling, budget, overhead) if padded else _filled(falling, budget)
    groups = [tuple(order[start:end]) for start, end in itertools.pairwise([*starts, len(order)])]
    tokens = sum(lengths)
    if padded:
        slots = sum(lengths[group[0]] * len(group) for group in groups)
    else:
        slots = sum(matrix_rows(sum(lengths[i] for i in group)) for group in groups)
    return Batches(tuple(groups), tokens, slots)


def matrix_rows(tokens: int) -> int:
    """How many rows a matrix of so many tokens gets: up to an eighth more, so that few sizes occur.

    For every new size oneDNN writes itself a program: 5 to 15 ms for each product of a layer, a third of the time of a
    short answer, where every batch has a size of its own.

    Example:
        >>> [matrix_rows(tokens) for tokens in (1, 33, 300, 513, 1000, 1025)]
        [8, 40, 320, 576, 1024, 1152]
    """
    step = max(_LEAST, 1 << max(0, (tokens - 1).bit_length() - 4))
    return -(-tokens // step) * step


def _filled(lengths: Sequence[int], budget: int) -> list[int]:
    """Where the groups begin if each is filled up."""
    starts: list[int] = []
    left = 0
    for i, length in enumerate(lengths):
        if not starts or length > left:
            starts.append(i)
            left = budget
        left -= length
    return starts


def _cuts(lengths: Sequence[int], budget: int, overhead: int) -> list[int]:
    """Where the groups of falling lengths begin: the cheapest way to reach each end, from left to right."""
    cost = [0, *[-1] * len(lengths)]
    origin = [0] * (len(lengths) + 1)
    for start, longest in enumerate(lengths):
        spent = cost[start] + overhead
        for end in range(start + 1, min(len(lengths), start + max(1, budget // longest)) + 1):
            total = spent + longest * (end - start)
            if cost[end] < 0 or total < cost[end]:
                cost[end], origin[end] = total, start
    starts, end = [], len(lengths)
    while end > 0:
        end = origin[end]
        starts.append(end)
    return starts[::-1]


def tune(
    run: Callable[[int], object],
    budgets: Sequence[int],
    *,
    rounds: int = 3,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[int, float]:
    """Seconds that the same work takes with each budget (the median of interleaved rounds), fastest first.

    Budgets whose times differ by less than 3 % count as equal, and the smaller comes first: it needs less
    memory, and whoever waits gets the first replies sooner.

    Args:
        run: does the work with a budget.
        budgets: those to try.
        rounds: how often each is timed, after one run that is not.
        clock: seconds.
    """
    seconds: dict[int, list[float]] = {budget: [] for budget in sorted(set(budgets))}
    for turn in range(rounds + 1):
        for budget, times in seconds.items():
            started = clock()
            run(budget)
            if turn:
                times.append(clock() - started)
    medians = {budget: statistics.median(times) for budget, times in seconds.items()}
    best = min(medians.values(), default=0.0)
    near = [budget for budget, time_taken in medians.items() if time_taken <= best * 1.03]
    rest = sorted(medians.keys() - set(near), key=lambda budget: (medians[budget], budget))
    return {budget: medians[budget] for budget in [*near, *rest]}
