"""n-gram: the peer's own class, whose pipeline is made at each call, and the function and detector of ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchmarks._rows import Row
from benchmarks.performance.speed.setting import Setting, Texts, gap_row, loaded, ratio_row, time_rows
from benchmarks.performance.speed.timing import Timed, largest_gap, rounds

__all__ = ["evened", "ngram_rows"]

SELFCHECKGPT, FUNCTION, DETECTOR = "selfcheckgpt", "ours, function", "ours, whole detector"
SIZES = (1, 3)
_REPEATS, _FAST_REPEATS = 4, 1  # a round is short


def ngram_rows(setting: Setting) -> list[Row]:
    """Times, ratios and agreement for unigrams and trigrams."""
    peer = loaded(setting.peer("selfcheckgpt"), "load", what="ngram")
    own = setting.own("text")
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

            def alike_split(texts: Texts, n: int = n) -> Any:
                given = peer.ask("split", texts=[*texts.samples, " ".join(texts.sentences)]).value
                return own.ask("ngram", sentences=texts.sentences, samples=given, n=n, whole=True)

            contenders = {SELFCHECKGPT: theirs, FUNCTION: function, DETECTOR: detector}
            rounds(contenders, [setting.warm])
            found = rounds(contenders, _evened(setting) * (_FAST_REPEATS if setting.fast else _REPEATS))
            raw = rounds({SELFCHECKGPT: theirs, FUNCTION: function}, setting.timed)
            alike = rounds({SELFCHECKGPT: theirs, FUNCTION: alike_split}, _evened(setting))
            failed = next(
                (one.failed for one in [*found.values(), *alike.values(), *raw.values()] if one.failed), ""
            )
            gaps = {name: None if failed else _gap(alike, name) for name in ("max", "mean")}
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
            if not failed:
                name = f"{part}: largest |Δ score|, mean, where each splits sentences itself"
                rows.append(Row.shown(name, _gap(found, "mean"), digits=7))
                name = f"{part}: largest |Δ score|, mean, and it counts blanks as words"
                rows.append(Row.shown(name, _gap(raw, "mean"), digits=7))
    finally:
        setting.close()
    return rows


def _evened(setting: Setting) -> list[Texts]:
    """Those of the rounds."""
    return [evened(texts) for texts in setting.timed]


def evened(texts: Texts) -> Texts:
    """Every run of blanks as one space: the package counts a longer one, or a line's end, as a word."""
    sentences, samples = ([" ".join(text.split()) for text in some] for some in texts)
    return Texts(sentences, samples)


def _gap(found: Mapping[str, Timed], name: str) -> float:
    return largest_gap(
        [value[name] for value in found[SELFCHECKGPT].values],
        [value[name] for value in found[FUNCTION].values],
    )
