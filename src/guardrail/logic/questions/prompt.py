"""The prompts: a question, and the form that a reply must have; and a question said in other words.

After Table IV of [li2025], in our words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from guardrail.engine.flow import Answer, Failed, Flow, one
from guardrail.logic.questions.reply import parse
from guardrail.requests import Ask, Message, Untrusted, system, user
from guardrail.text.fence import FENCE_RULE

__all__ = ["Kind", "prompt", "rephrased"]

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


def rephrased(question: str, affirmed: str, denied: str) -> Flow[str]:
    """The question in other words by a model (role "judge"), if it still asks the same; else as it was.

    What comes back is given to the model again, once with the statement that Yes would say and once with the one that
    No would: it is used only if the replies are Yes and No.

    Args:
        question: as the templates have it.
        affirmed: the statement that Yes stands for.
        denied: the statement that No stands for.
    """
    asked = user(
        "Say this question in other words. Keep every name letter by letter and change nothing of what it asks. "
        "Reply with the new question alone.\n",
        Untrusted(question),
    )
    reply = yield from one(Ask((system(FENCE_RULE), asked), temperature=0.0, role="judge"))
    if isinstance(reply, Failed):
        return question
    text = reply.value.text.strip()
    if not text.endswith("?") or "\n" in text:
        return question
    for sentence, expected in ((affirmed, "yes"), (denied, "no")):
        back = user(
            "Suppose this is known to be true: ",
            Untrusted(sentence),
            "\nWhat is then the answer to this question: ",
            Untrusted(text),
            "\nReply Yes or No.",
        )
        read = yield from one(Ask((system(FENCE_RULE), back), temperature=0.0, role="judge"))
        if not isinstance(read, Answer) or parse(read.value.text).conclusion != expected:
            return question
    return text
