"""How long an answer takes and how much memory, by the packaged model alone, in a process of its own.

`python -m benchmarks.grounding.latency documents` (or `samples`) prints one JSON object; `measured` starts it.
"""

from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks._memory import peak_memory
from benchmarks._rows import Row
from benchmarks._table import Run
from benchmarks.grounding.sets import read
from guardrail.errors import InputError

__all__ = ["latency_rows", "material"]

WORDS, SENTENCES, SAMPLES = 2_000, 8, 5
ANSWERS, FAST_ANSWERS = 7, 2
BARS = {"documents": 0.5, "samples": 0.36}
PEAK = 400.0  # MiB
_THREADS = 2


def latency_rows(run: Run) -> list[Row]:
    """Seconds of an answer by the clock and by the processor, and the most memory."""
    folder = run.data("grounding")
    answers = FAST_ANSWERS if run.fast else ANSWERS
    rows = []
    for what, bar in BARS.items():
        found = measured(what, folder, answers)
        label = f"{SENTENCES} sentences, " + (
            f"a document of {WORDS:,} words" if what == "documents" else f"{SAMPLES} samples"
        )
        seconds = found["seconds"]
        rows += [
            Row.at_most(
                f"{label}: median by the clock",
                statistics.median(seconds),
                bar,
                interval=(min(seconds), max(seconds)),
                unit="s",
            ),
            Row.shown(
                f"{label}: processor time",
                statistics.median(found["processor"]),
                interval=(min(found["processor"]), max(found["processor"])),
                unit="s",
            ),
            Row.shown(f"{label}: pairs scored per answer", found["pairs"], digits=1),
            Row.shown(f"{label}: tokens of them", found["tokens"], digits=0),
            Row.at_most(f"{label}: peak memory of the process", found["peak"], PEAK, unit="MiB", digits=0),
            Row.shown(f"{label}: first answer with loading", found["first"], unit="s"),
        ]
    return rows


def measured(what: str, folder: Path, answers: int) -> dict[str, Any]:
    """What a process of its own found.

    Raises:
        InputError: it failed; with its last words.
    """
    environment = {**os.environ, "OMP_NUM_THREADS": str(_THREADS), "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "benchmarks.grounding.latency", what, str(folder), str(answers)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)  # noqa: S603  # ourselves
    if done.returncode:
        raise InputError(
            f"expected times of answers, got {done.stderr.strip()[-300:]!r} from {command[2]!r}."
        )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def material(folder: Path, answers: int) -> Iterator[tuple[str, str, list[str]]]:
    """A document, an answer and other answers, each time different ones, so that nothing is remembered.

    Documents are summaries' sources of RAGTruth, put together until there are enough words; the answer is sentences of the
    responses to the last one, and samples are other parts of the sources.
    """
    from guardrail.text.sentences import split_sentences

    examples = read(folder, "ragtruth_summary")
    by_source = {one.source: one for one in examples}
    sources = list(by_source.values())
    random.Random(0).shuffle(sources)
    responses = {key: [one.answer for one in examples if one.source == key] for key in by_source}
    place = 0
    for _ in range(answers):
        words: list[str] = []
        said: list[str] = []
        while len(words) < WORDS or len(said) < SENTENCES * (1 + SAMPLES):
            one = sources[place % len(sources)]
            place += 1
            words += [*one.documents[0].split(" ")]
            said += [text for answer in responses[one.source] for text in split_sentences(answer)]
        parts = [" ".join(said[i * SENTENCES : (i + 1) * SENTENCES]) for i in range(1 + SAMPLES)]
        yield " ".join(words[:WORDS]), parts[0], parts[1:]


def _run(what: str, folder: Path, answers: int) -> dict[str, Any]:
    from guardrail import Case, Guard
    from guardrail.backends import packaged_entailment
    from guardrail.detectors import SelfCheck

    cases = [
        Case.of(answer, context=[document]) if what == "documents" else Case.of(answer, samples=samples)
        for document, answer, samples in material(folder, answers + 1)
    ]
    started = time.perf_counter()
    check = (
        SelfCheck("grounding") if what == "documents" else SelfCheck(fit="wikibio-mini")
    )  # also where torch is installed
    guard = Guard([check])
    guard.check(cases[0])
    first = time.perf_counter() - started
    work = packaged_entailment().model.work
    before = work.texts, work.tokens
    seconds, processor = [], []
    for case in cases[1:]:
        clock, used = time.perf_counter(), time.process_time()
        report = guard.check(case)
        seconds.append(time.perf_counter() - clock)
        processor.append(time.process_time() - used)
        if report.failures or not report.findings:
            raise SystemExit(f"expected findings, got {report.failures!r}")
    return {
        "first": first,
        "seconds": seconds,
        "processor": processor,
        "pairs": (work.texts - before[0]) / answers,
        "tokens": (work.tokens - before[1]) / answers,
        "peak": peak_memory() / 2**20,
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(_run(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))))
