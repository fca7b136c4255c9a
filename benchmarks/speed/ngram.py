"""n-gram: the peer's own class, whose pipeline is made at each call, and the function and detector of ours."""

from __future__ import annotations

from typing import Any

from benchmarks._rows import Row
from benchmarks.speed.setting import Setting, Texts, gap_row, loaded, ratio_row, time_rows
from benchmarks.speed.timing import largest_gap, rounds

__all__ = ["ngram_rows"]

SELFCHECKGPT, FUNCTION, DETECTOR = "selfcheckgpt", "ours, function", "ours, whole detector"
SIZES = (1, 3)
_REPEATS = 4  # a round is short


def ngram_rows(setting: Setting) -> list[Row]:
    """Times, ratios and agreement for unigrams and trigrams."""
    peer = loaded(setting.peer("selfcheckgpt"), "load", what="ngram")
    own = setting.own()
    rows: list[Row] = []
    try:
        for n in SIZES:
            part = f"n-gram, n = {n}"

            def theirs(texts: Texts, n: int = n) -> Any:
                whole = " ".join(texts.sentences)
                return peer.ask("ngram", sentences=texts.sentences, passage=whole, samples=texts.samples, n=n)

            def function(texts: Texts, n: int = n) -> Any:
                return own.ask("ngram", sentences=texts.sentences, samples=texts.samples, n=n)

            def detector(texts: Texts, n: int = n) -> Any:
                return own.ask("ngram_detector", sentences=texts.sentences, samples=texts.samples, n=n)

            contenders = {SELFCHECKGPT: theirs, FUNCTION: function, DETECTOR: detector}
            rounds(contenders, [setting.warm])
            found = rounds(contenders, setting.timed * _REPEATS, say=setting.say)
            failed = found[SELFCHECKGPT].failed or found[FUNCTION].failed
            gaps: dict[str, float | None] = {"max": None, "mean": None}
            if not failed:
                for name in gaps:
                    gaps[name] = largest_gap(
                        [value[name] for value in found[SELFCHECKGPT].values],
                        [value[name] for value in found[FUNCTION].values],
                    )
            ours = "times as fast as selfcheckgpt"
            rows += [
                *time_rows(part, found),
                ratio_row(
                    f"{part}: function, {ours}", found[SELFCHECKGPT], found[FUNCTION], setting.bars["ngram"]
                ),
                ratio_row(f"{part}: whole detector, {ours}", found[SELFCHECKGPT], found[DETECTOR]),
                *(
                    gap_row(f"{part}: largest |Δ score|, {name}", gap, setting.bars["gap"], failed)
                    for name, gap in gaps.items()
                ),
            ]
    finally:
        setting.close()
    return rows
