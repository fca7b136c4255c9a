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
_PAIRS, _FAST_PAIRS = 192, 48  # of a round


def rows(setting: Setting) -> list[Row]:
    """Loading in fresh processes, then rates: each length and number of threads in a process of its own.

    With --fast only the most threads, in one process for all lengths, with fewer pairs, and one fresh process that loads.
    """
    folder = setting.folder("mini")
    return [*_load_rows(folder, 1 if setting.run.fast else _ROUNDS), *_rate_rows(setting, folder)]


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


def _load_rows(folder: Path, times: int) -> list[Row]:
    found: dict[str, list[float]] = {"imports": [], "load": []}
    for _ in range(times):
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
    found: list[Row] = []
    if setting.run.fast:
        with worker(THREADS[-1]) as process:
            for tokens in TOKENS:
                found += _length_rows(setting, process, folder, (THREADS[-1], tokens))
        return found
    for threads in THREADS:
        for tokens in TOKENS:
            setting.run.say(f"{tokens} tokens, threads: {threads}")
            with worker(threads) as process:
                found += _length_rows(setting, process, folder, (threads, tokens))
    return found


def _length_rows(setting: Setting, process: Worker, folder: Path, what: tuple[int, int]) -> list[Row]:
    (threads, tokens), count = what, _FAST_PAIRS if setting.run.fast else _PAIRS
    texts = lengthened(setting.pairs("mnli_dev"), tokens, (_ROUNDS + 1) * count)
    process.ask("load", folder=str(folder), longest=tokens)
    process.ask("score", pairs=texts[:count])  # the first round warms up
    blocks = [texts[i * count : (i + 1) * count] for i in range(1, _ROUNDS + 1)]
    replies = [process.ask("score", pairs=block) for block in blocks]
    rates = [count / reply.seconds for reply in replies]
    spread = (min(rates), max(rates))
    title = f"pairs of {tokens} tokens, {threads} core{'s' * (threads > 1)}"
    length = statistics.median(reply.value for reply in replies) / count
    peak = max(reply.peak for reply in replies) / 2**20
    return [
        Row.shown(title, statistics.median(rates), unit="per second", digits=0, interval=spread),
        Row.shown(f"{title}: tokens of a pair", length, digits=1),
        Row.shown(f"{title}: peak memory", peak, unit="MiB", digits=0),
    ]
