"""A simulated subject with known error rates: how often the 95 % intervals of the rates by the verdicts hold them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

from scipy.stats import binom

from benchmarks._table import Row, Run
from benchmarks.logic.generation import NO_ENGINE, cases
from guardrail.logic.knowledge import reviewed
from guardrail.logic.knowledge.prolog import available
from guardrail.logic.questions.cases import FactCase
from guardrail.logic.questions.evaluation import wilson
from guardrail.logic.questions.subject import Subject, estimate, verdict

__all__ = ["RATES", "SEEDS", "coverage", "exact_coverage", "rows"]

SEEDS = 1000
ASKED = 120  # cases that each subject answers
RATES = ((0.15, 0.25), (0.35, 0.1))  # of knowledge and of inference errors
SILENCE = 0.05
BAR = (0.93, 0.97)


def rows(run: Run) -> list[Row]:
    """Coverage for both rates, and for the share of wrong conclusions that follows from them."""
    if available():
        return [Row.missing("Simulated subject: coverage", NO_ENGINE)]
    asked = cases(run.data("drowzee"))
    found: list[Row] = []
    for knowledge, inference in RATES[: 1 if run.fast else None]:
        title = f"Simulated subject, errors of knowledge {knowledge}, of inference {inference}"
        held = coverage(asked, knowledge, inference, seeds=SEEDS)
        for name, true in (("knowledge", knowledge), ("inference", inference)):
            found.append(
                Row.between(
                    f"{title}: coverage, {name}", held[name] / SEEDS, BAR, interval=wilson(held[name], SEEDS)
                )
            )
            exact = exact_coverage(ASKED, true, SILENCE)
            found.append(Row.shown(f"{title}: coverage by the binomial law, {name}", exact))
    found.append(Row.shown("Simulated subject: seeds", SEEDS))
    return found


def coverage(asked: Sequence[FactCase], knowledge: float, inference: float, *, seeds: int) -> Counter[str]:
    """In how many of the seeds the interval of each rate holds the rate that was put in."""
    relations = reviewed()
    entities = sorted({end for case in asked for fact in case.facts for end in (fact.subject, fact.object)})
    held: Counter[str] = Counter()
    for seed in range(seeds):
        subject = Subject(
            relations,
            entities,
            knowledge_error=knowledge,
            inference_error=inference,
            silence=SILENCE,
            seed=seed,
        )
        drawn = random.Random(seed).sample(asked, min(ASKED, len(asked)))
        rates = estimate([verdict(case, subject.reply(case), relations) for case in drawn])
        for name, true in (("knowledge", knowledge), ("inference", inference)):
            low, high = rates[name].interval
            held[name] += low <= true <= high
    return held


def exact_coverage(asked: int, true: float, silence: float) -> float:
    """What the coverage of Wilson's interval must come to, over the number of answers and of errors among them."""
    total = 0.0
    for answers in range(1, asked + 1):
        weight = float(binom.pmf(answers, asked, 1 - silence))
        if weight < 1e-12:
            continue
        for errors in range(answers + 1):
            interval = wilson(errors, answers)
            if interval is not None and interval[0] <= true <= interval[1]:
                total += weight * float(binom.pmf(errors, answers, true))
    return total
