"""NLI: sentences x samples, by ours, exact and fast, and by transformers, one pair at a time."""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks._rows import Row
from benchmarks.performance.speed.models import classifier, pair_flops
from benchmarks.performance.speed.setting import Setting, Texts, gap_row, loaded, ratio_row, time_rows
from benchmarks.performance.speed.timing import Contender, Timed, largest_gap, rounds
from benchmarks.performance.speed.workers import Anyone, WorkerFailed

__all__ = ["error_rows", "nli_rows", "saved_rows"]

PLAIN, EXACT, DETECTOR = "transformers, one pair at a time", "ours exact", "ours exact, whole detector"
_FAST_MODE = "ours fast mode"
FAST = {"bf16": "ours bf16", "int8": "ours int8"}
EARLY_STOP = 0.9
_ANSWERS = 3  # that the trained model is asked about
TRAIN = "no trained entailment model: python -m benchmarks.entailment train, or --nli-model DIR"


def nli_rows(setting: Setting, fast: str) -> list[Row]:
    """Times, ratios, agreement, memory and the share of the machine's rate.

    Args:
        setting: how.
        fast: the precision of the fast mode, which `error_rows` chose.
    """
    try:
        folder = setting.real_model or classifier(setting.own, setting.models, setting.shapes)
        setting.close()
        people = _people(setting, folder)
        timed = rounds(_contenders(people), _texts(setting), say=setting.say)
        return [
            *time_rows("NLI", timed),
            *_ratio_rows(timed, setting.bars, fast),
            *_gap_rows(timed, setting.bars["gap"]),
            *_share_rows(setting, timed, people[EXACT], folder),
        ]
    except WorkerFailed as error:
        bars = ((EXACT, "nli exact"), (DETECTOR, "nli exact"), (_FAST_MODE, "nli fast"))
        return [Row.missing(_ratio(n), str(error), bar=f"≥ {setting.bars[b]:.2f}") for n, b in bars]
    finally:
        setting.close()


def _texts(setting: Setting) -> list[Texts]:
    """Those of the rounds, with as many samples as the size has time for."""
    return [Texts(t.sentences, t.samples[: setting.shapes.pairs_with]) for t in setting.timed]


def _people(setting: Setting, folder: Path) -> dict[str, Anyone]:
    """A process for each: memory is that of the whole process."""
    place = {"folder": str(folder), "device": setting.device}
    found = {
        PLAIN: loaded(setting.own(), "load_plain", **place),
        EXACT: loaded(setting.own(), "load_nli", **place),
        DETECTOR: loaded(setting.own(), "load_nli", **place),
    }
    for precision, name in FAST.items():
        if precision != "int8" or setting.device == "cpu":
            found[name] = loaded(setting.own(), "load_nli", **place, precision=precision)
    for name, asked in _contenders(found).items():
        try:
            asked(setting.warm)
        except WorkerFailed as error:
            setting.say(f"{name}: {error}")  # said again, with its row
    return found


def _contenders(people: Mapping[str, Anyone]) -> dict[str, Contender]:
    operations = {PLAIN: "plain", DETECTOR: "nli_detector"}

    def contender(worker: Anyone, operation: str) -> Contender:
        def ask(texts: Texts) -> Any:
            return worker.ask(operation, sentences=texts.sentences, samples=texts.samples)

        return ask

    return {name: contender(worker, operations.get(name, "nli")) for name, worker in people.items()}


def _ratio_rows(timed: Mapping[str, Timed], bars: Mapping[str, float], fast: str) -> list[Row]:
    plain = timed[PLAIN]
    return [
        ratio_row(_ratio(EXACT), plain, timed[EXACT], bars["nli exact"]),
        ratio_row(_ratio(DETECTOR), plain, timed[DETECTOR], bars["nli exact"]),
        Row.shown("NLI: fast mode is", fast),
        ratio_row(_ratio(_FAST_MODE), plain, timed[FAST[fast]], bars["nli fast"]),
        *(ratio_row(_ratio(name), plain, timed[name]) for name in FAST.values() if name in timed),
    ]


def _ratio(name: str) -> str:
    return f"NLI: {name}, times as fast as {PLAIN}"


def _gap_rows(timed: Mapping[str, Timed], bar: float) -> list[Row]:
    """In every round, of all pairs; of the detector the sentences' scores."""
    plain, ours, detector = timed[PLAIN], timed[EXACT], timed[DETECTOR]
    failed = plain.failed or ours.failed or detector.failed
    pairs = whole = None
    if not failed:
        pairs = largest_gap(plain.values, ours.values)
        whole = largest_gap([list(map(statistics.fmean, one)) for one in plain.values], detector.values)
    return [
        gap_row("NLI: largest |Δ score| of ours exact and transformers", pairs, bar, failed),
        gap_row("NLI: largest |Δ score| of the whole detector and transformers", whole, bar, failed),
    ]


def _share_rows(setting: Setting, timed: Mapping[str, Timed], exact: Anyone, folder: Path) -> list[Row]:
    """What everybody made of the rate that matrix products reach on this machine, in the same run."""
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    try:
        counts = [
            exact.ask("lengths", folder=str(folder), sentences=texts.sentences, samples=texts.samples).value
            for texts in _texts(setting)
        ]
        rates = {
            precision: exact.ask(
                "rate", precision=precision, device=setting.device, seconds=0.5 if setting.fast else 2.0
            ).value
            for precision in ("fp32", "bf16")
        }
        padding = exact.ask("work").value["padding"]
    except WorkerFailed as error:
        return [Row.missing("NLI: share of the fp32 rate", str(error))]
    flops = [pair_flops(config, tokens) for tokens in counts]
    rows = [
        Row.shown("NLI: pairs of a round", len(counts[0])),
        Row.shown("NLI: tokens of a pair, mean", statistics.fmean(n for c in counts for n in c), digits=1),
        Row.shown("NLI: padding of ours exact", padding, digits=4),
        Row.shown("machine: fp32 matrix products", rates["fp32"] / 1e9, unit="GFLOP/s", digits=0),
        Row.shown("machine: bf16 matrix products", rates["bf16"] / 1e9, unit="GFLOP/s", digits=0),
    ]
    for name, one in timed.items():
        if one.failed or name == FAST["int8"]:  # no rate of 8-bit products is measured
            continue
        precision = "bf16" if name == FAST["bf16"] else "fp32"
        share = statistics.median(f / s for f, s in zip(flops, one.seconds, strict=True))
        rows.append(Row.shown(f"NLI: {name}, share of the {precision} rate", share / rates[precision]))
    return rows


# -- what fast arithmetic costs, and what need not be done; on a trained model, whose scores differ


def error_rows(setting: Setting) -> tuple[list[Row], str]:
    """|Δ P(contradiction)| per pair of each fast precision, and which of them is the fast mode.

    The fast mode is int8 where it keeps both bars, else bf16.
    """
    precisions = ["bf16", *(["int8"] if setting.device == "cpu" else [])]
    names = [f"error of fast mode: {what} |Δ| per pair" for what in ("mean", "largest")]
    limits = [setting.bars["error mean"], setting.bars["error max"]]
    if setting.nli_model is None:
        missing = [Row.missing(n, TRAIN, bar=f"≤ {b:.4f}") for n, b in zip(names, limits, strict=True)]
        return missing, "bf16"
    try:
        exact = _pairs(setting, "fp32")
        found: dict[str, tuple[float, float]] = {}
        for precision in precisions:
            gaps = [abs(a - b) for a, b in zip(exact, _pairs(setting, precision), strict=True)]
            found[precision] = statistics.fmean(gaps), max(gaps)
    except WorkerFailed as error:
        missing = [Row.missing(n, str(error), bar=f"≤ {b:.4f}") for n, b in zip(names, limits, strict=True)]
        return missing, "bf16"
    finally:
        setting.close()
    kept = [p for p in precisions if all(v <= b for v, b in zip(found[p], limits, strict=True))]
    fast = kept[-1] if kept else "bf16"
    rows = [
        Row.at_most(name, value, limit, digits=4)
        for name, value, limit in zip(names, found[fast], limits, strict=True)
    ]
    rows.append(Row.shown("error of fast mode: pairs compared", len(exact)))
    for precision, (mean, largest) in found.items():
        rows.append(Row.shown(f"{precision}: mean |Δ| per pair", mean, digits=4))
        rows.append(Row.shown(f"{precision}: largest |Δ| per pair", largest, digits=4))
    return rows, fast


def _pairs(setting: Setting, precision: str) -> list[float]:
    worker = loaded(
        setting.own(),
        "load_nli",
        folder=str(setting.nli_model),
        device=setting.device,
        precision=precision,
    )
    found = [
        worker.ask("nli", sentences=texts.sentences, samples=texts.samples, sentence_first=False).value
        for texts in setting.timed[:_ANSWERS]
    ]
    worker.close()
    return [value for one in found for row in one for value in row]


def saved_rows(setting: Setting) -> list[Row]:
    """Pairs that an answer asks for and pairs that are scored: duplicates once, and with early stop."""
    names = ("duplicates once", f"and early stop at {EARLY_STOP}")
    if setting.nli_model is None:
        return [Row.missing(f"work saved: pairs scored per answer, {name}", TRAIN) for name in names]
    rows: list[Row] = []
    try:
        some = setting.timed[:_ANSWERS]
        asked = statistics.fmean(len(t.sentences) * len(t.samples) for t in some)
        rows.append(Row.shown("work saved: sentences x samples per answer", asked, digits=1))
        for name, early in zip(names, (None, EARLY_STOP), strict=True):
            worker = loaded(setting.own(), "load_nli", folder=str(setting.nli_model), device=setting.device)
            for texts in some:
                worker.ask("nli_detector", sentences=texts.sentences, samples=texts.samples, early_stop=early)
            scored = worker.ask("work").value["scored"] / len(some)
            rows.append(Row.shown(f"work saved: pairs scored per answer, {name}", scored, digits=1))
    except WorkerFailed as error:
        return [Row.missing(f"work saved: pairs scored per answer, {name}", str(error)) for name in names]
    finally:
        setting.close()
    return rows
