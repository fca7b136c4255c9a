"""Metric temporal logic over events and years: formulas, when they are true and why, questions, test cases.

```
formula      the immutable tree; JSON            notation       text to formula
intervals    sets of years                       events         which went on in which years
semantics    the value of a formula              points         the same, read year by year
explanation  why a formula is true or false      generation     test cases
english      questions and statements            english_parse  and back
claims       what free sentences claim           wording        the small words of `english`
```

Nothing here knows of detectors or backends.
"""

from __future__ import annotations

from guardrail.logic.temporal.claims import Claim, read_claim
from guardrail.logic.temporal.english import question, statement
from guardrail.logic.temporal.english_parse import Reading, read
from guardrail.logic.temporal.events import History, history, year_of
from guardrail.logic.temporal.explanation import Explanation, explain
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
    from_json,
)
from guardrail.logic.temporal.generation import Case, generate
from guardrail.logic.temporal.intervals import IntervalSet
from guardrail.logic.temporal.notation import parse
from guardrail.logic.temporal.semantics import holds, value

__all__ = [
    "And",
    "Atom",
    "Case",
    "Claim",
    "Explanation",
    "Finally",
    "Formula",
    "Globally",
    "History",
    "Implies",
    "IntervalSet",
    "Next",
    "Not",
    "Or",
    "Reading",
    "Until",
    "explain",
    "from_json",
    "generate",
    "history",
    "holds",
    "parse",
    "question",
    "read",
    "read_claim",
    "statement",
    "value",
    "year_of",
]
