"""Questions with known answers, the prompts that ask them, the reading of replies, and rates.

```
cases        test cases from facts               reproof      a second proof of every answer
templates    how a triple is asked               prompt       the prompts; the same in other words
reply        what a reply says, and why          evaluation   a chat model's replies; rates
```

Only `cases` needs the extra `[logic]` and SWI-Prolog.

Example:
    >>> from guardrail.logic.questions import parse
    >>> parse("No. 1. Texaco was founded by Joseph S. Cullinan. 2. He is no other.").conclusion
    'no'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from guardrail._lazy import lazy

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

_HOMES = {
    "Evaluator": "guardrail.logic.questions.reproof",
    "FactCase": "guardrail.logic.questions.cases",
    "Generated": "guardrail.logic.questions.cases",
    "Outcomes": "guardrail.logic.questions.evaluation",
    "Rate": "guardrail.logic.questions.evaluation",
    "Reply": "guardrail.logic.questions.reply",
    "evaluate": "guardrail.logic.questions.evaluation",
    "generate": "guardrail.logic.questions.cases",
    "parse": "guardrail.logic.questions.reply",
    "rate": "guardrail.logic.questions.evaluation",
}

__all__ = [*_HOMES]  # noqa: PLE0604  # written once

__getattr__, __dir__ = lazy(__name__, _HOMES)
