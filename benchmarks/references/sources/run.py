"""Answers with five references each through all catalogues, at local servers of which one reply in twenty is a fault.

Nothing may be lost, and nothing may be called absent because a catalogue failed. The wait between two requests that each
catalogue asks for is left out here, and is what a real run takes most of its time for.
"""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks._rows import Row
from benchmarks._table import Run, bench
from benchmarks.references.sources.services import NAMES, Asked, Services, Work
from guardrail import Guard, Verdict
from guardrail.detectors import ReferenceCheck
from guardrail.references.bibliography.formats import read_records
from guardrail.references.bibliography.records import Match, Record, Reference
from guardrail.references.sources import CATALOGUES, Sources

__all__ = ["main"]

SEED = 20261125
ANSWERS, FAST_ANSWERS, EACH = 1_000, 50, 5
FAULTY = 0.05
_KINDS = ("rate", "error", "html", "empty", "cut")


class _Timed(Sources):
    """The sources, with how long each look-up took and what came out."""

    def __init__(self, *arguments: object, **options: object) -> None:
        super().__init__(*arguments, **options)  # type: ignore[arg-type]
        self.seconds: list[float] = []

    def find_all(self, references: Sequence[Reference]) -> list[Match]:
        """Look several up."""
        start = time.perf_counter()
        found = super().find_all(references)
        self.seconds += [(time.perf_counter() - start) / max(len(references), 1)] * len(references)
        return found


def compute(run: Run) -> list[Row]:
    """Every row."""
    run.parameters["seed"] = SEED
    chance = random.Random(SEED)
    number = FAST_ANSWERS if run.fast else ANSWERS
    file = sorted(run.data("biblio").glob("titles-*.tsv"))[3]
    records = [one for one in read_records(file) if one.authors and one.year and len(one.title.split()) > 4]
    some = chance.sample(records, number * EACH)
    known = {at for at in range(len(some)) if chance.random() < 0.5}  # the other half is in no catalogue
    works = [_work(some[at], at) for at in sorted(known)]
    faults = Counter[str]()
    lock = threading.Lock()

    def fault(asked: Asked) -> str | None:
        del asked
        with lock:
            kind = chance.choice(_KINDS) if chance.random() < FAULTY else None
            faults[kind or "none"] += 1
        return kind

    with Services(works, keep=False) as services:
        services.fault = fault
        resolvers = [
            CATALOGUES[name](
                base_url=services.address(name),
                key="key",
                timeout=5.0,
                manners=replace(CATALOGUES[name].manners, seconds=0.0),
            )
            for name in NAMES
            if name in CATALOGUES
        ]
        sources = _Timed(resolvers)
        verdicts = Counter[str]()
        with Guard([ReferenceCheck(bibliography=sources)]) as guard:
            for at in range(number):
                run.say(f"{at} of {number} answers")
                cited = some[at * EACH : (at + 1) * EACH]
                report = guard.check("\n".join(_line(n, record) for n, record in enumerate(cited, 1)))
                verdicts["findings"] += len(report.findings)
                verdicts["failures"] += len(report.failures)
                for n, finding in enumerate(report.findings):
                    real = at * EACH + n in known
                    verdicts["known accused"] += real and finding.verdict is Verdict.UNSUPPORTED
                    verdicts["known verified"] += real and finding.verdict is Verdict.SUPPORTED
                    verdicts["unknown verified"] += not real and finding.verdict is Verdict.SUPPORTED
                    status = next((e.status for e in finding.evidence if e.kind == "lookup"), "")
                    verdicts["known absent"] += real and status == "absent"
                    verdicts["unreachable"] += status == "unreachable"
        calls = sum(count.calls for count in sources.counts.values())
    taken = sorted(sources.seconds)
    total = number * EACH
    return [
        Row.shown("references", total),
        Row.shown("replies that were faults", sum(faults.values()) - faults["none"]),
        Row.equal("references lost", total - verdicts["findings"], 0),
        Row.equal("detectors that failed", verdicts["failures"], 0),
        Row.equal("works of a catalogue called absent", verdicts["known absent"], 0),
        Row.equal("works of a catalogue accused", verdicts["known accused"], 0),
        Row.equal("works of no catalogue verified", verdicts["unknown verified"], 0),
        Row.shown("works of a catalogue verified, share", verdicts["known verified"] / max(len(known), 1)),
        Row.shown("look-ups without an answer, share", verdicts["unreachable"] / total),
        Row.shown("requests per reference", calls / total, digits=1),
        Row.shown("look-up, p50", taken[len(taken) // 2] * 1e3, unit="ms", digits=1),
        Row.shown("look-up, p99", taken[int(len(taken) * 0.99)] * 1e3, unit="ms", digits=1),
    ]


def _work(record: Record, at: int) -> Work:
    return Work(
        title=record.title,
        authors=record.authors,
        year=record.year or 2000,
        venue=record.venue,
        doi=f"10.9999/work.{at}",
    )


def _line(number: int, record: Record) -> str:
    names = ", ".join(record.authors) + (" et al." if record.et_al else "")
    return f'{number}. {names} ({record.year}). "{record.title}".'


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; returns the exit code."""
    return bench("references.sources", compute, argv, folder=Path(__file__).parent, doc=__doc__ or "")
