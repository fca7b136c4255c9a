"""Speed and memory: seconds of ours beside the machine's own rate, transformers' network and bare sockets.

What is measured runs in processes of its own; they work in turn, never two at once. What was measured beside other
packages, in environments of theirs, is shown as it was recorded.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks._data import cache_root
from benchmarks._table import Row, Run, bench
from benchmarks.entailment.setting import FULL, MINI, QUICK, found
from benchmarks.performance.speed import bertscore, ngram, nli, prompt
from benchmarks.performance.speed.models import SIZES
from benchmarks.performance.speed.setting import Setting, Texts, complain, texts_of
from benchmarks.selfcheck.passages import read_passages

__all__ = ["PARTS", "RECORDED", "compute", "main", "recorded_rows"]

PARTS = ("nli", "error", "saved", "bertscore", "ngram", "prompt", "recorded")
RECORDED = Path(__file__).with_name("recorded.json")
SENTENCES, SAMPLES = 8, 20
ROUNDS, FAST_ROUNDS = 5, 3
FAST_SENTENCES, FAST_SAMPLES = 4, 5


def compute(run: Run) -> list[Row]:
    """Every row."""
    options = run.options
    size = options.size or ("tiny" if run.fast else "base")
    sentences, samples = (FAST_SENTENCES, FAST_SAMPLES) if run.fast else (SENTENCES, SAMPLES)
    rounds = options.rounds or (FAST_ROUNDS if run.fast else ROUNDS)
    passages = read_passages(run.data("wikibio_gpt3"))
    run.parameters |= {
        "size": "real" if options.model else size,
        "rounds": rounds,
        "threads": options.threads,
        "device": options.device,
        "only": options.only,
    }
    setting = Setting(
        size=size,
        rounds=rounds,
        device=options.device,
        threads=options.threads,
        texts=texts_of(passages, answers=rounds + 1, sentences=sentences, samples=samples),
        bars=run.expected.values[options.device],
        models=cache_root().parent / "speed" / "models",
        nli_model=_trained(options.nli_model),
        real_model=options.model.resolve() if options.model else None,
        say=complain if options.verbose else run.say,
        fast=run.fast,
    )
    answers = prompt.FAST_ANSWERS if run.fast else prompt.ANSWERS
    many = texts_of(passages, answers=answers, sentences=FAST_SENTENCES, samples=FAST_SAMPLES)
    # a few questions would not fill the 16 that go at once
    whole = texts_of(passages, answers=rounds + 1, sentences=SENTENCES, samples=SAMPLES)
    return _rows(setting, replace(setting, texts=whole), many, set(options.only or PARTS))


def _rows(setting: Setting, asking: Setting, many: Sequence[Texts], wanted: set[str]) -> list[Row]:
    rows = [Row.shown("machine: load before the run, of the last minute", _load(), digits=2)]
    fast = "bf16"
    if wanted & {"error", "nli"}:
        setting.say("what fast arithmetic costs")
        found, fast = nli.error_rows(setting)
        rows += found
    parts: dict[str, Callable[[], list[Row]]] = {
        "nli": lambda: nli.nli_rows(setting, fast),
        "saved": lambda: nli.saved_rows(setting),
        "bertscore": lambda: bertscore.bertscore_rows(setting),
        "ngram": lambda: ngram.ngram_rows(setting),
        "prompt": lambda: prompt.prompt_rows(asking, many),
        "recorded": recorded_rows,
    }
    for name, part in parts.items():
        if name in wanted:
            setting.say(name)
            rows += part()
    return rows


def recorded_rows() -> list[Row]:
    """How many times as fast ours was as another package, in runs with environments of theirs."""
    return [
        Row.shown(
            f"recorded {one['date']}, {one['machine']}: {one['quantity']}",
            one["ours"],
            interval=tuple(one["interval"]) if "interval" in one else None,
            digits=1,
        )
        for one in json.loads(RECORDED.read_text(encoding="utf-8"))
    ]


def _load() -> float | None:
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None


def _trained(given: Path | None) -> Path | None:
    """The folder of the trained entailment model: the one given; else what trainings left; else the packaged one."""
    if given is not None:
        return given.resolve()
    return next(filter(None, map(found, (FULL, QUICK, MINI))), None)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Options of this benchmark alone."""
    parser.add_argument(
        "--only", action="append", choices=PARTS, help="this part; may be given several times"
    )
    parser.add_argument("--size", choices=[*SIZES], help="of the models with random weights (base)")
    parser.add_argument("--rounds", type=int, metavar="N", help="that each is timed (5; with --fast 3)")
    parser.add_argument("--threads", type=int, default=2, metavar="N", help="of each process (2)")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu", help="where all compute")
    parser.add_argument("--model", type=Path, metavar="DIR", help="a real entailment model to time")
    parser.add_argument(
        "--nli-model",
        type=Path,
        metavar="DIR",
        help="a trained entailment model: what benchmarks.entailment left",
    )
    parser.add_argument("--verbose", action="store_true", help="progress also where there is no terminal")


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; returns the exit code."""
    return bench(
        "performance.speed",
        compute,
        argv,
        folder=Path(__file__).parent,
        doc=__doc__ or "",
        add_options=add_options,
        packages=("torch", "transformers", "openai"),
    )
