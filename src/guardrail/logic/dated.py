"""Claims about years, judged by metric temporal logic over the dated events."""

from __future__ import annotations

from collections.abc import Iterator

from guardrail.logic.outcomes import Outcome
from guardrail.logic.temporal.events import History
from guardrail.logic.temporal.intervals import in_words
from guardrail.logic.temporal.semantics import holds
from guardrail.logic.temporal.senses import Claim


def judge_claim(claim: Claim, events: History) -> Outcome:
    """What the dated events say of a claim about years.

    False in the weakest sense is contradicted, true in the strongest is entailed; between them it depends on what
    was meant.
    """
    strongest = claim.strongest
    dates = tuple(_dates(claim, events))
    known = " and ".join(dates)
    if holds(strongest.formula, strongest.year, events):
        steps = (*(f"{one}." for one in dates), f"{_logic(strongest)} is true.")
        return Outcome("entailed", f"True by the dates: {known}.", steps, known)
    if not holds(claim.formula, claim.year, events):
        steps = (
            *(f"{one}." for one in dates),
            f"{_logic(claim)} is false, so the claim is false in every sense.",
        )
        return Outcome("contradicted", f"False by the dates: {known}.", steps, known)
    return Outcome(
        "unknown", f"Whether it is true depends on what is meant: {known}.", tuple(f"{d}." for d in dates)
    )


def _dates(claim: Claim, events: History) -> Iterator[str]:
    for name in dict.fromkeys((*claim.formula.atoms(), *claim.strongest.formula.atoms())):
        yield f"{name} is dated {in_words(events[name])}"


def _logic(claim: Claim) -> str:
    return f"In metric temporal logic, {claim.formula} in {claim.year}"
