"""Assertions about a model's answers in a test suite: `pytest examples/test_answers.py`.

The answers are recorded and labelled (True = made up); use those of your own model. The test fails if the detector gets worse at
telling them apart, or if a new prompt makes the model invent more.
"""

from __future__ import annotations

from guardrail import Case, Guard
from guardrail.detectors import SelfCheck
from guardrail.evaluation import evaluate

CITIES = {
    "Paris": "France",
    "Oslo": "Norway",
    "Rome": "Italy",
    "Cairo": "Egypt",
    "Lima": "Peru",
    "Delhi": "India",
}
GUARD = Guard([SelfCheck("ngram")])


def answers() -> tuple[list[Case], list[bool]]:
    """A right and a wrong answer for each city, with two other answers of the same model."""
    cases, labels = [], []
    for city, country in CITIES.items():
        samples = [f"{city} is a city in {country}.", f"{city} is the capital of {country}."]
        for made_up, said in ((False, country), (True, "Atlantis")):
            cases.append(
                Case.of(f"{city} is the capital of {said}.", prompt=f"Where is {city}?", samples=samples)
            )
            labels.append(made_up)
    return cases, labels


def test_detector_ranks_invented_answers_first():
    cases, labels = answers()
    found = evaluate(cases, GUARD, labels=labels)
    assert found.figure("selfcheck-ngram", "auroc") >= 0.95


def test_right_answers_are_not_flagged():
    cases, labels = answers()
    right = [case for case, made_up in zip(cases, labels, strict=True) if not made_up]
    assert [GUARD.check(case).findings[0].verdict.value for case in right] == ["supported"] * len(right)
