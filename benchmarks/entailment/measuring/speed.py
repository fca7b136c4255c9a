"""How long the packaged model takes to load, how many pairs it scores a second, and the memory it holds."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks._table import Row
from benchmarks.entailment.pairs import Pair
from benchmarks.entailment.setting import Setting
from benchmarks.performance.speed.workers import Worker, settings

__all__ = ["lengthened", "rows", "worker"]

LOADING = 1.5
"""Seconds, after imports."""

TOKENS, THREADS = (64, 128, 256), (1, 2)
_ROUNDS = 3
_PAIRS = 192  # of a round


def rows(setting: Setting) -> list[Row]:
    """Loading in fresh processes, then rates: each length and number of threads in a process of its own.

    With --fast only the most threads.
    """
    folder = setting.folder("mini")
    return [*_load_rows(folder), *_rate_rows(setting, folder)]


def worker(threads: int) -> Worker:
    """A process with so many threads."""
    command = [sys.executable, "-m", "benchmarks.entailment.measuring.worker"]
    return Worker("entailment", command, environment=settings(threads, "cpu"))


def lengthened(pairs: Sequence[Pair], words: int, count: int) -> list[tuple[str, str]]:
    """So many real hypotheses, each with its premise and others behind it until there are enough words.

    Example:
        >>> lengthened([Pair("a b", "x", 0), Pair("c", "y", 0)], 3, 1)
        [('a b c', 'x')]
    """
    found = []
    for number in range(count):
        premise, place = pairs[number % len(pairs)].premise, number
        while len(premise.split()) < words:
            place += 1
            premise = f"{premise} {pairs[place % len(pairs)].premise}"
        found.append((premise, pairs[number % len(pairs)].hypothesis))
    return found


def _load_rows(folder: Path) -> list[Row]:
    found: dict[str, list[float]] = {"imports": [], "load": []}
    for _ in range(_ROUNDS):
        with worker(2) as process:
            for name, seconds in process.ask("load", folder=str(folder)).value.items():
                found[name].append(seconds)
    return [
        Row.at_most(
            "loading the weights, after imports",
            statistics.median(found["load"]),
            LOADING,
            unit="s",
            digits=2,
        ),
        Row.shown("imports, fresh process", statistics.median(found["imports"]), unit="s", digits=2),
    ]


def _rate_rows(setting: Setting, folder: Path) -> list[Row]:
    """A model that reads no more than so many tokens, and pairs that have more: all are of exactly that length."""
    found = []
    pairs = setting.pairs("mnli_dev")
    for threads in THREADS[-1:] if setting.run.fast else THREADS:
        for tokens in TOKENS:
            setting.run.say(f"{tokens} tokens, threads: {threads}")
            texts = lengthened(pairs, tokens, (_ROUNDS + 1) * _PAIRS)
            with worker(threads) as process:
                process.ask("load", folder=str(folder), longest=tokens)
                process.ask("score", pairs=texts[:_PAIRS])  # the first round warms up
                blocks = [texts[i * _PAIRS : (i + 1) * _PAIRS] for i in range(1, _ROUNDS + 1)]
                replies = [process.ask("score", pairs=block) for block in blocks]
            rates = [_PAIRS / reply.seconds for reply in replies]
            title = f"pairs of {tokens} tokens, {threads} core{'s' * (threads > 1)}"
            found += [
                Row.shown(
                    title,
                    statistics.median(rates),
                    unit="per second",
                    digits=0,
                    interval=(min(rates), max(rates)),
                ),
                Row.shown(
                    f"{title}: tokens of a pair",
                    statistics.median(r.value for r in replies) / _PAIRS,
                    digits=1,
                ),
                Row.shown(
                    f"{title}: peak memory", max(r.peak for r in replies) / 2**20, unit="MiB", digits=0
                ),
            ]
    return found
