"""n-gram: the function, and the whole detector."""

from __future__ import annotations

from functools import partial
from typing import Any

from benchmarks._rows import Row
from benchmarks.performance.speed.setting import Setting, Texts, time_rows
from benchmarks.performance.speed.timing import rounds

__all__ = ["ngram_rows"]

OPERATIONS = {"ours, function": "ngram", "ours, whole detector": "ngram_detector"}
SIZES = (1, 3)
_REPEATS, _FAST_REPEATS = 4, 1  # a round is short


def ngram_rows(setting: Setting) -> list[Row]:
    """Times for unigrams and trigrams."""
    own = setting.own()
    rows: list[Row] = []

    def ask(texts: Texts, operation: str, n: int) -> Any:
        return own.ask(operation, sentences=texts.sentences, samples=texts.samples, n=n)

    try:
        for n in SIZES:
            contenders = {name: partial(ask, operation=one, n=n) for name, one in OPERATIONS.items()}
            rounds(contenders, [setting.warm])
            repeats = _FAST_REPEATS if setting.fast else _REPEATS
            rows += time_rows(f"n-gram, n = {n}", rounds(contenders, setting.timed * repeats))
    finally:
        setting.close()
    return rows
