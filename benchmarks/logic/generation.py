"""Cases from the facts: how many in each domain by each rule, how fast, how even, and whether a second proof agrees."""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from benchmarks._table import Row, Run
from benchmarks.logic.temporal import CASES, read_history
from guardrail.errors import InputError
from guardrail.logic.knowledge import Triple, reviewed
from guardrail.logic.knowledge.prolog import PACKAGE, available
from guardrail.logic.paper.questions.cases import RULES, FactCase, Generated
from guardrail.logic.paper.questions.cases import generate as generate_facts
from guardrail.logic.paper.questions.reproof import Evaluator
from guardrail.logic.paper.temporal.generation import generate as generate_temporal

__all__ = ["DOMAINS", "FACTS", "NO_ENGINE", "cases", "read_domains", "rows"]

FACTS = "nontemporal_facts.jsonl"
DOMAINS = ("culture", "geography", "health", "history", "math", "nature", "people", "society", "tech")
MOST, LEAST, SECONDS = 200, 5000, 60.0
SEED = 0
NO_ENGINE = f"needs SWI-Prolog ({PACKAGE}) and pyswip"


def rows(run: Run) -> list[Row]:
    """All rows; without SWI-Prolog one that says so."""
    folder = run.data("drowzee")
    if available():
        return [Row.missing("Cases: all", NO_ENGINE)]
    domains = read_domains(folder / FACTS)
    events = read_history(folder, by="name")
    started = time.perf_counter()
    made = generate_facts(domains, count=MOST, seed=SEED)
    temporal = generate_temporal(events, count=CASES, seed=SEED)
    seconds = time.perf_counter() - started
    full = run.data_folder is None
    total = Row.at_least("Cases: all", len(made.cases), LEAST, digits=0)
    return [
        *_cells(made),
        total if full else Row.shown("Cases: all", len(made.cases)),
        Row.shown("Cases: distinct triples", len({case.triple for case in made.cases})),
        Row.at_most(
            f"Cases: time, with {len(temporal):,} temporal ones and all second proofs",
            seconds,
            SECONDS,
            unit="s",
            digits=1,
        ),
        Row.between("Cases: share of Yes", _share(made.cases), (0.45, 0.55)),
        *_checks(made.cases, domains),
    ]


@cache
def cases(folder: Path, count: int = 40) -> Sequence[FactCase]:
    """A smaller set, for what needs cases and not their number."""
    return tuple(generate_facts(read_domains(folder / FACTS), count=count, seed=SEED).cases)


def read_domains(path: Path) -> Mapping[str, list[Triple]]:
    """The base triples of a file by `category`.

    Raises:
        InputError: the file is not there, or a line has other fields.
    """
    found: dict[str, list[Triple]] = defaultdict(list)
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        for line in filter(str.strip, lines):
            entry = json.loads(line)
            found[entry["category"]].append(Triple(entry["subject"], entry["predicate"], entry["object"]))
    except (OSError, UnicodeDecodeError, ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"expected {path.name} with category, subject, predicate and object in each line, got {error!r}."
        ) from error
    return {name: found[name] for name in sorted(found)}


def _cells(made: Generated) -> list[Row]:
    rows = []
    for (domain, rule), cell in made.cells.items():
        rows.append(Row.shown(f"Cases: {domain}, {rule}", cell.cases))
        if cell.reason:
            rows.append(Row.shown(f"Cases: {domain}, {rule}: why not {MOST}", cell.reason))
    return rows


def _checks(found: Sequence[FactCase], domains: Mapping[str, Sequence[Triple]]) -> list[Row]:
    answers: dict[str, set[bool]] = defaultdict(set)
    truths: dict[Triple, set[bool]] = defaultdict(set)
    for case in found:
        answers[case.question].add(case.answer)
        truths[case.triple].add(case.answer == case.affirms)
    given = {triple for triples in domains.values() for triple in triples}
    second = Evaluator(given, reviewed())
    again = sum(second.answer(case.question, case.triple) is case.answer for case in found)
    based = sum(bool(case.facts) and given.issuperset(case.facts) for case in found)
    contradictions = sum(len(both) > 1 for both in (*answers.values(), *truths.values()))
    excluded = sum(case.answer != case.affirms for case in found)
    return [
        Row.equal("Cases: duplicates", len(found) - len(answers), 0),
        Row.equal("Cases: contradictions", contradictions, 0),
        Row.equal("Cases: answers proved again by the second evaluator", again, len(found)),
        Row.equal("Cases: answers with base triples as their proof", based, len(found)),
        Row.shown("Cases: about triples that a contradiction excludes", excluded),
        Row.shown(
            "Cases: worded by a synonym, an antonym or a negation", sum(c.mutation != "none" for c in found)
        ),
        *(
            Row.between(
                f"Cases: {rule}, share of Yes", _share([c for c in found if c.rule == rule]), (0.45, 0.55)
            )
            for rule in RULES
            if any(c.rule == rule for c in found)
        ),
    ]


def _share(found: Sequence[FactCase]) -> float | None:
    return sum(case.answer for case in found) / len(found) if found else None
