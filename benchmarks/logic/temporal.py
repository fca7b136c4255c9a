"""Metric temporal logic: exactness, the published cases, and generated ones, as rows."""

from __future__ import annotations

import json
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeGuard

from benchmarks._data import read_csv
from benchmarks._table import Row
from benchmarks.logic.differential import differential
from benchmarks.logic.english import read
from guardrail.errors import InputError, ParseError
from guardrail.logic.knowledge.sources.reading import year_of
from guardrail.logic.paper.temporal.generation import OPERATORS, Case, generate
from guardrail.logic.paper.temporal.points import Points
from guardrail.logic.temporal.formula import (
    And,
    Atom,
    Finally,
    Formula,
    Globally,
    Implies,
    Next,
    Not,
    Or,
    Until,
)
from guardrail.logic.temporal.intervals import End, IntervalSet, Span
from guardrail.logic.temporal.semantics import History, holds, value

__all__ = [
    "FORMULAS",
    "Published",
    "differential_rows",
    "example_rows",
    "from_json",
    "generation_rows",
    "history",
    "judge",
    "published_rows",
    "read_cases",
    "read_history",
    "scale_rows",
]

FORMULAS = 100_000
CASES = 2_000  # of which the specification asks for 1,800 within a minute, beside the other questions
SECONDS = 60.0
FILES = {"temporal.jsonl": "the 1,800 (half)", "temporal_extra.jsonl": "the others (half)"}
CLIPPED = IntervalSet([(0, 2024)])  # the years of the paper's complement


# --- exactness -----------------------------------------------------------------------------------


def differential_rows(*, count: int = FORMULAS, seed: int = 0) -> list[Row]:
    """Sets of years against Definition 1, read year by year."""
    found = differential(count, seed)
    rarest = min(found.operators, key=lambda op: found.operators[op])
    return [
        Row.at_least("Differential test: random formulas", found.formulas, count, digits=0),
        Row.equal("Differential test: disagreements with Definition 1", len(found.found), 0),
        Row.shown("Differential test: formulas that are neither always nor never true", found.sometimes),
        Row.shown(
            f"Differential test: occurrences of the rarest operator ({rarest})", found.operators[rarest]
        ),
        Row.shown("Differential test: seed", seed),
        Row.shown("Differential test: time", found.seconds, unit="s", digits=1),
    ]


def scale_rows(*, bound: int = 10**6, spans: int = 1000) -> list[Row]:
    """Nothing depends on how wide the bounds are: nested Until over a thousand spans."""
    events = history(
        (name, year, year + length)
        for name, step, length in (("a", 50, 40), ("b", 70, 3))
        for year in range(0, step * spans, step)
    )
    formula = Until(
        Until(Atom("a"), Atom("b"), 0, bound), And(Atom("a"), Finally(Atom("b"), 0, bound)), 2, bound
    )
    started = time.perf_counter()
    value(formula, events)
    seconds = time.perf_counter() - started
    quantity = f"Value of Until in Until, bounds to 10^{len(str(bound)) - 1} years, {spans} spans an event"
    return [Row.at_most(quantity, 1000 * seconds, 100.0, unit="ms", digits=1)]


# --- published cases -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Published:
    """One published case and what three readings say.

    Attributes:
        qid: its number in the data.
        published: the answer it was published with.
        ours: the answer by sets of years.
        defined: the answer by Definition 1, year by year.
        undated: whether it asks of an event without dates, which Definition 1 holds never to have happened.
        as_worded: the answer if the inner clause speaks of the outer year, as the published English has it; `None`
            for questions without a clause in a clause.
    """

    qid: str
    published: bool
    ours: bool
    defined: bool
    undated: bool
    as_worded: bool | None


def read_cases(path: Path) -> list[dict[str, Any]]:
    """The objects of a file with one a line.

    Raises:
        ParseError: a line is none.
    """
    cases = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            case = json.loads(line)
        except ValueError as error:
            raise ParseError(
                f"expected a JSON object, got {line[:80]!r}", source=path.name, line=number
            ) from error
        cases.append(case)
    if not cases:
        raise InputError(f"expected one case a line, got an empty file {path.name!r}")
    return cases


_PUBLISHED: dict[str, Callable[..., Formula]] = {
    "neg": Not,
    "next": Next,
    "finally": Finally,
    "globally": Globally,
    "conj": And,
    "disj": Or,
    "implies": Implies,
    "until": Until,
}


def from_json(node: dict[str, Any]) -> Formula:
    """The formula of a published case, the inverse of `to_json`."""
    if node["op"] == "atom":
        return Atom(node["event"])
    parts = [from_json(node[name]) for name in ("arg", "left", "right") if name in node]
    return _PUBLISHED[node["op"]](*parts, *node.get("interval", ()))


def history(spans: Iterable[tuple[str, End, End]]) -> dict[str, IntervalSet]:
    """A history from (name, first year, last year), an event as often as it has spans."""
    found: defaultdict[str, list[Span]] = defaultdict(list)
    for name, first, last in spans:
        found[name].append((first, last))
    return {name: IntervalSet(several) for name, several in found.items()}


def read_history(folder: Path, *, by: str = "event") -> dict[str, IntervalSet]:
    """The dated events of the data.

    Args:
        folder: the data.
        by: the column that names them: "event" as in the published formulas, "name" for people.
    """
    rows = read_csv(folder / "temporal_facts.csv", columns=("event", "name", "begin", "end"))
    return history((row[by], year_of(row["begin"]), year_of(row["end"])) for row in rows)


def judge(cases: Iterable[dict[str, Any]], events: History) -> list[Published]:
    """What sets of years and Definition 1 say to published cases."""
    found = []
    for case in cases:
        formula, year = from_json(case["ast"]), case["year"]
        undated = {event["event"] for event in case["events"] if event["begin"] is None} - set(events)
        known = {name: IntervalSet() if name in undated else events[name] for name in formula.atoms()}
        spans = {name: years.spans for name, years in known.items()}
        ours, defined = holds(formula, year, known), Points(formula, spans).at(year)
        worded = holds(formula.arg, year, known) if _is_nested(formula) else None
        found.append(Published(case["qid"], bool(case["answer"]), ours, defined, bool(undated), worded))
    return found


def _is_nested(formula: Formula) -> TypeGuard[Next | Finally | Globally]:
    """Whether a temporal operator stands directly inside another one."""
    return isinstance(formula, Next | Finally | Globally) and isinstance(
        formula.arg, Next | Finally | Globally
    )


def published_rows(folder: Path) -> list[Row]:
    """Per file: how many of our answers are those of Definition 1, and which published ones are not."""
    events = read_history(folder)
    rows: list[Row] = []
    for file, title in FILES.items():
        path = folder / file
        if not path.is_file():
            rows.append(
                Row.missing(f"Published cases, {title}: ours equal to Definition 1", f"no file {file}")
            )
            continue
        judged = judge(read_cases(path), events)
        differing = [one.qid for one in judged if one.published != one.defined]
        equal = sum(one.ours == one.defined for one in judged) / len(judged)
        rows += [
            Row.shown(f"Published cases, {title}: cases", len(judged)),
            Row.shown(
                f"Published cases, {title}: cases with an event that has no dates",
                sum(one.undated for one in judged),
            ),
            Row.at_least(f"Published cases, {title}: ours equal to Definition 1", equal, 1.0, digits=4),
            Row.shown(
                f"Published cases, {title}: published answers equal to Definition 1",
                1 - len(differing) / len(judged),
                digits=4,
            ),
            Row.shown(
                f"Published cases, {title}: published answers that differ", " ".join(differing) or "none"
            ),
            Row.shown(
                f"Published cases, {title}: nested questions with another answer as they are worded",
                "{} of {}".format(*_as_worded(judged)),
            ),
        ]
    return rows


def _as_worded(judged: Sequence[Published]) -> tuple[int, int]:
    """Where the published English says another thing than the formula: how many, of how many nested questions.

    It repeats the outer year in the inner clause ("Event2 finally happen within … after the year 1890 onwards"
    inside "in the next year"), so as worded the inner formula is asked of the outer year.
    """
    nested = [one for one in judged if one.as_worded is not None]
    return sum(one.as_worded != one.published for one in nested), len(nested)


def example_rows(folder: Path) -> list[Row]:
    """The nine worked examples of section 3.4: years, after clipping and merging, and answers."""
    cases = read_cases(folder / "temporal_paper_examples.jsonl")
    events = history([("charles_dickens", 1812, 1870), ("victorian_era", 1837, 1901)])
    right = 0
    for case in cases:
        years = value(from_json(case["ast"]), events)
        printed = IntervalSet((first, last) for first, last in case["intervals_unclipped"])
        right += years & CLIPPED == printed and (case["year"] in years) == case["answer"]
    return [Row.equal("Worked examples of section 3.4: as printed", right, len(cases), published=len(cases))]


# --- generated cases -------------------------------------------------------------------------------


def generation_rows(folder: Path, *, count: int = CASES, seed: int = 0) -> list[Row]:
    """Cases over the dated events: how many, how fast, how even, and whether their English says what they ask."""
    events = read_history(folder, by="name")
    started = time.perf_counter()
    cases = generate(events, count=count, seed=seed)
    seconds = time.perf_counter() - started
    answers: dict[str, set[bool]] = {}
    for case in cases:
        answers.setdefault(case.question, set()).add(case.answer)
    cells = Counter((case.formula.op, case.formula.depth) for case in cases)
    proved = sum(_proved(case, events) for case in cases)
    return [
        Row.at_least("Generated cases: count", len(cases), count, digits=0),
        Row.at_most("Generated cases: time with both proofs", seconds, SECONDS, unit="s", digits=2),
        Row.between("Generated cases: share of Yes", _share(cases), (0.45, 0.55)),
        Row.equal("Generated cases: duplicates", len(cases) - len(answers), 0),
        Row.equal("Generated cases: contradictions", sum(len(both) > 1 for both in answers.values()), 0),
        Row.equal("Generated cases: answers proved again by Definition 1", proved, len(cases)),
        Row.equal(
            "Generated cases: questions read back as their formula", sum(map(_read_back, cases)), len(cases)
        ),
        Row.equal(
            "Generated cases: operators outermost", len({op for op, _ in cells} - {"atom"}), len(OPERATORS)
        ),
        Row.shown("Generated cases: smallest cell (operator at a depth)", min(cells.values())),
        Row.shown(
            "Generated cases: events asked of", len({name for case in cases for name in case.formula.atoms()})
        ),
    ]


def _share(cases: Sequence[Case]) -> float:
    return sum(case.answer for case in cases) / len(cases)


def _proved(case: Case, events: History) -> bool:
    formula: Formula = case.formula
    spans = {name: events[name].spans for name in formula.atoms()}
    return Points(formula, spans).at(case.year) == case.answer


def _read_back(case: Case) -> bool:
    reading = read(case.question)
    return (reading.formula, reading.year, reading.asked) == (case.formula, case.year, True)
