"""Everyday cases by kind: whether the report has the right value, accuses the right places, and leaves a clean answer alone."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks._rows import Row
from benchmarks._table import Run
from benchmarks.answers.checking import cache_file, check, opened
from guardrail import (
    Cache,
    Case,
    Detector,
    Finding,
    Guard,
    Policy,
    Report,
    Span,
    Verdict,
    annotate,
    block,
    remove,
)
from guardrail.detectors import SelfCheck
from guardrail.errors import InputError

__all__ = ["FILE", "NOTHING", "KindCase", "kind_rows", "policies", "read_cases", "wrong_with"]

FILE = Path(__file__).with_name("cases.jsonl")
NOTHING = "nothing"
"""What the verdict of an answer is called that claims nothing."""
_VALUES = frozenset({NOTHING, *Verdict})
_ON = ("unsupported", "unverified")


@dataclass(frozen=True, slots=True)
class KindCase:
    """One answer beside its documents.

    Attributes:
        id: of the case.
        kind: the fault that it is about.
        case: what is checked.
        expect: the right values, of which any will do: a verdict, or `NOTHING`.
        wrong: the places of the answer that are false; every place is a run of characters and may occur more than once.
        writer: who wrote it: "a" knew the code, any other had not seen it.
        lang: ISO 639-1, of the answer.
    """

    id: str
    kind: str
    case: Case
    expect: frozenset[str]
    wrong: tuple[str, ...]
    writer: str
    lang: str


def read_cases(path: Path = FILE) -> list[KindCase]:
    """All cases of a file of JSON lines.

    Raises:
        InputError: one of them is of another form, or its false place is not in the answer.
    """
    found: dict[str, KindCase] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            row = json.loads(line)
            one = KindCase(
                id=row["id"],
                kind=row["kind"],
                case=Case.of(row["answer"], prompt=row["question"] or None, context=row["documents"]),
                expect=frozenset(row["expect"]),
                wrong=tuple(row["wrong"]),
                writer=row.get("writer", "b"),
                lang=row["lang"],
            )
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(f"line {number} of {path.name!r}: expected a case, got {error!r}.") from error
        _must_fit(one)
        if found.setdefault(one.id, one) is not one:
            raise InputError(f"{path.name!r}: expected every id once, got {one.id!r} again.")
    return list(found.values())


def _must_fit(one: KindCase) -> None:
    if not one.expect or not one.expect <= _VALUES:
        raise InputError(f"{one.id!r}: expected some of {sorted(_VALUES)}, got {sorted(one.expect)}.")
    for text in one.wrong:
        if not text or text not in one.case.answer:
            raise InputError(f"{one.id!r}: expected a false place in the answer, got {text!r}.")
    if one.wrong and Verdict.UNSUPPORTED not in one.expect:
        raise InputError(f"{one.id!r}: false places go with 'unsupported', got {sorted(one.expect)}.")
    if one.expect == {Verdict.UNSUPPORTED} and not one.wrong:
        raise InputError(f"{one.id!r}: expected the false places of an unsupported answer, got none.")


def policies(detector: Detector, cache: Cache | None = None) -> dict[str, Guard]:
    """Guards that change an answer where anything is unsupported or unverified."""
    chosen: dict[str, Policy] = {
        "annotate": annotate(on=_ON),
        "remove": remove(on=_ON),
        "block": block(on=_ON),
    }
    guards = {name: Guard([detector], policy=policy, cache=cache) for name, policy in chosen.items()}
    return guards | {
        "on_unverified": Guard([detector], policy=annotate(), on_unverified="block", cache=cache)
    }


def wrong_with(one: KindCase, report: Report, guards: dict[str, Guard]) -> str:
    """What is wrong with a report, in one clause; "" if it is right.

    The verdict is one of those expected. Of an unsupported answer every finding that accuses overlaps a false place,
    and every false place is accused. One that is supported, or claims nothing, passes all policies unchanged.
    """
    value = report.verdict.value if report.verdict else NOTHING
    if value not in one.expect:
        return f"{value}: {'; '.join(_reasons(report))}" if report.findings else value
    if value == Verdict.UNSUPPORTED:
        return _misplaced(one, report)
    if value == Verdict.UNVERIFIED:
        return ""
    changed = [name for name, guard in guards.items() if guard.check(one.case).answer != one.case.answer]
    return f"{value}, but changed by {', '.join(changed)}" if changed else ""


def _reasons(report: Report) -> Iterator[str]:
    for finding in report.findings:
        if finding.verdict not in (None, Verdict.SUPPORTED):
            yield f"{finding.text[:60]!r} {finding.reason[:80]}"


def _misplaced(one: KindCase, report: Report) -> str:
    """Who is accused without being false, and what is false without being accused."""
    accused = [finding for finding in report.findings if finding.verdict is Verdict.UNSUPPORTED]
    places = [(text, list(_places(text, one.case.answer))) for text in one.wrong]
    innocent = [
        finding.text
        for finding in accused
        if not any(_overlaps(finding, place) for _, spans in places for place in spans)
    ]
    if innocent:
        return f"accused without being false: {innocent[0][:60]!r}"
    missed = [
        text
        for text, spans in places
        if not any(_overlaps(finding, place) for finding in accused for place in spans)
    ]
    return f"false without being accused: {missed[0][:60]!r}" if missed else ""


def _places(text: str, answer: str) -> Iterator[Span]:
    start = answer.find(text)
    while start >= 0:
        yield Span(start=start, end=start + len(text))
        start = answer.find(text, start + 1)


def _overlaps(finding: Finding, place: Span) -> bool:
    """Whether a finding is about a place; one without a span is about all of the answer."""
    return finding.span is None or finding.span.overlaps(place)


def kind_rows(run: Run, path: Path = FILE) -> list[Row]:
    """How many cases of a kind are right: all must be."""
    cases = read_cases(path)
    wrong = _judged(run, cases, "auto")
    by_words = _judged(run, cases, "words")
    rows = []
    for kind in dict.fromkeys(one.kind for one in cases):
        own = [one for one in cases if one.kind == kind]
        rows.append(_right(f"kind {kind}: right of {len(own)}", own, wrong))
        rows.append(Row.shown(f"kind {kind}: right by words alone", sum(not by_words[one.id] for one in own)))
    for writer in sorted({one.writer for one in cases}):
        own = [one for one in cases if one.writer == writer]
        rows.append(_right(f"kinds, writer {writer}: right of {len(own)}", own, wrong))
    return rows


def _right(quantity: str, own: Sequence[KindCase], wrong: dict[str, str]) -> Row:
    return Row.equal(quantity, sum(not wrong[one.id] for one in own), len(own))


def _judged(run: Run, cases: Sequence[KindCase], fit: str) -> dict[str, str]:
    """By case what is wrong with its report."""
    detector = SelfCheck("grounding", fit=fit)
    cache = Cache(cache_file())
    guards = policies(detector, cache)
    with opened(cache, fit=fit) as guard:
        reports = check(guard, [one.case for one in cases], run.say)
        found = {one.id: wrong_with(one, report, guards) for one, report in zip(cases, reports, strict=True)}
    for name, why in found.items():
        if why and run.options.wrong:
            sys.stderr.write(f"{name} ({fit}): {why}\n")
    return found
