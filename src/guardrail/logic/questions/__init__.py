"""Questions with known answers, the prompts that ask them, the reading of replies, and rates.

```
cases        test cases from facts               reproof      a second proof of every answer
templates    how a triple is asked               prompt       the prompts; the same in other words
reply        what a reply says, and why          evaluation   a chat model's replies; rates
subject      a simulated model
```

Only `cases` needs the extra `[logic]` and SWI-Prolog.

Example:
    >>> parse("No. 1. Texaco was founded by Joseph S. Cullinan. 2. He is no other.").conclusion
    'no'
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from guardrail.logic.questions.cases import FactCase as FactCase
    from guardrail.logic.questions.cases import Generated as Generated
    from guardrail.logic.questions.cases import generate as generate
    from guardrail.logic.questions.evaluation import Outcomes as Outcomes
    from guardrail.logic.questions.evaluation import Rate as Rate
    from guardrail.logic.questions.evaluation import evaluate as evaluate
    from guardrail.logic.questions.evaluation import rate as rate
    from guardrail.logic.questions.reply import Reply as Reply
    from guardrail.logic.questions.reply import parse as parse
    from guardrail.logic.questions.reproof import Evaluator as Evaluator
    from guardrail.logic.questions.subject import Subject as Subject

_HOMES = {
    "Evaluator": "reproof",
    "FactCase": "cases",
    "Generated": "cases",
    "Outcomes": "evaluation",
    "Rate": "evaluation",
    "Reply": "reply",
    "Subject": "subject",
    "evaluate": "evaluation",
    "generate": "cases",
    "parse": "reply",
    "rate": "evaluation",
}

__all__ = [
    "Evaluator",
    "FactCase",
    "Generated",
    "Outcomes",
    "Rate",
    "Reply",
    "Subject",
    "evaluate",
    "generate",
    "parse",
    "rate",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(import_module(f"guardrail.logic.questions.{_HOMES[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
