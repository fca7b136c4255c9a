"""BERTScore with the shape of roberta-large: every sentence of an answer against every sentence of its samples."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks._rows import Row
from benchmarks.performance.speed.models import encoder
from benchmarks.performance.speed.setting import Setting, Texts, gap_row, loaded, ratio_row, time_rows
from benchmarks.performance.speed.timing import Timed, largest_gap, rounds
from benchmarks.performance.speed.workers import Anyone, WorkerFailed

__all__ = ["LAYER", "bertscore_rows"]

LAYER = 17  # of roberta-large, which bert_score reads
SELFCHECKGPT, EXACT, BF16, DETECTOR = "selfcheckgpt", "ours exact", "ours bf16", "ours exact, whole detector"
_RATIO = "BERTScore: ours exact, times as fast as selfcheckgpt"


def bertscore_rows(setting: Setting) -> list[Row]:
    """Times, ratios, agreement and memory."""
    bar = setting.bars["bertscore"]
    try:
        folder = encoder(
            setting.maker,
            setting.models,
            setting.shapes,
            setting.corpus,
            tiny=setting.size == "tiny",
        )
        setting.close()
        people = _people(setting, folder)
        peer = people[SELFCHECKGPT]

        def theirs(texts: Texts) -> Any:
            return peer.ask("bertscore", sentences=texts.sentences, samples=texts.samples)

        def engine(name: str) -> Any:
            def ask(
                texts: Texts,
            ) -> Any:  # the sentences that the peer compares with, split before the clock starts
                found = split[tuple(texts.samples)]
                return people[name].ask("bertscore", sentences=texts.sentences, candidates=found)

            return ask

        def detector(texts: Texts) -> Any:
            return people[DETECTOR].ask(
                "bertscore_detector", sentences=texts.sentences, samples=texts.samples
            )

        some = [Texts(t.sentences, t.samples[: setting.shapes.samples]) for t in setting.timed]
        split = {
            tuple(t.samples): peer.ask("sentences", samples=t.samples).value for t in [*some, setting.warm]
        }
        contenders = {
            SELFCHECKGPT: theirs,
            EXACT: engine(EXACT),
            DETECTOR: detector,
            BF16: engine(BF16),
        }
        rounds(contenders, [setting.warm])
        timed = rounds(contenders, some, say=setting.say)
        sentences = sum(len(one) for t in some for one in split[tuple(t.samples)]) / len(some)
        return [
            Row.shown("BERTScore: samples of a round", len(some[0].samples)),
            Row.shown("BERTScore: sentences in them, mean", sentences, digits=1),
            *time_rows("BERTScore", timed),
            ratio_row(_RATIO, timed[SELFCHECKGPT], timed[EXACT], bar),
            ratio_row(
                "BERTScore: ours exact, whole detector, times as fast as selfcheckgpt",
                timed[SELFCHECKGPT],
                timed[DETECTOR],
            ),
            ratio_row(
                "BERTScore: ours bf16, times as fast as selfcheckgpt", timed[SELFCHECKGPT], timed[BF16]
            ),
            *_gaps(timed, setting.bars["gap"]),
        ]
    except WorkerFailed as error:
        return [Row.missing(_RATIO, str(error), bar=f"≥ {bar:.2f}")]
    finally:
        setting.close()


def _people(setting: Setting, folder: Path) -> dict[str, Anyone]:
    found: dict[str, Anyone] = {
        SELFCHECKGPT: loaded(
            # the name "roberta-large" then means this folder: nothing in the package is changed for it
            setting.peer("selfcheckgpt", folder=folder.parent),
            "load",
            what="bertscore",
        )
    }
    for name, precision in ((EXACT, "fp32"), (DETECTOR, "fp32"), (BF16, "bf16")):
        found[name] = loaded(
            setting.own(),
            "load_bertscore",
            folder=str(folder),
            layer=LAYER,
            baseline=True,
            device=setting.device,
            precision=precision,
        )
    return found


def _gaps(timed: Mapping[str, Timed], bar: float) -> list[Row]:
    exact = "BERTScore: largest |Δ score| of ours exact and selfcheckgpt"
    theirs, ours, rough = timed[SELFCHECKGPT], timed[EXACT], timed[BF16]
    failed = theirs.failed or ours.failed
    if failed:
        return [gap_row(exact, None, bar, failed)]
    rows = [gap_row(exact, largest_gap(theirs.values, ours.values), bar)]
    if not rough.failed:
        gap = largest_gap(ours.values, rough.values)
        rows.append(Row.shown("BERTScore: largest |Δ score| of bf16", gap, digits=4))
    return rows
