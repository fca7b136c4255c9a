"""References behind a lead-in ("See", "Voir", "Siehe"), and authors under other forms of their names: is one of them called wrong?

A program puts every lead-in before a real work in every shape. The index has the works of the half and is declared complete. The same
references without a lead-in, and with the authors of another work, are checked as well, and so are titles with a made-up beginning. Names are read from a list of authors and compared
with those of a record.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks._rows import Row
from benchmarks._stats import wilson_interval
from benchmarks._table import Run, bench
from benchmarks.references.answers.run import add_reader
from benchmarks.references.leadins._cases import (
    HALVES,
    SHAPES,
    Case,
    NameCase,
    cases,
    longer,
    name_cases,
    plain,
    works,
)
from guardrail import Guard, Verdict
from guardrail.detectors import ReferenceCheck
from guardrail.references.bibliography.index import Index
from guardrail.references.bibliography.matching import judge
from guardrail.references.bibliography.records import Outcome, Record, Reference
from guardrail.references.citations.fields import Stretch, reference_of
from guardrail.references.quotation import accused

__all__ = ["main"]

HERE = Path(__file__).resolve().parent
QUESTION = "What should I read?"
TITLE = "A title of which the names are the only doubt"


def compute(run: Run) -> list[Row]:
    """Every row."""
    rows: list[Row] = []
    halves = [half for half, name in enumerate(HALVES) if run.options.half in {"both", name}]
    for half in halves:
        rows += _of_references(half, run)
    for half in halves:
        rows += _of_names(half)
    return rows


# --- lead-ins ----------------------------------------------------------------------------------------------


def _of_references(half: int, run: Run) -> Iterator[Row]:
    name = HALVES[half]
    led, bare = cases(half)[:: 4 if run.fast else 1], plain(half)[:: 3 if run.fast else 1]
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "works.sqlite"
        with Index.create(path, complete=True) as index:
            index.add(works(half))
        check = ReferenceCheck(bibliography=path, reader=run.options.reader)
        run.parameters["reader"] = check.reader
        guard = Guard([check])
        try:
            said = [(case, _verdict(guard, case, case.text)) for case in led]
            alone = [(case, _verdict(guard, case, case.text)) for case in bare]
            false = [_verdict(guard, case, case.false) for case in led]
            made_up = [_verdict(guard, case, case.text) for case in longer(half)[:: 4 if run.fast else 1]]
            false_alone = [_verdict(guard, case, case.false) for case in bare]
        finally:
            guard.close()
    if run.options.wrong:
        for case, verdict in said + alone:
            if verdict != "right":
                print(f"{name}\t{verdict}\t{case.language}\t{case.shape}\t{case.text!r}")
    every = [verdict for _, verdict in said]
    yield Row.shown(f"{name}: references behind a lead-in", len(every))
    yield _share(f"{name}: right", every, "right", least=0.97)
    yield _share(f"{name}: accused", every, "accused", most=0)
    for language in dict.fromkeys(case.language for case, _ in said):
        some = [verdict for case, verdict in said if case.language == language]
        yield _share(f"{name}: right, {language}", some, "right")
    for shape in SHAPES:
        some = [verdict for case, verdict in said if case.shape == shape]
        yield _share(f"{name}: right, {shape}", some, "right")
        yield _share(f"{name}: accused, {shape}", some, "accused")
    yield Row.shown(f"{name}: references without a lead-in", len(alone))
    yield _share(f"{name}: right, without a lead-in", [verdict for _, verdict in alone], "right")
    yield _share(f"{name}: accused, without a lead-in", [verdict for _, verdict in alone], "accused")
    yield _share(f"{name}: false authors behind a lead-in accused", false, "accused")
    yield _share(f"{name}: false authors without a lead-in accused", false_alone, "accused")
    yield Row.shown(f"{name}: titles with a made-up beginning", len(made_up))
    yield _share(f"{name}: made-up beginning accused", made_up, "accused")
    yield Row.equal(f"{name}: made-up beginning verified", made_up.count("right"), 0)
    yield Row.equal(f"{name}: false authors verified", false.count("right") + false_alone.count("right"), 0)


def _verdict(guard: Guard, case: Case, text: str) -> str:
    """What is said: "accused" if anything is; "right" if a reference with the title is verified, and nothing is in doubt; else "open"."""
    findings = [one for one in guard.check(text, prompt=QUESTION).findings if one.verdict]
    at = text.index(case.work.title)
    over = [
        one
        for one in findings
        if one.span and one.span.start < at + len(case.work.title) and one.span.end > at
    ]
    if any(one.verdict is Verdict.UNSUPPORTED for one in findings):
        return "accused"
    return "right" if over and all(one.verdict is Verdict.SUPPORTED for one in findings) else "open"


def _share(
    quantity: str, said: Sequence[str], what: str, *, least: float | None = None, most: float | None = None
) -> Row:
    count = said.count(what)
    share = count / len(said) if said else None
    interval = wilson_interval(count, len(said)) if said else None
    if least is not None:
        return Row.at_least(quantity, share, least, interval=interval)
    return (
        Row.shown(quantity, share, interval=interval)
        if most is None
        else Row.at_most(quantity, share, most, interval=interval)
    )


# --- names -------------------------------------------------------------------------------------------------


def _of_names(half: int) -> Iterator[Row]:
    name = HALVES[half]
    every = name_cases(half)
    same = [(case, _compared(case)) for case in every if case.same]
    other = [_compared(case) for case in every if not case.same]
    yield Row.shown(f"{name}: forms of names", len(same))
    yield _share(f"{name}: the same author", [said for _, said in same], "same", least=0.97)
    yield _share(f"{name}: another form accused", [said for _, said in same], "accused", most=0)
    for kind in dict.fromkeys(case.kind for case, _ in same):
        some = [said for case, said in same if case.kind == kind]
        yield _share(f"{name}: the same author, {kind}", some, "same")
        yield _share(f"{name}: another form accused, {kind}", some, "accused")
    yield Row.shown(f"{name}: other authors", len(other))
    yield _share(f"{name}: other authors accused", other, "accused", least=0.95)


def _compared(case: NameCase) -> str:
    """What a look-up says of the names: "same", "accused", or "open", which is also a difference that accuses nobody."""
    said = reference_of(case.cited, [Stretch("author", 0, len(case.cited))]).authors
    match = judge(Reference(TITLE, said, year=2001), [Record(TITLE, case.record, year=2001)])
    check = next((one for one in match.fields if one.field == "authors"), None)
    if accused(match, "default"):
        return "accused"
    return "same" if check and check.outcome in {Outcome.CONFIRMED, Outcome.NEAR} else "open"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Options of this benchmark alone."""
    add_reader(parser)
    parser.add_argument("--half", choices=("both", *HALVES), default="both", help="of the cases")
    parser.add_argument("--wrong", action="store_true", help="print the cases that do not come out right")


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; returns the exit code."""
    return bench("references.leadins", compute, argv, folder=HERE, doc=__doc__ or "", add_options=add_options)
