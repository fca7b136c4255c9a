"""One answer from end to end, through a guard with the options that ship."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from benchmarks._table import Row
from benchmarks.entailment.measuring.choices import SHIPPED
from benchmarks.entailment.measuring.speed import worker
from benchmarks.entailment.setting import Setting
from benchmarks.selfcheck.passages import Passage, read_passages
from guardrail.text.sentences import split_sentences

__all__ = ["rows"]

SENTENCES, SAMPLES, THREADS = 8, 5, 2
TIMED = 7
BOUND = 0.5
"""Seconds, after loading."""


def rows(setting: Setting) -> list[Row]:
    """The median of answers that the process meets for the first time, after one that warms it up."""
    name = f"answer of {SENTENCES} sentences with {SAMPLES} samples, {THREADS} cores, median of {TIMED}"
    folder = setting.folder("mini")
    some = fitting(read_passages(setting.run.data("wikibio_gpt3")))[: TIMED + 1]
    if len(some) <= TIMED:
        return [Row.missing(name, f"this data has fewer than {TIMED + 1} such answers", bar=f"≤ {BOUND}")]
    with worker(THREADS) as process:
        process.ask("load", folder=str(folder), precision="auto")  # as it ships
        process.ask("guard", options=SHIPPED.options)
        replies = [process.ask("check", answer=p.text, samples=p.samples[:SAMPLES]) for p in some]
    seconds = [reply.seconds for reply in replies[1:]]
    interval = (min(seconds), max(seconds))
    return [
        Row.at_most(name, statistics.median(seconds), BOUND, unit="s", interval=interval),
        Row.shown("answer: peak memory", replies[-1].peak / 2**20, unit="MiB", digits=0),
    ]


def fitting(passages: Sequence[Passage]) -> list[Passage]:
    """Those with so many sentences, as the detector splits them, and enough samples."""
    return [
        passage
        for passage in passages
        if len(split_sentences(passage.text)) == SENTENCES and len(passage.samples) >= SAMPLES
    ]
