"""The prompts: a question, and the form that a reply must have.

After Table IV of [li2025], in our words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from guardrail.requests import Message, Untrusted, system, user
from guardrail.text.fence import FENCE_RULE

Kind: TypeAlias = Literal["relation", "temporal"]

_SYSTEM = "Answer the question by what you know and by reasoning from it."
_FORM = (
    'Begin your answer with "Yes", "No" or "I don\'t know". Then list the {what}, one declarative sentence per '
    "line, numbered from 1. Reason step by step; do not write anything else."
)
_WHAT = {
    "relation": "facts that you used",
    "temporal": "years of the events and the steps of temporal reasoning that you used",
}


def prompt(question: str, *, kind: Kind = "relation", context: Sequence[str] = ()) -> tuple[Message, ...]:
    """The messages that put a question to a model.

    Args:
        question: in English.
        kind: "temporal" for questions about years.
        context: sentences that the model is to use: facts it cannot know, or evidence for asking again.
    """
    given: list[str | Untrusted] = []
    if context:
        listed = "\n".join(context)
        given = ["Take these statements as true:\n", Untrusted(listed), "\n\n"]
    rule = f"{_SYSTEM} {FENCE_RULE}"
    return system(rule), user(
        *given, "Question: ", Untrusted(question), "\n\n", _FORM.format(what=_WHAT[kind])
    )
