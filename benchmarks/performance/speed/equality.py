"""The same numbers as the packages', with trained weights: their scores differ, so a wrong program shows."""

from __future__ import annotations

from benchmarks._rows import Row
from benchmarks.performance.speed.models import heads
from benchmarks.performance.speed.nli import TRAIN, means
from benchmarks.performance.speed.setting import Setting, gap_row, loaded
from benchmarks.performance.speed.timing import largest_gap
from benchmarks.performance.speed.workers import WorkerFailed
from guardrail.backends.weights import minilm
from guardrail.errors import ConfigError

__all__ = ["equality_rows"]

_ANSWERS = 3
_PAIRS = 100
_MINILM_LAYER = 6


def equality_rows(setting: Setting) -> list[Row]:
    """NLI against selfcheckgpt's class, BERTScore against bert_score."""
    try:
        return [*_nli(setting), *_bertscore(setting)]
    finally:
        setting.close()


def _nli(setting: Setting) -> list[Row]:
    """The trained classifier, its head cut down to entailment and contradiction in a copy for the package."""
    name, bar = "equality: NLI, largest |Δ score| to selfcheckgpt", setting.bars["gap"]
    if setting.nli_model is None:
        return [gap_row(name, None, bar, TRAIN)]
    peer, own = setting.peer("selfcheckgpt"), setting.own()
    gaps, scores = [], []
    try:
        found = heads(lambda: peer, setting.models, setting.nli_model)
        peer.ask("load", what="nli", folder=str(found.two), any_class=True, device=setting.device)
        own.ask("load_nli", folder=str(found.three), device=setting.device)
        for sentences, samples in setting.timed[:_ANSWERS]:
            theirs = peer.ask("nli", sentences=sentences, samples=samples).value
            ours = means(own.ask("nli", sentences=sentences, samples=samples).value)
            gaps.append(largest_gap(theirs, ours))
            scores += theirs
    except WorkerFailed as error:
        return [gap_row(name, None, bar, str(error))]
    return [
        gap_row(name, max(gaps), bar),
        Row.shown("equality: NLI, sentences", len(scores)),
        Row.shown("equality: NLI, least score", min(scores)),
        Row.shown("equality: NLI, largest score", max(scores)),
    ]


def _bertscore(setting: Setting) -> list[Row]:
    """The packaged encoder, P, R and F1 of single pairs."""
    name, bar = "equality: BERTScore, largest |Δ| of P, R and F1 to bert_score", setting.bars["gap"]
    try:
        folder = minilm()
        peer = setting.peer("selfcheckgpt")
        own = loaded(
            setting.own(),
            "load_bertscore",
            folder="",
            layer=_MINILM_LAYER,
            baseline=False,
            device=setting.device,
        )
        candidates, references = [], []
        for sentences, samples in setting.timed[:_ANSWERS]:
            for i in range(_PAIRS // _ANSWERS):
                references.append(sentences[i % len(sentences)])
                candidates.append(samples[i % len(samples)].split(". ")[0])
        theirs = peer.ask(
            "pairs", candidates=candidates, references=references, folder=str(folder), layer=_MINILM_LAYER
        ).value
        ours = own.ask("pairs", candidates=candidates, references=references).value
    except (ConfigError, WorkerFailed) as error:
        return [gap_row(name, None, bar, str(error))]
    return [
        gap_row(name, largest_gap(theirs, ours), bar),
        Row.shown("equality: BERTScore, pairs", len(candidates)),
    ]
