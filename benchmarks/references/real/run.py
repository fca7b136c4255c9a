"""Real answers of chatbots: are their references found and read, and is nothing else taken for one?

Only places are kept here; the answers are read from the data set `real_answers`. Rows of the half "unseen" are computed only with
`--half unseen`; README.md says how often they were.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from benchmarks._rows import Row
from benchmarks._table import Run, bench
from benchmarks.references.answers.labels import HALVES
from benchmarks.references.answers.reading import paired, read
from benchmarks.references.answers.run import add_reader
from benchmarks.references.real.labels import KINDS, Real, real_answers, without_references
from benchmarks.references.real.scoring import (
    FIELDS,
    GROUPS,
    Paired,
    agreement,
    field_right,
    pattern_reader,
    share,
)
from guardrail.detectors import ReferenceCheck
from guardrail.references.citations.tagging import Tagger, packaged_tagger

__all__ = ["main"]

BARS = {"works and pages": (0.95, 0.95), "laws and cases": (0.85, 0.80), "marks": (0.90, 0.85)}
ASKED = (0.93, 0.90)
"""Most that is asked of precision and recall of all kinds: two hands that agree less lower it."""
LESS = 0.03  # than the agreement of two hands
HARD = "negatives/alpaca_eval_hard_unverified"
EVERY = 4  # answer of a short run


def compute(run: Run) -> list[Row]:
    """Agreement of the hands over both halves, and what is read of one."""
    half, folder = run.options.half, run.data("real_answers")
    check = ReferenceCheck(reader=run.options.reader)
    run.parameters |= {"half": half, "reader": check.reader}
    tagger = packaged_tagger() if check.reader == "network" else None
    step = EVERY if run.fast else 1
    hands = dict(agreement([one for name in HALVES for one in real_answers(name, folder)]))
    rows = [Row.shown(f"two hands: {name}", value) for name, value in hands.items()]
    labelled = [_read(one, tagger) for one in real_answers(half, folder)[::step]]
    rows += reading_rows(half, labelled, hands["F1, all kinds"])
    clean = [_read(one, tagger) for one in without_references(half, folder)[::step]]
    rows += silence_rows(half, labelled, clean)
    return rows


def _read(real: Real, tagger: Tagger | None) -> Paired:
    found = read(real.answer, tagger)
    return Paired(real, found.citations, found.pairs)


def reading_rows(half: str, some: Sequence[Paired], agreed: float | None) -> Iterator[Row]:
    """Counts, spans by kind, fields, and what patterns would give.

    Args:
        half: its name.
        some: answers that were read.
        agreed: F1 of two hands.
    """
    yield Row.shown(f"{half}: answers", len(some))
    for kind in KINDS:
        yield Row.shown(f"{half}: {kind}s", sum(one.labelled((kind,)) for one in some))
    ceiling = 1.0 if agreed is None else agreed - LESS
    bars = {"all kinds": (min(ceiling, ASKED[0]), min(ceiling, ASKED[1])), **BARS}
    for group, (precision, recall) in bars.items():
        yield from _span_rows(f"{half}: {group}", some, GROUPS[group], bars=(precision, recall))
    for kind in KINDS:
        found = share(some, _paired_of(kind), _labelled_of(kind))
        yield Row.shown(
            f"{half}: {kind}s found, whatever kind was said", found.value, interval=found.interval
        )
    right = share(some, lambda one: sum(a.kind == b.kind for a, b in one.pairs), lambda one: len(one.pairs))
    yield Row.shown(f"{half}: kind right, of what was found", right.value, interval=right.interval)
    yield from _field_rows(half, some)
    yield from _language_rows(half, some)
    yield from _baseline_rows(half, some)


def _paired_of(kind: str) -> Callable[[Paired], int]:
    return lambda one: sum(label.kind == kind for label, _ in one.pairs)


def _labelled_of(kind: str) -> Callable[[Paired], int]:
    return lambda one: one.labelled((kind,))


def _span_rows(
    name: str, some: Sequence[Paired], kinds: Sequence[str], *, bars: tuple[float, float] | None = None
) -> Iterator[Row]:
    """Precision and recall of what is said to be of some kinds."""
    precision = share(some, lambda one: len(one.hits(kinds)), lambda one: one.said(kinds))
    recall = share(some, lambda one: len(one.hits(kinds)), lambda one: one.labelled(kinds))
    for number, (quantity, found) in enumerate((("precision", precision), ("recall", recall))):
        if bars is None:
            yield Row.shown(f"{name}, {quantity}", found.value, interval=found.interval)
        else:
            yield Row.at_least(f"{name}, {quantity}", found.value, bars[number], interval=found.interval)


def _field_rows(half: str, some: Sequence[Paired]) -> Iterator[Row]:
    """Of works and pages that were found, what is read as it is labelled."""
    kinds = GROUPS["works and pages"]

    def count(names: Sequence[str]) -> Callable[[Paired], int]:
        return lambda one: sum(
            all(field_right(name, label.reference, citation.reference) for name in names)
            for label, citation in one.hits(kinds)
        )

    for name in FIELDS:
        found = share(some, count((name,)), lambda one: len(one.hits(kinds)))
        yield Row.shown(f"{half}: {name} right, works and pages", found.value, interval=found.interval)
    found = share(some, count(FIELDS), lambda one: len(one.hits(kinds)))
    quantity = f"{half}: title, authors and year right, works and pages"
    yield Row.at_least(quantity, found.value, 0.88, interval=found.interval)


def _language_rows(half: str, some: Sequence[Paired]) -> Iterator[Row]:
    languages = {one.real.answer.language for one in some}
    for language in sorted(languages):
        own = [one for one in some if one.real.answer.language == language]
        if sum(one.labelled(KINDS) for one in own) >= 20:
            yield from _span_rows(f"{half}: all kinds, {language}", own, KINDS)


def _baseline_rows(half: str, some: Sequence[Paired]) -> Iterator[Row]:
    """Reading nothing, and reading links and names before years."""
    yield Row.shown(f"{half}: reading nothing, recall", 0.0)
    yield from _span_rows(f"{half}: two patterns", [_by_patterns(one.real) for one in some], KINDS)


def _by_patterns(real: Real) -> Paired:
    found = pattern_reader(real.answer.text)
    return Paired(real, found, paired(real.answer.text, real.answer.labels, found))


def silence_rows(half: str, labelled: Sequence[Paired], clean: Sequence[Paired]) -> Iterator[Row]:
    """The share of answers without references in which one is found.

    Args:
        half: its name.
        labelled: answers of which some turned out to have no reference; they look as if they had.
        clean: answers without references.
    """
    hard = [one for one in clean if one.real.answer.group == HARD]
    alike = [one for one in labelled if not one.real.answer.labels]
    yield Row.shown(f"{half}: answers without references", len(clean))
    yield _silence(f"{half}: without references, with a false one", clean, 0.02)
    if hard:
        yield _silence(f"{half}: the hard ones of them ({len(hard)}), with a false one", hard, 0.05)
    found = share(alike, _has_any, _counts_once)
    quantity = f"{half}: labelled and without references ({len(alike)}), with a false one"
    yield Row.shown(quantity, found.value, interval=found.interval)
    by_patterns = share([_by_patterns(one.real) for one in clean], _has_any, _counts_once)
    quantity = f"{half}: without references, with a false one by two patterns"
    yield Row.shown(quantity, by_patterns.value, interval=by_patterns.interval)


def _silence(quantity: str, some: Sequence[Paired], bar: float) -> Row:
    found = share(some, _has_any, _counts_once)
    return Row.at_most(quantity, found.value, bar, interval=found.interval)


def _has_any(one: Paired) -> int:
    return bool(one.found)


def _counts_once(_: Paired) -> int:
    return 1


def add_options(parser: argparse.ArgumentParser) -> None:
    """Options of this benchmark alone."""
    parser.add_argument("--half", choices=HALVES, default="seen", help='"seen" by default')
    add_reader(parser)


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; returns the exit code."""
    return bench(
        "references.real",
        compute,
        argv,
        folder=Path(__file__).parent,
        doc=__doc__ or "",
        add_options=add_options,
    )
