"""Two questions through guarded LangChain chains.

The answer to the first names references: one chain marks what is made up, one has it written again. The answer to
the second is a text, whose sentences are scored against other answers to the same question.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from importlib.resources import as_file, files
from typing import Any, cast

from guardrail.backends import encoder_installed
from guardrail.demo import portrait
from guardrail.demo.script import QUESTION, scripted_chat
from guardrail.detector import Detector
from guardrail.errors import MissingExtra
from guardrail.guard import Guard
from guardrail.policies import Policy, annotate, regenerate
from guardrail.references import ReferenceCheck
from guardrail.report import Report
from guardrail.selfcheck import SelfCheck


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the demo came to.

    Attributes:
        question: what was asked.
        annotated: the report of `prompt | model | GuardedOutput(guard)` under `annotate()`; its case has the answer as it came.
        regenerated: the report of `guard_runnable(guard, prompt | model)` under `regenerate(2) | annotate()`.
        scored: the report of `prompt | model | GuardedOutput(guard)` with SelfCheck, under `flag()`, on the
            second question.
        true: whether the sentences of the second answer are, for the script; of a live model nobody knows.
    """

    question: str
    annotated: Report
    regenerated: Report
    scored: Report
    true: tuple[bool, ...] = ()


def run(chat: Any = None, *, question: str = QUESTION) -> Outcome:
    """Run the demo.

    Args:
        chat: the model to guard, from `guardrail.chat`; the scripted one by default.
        question: what to ask it for references.

    Raises:
        MissingExtra: langchain is not installed.
        BackendError: a live model did not answer.
    """
    try:
        from langchain_core.prompts import ChatPromptTemplate

        from guardrail.demo.model import DemoModel
    except ImportError as error:
        raise MissingExtra("langchain", extra="langchain") from error
    # The demo stands where an application stands: it uses the adapter as any user would.
    adapter = import_module("guardrail_langchain")
    true = portrait.TRUE if chat is None else ()
    chat = scripted_chat() if chat is None else chat
    chain = ChatPromptTemplate.from_messages([("human", "{question}")]) | DemoModel(chat=chat)

    def asked(guarded: Any, question: str, *detectors: Detector, **options: Any) -> Report:
        reports: list[Report] = []
        with Guard(detectors, chat=chat, on_report=reports.append, **options) as guard:
            guarded(guard).invoke({"question": question})
        return reports[-1]

    def checked(guard: Guard) -> Any:
        return chain | adapter.GuardedOutput(guard)

    def again(guard: Guard) -> Any:
        return adapter.guard_runnable(guard, chain)

    with as_file(files("guardrail.demo") / "works.bib") as works:
        annotated = asked(checked, question, ReferenceCheck(bibliography=works), policy=annotate())
        twice = cast("Policy", regenerate(2) | annotate())
        regenerated = asked(again, question, ReferenceCheck(bibliography=works), policy=twice)
    scorers = [SelfCheck("ngram"), SelfCheck()]
    if encoder_installed():
        scorers.insert(1, SelfCheck("bertscore", encoder="packaged"))
    by_name = {scorer.name: scorer for scorer in scorers}
    scored = asked(checked, portrait.QUESTION, *by_name.values())
    return Outcome(question, annotated, regenerated, scored, true)
