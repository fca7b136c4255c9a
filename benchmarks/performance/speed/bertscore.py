"""BERTScore with the shape of roberta-large: every sentence of an answer against every sentence of its samples."""

from __future__ import annotations

from typing import Any

from benchmarks._rows import Row
from benchmarks.performance.speed.models import encoder
from benchmarks.performance.speed.setting import Setting, Texts, loaded, time_rows
from benchmarks.performance.speed.timing import largest_gap, rounds
from benchmarks.performance.speed.workers import WorkerFailed
from guardrail.text.sentences import split_sentences

__all__ = ["LAYER", "bertscore_rows"]

LAYER = 17  # of roberta-large, which BERTScore reads
EXACT, BF16, DETECTOR = "ours exact", "ours bf16", "ours exact, whole detector"


def bertscore_rows(setting: Setting) -> list[Row]:
    """Times, memory, and what bf16 changes."""
    try:
        folder = encoder(setting.own, setting.models, setting.shapes)
        setting.close()
        precisions = {EXACT: "fp32", DETECTOR: "fp32", BF16: "bf16"}
        people = {
            name: loaded(
                setting.own(),
                "load_bertscore",
                folder=str(folder),
                layer=LAYER,
                device=setting.device,
                precision=precision,
            )
            for name, precision in precisions.items()
        }
        some = [Texts(t.sentences, t.samples[: setting.shapes.samples]) for t in setting.timed]
        split = {tuple(t.samples): [*map(split_sentences, t.samples)] for t in [*some, setting.warm]}

        def engine(name: str) -> Any:
            def ask(texts: Texts) -> Any:
                found = split[tuple(texts.samples)]
                return people[name].ask("bertscore", sentences=texts.sentences, candidates=found)

            return ask

        def detector(texts: Texts) -> Any:
            return people[DETECTOR].ask(
                "bertscore_detector", sentences=texts.sentences, samples=texts.samples
            )

        contenders = {EXACT: engine(EXACT), DETECTOR: detector, BF16: engine(BF16)}
        rounds(contenders, [setting.warm])
        timed = rounds(contenders, some, say=setting.say)
    except WorkerFailed as error:
        return [Row.missing("BERTScore: ours exact, median of a round", str(error), unit="s")]
    finally:
        setting.close()
    sentences = sum(len(one) for t in some for one in split[tuple(t.samples)]) / len(some)
    rows = [
        Row.shown("BERTScore: samples of a round", len(some[0].samples)),
        Row.shown("BERTScore: sentences in them, mean", sentences, digits=1),
        *time_rows("BERTScore", timed),
    ]
    if not (timed[EXACT].failed or timed[BF16].failed):
        gap = largest_gap(timed[EXACT].values, timed[BF16].values)
        rows.append(Row.shown("BERTScore: largest |Δ score| of bf16", gap, digits=4))
    return rows
