"""What the model is asked, in English and Chinese: other words for the source, and the task of a case on them.

`paper=True` gives the paper's own unfenced prompts [memory] §III.C and §IV.A. Ours say in other words what those ask
for, and keep texts apart as untrusted data.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Literal, TypeAlias

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


def _table(**texts: str) -> Mapping[str, str]:
    return MappingProxyType(texts)


_ENGLISH = _table(
    role="You edit texts with care.",
    text="Write the text below again in other words and the same language: change words, the structure of sentences and "
    "their order where that is possible. Every name, number, date and statement stays; nothing is added and nothing left out. Reply with "
    "the new text alone.",
    question="Write the question below again in other words and the same language, so that it asks for exactly the same. Every name, number "
    "and date stays. Reply with the new question alone; do not answer it.",
    different="It has to differ from each of these versions:",
    summary="Summarise the text below in one sentence{language} that says as much of it as possible. Use nothing but the text. "
    "Reply with the sentence alone.",
    answer="Answer the question by the text below alone, briefly, in the language of the question. If the text does not say, reply that it does "
    "not say.",
    asked="Question: ",
    named=" in English",
    given="Text:",
    elsewhere="(the text)",
    translate="Translate the text below into English. Every name, number, date and statement stays. Reply with the "
    "translation alone.",
)
_CHINESE = _table(
    role="你是一位严谨的文字编辑。",
    text="请用不同的措辞改写下面的文本：可以更换词语、调整句式和语序。所有人名、地名、数字、日期和事实都要保留，"
    "不得增加，也不得遗漏。只输出改写后的文本。",
    question="请用不同的措辞改写下面的问题，所问的内容必须完全相同，人名、数字和日期都要保留。只输出改写后的问题，不要回答。",
    different="改写结果必须与以下每个版本都不同：",
    summary="请用一句{language}话概括下面的文本，尽可能多地保留信息，只依据文本内容。只输出这句话。",
    answer="请只根据下面的文本，用提问所用的语言简短回答问题。如果文本没有提到，就回答文本没有提到。",
    asked="问题：",
    named="中文",
    given="文本：",
    elsewhere="（文本）",
    translate="请把下面的文本翻译成中文，保留所有人名、地名、数字、日期和事实。只输出译文。",
)


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
    return _CHINESE if language == "zh" else _ENGLISH


def _system(words: Mapping[str, str]) -> Message:
    return system(f"{words['role']} {FENCE_RULE}")
