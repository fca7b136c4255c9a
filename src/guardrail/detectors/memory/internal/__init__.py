"""Internal consistency: does a model keep the pairs apart that it knows, when k of them are shuffled?

`pairs`, `orders`, `questions`, `replies`, `estimates`: pure functions. `survey`: what is asked of a model, and what comes of
it. `task`, `check`: the detector.

Source: [memory] §III-B, §IV-B; `docs/design/memory.md` says what differs.
"""

from guardrail.detectors.memory.internal.check import PairConsistency
from guardrail.detectors.memory.internal.estimates import Estimate, bootstrap, clustered, single
from guardrail.detectors.memory.internal.orders import chosen, orders, shuffled, stream
from guardrail.detectors.memory.internal.pairs import Candidates, Pair, candidates
from guardrail.detectors.memory.internal.questions import Wording
from guardrail.detectors.memory.internal.replies import Reading, read_list, read_name
from guardrail.detectors.memory.internal.survey import (
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
