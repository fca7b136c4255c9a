"""What is asked about a text: the user's own question, or a summary."""

from __future__ import annotations

from guardrail.memory.external.prompts import answer_prompt, summary_prompt
from guardrail.memory.external.segmentation import Language
from guardrail.report import Case
from guardrail.requests import Message, user

__all__ = ["source_of", "task_of"]


def source_of(case: Case) -> str:
    """The documents as one text; "" without any."""
    return "\n\n".join(document.strip() for document in case.context if document.strip())


def task_of(
    case: Case, text: str, *, language: Language, paper: bool = False, translated: bool = False
) -> tuple[Message, ...]:
    """The task of a case, asked about a text in place of its documents, after what was said before.

    Args:
        case: with documents, a question, or both.
        text: q̂_p: documents in other words; without documents the question in other words, which then takes the place
            of the last user message.
        language: of the prompt.
        paper: the paper's prompt, for a summary.
        translated: the text is in another language than the answer is to be.
    """
    question = case.question.strip()
    last = max((i for i, message in enumerate(case.messages) if message.role == "user"), default=0)
    earlier = case.messages[:last]
    if not source_of(case):
        return (*earlier, user(text))
    if question:
        return answer_prompt(question, text, language=language, documents=case.context, earlier=earlier)
    return summary_prompt(text, language=language, paper=paper, translated=translated)
