"""A simulated subject with known error rates: how often the 95 % intervals of the rates by the verdicts hold them.

The verdicts are those of the oracles, from question, answer, facts and the text of the reply.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache

from scipy.stats import binom

from benchmarks._table import Row, Run
from benchmarks.logic.generation import FACTS, NO_ENGINE, cases, read_domains
from benchmarks.logic.subject import Subject, estimate
from guardrail.logic.knowledge import Triple, reviewed
from guardrail.logic.knowledge.prolog import available
from guardrail.logic.paper.oracles.truth import Truth
from guardrail.logic.paper.oracles.verdicts import judge
from guardrail.logic.paper.questions.cases import FactCase
from guardrail.statistics.intervals import wilson

__all__ = ["RATES", "SEEDS", "coverage", "exact_coverage", "rows"]

SEEDS = 1000
POOL, ASKED = 400, 150  # cases, and how many of them each subject answers
RATES = ((0.15, 0.25), (0.35, 0.1))  # of knowledge and of inference errors
SILENCE = 0.05
BAR = (0.93, 0.97)


def rows(run: Run) -> list[Row]:
    """How well the oracles see each kind of error, and the coverage of both rates."""
    if available():
        return [Row.missing("Simulated subject: coverage", NO_ENGINE)]
    folder = run.data("drowzee")
    facts = [triple for triples in read_domains(folder / FACTS).values() for triple in triples]
    made = cases(folder)
    asked = random.Random(0).sample(made, min(POOL, len(made)))
    found = _seen(asked, facts)
    for knowledge, inference in RATES[: 1 if run.fast else None]:
        title = f"Simulated subject, errors of knowledge {knowledge}, of inference {inference}"
        held = coverage(asked, facts, knowledge, inference, seeds=SEEDS)
        exact = exact_coverage(min(ASKED, len(asked)), knowledge, inference)
        for name in ("knowledge", "inference"):
            share = held[name] / SEEDS
            found.append(
                Row.between(f"{title}: coverage, {name}", share, BAR, interval=wilson(held[name], SEEDS))
            )
            found.append(Row.shown(f"{title}: coverage by the binomial law, {name}", exact[name]))
    return [*found, Row.shown("Simulated subject: seeds", SEEDS)]


def _seen(asked: Sequence[FactCase], facts: Iterable[Triple]) -> list[Row]:
    """What the oracles call replies with a false fact, with a wrong conclusion alone, and with neither."""
    subject = Subject(reviewed(), facts, knowledge_error=0, inference_error=0)
    kinds: tuple[tuple[str, bool, bool, set[str]], ...] = (
        ("a false fact", True, False, {"error_knowledge", "both"}),
        ("a wrong conclusion alone", False, True, {"error_inference"}),
        ("no error", False, False, {"correct"}),
    )
    rows = []
    for title, misled, turned, right in kinds:
        names = [_verdict(case, subject.said(case, misled=misled, turned=turned)) for case in asked]
        count = sum(name in right for name in names)
        rows.append(
            Row.shown(
                f"Simulated subject: replies with {title}, verdict right",
                count / len(names),
                interval=wilson(count, len(names)),
            )
        )
    return rows


@cache
def _verdict(case: FactCase, text: str) -> str:
    truth = Truth(case.question, case.answer, case.facts, asked=case.triple, affirms=case.affirms)
    return judge(text, truth).name


def coverage(
    asked: Sequence[FactCase],
    facts: Iterable[Triple],
    knowledge: float,
    inference: float,
    *,
    seeds: int,
    verdict: Callable[[FactCase, str], str] = _verdict,
) -> Counter[str]:
    """In how many of the seeds the interval of each rate holds the rate that was put in."""
    subject = Subject(
        reviewed(), facts, knowledge_error=knowledge, inference_error=inference, silence=SILENCE
    )
    held: Counter[str] = Counter()
    for seed in range(seeds):
        subject.seeded(seed)
        drawn = random.Random(f"cases {seed}").sample(asked, min(ASKED, len(asked)))
        replies = [(case, subject.reply(case)) for case in drawn]
        names = [verdict(case, text) for case, text in replies if not text.startswith("I don't know")]
        found = estimate(names)
        for name, true in (("knowledge", knowledge), ("inference", inference)):
            low, high = found[name].interval if name in found else (0.0, 1.0)
            held[name] += low <= true <= high
    return held


def exact_coverage(asked: int, knowledge: float, inference: float) -> dict[str, float]:
    """What the coverage of Wilson's interval must come to where every verdict is right.

    Of the cases asked some have replies, and of these some state nothing false: both numbers are binomial.
    """
    return {
        "knowledge": _over(asked, 1 - SILENCE, knowledge),
        "inference": _over(asked, (1 - SILENCE) * (1 - knowledge), inference),
    }


def _over(asked: int, share: float, true: float) -> float:
    total = 0.0
    for replies in range(asked + 1):
        weight = float(binom.pmf(replies, asked, share))
        total += weight * _coverage(replies, true) if weight > 1e-12 else 0.0
    return total


@cache
def _coverage(replies: int, true: float) -> float:
    if replies == 0:
        return 1.0
    ends = ((errors, wilson(errors, replies)) for errors in range(replies + 1))
    inside = [errors for errors, found in ends if found[0] <= true <= found[1]]
    return float(binom.pmf(inside, replies, true).sum())
