"""What the model is asked, in English and Chinese: other words for the source, and the task of a case on them.

`paper=True` gives the paper's own unfenced prompts [memory] §III.C and §IV.A. Ours say in other words what those ask
for, and keep texts apart as untrusted data.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

from guardrail._toml import packaged
from guardrail.memory.external.segmentation import Language
from guardrail.report import Case
from guardrail.requests import Message, Untrusted, system, user
from guardrail.text.fence import FENCE_RULE

Kind: TypeAlias = Literal["text", "question"]

_QUOTE = 20  # characters of a document that is told from a word in the question

_PAPER_REPHRASE = (
    "You are a linguistic expert who specializes in text analysis and writing. Please help me rephrase the original "
    "text enclosed within the symbol {}, retaining the original text information as much as possible, and try to be "
    "consistent with the semantics while maintaining the same meaning."
)
_PAPER_DIFFERENT = " Please output text different from examples, the examples are enclosed within symbols []."
_PAPER_SUMMARY = (
    "You are a linguistics expert who specializes in text analysis and writing. Please summarize the following text in "
    "one sentence, condensing the information as much as possible. The output contains only the summarized text, please "
    "do not add additional responses or explanations"
)


_TEXTS: Mapping[str, Mapping[str, str]] = packaged("guardrail.memory.external", "prompts.toml")


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


def summary_prompt(
    text: str, *, language: Language, paper: bool = False, translated: bool = False
) -> tuple[Message, ...]:
    """Ask for one sentence that says what a text says.

    Args:
        text: q̂_p.
        language: of the prompt.
        paper: the paper's words, unfenced.
        translated: the text is in another language; the sentence is to be in that of the prompt.
    """
    if paper:
        return (user(f"{_PAPER_SUMMARY}\n{text}"),)
    words = _words(language)
    said = words["named"] if translated else ""
    return (_system(words), user(f"{words['summary'].format(language=said)}\n\n", Untrusted(text)))


def answer_prompt(
    question: str,
    text: str,
    *,
    language: Language,
    documents: Sequence[str] = (),
    earlier: Sequence[Message] = (),
) -> tuple[Message, ...]:
    """Ask the user's question about a text, for an answer in the language of the question.

    Args:
        question: the user's own; not fenced, since it is what the model is to do.
        text: q̂_p.
        language: of the prompt.
        documents: what the text is based on; where the question or an earlier message quotes one, it is left out there.
        earlier: what was said before the question; a system message at its head follows ours.
    """
    words = _words(language)
    question = _elsewhere(question, documents, words)
    ours, before = _system(words), [_quoting_less(message, documents, words) for message in earlier]
    if before and before[0].role == "system":  # one alone, since many models take no second
        theirs = before.pop(0).content
        ours = system(f"{ours.text}\n\n", *([theirs] if isinstance(theirs, str) else theirs))
    asked = f"\n\n{words['asked']}{question}"
    return (ours, *before, user(f"{words['answer']}\n\n{words['given']}\n", Untrusted(text), asked))


def rephrase_prompt(
    source: str, earlier: Sequence[str], *, kind: Kind, language: Language, paper: bool = False
) -> tuple[Message, ...]:
    """Ask for the source in other words.

    Args:
        source: q_0, a text or a question.
        earlier: accepted rephrasings, which the new one must differ from.
        kind: which of the two it is.
        language: of the prompt.
        paper: the paper's words, unfenced.
    """
    if paper:
        examples = f"{_PAPER_DIFFERENT}\n[{']['.join(earlier)}]" if earlier else ""
        return (user(f"{_PAPER_REPHRASE}{examples}\n{{{source}}}"),)
    words = _words(language)
    return _another(words, words[kind], source, earlier)


def translate_prompt(source: str, earlier: Sequence[str], *, into: Language) -> tuple[Message, ...]:
    """Ask for the source in another language, otherwise than before."""
    words = _words(into)
    return _another(words, words["translate"], source, earlier)


def _another(
    words: Mapping[str, str], wanted: str, source: str, earlier: Sequence[str]
) -> tuple[Message, ...]:
    """Ask for something made of the source that differs from each of the earlier ones."""
    pieces: list[str | Untrusted] = [f"{wanted}\n\n", Untrusted(source)]
    if earlier:
        pieces.append(f"\n\n{words['different']}")
        for number, text in enumerate(earlier, 1):
            pieces += [f"\n{number}. ", Untrusted(text)]
    return (_system(words), user(*pieces))


def _quoting_less(message: Message, documents: Sequence[str], words: Mapping[str, str]) -> Message:
    """A message that says "(the text)" where it quotes a document."""
    if isinstance(message.content, str):
        return replace(message, content=_elsewhere(message.content, documents, words))
    parts = (
        _elsewhere(part, documents, words)
        if isinstance(part, str)
        else Untrusted(_elsewhere(part.text, documents, words))
        for part in message.content
    )
    return replace(message, content=tuple(parts))


def _elsewhere(text: str, documents: Sequence[str], words: Mapping[str, str]) -> str:
    """A text that says "(the text)" where it quotes a document; short ones are words that anybody may use."""
    for document in sorted(map(str.strip, documents), key=len, reverse=True):
        if len(document) < _QUOTE:
            continue
        # not within a longer word; Chinese has no blanks to tell by
        before, after = (r"(?<![^\W\u3400-\u9fff])", r"(?![^\W\u3400-\u9fff])")
        pattern = f"{before if document[0].isalnum() else ''}{re.escape(document)}{after if document[-1].isalnum() else ''}"
        text = re.sub(pattern, lambda _: words["elsewhere"], text)
    return text


def _words(language: Language) -> Mapping[str, str]:
    return _TEXTS["zh" if language == "zh" else "en"]


def _system(words: Mapping[str, str]) -> Message:
    return system(f"{words['role']} {FENCE_RULE}")
