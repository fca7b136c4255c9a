"""Internal consistency: does a model keep the pairs apart that it knows, when k of them are shuffled?

`pairs`, `orders`, `questions`, `replies`, `estimates`: pure functions. `survey`: what is asked of a model, and what comes of
it. `task`, `check`: the detector.

Source: [memory] §III-B, §IV-B; `docs/design/memory.md` says what differs.
"""

from guardrail.memory.internal.check import PairConsistency
from guardrail.memory.internal.estimates import Estimate, bootstrap, clustered, single
from guardrail.memory.internal.orders import chosen, orders, shuffled, stream
from guardrail.memory.internal.pairs import Candidates, Pair, candidates
from guardrail.memory.internal.questions import Wording
from guardrail.memory.internal.replies import Reading, read_list, read_name
from guardrail.memory.internal.survey import (
    Known,
    Outcome,
    Question,
    Setting,
    answers_rightly,
    ask_pairs,
    ask_questions,
    plan,
    setting,
)

__all__ = [
    "Candidates",
    "Estimate",
    "Known",
    "Outcome",
    "Pair",
    "PairConsistency",
    "Question",
    "Reading",
    "Setting",
    "Wording",
    "answers_rightly",
    "ask_pairs",
    "ask_questions",
    "bootstrap",
    "candidates",
    "chosen",
    "clustered",
    "orders",
    "plan",
    "read_list",
    "read_name",
    "setting",
    "shuffled",
    "single",
    "stream",
]
