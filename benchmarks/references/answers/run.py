"""Labelled answers: are the references read, is no real work accused, and no invented one cleared?

The half "seen" served for writing the reader, the half "unseen" only for judging it; README.md says how often.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from benchmarks._rows import Row
from benchmarks._table import Run, bench
from benchmarks.references.answers.changes import CHANGES, Changer
from benchmarks.references.answers.labels import HALVES, Answer, Label, answers, works
from benchmarks.references.answers.reading import FIELDS, Read, overlap, read, right
from guardrail import Guard, Verdict
from guardrail.detectors import ReferenceCheck
from guardrail.references.bibliography.index import Index
from guardrail.references.bibliography.records import Record
from guardrail.references.citations import citations
from guardrail.references.citations.silence import unread
from guardrail.references.citations.tagging import packaged_tagger
from guardrail.references.citations.words import YEAR
from guardrail.report import Finding, Span

__all__ = ["add_reader", "main"]

SEED = 20261125
LEAST_RIGHT = {"prose": 0.6}
_RIGHT = 0.85
_RESOLVED = 0.8
_FLAGGED = {"fabricated", "misquoted", "retracted"}


def compute(run: Run) -> list[Row]:
    """Every row; of the halves that are asked for."""
    run.parameters["seed"] = SEED
    rows = list[Row]()
    rows += hostile_rows()
    check = ReferenceCheck(reader=run.options.reader)
    run.parameters["reader"] = check.reader
    tagger = packaged_tagger() if check.reader == "network" else None
    for half in run.options.half or HALVES:
        some = answers(half)
        rows += reading_rows(half, [read(answer, tagger) for answer in some])
        known = works(half)
        whole = [answer for answer in some if all(label.work in known for label in answer.labels)]
        rows += accusation_rows(run, half, whole, known)
    return rows


# -- hostile text

_REFERENCES = (
    "1. Vaswani, A., Shazeer, N. (2017). Attention Is All You Need. NeurIPS, 30, 5998-6008. https://doi.org/10.5555/3295222\n"
    '2. "Deep Learning" by Ian Goodfellow (2016) - a classic.\n'
    "In Brown v. Board of Education, 347 U.S. 483 (1954), and (Smith & Jones, 2020; Doe, 2019) said.\n"
)
HOSTILE = {
    "references alone": _REFERENCES,
    "opened brackets and quotes": '(["“*_{|',
    "names without end": "Smith, A., ",
    "years": "(2017). Aaa ",
    "list items": "- Aaa Bbb (2017)\n",
    "identifiers": "doi:10.1000/abc ",
}


def hostile_rows() -> list[Row]:
    """Seconds for a megabyte of text that is made to be slow to read; what is loaded once (reporters, journals) is loaded before."""
    rows = []
    citations(_REFERENCES)
    for name, piece in HOSTILE.items():
        text = (piece * (1_000_000 // len(piece) + 1))[:1_000_000]
        start = time.perf_counter()
        left = list(unread(text, citations(text)))
        seconds = time.perf_counter() - start
        rows.append(Row.at_most(f"1 MB of {name}", seconds, 1.0, unit="s", digits=2))
        rows.append(Row.equal(f"1 MB of {name}: said to be unread in part", bool(left), True))
    return rows


# -- reading


def reading_rows(half: str, found: Sequence[Read]) -> list[Row]:
    """Spans, and fields by group; beside them what lines with a year would give."""
    labels = [label for one in found for label in one.answer.labels]
    hits = sum(len(one.pairs) for one in found)
    number = sum(len(one.citations) for one in found)
    lines = [one.answer for one in found]
    line_hits, line_number = _baseline(lines)
    rows = [
        Row.shown(f"{half}: answers", len(found)),
        Row.shown(f"{half}: references", len(labels)),
        Row.at_least(f"{half}: spans, precision", _share(hits, number), 0.97),
        Row.at_least(f"{half}: spans, recall", _share(hits, len(labels)), 0.95),
        Row.shown(f"{half}: spans by lines with a year, precision", _share(line_hits, line_number)),
        Row.shown(f"{half}: spans by lines with a year, recall", _share(line_hits, len(labels))),
    ]
    for group in sorted({one.answer.group for one in found}):
        rows += _group_rows(half, group, [one for one in found if one.answer.group == group])
    pairs = [pair for one in found for pair in one.pairs]
    for name in FIELDS:
        share = _share(sum(right(name, label.reference, one.reference) for label, one in pairs), len(pairs))
        rows.append(Row.shown(f"{half}: {name} right, of the references found", share))
    rows.append(
        Row.missing(f"{half}: all fields right, with a model as reader", "no model can be fetched here")
    )
    return rows


def _group_rows(half: str, group: str, found: Sequence[Read]) -> list[Row]:
    labels = sum(len(one.answer.labels) for one in found)
    if group == "none":
        return [
            Row.shown(f"{half}: found in answers without references", sum(len(o.citations) for o in found))
        ]
    if group == "author-year":
        marks = [(one, label) for one in found for label in one.answer.labels if label.resolves is not None]
        resolved = sum(_resolved(one, label) for one, label in marks)
        return [Row.at_least(f"{half}: author-year marks resolved", _share(resolved, len(marks)), _RESOLVED)]
    fields = [name for name in FIELDS if group != "legal" or name != "venue"]  # a reporter is no venue
    whole = sum(
        all(right(name, label.reference, citation.reference) for name in fields)
        for one in found
        for label, citation in one.pairs
    )
    least = LEAST_RIGHT.get(group, _RIGHT)
    return [Row.at_least(f"{half}: all fields right, {group}", _share(whole, labels), least)]


def _resolved(one: Read, label: Label) -> bool:
    """Whether a mark was found and refers to the right entry."""
    meant = one.answer.labels[label.resolves] if label.resolves is not None else None
    means = next((citation.means for found, citation in one.pairs if found is label), None)
    return meant is not None and means is not None and overlap(one.answer.text, meant.span, means) > 0.5


def _baseline(some: Sequence[Answer]) -> tuple[int, int]:
    """Every line with a year as one reference."""
    hits = number = 0
    for answer in some:
        at = 0
        left = list(answer.labels)
        for line in answer.text.splitlines(keepends=True):
            span = Span(start=at, end=at + len(line.rstrip()))
            at += len(line)
            if not YEAR.search(line):
                continue
            number += 1
            label = next((one for one in left if overlap(answer.text, one.span, span) >= 0.7), None)
            if label is not None:
                left.remove(label)
                hits += 1
    return hits, number


# -- accusations


def accusation_rows(run: Run, half: str, some: Sequence[Answer], known: Mapping[str, Record]) -> list[Row]:
    """The answers as they are, and changed, against an index that has every work and says so."""
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "works.sqlite"
        with Index.create(path, complete=True) as index:
            index.add(known.values())
        guard = Guard([ReferenceCheck(bibliography=path, reader=run.parameters["reader"])])
        try:
            return _judged(run, half, some, known, guard)
        finally:
            guard.close()


def _judged(
    run: Run, half: str, some: Sequence[Answer], known: Mapping[str, Record], guard: Guard
) -> list[Row]:
    def check(answer: Answer) -> list[tuple[Label, Finding]]:
        report = guard.check(answer.text, prompt=answer.question)
        return list(_paired(answer, report.findings))

    run.say(f"{half}: as they are")
    before = {answer.id: check(answer) for answer in some}
    labels = [label for answer in some for label in answer.labels if label.reference.title]
    pairs = [pair for found in before.values() for pair in found if pair[0].reference.title]
    accused = sum(finding.verdict is Verdict.UNSUPPORTED for _, finding in pairs)
    verified = sum(finding.verdict is Verdict.SUPPORTED for _, finding in pairs)
    rows = [
        Row.at_most(f"{half}: real works accused", _share(accused, len(labels)), 0.01),
        Row.shown(f"{half}: real works verified", _share(verified, len(labels))),
    ]
    changer = Changer(known, SEED)
    for field in CHANGES:
        run.say(f"{half}: {field} changed")
        flagged = touched = cleared = 0
        for answer in some:
            changed, false = changer.changed(answer, field)
            found = {id(label): finding for label, finding in check(changed) if label in false}
            touched += len(false)
            flagged += sum(finding.label in _FLAGGED for finding in found.values())
            cleared += sum(finding.verdict is Verdict.SUPPORTED for finding in found.values())
        rows.append(Row.shown(f"{half}: references with {field} changed", touched))
        rows.append(Row.at_least(f"{half}: flagged, {field} changed", _share(flagged, touched), 0.95))
        if field == "title":
            rows.append(Row.equal(f"{half}: made-up works verified", cleared, 0))
    return rows


def _paired(answer: Answer, findings: Sequence[Finding]) -> Iterable[tuple[Label, Finding]]:
    """Each label with the finding at its place, if there is one; the worst, if there are several."""
    order = {Verdict.UNSUPPORTED: 0, Verdict.UNVERIFIED: 1, Verdict.SUPPORTED: 2}
    for label in answer.labels:
        near = [
            finding
            for finding in findings
            if finding.span is not None and overlap(answer.text, label.span, finding.span) > 0.3
        ]
        if near:
            yield label, min(near, key=lambda finding: order[finding.verdict] if finding.verdict else 3)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def add_options(parser: argparse.ArgumentParser) -> None:
    """Options of this benchmark alone."""
    parser.add_argument("--half", action="append", choices=HALVES, help="this half; both by default")
    add_reader(parser)


def add_reader(parser: argparse.ArgumentParser) -> None:
    """Who reads."""
    parser.add_argument(
        "--reader",
        choices=("auto", "network", "grammars"),
        default="auto",
        help="who reads the references (ReferenceCheck)",
    )


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; returns the exit code."""
    return bench(
        "references.answers",
        compute,
        argv,
        folder=Path(__file__).parent,
        doc=__doc__ or "",
        add_options=add_options,
    )
