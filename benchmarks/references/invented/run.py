"""Invented titles beside real authors, containers, series, DOIs and arXiv numbers: is any of them verified?

The index has the works of `data/biblio`; 2,000 of them have a DOI and an arXiv number of ours, and the containers and series of
the hand-made strings are works of their own. It is declared complete. Strings and titles are made by a program with a fixed seed.
"""

from __future__ import annotations

import random
import re
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks._rows import Row
from benchmarks._table import Run, bench
from benchmarks.references.invented._strings import (
    Cited,
    Titles,
    as_they_are,
    hand_made,
    in_styles,
    surroundings,
)
from guardrail import Guard, Verdict
from guardrail.detectors import ReferenceCheck
from guardrail.references.bibliography.formats import read_records
from guardrail.references.bibliography.importers import import_files
from guardrail.references.bibliography.index import Index
from guardrail.references.bibliography.records import Record, Reference
from guardrail.report import Finding

__all__ = ["main"]

HERE = Path(__file__).resolve().parent
SEED = 20261125
HAND_MADE, RENDERED, IDENTIFIED, REAL = 600, 900, 2_000, 400
QUESTION = "Which literature should I read about this? Please give references."
LEAST_SIMILAR = 0.9  # of a title, from which the baseline takes it as found
_PIECES = re.compile(r"[.,;:?!()\[\]\"“”„«»*_|–—/]+")


@dataclass(frozen=True, slots=True)
class Judged:
    """A string, what was found in it, and whether the baseline takes it for a known work."""

    cited: Cited
    findings: tuple[Finding, ...]
    baseline: bool

    @property
    def outcome(self) -> str:
        """The worst that was done with it: verified by any finding, else what the findings are called, else "not read"."""
        if any(finding.verdict is Verdict.SUPPORTED for finding in self.findings):
            return "verified"
        labels = [finding.label for finding in self.findings]
        for label in ("fabricated", "misquoted", "retracted"):
            if label in labels:
                return label
        return "unverified" if labels else "not read"


def compute(run: Run) -> list[Row]:
    """Every row."""
    run.parameters["seed"] = SEED
    part = 8 if run.fast else 1
    rng = random.Random(SEED)
    files = sorted(run.data("biblio").glob("titles-*.tsv"))[:: 4 if run.fast else 1]
    strings = run.data("reference_strings") / "core.jsonl"
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "works.sqlite"
        records = [record for file in files for record in read_records(file)]
        usable = [record for record in records if record.authors and record.year and record.venue]
        known = [
            replace(record, doi=f"10.1145/{700_000 + at}", arxiv=_number(record, at))
            for at, record in enumerate(rng.sample(usable, IDENTIFIED))
        ]
        around = surroundings(strings)
        with Index.create(path, complete=True) as index:
            import_files(index, files, progress=lambda read, _: run.say(f"{read} records"))
            index.add([*known, *around])
            works = index.stats().records
        titles = Titles(rng, records, [record.title for record in around])
        cited = hand_made(strings, titles, rng, HAND_MADE // part)
        cited += in_styles(usable, known, titles, rng, RENDERED // part)
        judged = judge(run, path, cited)
        real = judge(run, path, as_they_are(usable, rng, REAL // part))
    show(run, judged)
    verified = sum(one.outcome == "verified" for one in real) / len(real)
    return [
        Row.shown("works in the index", works),
        *rows(judged),
        Row.at_least("real titles in the same styles: verified", verified, 0.5),
    ]


def _number(record: Record, at: int) -> str:
    """An arXiv number of the record's year, or of 2007 if it is older."""
    year = min(max(record.year or 0, 2007), 2025) % 100
    return f"{year:02}{at % 12 + 1:02}.{10_000 + at:05}"


def judge(run: Run, path: Path, cited: Sequence[Cited]) -> list[Judged]:
    """Each string as the only entry of a list in an answer."""
    judged = []
    guard = Guard([ReferenceCheck(bibliography=path)])
    try:
        with Index.open(path) as index:
            for number, one in enumerate(cited):
                report = guard.check(f"Here is what I would read:\n\n1. {one.text}\n", prompt=QUESTION)
                judged.append(Judged(one, report.findings, baseline(index, one.text)))
                if number % 200 == 199:
                    run.say(f"{number + 1} strings")
    finally:
        guard.close()
    return judged


def baseline(index: Index, text: str) -> bool:
    """Whether any piece between punctuation, of two words or more, has the title of a work, similarity ≥ .9."""
    pieces = [piece.strip() for piece in _PIECES.split(text)]
    matches = index.find_all([Reference(title=piece) for piece in pieces if " " in piece])
    return any(match.record is not None and (match.similarity or 0.0) >= LEAST_SIMILAR for match in matches)


def rows(judged: Sequence[Judged]) -> list[Row]:
    """What became of the strings, altogether and by group."""
    outcomes = Counter(one.outcome for one in judged)
    number = len(judged)
    table = [
        Row.shown("strings", number),
        Row.equal("verified", outcomes["verified"], 0),
        *(Row.shown(name, outcomes[name]) for name in ("fabricated", "misquoted", "unverified", "not read")),
        Row.shown(
            "baseline, any piece has a work's title: verified", sum(one.baseline for one in judged) / number
        ),
    ]
    for group in sorted({one.cited.group for one in judged}):
        some = [one for one in judged if one.cited.group == group]
        accused = sum(one.outcome in {"fabricated", "misquoted"} for one in some)
        table += [
            Row.shown(f"{group}: strings", len(some)),
            Row.equal(f"{group}: verified", sum(one.outcome == "verified" for one in some), 0),
            Row.shown(f"{group}: fabricated or misquoted", accused / len(some)),
        ]
    return table


def show(run: Run, judged: Sequence[Judged]) -> None:
    """Write what was verified, and why, into the folder that was asked for."""
    if run.out is None:
        return
    lines = []
    for one in judged:
        if one.outcome in {"verified", "not read"}:
            lines += [f"[{one.outcome}, {one.cited.group}] {one.cited.text}"]
            lines += [
                f"    {finding.verdict}: “{finding.text}”: {finding.reason}" for finding in one.findings
            ]
    (run.out / "invented.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; returns the exit code."""
    return bench("references.invented", compute, argv, folder=HERE, doc=__doc__ or "")
